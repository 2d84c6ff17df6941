"""Rules of archives."""

from atoll.archives.codes import ArchiveOfNothing
from atoll.archives.handler import ARCHIVE
from atoll.archives.schemas import ArchiveCreate, ArchiveParameters
from atoll.homes.client import below
from atoll.identity.caller import Caller
from atoll.operations.schemas import Operation
from atoll.operations.service import OperationService
from atoll.web.errors import Invalid


class ArchiveService:
    """What people do with archives."""

    def __init__(self, operations: OperationService) -> None:
        self._operations = operations

    async def create(self, caller: Caller, body: ArchiveCreate, key: str | None) -> Operation:
        """Start making one of a directory of the caller's home. Raises Invalid for a path that climbs."""
        path = below("", body.path)
        target = below("", body.target) if body.target is not None else f"{path or caller.name}.tar.gz"
        if not target or target.rpartition("/")[2].startswith(".atoll-"):
            raise Invalid(ArchiveOfNothing())
        parameters = ArchiveParameters(path=path, target=target).model_dump()
        return await self._operations.start(caller, ARCHIVE, target, parameters, key=key)
