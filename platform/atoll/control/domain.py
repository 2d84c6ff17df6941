"""The control service: the manifest."""

from atoll.configuration import Configuration
from atoll.control.client import ControlClient
from atoll.control.schemas import RunEvent
from atoll.web.domain import Domain, ProcessPart


def _control(configuration: Configuration) -> ControlClient | None:
    return ControlClient(configuration.control) if configuration.control else None


DOMAIN = Domain(name="control", events=(RunEvent,), parts=(ProcessPart(ControlClient, _control, ControlClient.close),))
