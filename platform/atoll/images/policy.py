"""Who may do what with images."""

from atoll.identity.permissions import EVERYBODY
from atoll.web.domain import Permission

IMAGES_READ = Permission("images:read", EVERYBODY)
PERMISSIONS = (IMAGES_READ,)
