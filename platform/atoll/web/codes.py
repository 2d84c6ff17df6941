"""What the platform tells people, by code: each declared once, with its typed parameters and its English words.

A domain declares its codes in `codes.py`, a class each; the class's name in small letters is the code:

    class StoppedByUser(ReasonCode, words="{user} stopped it."):
        user: str

`StoppedByUser(user="ada").reason()` is then the only way to tell it: what goes over the wire takes a `CodeName`, which
nothing but a declaration has. Manifests name them all (`codes=declared(codes)`), and the portal's words are made from
the manifests.
"""

import dataclasses
import re
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any, ClassVar, TypeVar, dataclass_transform

from atoll.web.schema import CodeName, FieldError, Reason

_BORDER = re.compile(r"(?<!^)(?=[A-Z])")
_PLACE = re.compile(r"{(\w+)}")


class CodeError(TypeError):
    """A declaration of a code that cannot be meant; the message says which and why."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Code:
    """The base. The fields of a code are its parameters; words name them in braces and nothing else."""

    code: ClassVar[CodeName] = CodeName("")

    def __init_subclass__(cls, *, code: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        dataclasses.dataclass(frozen=True, kw_only=True)(cls)
        cls.code = CodeName(code or _BORDER.sub("_", cls.__name__).lower())

    @classmethod
    def parameters(cls) -> frozenset[str]:
        """The names of what is told beside the code."""
        return frozenset(field.name for field in dataclasses.fields(cls))  # type: ignore[arg-type]

    @classmethod
    def texts(cls) -> dict[str, str]:
        """The English words by their place below `<table>.<code>`; the empty place is the code's own."""
        return {}

    @classmethod
    def check(cls) -> None:
        """Raise CodeError when words name a parameter that the code does not have."""
        for text in cls.texts().values():
            if unknown := {*_PLACE.findall(text)} - cls.parameters():
                raise CodeError(f"{cls.__name__}: its words need {', '.join(sorted(unknown))}, which it does not tell")

    @property
    def params(self) -> dict[str, Any]:
        """What is told beside the code."""
        values = {name: getattr(self, name) for name in sorted(self.parameters())}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def said(self, name: str) -> str:
        """A parameter as people read it in English."""
        value = getattr(self, name)
        return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)

    def fill(self, text: str) -> str:
        """`text` with the parameters in their places."""
        return _PLACE.sub(lambda place: self.said(place[1]), text)


class SentenceCode(Code):
    """A code that is told in one sentence.

    `brief_of` is for where the same is told and other parameters are known: the portal takes the words that fit.
    """

    words: ClassVar[str] = ""
    place: ClassVar[str] = ""

    def __init_subclass__(
        cls, *, words: str = "", brief_of: "type[SentenceCode] | None" = None, code: str = "", **more: Any
    ) -> None:
        super().__init_subclass__(code=brief_of.code if brief_of is not None else code, **more)
        cls.words, cls.place = words, "_brief" if brief_of is not None else ""
        cls.check()

    @classmethod
    def texts(cls) -> dict[str, str]:
        """The sentence; none for what only others are made from."""
        return {cls.place: cls.words} if cls.words else {}

    @property
    def text(self) -> str:
        """The English words for a person."""
        return self.fill(self.words)


class ReasonCode(SentenceCode):
    """Why something is as it is."""

    def reason(self) -> Reason:
        """As the API tells it."""
        return Reason(code=self.code, message=self.text, params=self.params)


class FieldCode(SentenceCode):
    """What is wrong with a field of a request."""

    def at(self, field: str) -> FieldError:
        """The mistake at `field`, a dotted path inside the request, empty for the whole."""
        return FieldError(field=field, code=self.code, message=self.text, params=self.params)


class ProblemCode(Code):
    """Why a request is refused. Without `detail` the title says it all; all three may name parameters."""

    title: ClassVar[str] = ""
    detailed: ClassVar[str] = ""
    remedy: ClassVar[str] = ""

    @property
    def text(self) -> str:
        """What the title cannot say, for a person; else the title again, since an answer always has a detail."""
        return self.fill(self.detailed or f"{self.title.rstrip('.')}.")

    def __init_subclass__(cls, *, title: str = "", detail: str = "", remedy: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.title, cls.detailed, cls.remedy = title, detail, remedy
        cls.check()

    @classmethod
    def texts(cls) -> dict[str, str]:
        """Title, detail and remedy, those that there are."""
        known = {"title": cls.title, "detail": cls.detailed, "remedy": cls.remedy}
        return {f".{place}": text for place, text in known.items() if text}


_Problem = TypeVar("_Problem", bound=ProblemCode)


def restored(kinds: Iterable[type[_Problem]], code: str, told: Mapping[str, Any]) -> _Problem | None:
    """What another service told, as it is declared among `kinds`; None when it is not, or lacks a parameter."""
    for kind in kinds:
        if kind.code == code and kind.parameters() <= told.keys():
            return kind(**{name: told[name] for name in kind.parameters()})
    return None


def declared(*modules: ModuleType) -> tuple[type[Code], ...]:
    """Every code that `modules` declare, for a manifest; what has no words is only what others are made from."""
    return tuple(
        item
        for module in modules
        for item in vars(module).values()
        if isinstance(item, type) and issubclass(item, Code) and item.__module__ == module.__name__ and item.texts()
    )
