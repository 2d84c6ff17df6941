"""Every query about ways in."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.database.base import now
from atoll.identity.models import UserRow
from atoll.ways_in.models import FlowRow, LinkRow, StrangerRow


class WaysRepository:
    """Links, and what is under way."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def end_oldest(self, site: str, most: int) -> None:
        """Of the flows of a site keep the newest `most`; the others cannot be gone on with."""
        of_site = select(FlowRow.state_hash).where(FlowRow.site == site)
        others = of_site.order_by(FlowRow.begun_at.desc(), FlowRow.state_hash).offset(most)
        await self._session.execute(delete(FlowRow).where(FlowRow.state_hash.in_(others)))

    async def take_flow(self, state_hash: str, browser_hash: str, way: str) -> FlowRow | None:
        """The flow, which nobody has again; None when it is not, or not any more, that browser's."""
        mine = (FlowRow.state_hash == state_hash, FlowRow.browser_hash == browser_hash, FlowRow.way == way)
        taken: FlowRow | None = await self._session.scalar(
            delete(FlowRow).where(*mine, FlowRow.expires_at > now()).returning(FlowRow)
        )
        return taken

    async def stranger(self, browser_hash: str, way: str) -> StrangerRow | None:
        """Who came back in that browser, and may make an account now."""
        mine = (StrangerRow.browser_hash == browser_hash, StrangerRow.way == way, StrangerRow.expires_at > now())
        found: StrangerRow | None = await self._session.scalar(select(StrangerRow).where(*mine).with_for_update())
        return found

    async def forget_ended(self) -> None:
        """Drop what was begun and never ended."""
        for table in (FlowRow, StrangerRow):
            await self._session.execute(delete(table).where(table.expires_at < now()))

    async def linked_user(self, issuer: str, subjects: Sequence[str]) -> str | None:
        """The id of whose account is linked with one of these subjects, the first of them where there are several.

        No row is kept in the session: whoever locks the user next sees them as they are then.
        """
        query = select(LinkRow.subject, LinkRow.user_id).where(LinkRow.issuer == issuer, LinkRow.subject.in_(subjects))
        found = [(row[0], row[1]) for row in await self._session.execute(query)]
        return min(found, key=lambda each: subjects.index(each[0]), default=(None, None))[1]

    async def link(self, issuer: str, subjects: Sequence[str]) -> tuple[LinkRow, UserRow] | None:
        """What links one of these subjects, the first of them where there are several, locked, and the user."""
        query = (
            select(LinkRow, UserRow)
            .join(UserRow, UserRow.id == LinkRow.user_id)
            .where(LinkRow.issuer == issuer, LinkRow.subject.in_(subjects))
            .with_for_update(of=LinkRow)
        )
        found = [(row[0], row[1]) for row in await self._session.execute(query)]
        return min(found, key=lambda each: subjects.index(each[0].subject), default=None)

    async def links_of(self, user_id: str) -> Sequence[LinkRow]:
        """What is linked with an account."""
        return (await self._session.scalars(select(LinkRow).where(LinkRow.user_id == user_id))).all()

    async def forget_labels(self, user_id: str) -> None:
        """Keep no words for people of what is linked with an account."""
        await self._session.execute(update(LinkRow).where(LinkRow.user_id == user_id).values(label=""))

    async def unlink(self, user_id: str, way: str | None = None) -> list[str]:
        """Nobody comes into the account by that way any more (None: by any); the ways that there were, in order."""
        ended = delete(LinkRow).where(LinkRow.user_id == user_id)
        if way is not None:
            ended = ended.where(LinkRow.way == way)
        return sorted(await self._session.scalars(ended.returning(LinkRow.way)))


def used(link: LinkRow, subject: str, label: str, at: datetime) -> None:
    """Keep that it was used, under the subject that lasts longest, with what its user is called now."""
    link.subject, link.label, link.used_at = subject, label, at
