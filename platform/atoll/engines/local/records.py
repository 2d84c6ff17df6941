"""The local engine's state on disk: written whole or not at all, readable after any kill."""

import contextlib
import json
import os
import signal
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter

from atoll.engines import codes, outcome
from atoll.engines.admission import Placement
from atoll.engines.base import ReplicaObservation, Submission

SUBMISSION = "submission.json"
SECRETS = "secrets.json"
PLACEMENT = "placement.json"
_PLACES = TypeAdapter(tuple[tuple[str, tuple[int, ...]], ...])


def write(path: Path, text: str) -> None:
    """Write atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(path.suffix + ".part")
    part.write_text(text, encoding="utf-8")
    part.rename(path)


def read_from(path: Path, offset: int, limit: int = 1 << 18) -> bytes:
    """Bytes from `offset`; empty when there are none (yet)."""
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(limit)
    except FileNotFoundError:
        return b""


def write_submission(directory: Path, submission: Submission) -> None:
    """Keep what was asked for; the secrets in a file of their own that only this user reads, until it is started."""
    secrets = submission.specification.secret_values()
    if secrets:
        directory.mkdir(parents=True, exist_ok=True)
        handle = os.open(directory / SECRETS, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(secrets, file)
    shown = submission.model_dump(mode="json")
    shown["specification"].pop("secrets")
    write(directory / SUBMISSION, json.dumps(shown))


def read_submission(directory: Path) -> Submission | None:
    """What was asked for; None when the writer was killed before it was written."""
    try:
        told = json.loads((directory / SUBMISSION).read_text(encoding="utf-8"))
        with contextlib.suppress(FileNotFoundError):
            told["specification"]["secrets"] = json.loads((directory / SECRETS).read_text(encoding="utf-8"))
        return Submission.model_validate(told)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def drop_secrets(directory: Path) -> None:
    """They are in the environment of the processes now."""
    (directory / SECRETS).unlink(missing_ok=True)


def read_placement(directory: Path) -> Placement | None:
    """Where it was started; None when it was not."""
    try:
        return Placement(_PLACES.validate_json((directory / PLACEMENT).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def write_placement(directory: Path, placement: Placement) -> None:
    """Keep where it is about to be started."""
    write(directory / PLACEMENT, _PLACES.dump_json(tuple(placement.replicas)).decode())


def start_time(process_id: int) -> str:
    """When a process began, in ticks since boot: tells it from a later one with the same number. Empty: gone."""
    try:
        fields = Path(f"/proc/{process_id}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if fields[0] == "Z" else fields[19]


def living(directory: Path, rank: int) -> int | None:
    """The process of a rank, None when it has ended or never began."""
    try:
        process_id, _, began = (directory / f"{rank}.pid").read_text(encoding="ascii").partition(" ")
    except FileNotFoundError:
        return None
    return int(process_id) if began and start_time(int(process_id)) == began else None


def kill_family(process_id: int) -> None:
    """End an entry point and the sessions of its children. Raises ProcessLookupError when it has ended."""
    try:
        found = Path(f"/proc/{process_id}/task/{process_id}/children").read_text(encoding="ascii").split()
    except FileNotFoundError as error:
        raise ProcessLookupError(process_id) from error
    for child in found:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(int(child), signal.SIGKILL)
    os.kill(process_id, signal.SIGKILL)


def _moment(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except FileNotFoundError:
        return None


def look(directory: Path, rank: int, node: str, devices: tuple[int, ...], memory_limit: str) -> ReplicaObservation:
    """A replica as its files and its process tell."""
    alive = living(directory, rank) is not None
    told = (
        outcome.parse((directory / f"{rank}.outcome").read_text(encoding="utf-8", errors="replace"))
        if _ended(directory, rank)
        else None
    )
    began = _moment(directory / f"{rank}.pid")
    if alive or began is None:
        return ReplicaObservation(
            rank=rank,
            state="running" if alive else "starting",
            pod=f"{directory.name}-{rank}",
            node=node,
            devices=list(devices),
            started_at=began,
        )
    why = outcome.reason(told, memory_limit) if told is not None else codes.ProcessLost().reason()
    return ReplicaObservation(
        rank=rank,
        state="succeeded" if why is None else "failed",
        pod=f"{directory.name}-{rank}",
        node=node,
        devices=list(devices),
        exit_code=told.exit_code if told is not None else 137,
        reason=why,
        started_at=began,
        finished_at=_moment(directory / f"{rank}.outcome") or began,
    )


def _ended(directory: Path, rank: int) -> bool:
    return (directory / f"{rank}.outcome").exists()
