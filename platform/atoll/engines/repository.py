"""What was last seen of the machines."""

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.database.base import now
from atoll.engines.base import NodeObservation
from atoll.engines.models import NodeRow


class NodeRepository:
    """The table of machines; `jobs` writes it, the API reads it."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def all(self) -> Sequence[NodeRow]:
        """All machines by name."""
        return (await self._session.scalars(select(NodeRow).order_by(NodeRow.name))).all()

    async def observations(self) -> list[NodeObservation]:
        """All machines as the engine reported them."""
        return [NodeObservation.model_validate(row.observation) for row in await self.all()]

    async def replace(self, observations: Sequence[NodeObservation]) -> None:
        """Keep what is seen now; machines that are gone are dropped."""
        names = [observation.name for observation in observations]
        await self._session.execute(delete(NodeRow).where(NodeRow.name.not_in(names)))
        for observation in sorted(observations, key=lambda item: item.name):
            # Without defaults: while an upgrade goes on, an API of before reads this, and refuses strange keys.
            values = {"observation": observation.model_dump(mode="json", exclude_defaults=True), "seen_at": now()}
            await self._session.execute(
                insert(NodeRow)
                .values(name=observation.name, **values)
                .on_conflict_do_update(index_elements=[NodeRow.name], set_=values)
            )
