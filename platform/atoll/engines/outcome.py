"""How a replica ended, in plain words: one place for both engines."""

import json
import signal
from dataclasses import dataclass

from atoll.database.texts import keepable
from atoll.engines import codes
from atoll.web.codes import ReasonCode
from atoll.web.schema import Reason

# What `entry.py` tells, which knows nothing of Atoll, by the name that it has there.
PROBLEMS: dict[str, ReasonCode] = {
    problem.code: problem
    for problem in (
        codes.CodeDirectoryMissing(),
        codes.StartFileMissing(),
        codes.CommandNotFound(),
        codes.NetworkPolicyNotEnforced(),
        codes.StorageTookNothing(),
    )
}

LARGEST_EXIT_CODE = 255


@dataclass(frozen=True)
class Outcome:
    """What the entry point told."""

    exit_code: int
    memory_exceeded: bool = False
    problem: str | None = None
    last_lines: tuple[str, ...] = ()


def parse(text: str) -> Outcome | None:
    """The entry point's words; None when they are missing, cut, or not its own (its user may write there too)."""
    try:
        told = json.loads(text)
        exit_code, problem = int(told["exit_code"]), told["problem"]
        if not 0 <= exit_code <= LARGEST_EXIT_CODE or (problem is not None and problem not in PROBLEMS):
            return None
        return Outcome(
            exit_code=exit_code,
            memory_exceeded=bool(told["memory_exceeded"]),
            problem=problem,
            last_lines=tuple(keepable(str(line)[:400]) for line in told["last_lines"]),
        )
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def reason(outcome: Outcome, memory_limit: str) -> Reason | None:
    """Why a replica failed; None when it succeeded."""
    if outcome.memory_exceeded:
        return codes.MemoryLimitExceeded(limit=memory_limit).reason()
    if outcome.problem is not None:
        if outcome.problem == codes.StorageNotWritable.code and outcome.last_lines:
            # Without storage there is no log that would tell more.
            return codes.StorageNotWritable(detail=outcome.last_lines[-1]).reason()
        return PROBLEMS[outcome.problem].reason()
    if outcome.exit_code == 0:
        return None
    if outcome.exit_code > 128:
        try:
            name = signal.Signals(outcome.exit_code - 128).name
        except ValueError:
            name = ""
        if name:
            return codes.EndedBySignal(signal=name, exit_code=outcome.exit_code).reason()
    return codes.ExitCode(exit_code=outcome.exit_code).reason()
