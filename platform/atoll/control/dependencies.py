"""The control service, for routes that are nothing without it."""

from typing import Annotated

from fastapi import Depends

from atoll.control.client import ControlClient
from atoll.control.codes import NoControlService
from atoll.web.dependencies import Parts
from atoll.web.errors import Unavailable


async def _control(parts: Parts) -> ControlClient:
    control = parts.find(ControlClient)
    if control is None:
        raise Unavailable(NoControlService())
    return control


# Always after the caller: who may not ask does not learn what is there.
Control = Annotated[ControlClient, Depends(_control)]
