"""Accounts from a file: all lines are checked and told at once, and all are made, or none."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import Deed, record, record_all
from atoll.identity import names, passwords
from atoll.identity.accounts import add_accounts
from atoll.identity.codes import MoreThanYouHold, NameTakenField, NoSuchGroupField, NoSuchRoleField
from atoll.identity.models import GroupMemberRow, GroupRow, RoleRow, UserRoleRow
from atoll.identity.permissions import PermissionTable
from atoll.identity.repository import IdentityRepository
from atoll.identity.rights.giving import Giver
from atoll.identity.rights.repository import RightsRepository
from atoll.users import codes, one_time
from atoll.users.csv_file import COLUMNS, MOST_IN_CELL, Column, Line, UsersFile, names_in, read
from atoll.users.import_schemas import ImportLine, InitialPassword, UsersImport
from atoll.users.schemas import Person
from atoll.virtual_clusters.policy import VIRTUAL_CLUSTERS_MANAGE
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.web.errors import Invalid, NotAllowed, field_errors
from atoll.web.schema import FieldError
from atoll.web.told import TooLong, TooShort

MOST_TOLD = 1000
# As the portal calls the roles that every installation has; a role that somebody called so goes before.
PRESETS_IN_CHINESE: Mapping[str, str] = {"系统管理员": "admin", "普通用户": "user", "标注用户": "annotator"}
_PERSON: tuple[Column, ...] = ("name", "nickname", "phone", "email")


@dataclass(slots=True)
class _Wish:
    """What a line asks for, and what is wrong with it."""

    line: Line
    person: Person | None = None
    existing: bool = False
    roles: list[RoleRow] = field(default_factory=list)
    groups: list[GroupRow] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    mistakes: list[FieldError] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.line.cells["name"]


class UserImport:
    """Files of users; the routes let only holders of users:manage in, the command line only operators."""

    def __init__(self, session: AsyncSession, table: PermissionTable) -> None:
        self._session = session
        self._table = table
        self._identity = IdentityRepository(session)
        self._rights = RightsRepository(session)
        self._clusters = VirtualClusterService(session)

    async def look(self, giver: Giver, content: bytes, *, skip_existing: bool) -> UsersImport:
        """What would be made, line by line, with all that is wrong; nothing changes."""
        try:
            wishes, file = await _understood(content)
        except Invalid as error:
            return _told(None, (), errors=error.errors)
        await self._look_up(giver, wishes, skip_existing=skip_existing, hold=False)
        return _told(file, wishes)

    async def make(self, giver: Giver, content: bytes, *, skip_existing: bool) -> UsersImport:
        """New accounts with passwords that are told this once. Raises Invalid, NotAllowed, Conflict."""
        wishes, file = await _understood(content)
        # Before anything is asked of the database: whoever waits for a turn keeps no connection from the others.
        secrets = {wish.name: one_time.drawn() for wish in wishes}
        hashes = dict(zip(secrets, await passwords.hashed_drawn([*secrets.values()]), strict=True))
        lacking = await self._look_up(giver, wishes, skip_existing=skip_existing, hold=True)
        _refuse(wishes, lacking)
        new = [wish for wish in wishes if not wish.existing]
        if new:
            await self._add(giver, new, hashes)
        details = {"made": len(new), "existing": len(wishes) - len(new)}
        await record(self._session, giver, "user.import", kind="user", identifier="", name="", details=details)
        made = [InitialPassword(name=wish.name, password=secrets[wish.name]) for wish in new]
        return _told(file, wishes, made=made)

    async def _add(self, giver: Giver, wishes: Sequence[_Wish], hashes: Mapping[str, str]) -> None:
        """Accounts with all that the lines give them. Raises Conflict."""
        people = [
            wish.person.model_dump() | {"password_hash": hashes[wish.name]}
            for wish in wishes
            if wish.person is not None
        ]
        ids = await add_accounts(self._session, people)
        given = [*zip(ids, wishes, strict=True)]
        roles = [{"user_id": each, "role_id": role.id} for each, wish in given for role in wish.roles]
        groups = [{"user_id": each, "group_id": group.id} for each, wish in given for group in wish.groups]
        await self._rights.link_new(UserRoleRow, roles)
        await self._rights.link_new(GroupMemberRow, groups)
        await self._join(given)
        deeds = [Deed(each, wish.name, _details(wish)) for each, wish in given]
        await record_all(self._session, giver, "user.create", kind="user", deeds=deeds)

    async def _join(self, given: Iterable[tuple[str, _Wish]]) -> None:
        """Raises Invalid for a virtual cluster that is being deleted since it was looked at."""
        members: dict[str, list[str]] = {}
        for user_id, wish in given:
            for name in wish.clusters:
                members.setdefault(name, []).append(user_id)
        for name, user_ids in sorted(members.items()):
            if not await self._clusters.join_all(name, user_ids):
                mistake = codes.NoSuchVirtualClusterField(name=name).at("virtual_clusters")
                raise Invalid(codes.UsersFileMistakes(count=1), errors=[mistake])
        await self._clusters.members_changed()

    async def _look_up(
        self, giver: Giver, wishes: Sequence[_Wish], *, skip_existing: bool, hold: bool
    ) -> frozenset[str]:
        """Fill in what the lines name, and what is wrong with it; the permissions that the giver lacks for it."""
        had = await self._identity.names_had({wish.name for wish in wishes})
        for wish in wishes:
            if (deleted := had.get(wish.name)) is None:
                continue
            if not deleted and skip_existing:
                wish.existing, wish.mistakes = True, []
            else:
                wish.mistakes.append((codes.NameOfDeleted() if deleted else NameTakenField()).at("name"))
        asking = [wish for wish in wishes if not wish.existing]
        lacking: set[str] = set()
        lacking |= await self._roles(giver, asking, hold=hold)
        lacking |= await self._groups(giver, asking, hold=hold)
        lacking |= await self._virtual_clusters(giver, asking)
        return frozenset(lacking)

    async def _roles(self, giver: Giver, wishes: Sequence[_Wish], *, hold: bool) -> set[str]:
        keys = _keys(wishes, "roles")
        presets = {PRESETS_IN_CHINESE[key] for key in keys & PRESETS_IN_CHINESE.keys()}
        rows = await self._rights.called(RoleRow, keys, presets, hold=hold)
        by_key = {row.name_key: row for row in rows}
        by_id = {row.id: row for row in rows}
        for word, role_id in PRESETS_IN_CHINESE.items():
            if role_id in by_id:
                by_key.setdefault(word, by_id[role_id])
        lacks = {row.id: giver.lacks(self._table.of(row.grants)) for row in rows}
        lacking: set[str] = set()
        for wish in wishes:
            wanted = _wanted(wish, "roles", by_key.__contains__)
            if not wanted:
                wish.mistakes.append(TooShort(min_length=1).at("roles"))
            found = {by_key[key].id: by_key[key] for key in map(names.key, wanted) if key in by_key}
            wish.roles = [*found.values()]
            strange = [each for each in wanted if names.key(each) not in by_key]
            wish.mistakes += [NoSuchRoleField(role=each[:64]).at("roles") for each in strange]
            lacking |= _judge(wish, "roles", (each for row in wish.roles for each in lacks[row.id]))
        return lacking

    async def _groups(self, giver: Giver, wishes: Sequence[_Wish], *, hold: bool) -> set[str]:
        keys = _keys(wishes, "groups")
        rows = await self._rights.called(GroupRow, keys, hold=hold) if keys else []
        by_key = {row.name_key: row for row in rows}
        grants = await self._rights.grants_of_each_group([row.id for row in rows]) if rows else {}
        lacks = {row.id: giver.lacks(self._table.of(grants.get(row.id, ()))) for row in rows}
        lacking: set[str] = set()
        for wish in wishes:
            wanted = _wanted(wish, "groups", by_key.__contains__)
            found = {by_key[key].id: by_key[key] for key in map(names.key, wanted) if key in by_key}
            wish.groups = [*found.values()]
            strange = [each for each in wanted if names.key(each) not in by_key]
            wish.mistakes += [NoSuchGroupField(group=each[:64]).at("groups") for each in strange]
            lacking |= _judge(wish, "groups", (each for row in wish.groups for each in lacks[row.id]))
        return lacking

    async def _virtual_clusters(self, giver: Giver, wishes: Sequence[_Wish]) -> set[str]:
        every = {name for wish in wishes for name in names_in(wish.line.cells["virtual_clusters"], _never)}
        there = await self._clusters.usable(every) if every else set()
        lacks = giver.lacks([VIRTUAL_CLUSTERS_MANAGE])
        lacking: set[str] = set()
        for wish in wishes:
            wanted = _wanted(wish, "virtual_clusters", _never)
            wish.clusters = [name for name in wanted if name in there]
            strange = [name for name in wanted if name not in there]
            wish.mistakes += [
                codes.NoSuchVirtualClusterField(name=name[:64]).at("virtual_clusters") for name in strange
            ]
            lacking |= _judge(wish, "virtual_clusters", lacks if wanted else ())
        return lacking


async def _understood(content: bytes) -> tuple[list[_Wish], UsersFile]:
    """What the file says, with what is wrong with it by itself. Raises Invalid for what cannot be meant at all."""
    # In a thread, which gives way: others' requests go on between its steps.
    return await asyncio.to_thread(_parsed, content)


def _parsed(content: bytes) -> tuple[list[_Wish], UsersFile]:
    file = read(content)
    wishes = [_wish(line) for line in file.lines]
    seen: dict[str, int] = {}
    for wish in wishes:
        if wish.name in seen:
            wish.mistakes.append(codes.NameTwice(line=seen[wish.name]).at("name"))
        elif wish.name:
            seen[wish.name] = wish.line.number
    return wishes, file


def _wish(line: Line) -> _Wish:
    wish = _Wish(line, mistakes=[*line.mistakes])
    try:
        wish.person = Person.model_validate({column: line.cells[column] for column in _PERSON})
    except ValidationError as error:
        wish.mistakes += field_errors(RequestValidationError(error.errors()))
    return wish


def _never(_cell: str) -> bool:
    return False


def _keys(wishes: Iterable[_Wish], column: Column) -> set[str]:
    """The keys of all names that may stand in these cells: of each as a whole, and of its parts."""
    cells = {wish.line.cells[column] for wish in wishes}
    return {names.key(each) for cell in cells for each in (cell, *names_in(cell, _never)) if each}


def _wanted(wish: _Wish, column: Column, known: Callable[[str], bool]) -> list[str]:
    """The names in a cell; of too many none, which is a mistake."""
    found = names_in(wish.line.cells[column], lambda cell: known(names.key(cell)))
    if len(found) <= MOST_IN_CELL:
        return found
    wish.mistakes.append(TooLong(max_length=MOST_IN_CELL).at(column))
    return found[:1]


def _judge(wish: _Wish, column: Column, lacks: Iterable[str]) -> set[str]:
    lacking = {*lacks}
    if lacking:
        wish.mistakes.append(codes.MoreThanYouHoldField(permissions=", ".join(sorted(lacking))).at(column))
    return lacking


def _refuse(wishes: Iterable[_Wish], lacking: Iterable[str] = ()) -> None:
    """Raise NotAllowed for what the giver lacks, Invalid for all else that is wrong, each with every mistake."""
    errors = [_placed(wish, each) for wish in wishes for each in wish.mistakes]
    if lacking:
        raise NotAllowed(MoreThanYouHold(permissions=", ".join(sorted(lacking))), errors=errors[:MOST_TOLD])
    if errors:
        raise Invalid(codes.UsersFileMistakes(count=len(errors)), errors=errors[:MOST_TOLD])


def _placed(wish: _Wish, mistake: FieldError) -> FieldError:
    """The mistake with its line before its column."""
    place = f"{wish.line.number}.{mistake.field}" if mistake.field else str(wish.line.number)
    return mistake.model_copy(update={"field": place})


def _details(wish: _Wish) -> dict[str, object]:
    return {
        "roles": [role.name for role in wish.roles],
        "groups": [group.name for group in wish.groups],
        "virtual_clusters": wish.clusters,
    }


def _told(
    file: UsersFile | None,
    wishes: Sequence[_Wish],
    *,
    made: Sequence[InitialPassword] | None = None,
    errors: Sequence[FieldError] = (),
) -> UsersImport:
    existing = sum(wish.existing for wish in wishes)
    wrong = sum(bool(wish.mistakes) for wish in wishes)
    mistakes = len(errors) + sum(len(wish.mistakes) for wish in wishes)
    return UsersImport(
        dry_run=made is None,
        encoding="" if file is None else file.encoding,
        new=len(wishes) - existing - wrong,
        existing=existing,
        mistakes=mistakes,
        lines=_lines(wishes) if made is None else [],
        errors=[*errors],
        passwords=[*(made or ())],
    )


def _lines(wishes: Iterable[_Wish]) -> list[ImportLine]:
    left, found = MOST_TOLD, []
    for wish in wishes:
        cells = {column: wish.line.cells[column] for column in COLUMNS if column in _PERSON}
        errors = wish.mistakes[: max(left, 0)]
        left -= len(errors)
        found.append(
            ImportLine(
                line=wish.line.number,
                state="existing" if wish.existing else "wrong" if wish.mistakes else "new",
                **cells,
                roles=[role.name for role in wish.roles] or _shown(wish, "roles"),
                groups=[group.name for group in wish.groups] or _shown(wish, "groups"),
                virtual_clusters=wish.clusters or _shown(wish, "virtual_clusters"),
                errors=errors,
            )
        )
    return found


def _shown(wish: _Wish, column: Column) -> list[str]:
    """What is in a cell of which nothing is known."""
    return names_in(wish.line.cells[column], _never)[:MOST_IN_CELL]
