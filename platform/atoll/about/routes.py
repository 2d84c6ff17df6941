"""What this is: public, so that the sign-in page can show it."""

from fastapi import APIRouter
from pydantic import Field

from atoll.identity.dependencies import public
from atoll.providers import WayName
from atoll.web.dependencies import Configured
from atoll.web.schema import Schema

router = APIRouter(tags=["about"])


class About(Schema):
    """Product, version and cluster."""

    product: str
    version: str
    cluster: str
    engine: str
    registration: bool = Field(description="Whether people may make accounts for themselves")
    ways_in: list[WayName] = Field(description="Ways to sign in beside the password")


@router.get("/about", name="read", dependencies=[public()])
async def about(configuration: Configured) -> About:
    """Product, version and the cluster's name."""
    return About(
        product="Atoll",
        version=configuration.cluster.version,
        cluster=configuration.cluster.name,
        engine=configuration.engine.kind,
        registration=configuration.web.registration,
        ways_in=configuration.ways_in.names,
    )
