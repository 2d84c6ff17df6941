"""Operating services, with the audit of it."""

from atoll.audit_trail.record import record
from atoll.control.client import ControlClient
from atoll.control.schemas import ServiceAction
from atoll.database.connection import Sessions
from atoll.identity.caller import Caller
from atoll.web.errors import ApiError


class ServicesService:
    """What administrators do to services."""

    def __init__(self, control: ControlClient, sessions: Sessions) -> None:
        self._control = control
        self._sessions = sessions

    async def restart(self, caller: Caller, name: str) -> ServiceAction:
        """Restart; kept in the audit also when it fails. The API itself may be what restarts."""
        try:
            action = await self._control.restart(name, caller.name)
        except ApiError as error:
            async with self._sessions() as session, session.begin():
                await record(
                    session,
                    caller,
                    "service.restart",
                    kind="service",
                    identifier=name,
                    name=name,
                    outcome="failed",
                    details={"code": error.code},
                )
            raise
        async with self._sessions() as session, session.begin():
            await record(
                session,
                caller,
                "service.restart",
                kind="service",
                identifier=name,
                name=name,
                outcome="done" if action.ok else "failed",
                details={"message": action.message},
            )
        return action
