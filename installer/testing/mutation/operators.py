"""Ways to change a source text in one place: each replaces the text of one node by its span, all else stays.

Left alone is what no test of behaviour can notice or should hold: docstrings, types, log lines, the words of errors
(f-strings wholly: Python 3.11 does not know where their parts stand), `__all__`, how long is waited, and options that
say how data is declared or printed.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
OPPOSITES = {"any": "all", "all": "any", "min": "max", "max": "min"}
ORDERS = frozenset({"sorted", "reversed"})
BEGINNINGS = frozenset({"startswith", "endswith", "removeprefix", "removesuffix", "get", "pop", "split", "partition"})
LOGS = frozenset({"log", "_log", "logger", "_logger", "logging", "LOG", "_LOG", "warnings"})
QUIET_OPTIONS = frozenset({"indent", "stacklevel", "ensure_ascii", "strict"})
QUIET_NAMES = frozenset({"__all__", "__slots__"})
WAITS = re.compile(r"(\w*_)?(timeout|patience)(_s)?", re.IGNORECASE)
QUIET_CALLS = frozenset({"cast", "dataclass", "TypeVar", "ConfigDict"})


@dataclass(frozen=True)
class Change:
    """The bytes from `start` to `end` of a text become `put`. `scope` is the dotted name of what it stands in."""

    operator: str
    scope: str
    start: int
    end: int
    put: str

    def apply(self, text: str) -> str:
        """Return the changed text."""
        data = text.encode()
        return (data[: self.start] + self.put.encode() + data[self.end :]).decode()


def changes(text: str) -> list[Change]:
    """Return every change of a source text, in its order; none that says the same as the text or cannot be parsed."""
    data = text.encode()
    found: dict[tuple[int, int, str], Change] = {}
    for change in _Walk(data).of(ast.parse(text), ""):
        if data[change.start : change.end].decode() != change.put and _parses(change.apply(text)):
            found.setdefault((change.start, change.end, change.put), change)
    return sorted(found.values(), key=lambda change: (change.start, change.end, change.put))


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


class _Walk:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.lines = [0, *accumulate(len(line) for line in self.data.splitlines(keepends=True))]

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self.lines[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None  # noqa: S101 - it was parsed
        assert node.end_col_offset is not None  # noqa: S101
        return self.lines[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr | ast.stmt) -> str:
        return self.data[self.start(node) : self.end(node)].decode()

    def instead(self, operator: str, scope: str, node: ast.expr | ast.stmt, put: str) -> Change:
        return Change(operator, scope, self.start(node), self.end(node), put)

    def of(self, node: ast.AST, scope: str) -> Iterator[Change]:
        """Yield the changes of a node and of all in it."""
        if _is_quiet(node):
            return
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            scope = f"{scope}.{node.name}" if scope else node.name
        yield from self.here(node, scope)
        for child in _children(node):
            yield from self.of(child, scope)

    def here(self, node: ast.AST, scope: str) -> Iterator[Change]:
        match node:
            case ast.Compare():
                sides = pairwise([node.left, *node.comparators])
                for op, (left, right) in zip(node.ops, sides, strict=True):
                    yield from self.between("comparison", scope, left, right, *COMPARISONS[type(op)])
            case ast.BoolOp():
                words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                for left, right in pairwise(node.values):
                    yield from self.between("and/or", scope, left, right, *words)
            case ast.UnaryOp(op=ast.Not()):
                yield self.instead("not removed", scope, node, self.text(node).removeprefix("not").lstrip())
            case ast.BinOp(op=ast.Add() | ast.Sub()) if not (_is_text(node.left) or _is_text(node.right)):
                words = ("+", "-") if isinstance(node.op, ast.Add) else ("-", "+")
                yield from self.between("plus/minus", scope, node.left, node.right, *words)
            case ast.AugAssign(op=ast.Add() | ast.Sub()) if not _is_text(node.value):
                words = ("+=", "-=") if isinstance(node.op, ast.Add) else ("-=", "+=")
                yield from self.between("plus/minus", scope, node.target, node.value, *words)
            case ast.Constant(value=bool() as flag):
                yield self.instead("boolean", scope, node, str(not flag))
            case ast.Constant(value=int() as number):
                for other in (number + 1, number - 1):
                    yield self.instead("integer", scope, node, _number(self.text(node), other))
            case ast.Set() | ast.Tuple():
                yield from self.trimmed(node, scope)
            case ast.Dict(keys=[_, _, *_]):
                yield from self.without_entries(node, scope)
            case ast.Call(func=ast.Name(id=name) as called) if name in OPPOSITES:
                yield self.instead("opposite", scope, called, OPPOSITES[name])
            case ast.Call(func=ast.Name(id=name), args=[given]) if name in ORDERS:
                yield self.instead("order dropped", scope, node, f"list({self.text(given)})")
            case ast.comprehension():
                for test in node.ifs:
                    yield from self.decided(test, scope)
            case ast.If() | ast.IfExp():
                yield from self.decided(node.test, scope)
        for word in _words(node):
            yield self.instead("word changed", scope, word, repr(f"{word.value!s}-changed"))
        if isinstance(node, ast.stmt):
            yield from self.statement(node, scope)

    def statement(self, node: ast.stmt, scope: str) -> Iterator[Change]:
        match node:
            case ast.Return(value=ast.expr() as value):
                yield self.instead("return value dropped", scope, value, "None")
            case ast.Return() | ast.Raise() | ast.Continue() | ast.Break() | ast.Delete() | ast.AugAssign():
                yield self.instead("statement removed", scope, node, "pass")
            case ast.Expr(value=ast.Call() | ast.Await()):
                yield self.instead("statement removed", scope, node, "pass")
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield self.instead("statement removed", scope, node, "pass")

    def decided(self, test: ast.expr, scope: str) -> Iterator[Change]:
        """Yield the condition decided beforehand, unless it also names what is used behind it."""
        if not any(isinstance(part, ast.NamedExpr) for part in ast.walk(test)):
            for word in ("True", "False"):
                yield self.instead("condition", scope, test, word)

    def between(
        self, operator: str, scope: str, left: ast.expr, right: ast.expr, word: str, put: str
    ) -> Iterator[Change]:
        """Yield the change of the one operator between two operands, where nothing else stands but parentheses."""
        begin = self.end(left)
        gap = self.data[begin : self.start(right)].decode()
        pattern = r"\s+".join(re.escape(part) for part in word.split())
        if found := re.fullmatch(rf"[\s)\\]*({pattern})[\s(\\]*", gap):
            start = begin + len(gap[: found.start(1)].encode())
            yield Change(operator, scope, start, start + len(found[1].encode()), put)

    def trimmed(self, node: ast.Set | ast.Tuple, scope: str) -> Iterator[Change]:
        """Yield a set of words with each of them left out."""
        words = node.elts
        if len(words) < 2 or not all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in words):
            return
        for at, word in enumerate(words):
            if len(words) == 2 and isinstance(node, ast.Tuple):  # what is left has to stay a tuple
                yield self.instead("word left out", scope, node, f"({self.text(words[1 - at])},)")
            elif word is words[-1]:
                yield Change("word left out", scope, self.end(words[at - 1]), self.end(word), "")
            else:
                yield Change("word left out", scope, self.start(word), self.start(words[at + 1]), "")

    def without_entries(self, node: ast.Dict, scope: str) -> Iterator[Change]:
        """Yield a dictionary with each of its entries left out."""
        entries = list(zip(node.keys, node.values, strict=True))
        if not all(isinstance(key, ast.Constant) for key in node.keys):
            return
        starts = [self.start(key) for key, _ in entries if key is not None]
        for at, (key, value) in enumerate(entries):
            if _is(key, "type") and _is(value, "str"):
                continue  # an option of a module: it is a text also where nothing is said
            if at + 1 < len(entries):
                yield Change("entry left out", scope, starts[at], starts[at + 1], "")
            else:
                yield Change("entry left out", scope, self._end_of(entries[at - 1][1]), self._end_of(value), "")

    def _end_of(self, value: ast.expr) -> int:
        """Return where an entry ends, with the parentheses around its value."""
        end = self.end(value)
        gap = re.match(rb"[\s)]*(?=[,}])", self.data[end:])
        return end + len(gap[0].rstrip()) if gap else end


def _words(node: ast.AST) -> Iterator[ast.Constant]:
    """Yield the words by which something is compared, or found: none that are told to people."""
    match node:
        case ast.Compare():
            asked: list[ast.expr] = [node.left, *node.comparators]
        case ast.Subscript(ctx=ast.Load(), slice=index):
            asked = [index]
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in BEGINNINGS:
            asked = [first]
        case ast.MatchValue(value=value):
            asked = [value]
        case _:
            asked = []
    yield from (one for one in asked if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in a node and is no type, and not how long somebody waits where nobody says so."""
    if isinstance(node, ast.arguments):
        named = [*zip(reversed([*node.posonlyargs, *node.args]), reversed(node.defaults), strict=False)]
        named += zip(node.kwonlyargs, node.kw_defaults, strict=True)  # type: ignore[arg-type]
        yield from (value for name, value in reversed(named) if value and not WAITS.fullmatch(name.arg))
        return
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child


def _is_quiet(node: ast.AST) -> bool:
    match node:
        case ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Subscript(value=ast.Name(id="Literal" | "Annotated")):
            return True
        case ast.keyword(arg=str() as name):
            return name in QUIET_OPTIONS or bool(WAITS.fullmatch(name))
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in QUIET_CALLS
        case (
            ast.Call(func=ast.Attribute(value=ast.Name(id=name)))
            | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name))))
        ):
            return name in LOGS
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name in QUIET_NAMES or bool(WAITS.fullmatch(name))
    return False


def _is(node: ast.expr | None, word: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == word


def _is_text(node: ast.expr) -> bool:
    """Whether an operand can only be joined, so that minus would be an error and no other meaning."""
    match node:
        case ast.Constant(value=str() | bytes()) | ast.JoinedStr() | ast.List() | ast.Tuple():
            return True
        case ast.BinOp(op=ast.Add()):
            return _is_text(node.left) or _is_text(node.right)
    return False


def _number(text: str, number: int) -> str:
    """Write a number as the one that stands there is written."""
    kind = text[:2].lower()
    writes = {"0o": oct, "0x": hex, "0b": bin}.get(kind, str)
    return writes(number)


def line_of(text: str, start: int) -> int:
    """Return the number of the line in which a byte of a text stands, from 1."""
    begins = [0, *accumulate(len(line) for line in text.encode().splitlines(keepends=True))]
    return bisect_right(begins, start)
