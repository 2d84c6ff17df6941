"""The control service: the manifest."""

from atoll.configuration import Configuration
from atoll.control import codes
from atoll.control.client import ControlClient
from atoll.control.schemas import RunEvent
from atoll.web.codes import declared
from atoll.web.domain import Domain, ProcessPart


def _control(configuration: Configuration) -> ControlClient | None:
    return ControlClient(configuration.control) if configuration.control else None


DOMAIN = Domain(
    name="control",
    codes=declared(codes),
    events=(RunEvent,),
    parts=(ProcessPart(ControlClient, _control, ControlClient.close),),
)
