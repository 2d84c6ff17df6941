"""Every query about settings: of the caller's own and nobody else's."""

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.identity.caller import Caller
from atoll.settings.models import FIRST_VERSION, USUAL_REFRESH_S, UserSettingsRow


class SettingsRepository:
    """One user's row."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def get(self, caller: Caller) -> UserSettingsRow | None:
        """The caller's; None for who never set anything."""
        return await self._session.get(UserSettingsRow, caller.id)

    async def locked(self, caller: Caller) -> UserSettingsRow:
        """The caller's, made where there is none; until the transaction ends nobody else changes it."""
        usual = {"user_id": caller.id, "refresh_s": USUAL_REFRESH_S, "version": FIRST_VERSION}
        await self._session.execute(insert(UserSettingsRow).values(usual).on_conflict_do_nothing())
        return await self._session.get_one(UserSettingsRow, caller.id, with_for_update=True, populate_existing=True)
