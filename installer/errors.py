"""What a person can mend: one class of error, which says what is wrong and what to do, and one place that prints it."""

from __future__ import annotations

import click

from installer import exit_codes


class ToldError(Exception):
    """Something that a person can mend. Types differ in exit code and in who catches them, never in how it is told."""

    exit_code = exit_codes.FAILED

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n  {self.remedy}" if self.remedy else self.message


def tell(error: ToldError) -> int:
    """Print the error for a person; return the exit code of the command."""
    click.echo(str(error), err=True)
    return error.exit_code
