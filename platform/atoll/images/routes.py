"""Images of the cluster's registry, by way of the control service."""

from typing import Annotated

from fastapi import APIRouter

from atoll.identity.caller import Caller
from atoll.identity.permissions import Permission
from atoll.images.schemas import Images
from atoll.services.routes import Control
from atoll.web.dependencies import allowed

router = APIRouter(tags=["images"])


@router.get("/images")
async def images(_caller: Annotated[Caller, allowed(Permission.IMAGES_READ)], control: Control) -> Images:
    """The images that were imported; any of them can be the `image` of a task."""
    return await control.images()
