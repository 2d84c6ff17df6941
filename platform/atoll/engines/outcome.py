"""How a replica ended, in plain words: one place for both engines."""

import json
import signal
from dataclasses import dataclass

from atoll.database.texts import keepable
from atoll.web.schema import Reason

STORAGE_NOT_WRITABLE = "storage_not_writable"
_PROBLEMS = {
    "code_directory_missing": "The code directory does not exist.",
    "start_file_missing": "The start file does not exist in the code directory.",
    "command_not_found": "The image has no such program, or its user may not start it.",
    "network_policy_not_enforced": "The network policy of the task was not enforced in time, so it was not started.",
    STORAGE_NOT_WRITABLE: "The storage did not take its log and output, so it was not started.",
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
        if not 0 <= exit_code <= LARGEST_EXIT_CODE or (problem is not None and problem not in _PROBLEMS):
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
        return Reason(
            code="memory_limit_exceeded",
            message=f"The memory limit of {memory_limit} was exceeded.",
            params={"limit": memory_limit},
        )
    if outcome.problem is not None:
        message = _PROBLEMS[outcome.problem]
        if outcome.problem == STORAGE_NOT_WRITABLE and outcome.last_lines:
            # Without storage there is no log that would tell more.
            detail = outcome.last_lines[-1]
            return Reason(code=outcome.problem, message=f"{message} {detail}", params={"detail": detail})
        return Reason(code=outcome.problem, message=message)
    if outcome.exit_code == 0:
        return None
    if outcome.exit_code > 128:
        try:
            name = signal.Signals(outcome.exit_code - 128).name
        except ValueError:
            name = ""
        if name:
            return Reason(
                code="ended_by_signal",
                message=f"The program was ended by {name} (exit code {outcome.exit_code}).",
                params={"signal": name, "exit_code": outcome.exit_code},
            )
    return Reason(
        code="exit_code",
        message=f"The program ended with exit code {outcome.exit_code}.",
        params={"exit_code": outcome.exit_code},
    )
