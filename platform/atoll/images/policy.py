"""Who may do what with images."""

from atoll.identity.permissions import PLATFORM
from atoll.web.domain import Permission

IMAGES_READ = Permission("images:read", PLATFORM)
PERMISSIONS = (IMAGES_READ,)
