"""An archive is made: step by step by `files`, where a killed `jobs` left off, with its name only once it is whole."""

from typing import Any

from atoll.archives import codes
from atoll.archives.schemas import ArchiveParameters, ArchiveState
from atoll.homes.client import FilesClient
from atoll.homes.schemas import ArchiveAction
from atoll.operations.handling import Failed, Work
from atoll.web.domain import OperationKind

MOST_ENTRIES = 1_000_000
MOST_BYTES = 1 << 40
_SURVEY = 0.05  # of the progress


class _Archive:
    """One attempt."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.parameters = ArchiveParameters.model_validate(work.parameters)
        self.state = ArchiveState.model_validate(work.checkpoint or {})

    async def ask(self, action: ArchiveAction, **more: Any) -> dict[str, Any]:
        """Let `files` do one step, under the owner's uid."""
        self.work.check()
        return await self.work.part(FilesClient).archive(
            self.work.owner,
            action,
            self.parameters.path,
            self.parameters.target,
            operation=self.work.id,
            fence=self.work.fence,
            **more,
        )

    async def survey(self) -> None:
        """Count first: what is too large is told before a byte is written, and progress has an end."""
        state = self.state
        while not state.surveyed:
            found = await self.ask("survey", cursor=state.cursor)
            state.entries += found["entries"]
            state.size_bytes += found["bytes"]
            state.cursor = found["cursor"]
            state.surveyed = state.cursor is None
            _check_size(state.entries, state.size_bytes)
            await self.store(_SURVEY if state.surveyed else 0.0, codes.ArchiveCounts(entries=state.entries))

    async def append(self) -> dict[str, Any]:
        """All steps that are left. Gives the last one's state."""
        step: dict[str, Any] | None = self.state.step
        if step is None or not step["done"]:
            kept = (await self.ask("begin"))["kept"]
            if step is None or not kept:
                name = self.parameters.path.rpartition("/")[2] or self.work.owner.name
                step = dict.fromkeys(("entries", "bytes", "skipped", "offset"), 0)
                step |= {"name": name, "cursor": None, "open": None, "done": False, "inode": None}
        while not step["done"]:
            step = await self.ask("append", state=step)
            _check_size(step["entries"], step["bytes"])
            self.state.step = step
            done = (step["entries"] + step["bytes"]) / max(1, self.state.entries + self.state.size_bytes)
            await self.store(
                _SURVEY + (0.99 - _SURVEY) * min(1.0, done),
                codes.ArchiveWrites(entries=step["entries"], total=self.state.entries),
            )
        return step

    async def store(self, progress: float, message: codes.ArchiveCounts | codes.ArchiveWrites) -> None:
        """Keep where to go on."""
        await self.work.store(self.state.model_dump(mode="json"), progress=progress, message=message)


def _check_size(entries: int, size_bytes: int) -> None:
    if entries > MOST_ENTRIES or size_bytes > MOST_BYTES:
        raise Failed(codes.ArchiveTooLarge(entries=MOST_ENTRIES, size_bytes=MOST_BYTES))


async def make(work: Work) -> dict[str, Any]:
    """The handler. It is decided before the archive gets its name that nobody cancels it; done again, that changes
    nothing, so no row is locked while `files` does it.
    """
    archive = _Archive(work)
    await archive.survey()
    step = await archive.append()
    await work.last_step()
    made = await archive.ask("publish", inode=step["inode"])
    return {
        "path": archive.parameters.target,
        "size_bytes": made["bytes"],
        "entries": step["entries"],
        "skipped": step["skipped"],
    }


async def discard(work: Work) -> None:
    """Remove the part of one that failed or was cancelled."""
    await _Archive(work).ask("discard")


ARCHIVE = OperationKind("home.archive", make, discard, resumable=True)
