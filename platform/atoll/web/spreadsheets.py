"""Tables as spreadsheet programs read them: CSV of RFC 4180, in UTF-8 with a mark; none of it is run as a formula."""

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any
from urllib.parse import quote

from starlette.responses import StreamingResponse

MARK = "\ufeff"  # without it these programs take UTF-8 for the encoding of their machine
MEDIA_TYPE = "text/csv; charset=utf-8"
DESCRIBED: dict[int | str, dict[str, Any]] = {
    200: {"description": "A table", "content": {"text/csv": {"schema": {"type": "string"}}}}
}
# What a spreadsheet program takes for a formula, or skips before it looks for one; in Chinese also the wide forms.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_HARMLESS = "'"


def harmless(text: str) -> str:
    """The text; one that would be run as a formula has an apostrophe before it, which makes it a text."""
    return _HARMLESS + text if text.startswith(_FORMULAS) else text


def meant(text: str) -> str:
    """What `harmless` was given."""
    return text[1:] if text.startswith(_HARMLESS) and text[1:].startswith(_FORMULAS) else text


def line(cells: Iterable[str]) -> str:
    """One record, every cell quoted: so none can end before its end, whatever it holds."""
    return ",".join('"{}"'.format(harmless(cell).replace('"', '""')) for cell in cells) + "\r\n"


def table(name: str, head: Sequence[str], lines: AsyncIterator[str]) -> StreamingResponse:
    """A file of that name, sent while `lines` come."""
    return StreamingResponse(
        _sent(head, lines),
        media_type=MEDIA_TYPE,
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"},
    )


async def _sent(head: Sequence[str], lines: AsyncIterator[str]) -> AsyncIterator[bytes]:
    yield (MARK + line(head)).encode()
    async for each in lines:
        yield each.encode()
