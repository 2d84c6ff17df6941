"""What a file of users asks for, line by line, and all that is wrong with it. Pure: what there is, it is told."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from atoll.identity import names
from atoll.identity.codes import MoreThanYouHold, NameTakenField, NoSuchGroupField, NoSuchRoleField
from atoll.users import codes
from atoll.users.csv_file import MOST_IN_CELL, Column, Line, UsersFile, names_in, read
from atoll.users.import_schemas import ImportLine, InitialPassword, UsersImport
from atoll.users.schemas import Person
from atoll.virtual_clusters.policy import VIRTUAL_CLUSTERS_MANAGE
from atoll.web.codes import FieldCode
from atoll.web.errors import Invalid, NotAllowed, field_errors
from atoll.web.schema import FieldError
from atoll.web.told import TooLong, TooShort

MOST_TOLD = 1000
# As the portal calls the roles that every installation has; a role that somebody called so goes before.
PRESETS_IN_CHINESE: Mapping[str, str] = {"系统管理员": "admin", "普通用户": "user", "标注用户": "annotator"}
_PERSON: tuple[Column, ...] = ("name", "nickname", "phone", "email")
_NEEDED_FOR_CLUSTERS = frozenset({VIRTUAL_CLUSTERS_MANAGE.name})


@dataclass(frozen=True, slots=True)
class Known:
    """A role or group, and the permissions that whoever gives it must hold."""

    id: str
    name: str
    needs: frozenset[str]


@dataclass(frozen=True, slots=True)
class There:
    """What there is of all that a file names; roles and groups by their keys."""

    names: Mapping[str, bool]  # that an account has, or had, and whether it was deleted
    roles: Mapping[str, Known]
    groups: Mapping[str, Known]
    clusters: Collection[str]
    held: frozenset[str] | None  # the permissions of the giver; None for all


@dataclass(slots=True)
class Wish:
    """What a line asks for, and what is wrong with it."""

    line: Line
    person: Person | None = None
    existing: bool = False
    roles: Sequence[Known] = ()
    groups: Sequence[Known] = ()
    clusters: Sequence[str] = ()
    mistakes: list[FieldError] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The user name, as it stands there."""
        return self.line.cells["name"]

    @property
    def needs(self) -> frozenset[str]:
        """The permissions that whoever makes this account must hold, beside users:manage."""
        return frozenset[str]().union(
            *(each.needs for each in (*self.roles, *self.groups)), _NEEDED_FOR_CLUSTERS if self.clusters else ()
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """A file as it is understood by itself, and the keys and names of all that it names."""

    file: UsersFile
    wishes: list[Wish]
    roles: frozenset[str]
    presets: frozenset[str]  # ids
    groups: frozenset[str]
    clusters: frozenset[str]

    @property
    def names(self) -> set[str]:
        """All user names."""
        return {wish.name for wish in self.wishes}


def understood(content: bytes) -> Asked:
    """What the file says, with what is wrong with it by itself. Raises Invalid for what cannot be meant at all."""
    file = read(content)
    wishes = [_wish(line) for line in file.lines]
    seen: dict[str, int] = {}
    for wish in wishes:
        if wish.name in seen:
            wish.mistakes.append(codes.NameTwice(line=seen[wish.name]).at("name"))
        elif wish.name:
            seen[wish.name] = wish.line.number
    roles = _keys(wishes, "roles")
    presets = frozenset(PRESETS_IN_CHINESE[key] for key in roles & PRESETS_IN_CHINESE.keys())
    clusters = frozenset(name for wish in wishes for name in names_in(wish.line.cells["virtual_clusters"], _never))
    return Asked(file, wishes, roles, presets, _keys(wishes, "groups"), clusters)


def with_chinese(by_key: Mapping[str, Known]) -> Mapping[str, Known]:
    """The same roles, and the preset ones also by what the portal calls them in Chinese."""
    by_id = {known.id: known for known in by_key.values()}
    aliases = {word: by_id[identifier] for word, identifier in PRESETS_IN_CHINESE.items() if identifier in by_id}
    return {**aliases, **by_key}


def resolve(wishes: Iterable[Wish], there: There, *, skip_existing: bool) -> frozenset[str]:
    """Fill in what the lines name, and what is wrong with it; the permissions that the giver lacks for it."""
    lacking: set[str] = set()
    missing = _Missing()
    for wish in wishes:
        deleted = there.names.get(wish.name)
        if deleted is False and skip_existing:
            wish.existing, wish.mistakes = True, []
            continue
        if deleted is not None or wish.name in names.RESERVED:
            wish.mistakes.append((codes.NameOfDeleted() if deleted else NameTakenField()).at("name"))
        lacking |= _roles(wish, there, missing) | _groups(wish, there, missing) | _clusters(wish, there, missing)
    return frozenset(lacking)


class _Missing:
    """Mistakes about names of which nothing is. Each is made once, and none beyond those that are told: a file has room
    for half a million.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[Column, str], FieldError] = {}

    def of(self, column: Column, names_of_nothing: Iterable[str]) -> list[FieldError]:
        """One for each."""
        return [self._one(column, name[:64]) for name in names_of_nothing]

    def _one(self, column: Column, name: str) -> FieldError:
        if len(self._made) >= MOST_TOLD and (column, name) not in self._made:
            name = ""
        found = self._made.get((column, name))
        if found is None:
            found = self._made[column, name] = _no_such(column, name).at(column)
        return found


def _no_such(column: Column, name: str) -> FieldCode:
    match column:
        case "roles":
            return NoSuchRoleField(role=name)
        case "groups":
            return NoSuchGroupField(group=name)
        case _:
            return codes.NoSuchVirtualClusterField(name=name)


def _roles(wish: Wish, there: There, missing: _Missing) -> set[str]:
    wanted = _wanted(wish, "roles", there.roles)
    if not wanted:
        wish.mistakes.append(TooShort(min_length=1).at("roles"))
    wish.roles, strange = _found(wanted, there.roles)
    wish.mistakes += missing.of("roles", strange)
    return _judged(wish, "roles", (each for role in wish.roles for each in role.needs), there)


def _groups(wish: Wish, there: There, missing: _Missing) -> set[str]:
    wish.groups, strange = _found(_wanted(wish, "groups", there.groups), there.groups)
    wish.mistakes += missing.of("groups", strange)
    return _judged(wish, "groups", (each for group in wish.groups for each in group.needs), there)


def _clusters(wish: Wish, there: There, missing: _Missing) -> set[str]:
    wanted = _wanted(wish, "virtual_clusters", ())
    wish.clusters = [name for name in wanted if name in there.clusters]
    strange = [name for name in wanted if name not in there.clusters]
    wish.mistakes += missing.of("virtual_clusters", strange)
    return _judged(wish, "virtual_clusters", _NEEDED_FOR_CLUSTERS if wanted else (), there)


def _wish(line: Line) -> Wish:
    wish = Wish(line, mistakes=[*line.mistakes])
    try:
        wish.person = Person.model_validate({column: line.cells[column] for column in _PERSON})
    except ValidationError as error:
        wish.mistakes += field_errors(RequestValidationError(error.errors()))
    return wish


def _never(_cell: str) -> bool:
    return False


def _keys(wishes: Iterable[Wish], column: Column) -> frozenset[str]:
    """The keys of all names that may stand in these cells: of each as a whole, and of its parts."""
    cells = {wish.line.cells[column] for wish in wishes}
    return frozenset(names.key(each) for cell in cells for each in (cell, *names_in(cell, _never)) if each)


def _wanted(wish: Wish, column: Column, known: Collection[str]) -> list[str]:
    """The names in a cell; of too many the first one, which is a mistake."""
    found = names_in(wish.line.cells[column], lambda cell: names.key(cell) in known)
    if len(found) <= MOST_IN_CELL:
        return found
    wish.mistakes.append(TooLong(max_length=MOST_IN_CELL).at(column))
    return found[:1]


def _found(wanted: Iterable[str], known: Mapping[str, Known]) -> tuple[list[Known], list[str]]:
    """Those that are known, each once, and the names of which nothing is."""
    found: dict[str, Known] = {}
    strange = []
    for name in wanted:
        if (one := known.get(names.key(name))) is None:
            strange.append(name)
        else:
            found[one.id] = one
    return [*found.values()], strange


def _judged(wish: Wish, column: Column, needs: Iterable[str], there: There) -> set[str]:
    """What the giver lacks for a cell, which is a mistake there."""
    lacking = set() if there.held is None else {*needs} - there.held
    if lacking:
        wish.mistakes.append(codes.MoreThanYouHoldField(permissions=", ".join(sorted(lacking))).at(column))
    return lacking


def refuse(wishes: Iterable[Wish], lacking: Collection[str]) -> None:
    """Raise NotAllowed for what the giver lacks, Invalid for all else that is wrong, each with every mistake."""
    found = [(wish, each) for wish in wishes for each in wish.mistakes]
    errors = [_placed(wish, each) for wish, each in found[:MOST_TOLD]]
    if lacking:
        raise NotAllowed(MoreThanYouHold(permissions=", ".join(sorted(lacking))), errors=errors)
    if errors:
        raise Invalid(codes.UsersFileMistakes(count=len(found)), errors=errors)


def _placed(wish: Wish, mistake: FieldError) -> FieldError:
    """The mistake with its line before its column."""
    place = f"{wish.line.number}.{mistake.field}" if mistake.field else str(wish.line.number)
    return mistake.model_copy(update={"field": place})


def unreadable(errors: Sequence[FieldError]) -> UsersImport:
    """What a dry run tells of a file that cannot be meant."""
    return UsersImport(
        dry_run=True, encoding="", new=0, existing=0, mistakes=len(errors), lines=[], errors=[*errors], passwords=[]
    )


def told(asked: Asked) -> UsersImport:
    """What a dry run tells."""
    return UsersImport(
        dry_run=True,
        encoding=asked.file.encoding,
        new=sum(not wish.existing and not wish.mistakes for wish in asked.wishes),
        existing=sum(wish.existing for wish in asked.wishes),
        mistakes=sum(len(wish.mistakes) for wish in asked.wishes),
        lines=[*_lines(asked.wishes)],
        errors=[],
        passwords=[],
    )


def told_of_made(asked: Asked, passwords: Sequence[InitialPassword]) -> UsersImport:
    """What is told of those who were made."""
    return UsersImport(
        dry_run=False,
        encoding=asked.file.encoding,
        new=len(passwords),
        existing=len(asked.wishes) - len(passwords),
        mistakes=0,
        lines=[],
        errors=[],
        passwords=[*passwords],
    )


def _lines(wishes: Iterable[Wish]) -> Iterable[ImportLine]:
    left = MOST_TOLD
    for wish in wishes:
        cells, errors = wish.line.cells, wish.mistakes[:left]
        left -= len(errors)
        yield ImportLine(
            line=wish.line.number,
            state="existing" if wish.existing else "wrong" if wish.mistakes else "new",
            name=cells["name"],
            nickname=cells["nickname"],
            phone=cells["phone"],
            email=cells["email"],
            roles=[role.name for role in wish.roles] or _shown(wish, "roles"),
            groups=[group.name for group in wish.groups] or _shown(wish, "groups"),
            virtual_clusters=[*wish.clusters] or _shown(wish, "virtual_clusters"),
            errors=errors,
        )


def _shown(wish: Wish, column: Column) -> list[str]:
    """What is in a cell of which nothing is known."""
    return names_in(wish.line.cells[column], _never)[:MOST_IN_CELL]
