"""Edits of what was read: an answer names the version of what it shows, a write may ask for just that one."""

from typing import Annotated, Protocol, TypeVar

from fastapi import Header, Response

from atoll.web import told
from atoll.web.errors import Changed

IfMatch = Annotated[str | None, Header(description="The ETag that was read; the edit fails when it has changed")]


class Versioned(Protocol):
    """What counts its changes."""

    @property
    def version(self) -> int:
        """Another one after each change."""


Shown = TypeVar("Shown", bound=Versioned)


def etag(response: Response, shown: Shown) -> Shown:
    """What is shown, with its version for If-Match."""
    response.headers["ETag"] = f'"{shown.version}"'
    return shown


def expect(changed: Versioned, if_match: str | None) -> None:
    """Raise Changed unless it is still what the caller has read, or any will do."""
    wanted = {each.strip('W/" ') for each in if_match.split(",")} if if_match is not None else {"*"}
    if not wanted & {"*", str(changed.version)}:
        raise Changed(told.ChangedMeanwhile())
