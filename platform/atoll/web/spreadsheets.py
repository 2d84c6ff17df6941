"""Tables as spreadsheet programs read them: CSV of RFC 4180, in UTF-8 with a mark; none of it is run as a formula."""

import re
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any
from urllib.parse import quote

from starlette.responses import StreamingResponse

MARK = "\ufeff"  # without it these programs take UTF-8 for the encoding of their machine
MEDIA_TYPE = "text/csv; charset=utf-8"
DESCRIBED: dict[int | str, dict[str, Any]] = {
    200: {"description": "A table", "content": {"text/csv": {"schema": {"type": "string"}}}}
}
# With what a formula begins, in Chinese also in the wide forms.
_FORMULA = "[-=+@＝＋－＠]"
# What is skipped before one is looked for.
_SKIPPED = r"[\t\r\n]"
# Where lists have semicolons, as in much of Europe, commas and quotation marks end no cell, but these do.
_ELSEWHERE = r'[;\t\r\n]"*'
_RUN = re.compile(rf"(^(?={_FORMULA}|{_SKIPPED})|{_ELSEWHERE}(?={_FORMULA}))")
_MADE_HARMLESS = re.compile(rf"(^)'(?={_FORMULA}|{_SKIPPED})|({_ELSEWHERE})'(?={_FORMULA})")


def harmless(text: str) -> str:
    """The text with an apostrophe before what would be run as a formula, which makes it a text."""
    return _RUN.sub(r"\1'", text)


def meant(text: str) -> str:
    """What `harmless` was given."""
    return _MADE_HARMLESS.sub(r"\1\2", text)


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
