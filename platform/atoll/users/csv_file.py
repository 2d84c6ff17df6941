"""Files of users as spreadsheet programs write them: which encoding and separator, which column is what. Pure.

Excel in Chinese writes GBK, in much of Europe semicolons; both are found out. What the file as a whole has wrong is
raised; what is wrong in a line stands with it.
"""

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from atoll.users import codes
from atoll.web.codes import FieldCode
from atoll.web.errors import Invalid
from atoll.web.schema import FieldError
from atoll.web.spreadsheets import meant

Column = Literal["name", "nickname", "phone", "email", "roles", "groups", "virtual_clusters"]
COLUMNS: Final[tuple[Column, ...]] = get_args(Column)
NEEDED: Final[tuple[Column, ...]] = ("name", "nickname", "roles")
# What heads a column, first as the template has it, in English and in Chinese; capitals, spaces, `-` and `_` are alike.
HEADS: Final[dict[Column, tuple[str, ...]]] = {
    "name": ("User name", "用户名", "Name"),
    "nickname": ("Nickname", "昵称"),
    "phone": ("Phone", "电话"),
    "email": ("E-mail", "电子邮件", "邮箱"),
    "roles": ("Roles", "角色", "Role"),
    "groups": ("Groups", "用户组", "Group"),
    "virtual_clusters": ("Virtual clusters", "虚拟集群", "Virtual cluster"),
}
MOST_BYTES = 4 << 20
MOST_ROWS = 10_000
MOST_IN_CELL = 20  # roles, groups, virtual clusters
MOST_COLUMNS = 64  # that are looked at; a line has room for half a million, and what is wrong is told of each
# UTF-16 only with a mark. GB18030 holds GBK and GB 2312; it takes most bytes for something, so it is tried last.
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_UNMARKED = ("utf-8", "gb18030")
_SEPARATORS = (",", ";", "\t")
_SAID = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)  # a line that is Excel's own
# Names in a cell stand between these; behind a backslash they are part of a name, and so is a backslash behind another.
_BETWEEN = ";；,，、"
_PART = re.compile(rf"(?:\\[{_BETWEEN}\\]|[^{_BETWEEN}\n])+")
_BEHIND_BACKSLASH = re.compile(rf"\\([{_BETWEEN}\\])")
_NEEDS_BACKSLASH = re.compile(rf"[{_BETWEEN}\\]")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not empty: where it begins in the file, from 1, and its cells; a column that is not there is "".

    `mistakes` are those of the line as a whole.
    """

    number: int
    cells: dict[Column, str]
    mistakes: list[FieldError] = field(default_factory=list)


def names_in(cell: str, known: Callable[[str], bool]) -> list[str]:
    """The names in a cell, each once: separated by `;`, unless the whole of it is a name that is known."""
    names = [cell] if known(cell) else [_BEHIND_BACKSLASH.sub(r"\1", each).strip() for each in _PART.findall(cell)]
    return [*dict.fromkeys(name for name in names if name)]


def cell_of(names: Iterable[str]) -> str:
    """The cell in which `names_in` finds these names, whatever stands in one: none of it is taken for another name."""
    return ";".join(_NEEDS_BACKSLASH.sub(r"\\\g<0>", name) for name in names)


@dataclass(frozen=True, slots=True)
class UsersFile:
    """What stands in it."""

    encoding: str
    lines: list[Line]


def read(content: bytes) -> UsersFile:
    """Raises Invalid, naming the line, for a file that cannot be meant."""
    if len(content) > MOST_BYTES:
        raise _refused(codes.FileTooLarge(limit_mib=MOST_BYTES >> 20))
    encoding, text = _decoded(content)
    separator = None
    if said := _SAID.match(text):
        separator = said[1]
    skipped = text[: said.end()].count("\n") if said else 0
    body = text[said.end() :] if said else text
    records = _records(body, separator or _separator(body), skipped)
    first = next(records, None)
    if first is None:
        raise _refused(codes.FileWithoutLines())
    head = _head(*first)
    lines: list[Line] = []
    for number, cells in records:
        if len(lines) == MOST_ROWS:
            raise _refused(codes.TooManyLines(limit=MOST_ROWS))
        lines.append(_line(number, cells, head))
    if not lines:
        raise _refused(codes.FileWithoutLines())
    return UsersFile(encoding, lines)


def _refused(code: FieldCode, line: int | None = None) -> Invalid:
    return Invalid(codes.UsersFileMistakes(count=1), errors=[code.at("" if line is None else str(line))])


def _decoded(content: bytes) -> tuple[str, str]:
    """The encoding and the text."""
    marked = [(mark, name) for mark, name in _MARKS if content.startswith(mark)]
    for mark, name in marked or [(b"", name) for name in _UNMARKED]:
        try:
            text = content[len(mark) :].decode(name)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return name, text
    raise _refused(codes.FileEncoding())


def _separator(text: str) -> str:
    """That which parts the first line into most columns that are known; a comma where none does."""
    first = re.split(r"[\r\n]", text.lstrip(), maxsplit=1)[0]

    def known(separator: str) -> int:
        return sum(_column(cell) is not None for cell in first.split(separator, MOST_COLUMNS))

    return max(_SEPARATORS, key=known)


def _records(text: str, separator: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Every record that is not empty, with the line in which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        begins = reader.line_num + 1 + skipped
        try:
            cells = next(reader, None)
        except csv.Error:
            raise _refused(codes.BrokenLine(), begins) from None
        if cells is None:
            return
        told = [meant(cell.strip()) for cell in cells]
        if any(told):
            yield begins, told


def _key(text: str) -> str:
    return re.sub(r"[\s_-]", "", unicodedata.normalize("NFKC", text).casefold())


_KEYS: Final[dict[str, Column]] = {_key(head): column for column, heads in HEADS.items() for head in heads}


def _column(text: str) -> Column | None:
    return _KEYS.get(_key(meant(text.strip().strip('"'))))


def _head(number: int, cells: list[str]) -> list[Column]:
    """What each column is. Raises Invalid with all that is wrong."""
    while cells and not cells[-1]:
        cells = cells[:-1]
    known = ", ".join(heads[0] for heads in HEADS.values())
    mistakes: list[FieldError] = []
    found: list[Column] = []
    for position, cell in enumerate(cells[:MOST_COLUMNS], start=1):
        column = _column(cell)
        if column is None:
            mistakes.append(codes.UnknownColumn(name=cell[:64], position=position, known=known).at(str(number)))
        elif column in found:
            mistakes.append(codes.ColumnTwice(name=cell[:64]).at(str(number)))
        else:
            found.append(column)
    lacking = [HEADS[column][0] for column in NEEDED if column not in found]
    if lacking:
        mistakes.append(codes.ColumnsMissing(names=tuple(lacking)).at(str(number)))
    if mistakes:
        raise Invalid(codes.UsersFileMistakes(count=len(mistakes)), errors=mistakes)
    return found


def _line(number: int, cells: list[str], head: list[Column]) -> Line:
    there = dict(zip(head, cells, strict=False))
    line = Line(number, {column: there.get(column, "") for column in COLUMNS})
    if any(cells[len(head) :]):
        line.mistakes.append(codes.TooManyCells(found=len(cells), columns=len(head)).at(""))
    return line


def template(language: Literal["en", "zh"]) -> str:
    """The first line of such a file."""
    return ",".join(heads[language == "zh"] for heads in HEADS.values()) + "\r\n"
