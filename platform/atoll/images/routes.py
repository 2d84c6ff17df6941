"""Images of the cluster's registry, by way of the control service."""

from typing import Annotated

from fastapi import APIRouter

from atoll.control.dependencies import Control
from atoll.control.schemas import Images
from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.images.policy import IMAGES_READ

router = APIRouter(tags=["images"])


@router.get("/images", name="list")
async def images(caller: Annotated[Caller, allowed(IMAGES_READ)], control: Control) -> Images:
    """The images that were imported; any of them can be the `image` of a task."""
    return await control.images(caller.name)
