"""Whoever waited is judged again: at a lock, in a line, for what answers slowly, rights and sessions may be lost.

A handler that writes asks for a `Judge` and calls it behind all waiting, before its transaction is committed.
"""

from typing import Annotated

from fastapi import Depends

from atoll.identity.caller import Caller
from atoll.identity.permissions import PermissionTable
from atoll.identity.rights.giving import Giving
from atoll.web.dependencies import Parts, Transaction


class Judge:
    """Judges who asks as of this moment, in the transaction of the request: what it has done is undone if it raises."""

    def __init__(self, giving: Giving) -> None:
        self._giving = giving

    async def __call__(self, caller: Caller) -> None:
        """Raise NotSignedIn for an account or session that has ended, NotAllowed for rights that were lost since."""
        await self._giving.judge(caller)


async def _judge(session: Transaction, parts: Parts) -> Judge:
    return Judge(Giving(session, parts.part(PermissionTable)))


JudgedAgain = Annotated[Judge, Depends(_judge)]
