"""A mistake in a cluster.yaml, as people and programs get to see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic_core import PydanticCustomError

from installer.errors import ToldError
from installer.exit_codes import BAD_FILE

KIND = "atoll"


@dataclass(frozen=True, order=True)
class Mistake:
    """One mistake: where it is, what is wrong and how to mend it."""

    line: int
    path: str
    message: str
    remedy: str

    def to_json(self) -> dict[str, str | int]:
        """Return it as `./atoll validate -o json` shows it."""
        return {"line": self.line, "path": self.path, "message": self.message, "remedy": self.remedy}


class ClusterError(ToldError):
    """A cluster.yaml cannot be used. `mistakes` holds all that is wrong with it, in the order of its lines."""

    exit_code = BAD_FILE

    def __init__(self, file: Path | str, mistakes: Sequence[Mistake]) -> None:
        self.file = Path(file)
        self.mistakes = sorted(mistakes)
        super().__init__(str(self), "Mend cluster.yaml, then try again.")

    def __str__(self) -> str:
        return "\n".join(
            f"{self.file.name}{f':{mistake.line}' if mistake.line else ''}: {mistake.message}\n  {mistake.remedy}"
            for mistake in self.mistakes
        )


def refuse(message: str, remedy: str) -> PydanticCustomError:
    """Return the error that a validator raises, so that its message and remedy reach the user as they are."""
    return PydanticCustomError(KIND, "{message}", {"message": message, "remedy": remedy})
