"""`python -m atoll.users VERB [NAME] --by WHO`: accounts without the portal; `./atoll users` runs it in the cluster.

Who may run a program in a service's container may do all this. It answers in JSON: what it did, or a problem. The file
of an import comes by its input (`exchange`).
"""

import argparse
import asyncio
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import Configuration, ConfigurationError, load
from atoll.database.connection import connect, sessions
from atoll.database.identifiers import new_id
from atoll.identity.permissions import PermissionTable
from atoll.users import exchange
from atoll.users.importing import UserImport
from atoll.users.schemas import Account
from atoll.users.service import UserService
from atoll.web.errors import ApiError
from atoll.web.internal import configure_logs
from atoll.web.schema import FieldError, Page

PAGE = 200
VERBS = ("list", "disable", "enable", "reset-password", "end-sessions", "import")


@dataclass(frozen=True, slots=True)
class Operator:
    """Somebody on the command line: no account, so that it goes when no account can sign in."""

    name: str
    request_id: str
    id: str | None = None
    address: str = "command line"

    def holds(self) -> Iterable[str]:
        """None by name: who may run programs here may do everything."""
        return ()


class Refused(BaseModel):
    """Why it was not done."""

    code: str
    detail: str
    remedy: str
    errors: list[FieldError]


async def _all(service: UserService) -> BaseModel:
    items: list[Account] = []
    cursor = None
    while True:
        page = await service.list(PAGE, cursor)
        items, cursor = [*items, *page.items], page.next_cursor
        if cursor is None:
            return Page[Account](items=items)


async def _done(session: AsyncSession, configuration: Configuration, given: argparse.Namespace) -> BaseModel:
    # Nothing is judged by permissions here, so there is no need to know them.
    service = UserService(session, configuration, PermissionTable(()))
    if given.verb == "list":
        return await _all(service)
    operator = Operator(given.by, new_id())
    if given.verb == "import":
        return await _imported(session, operator, given)
    user_id = await service.id_of(given.name)
    match given.verb:
        case "disable":
            return await service.disable(operator, user_id, None, stop_tasks=given.stop_tasks)
        case "enable":
            return await service.enable(operator, user_id, None)
        case "reset-password":
            return await service.reset_password(operator, user_id, None, end_links=not given.keep_links)
        case _:
            return await service.end_sessions(operator, user_id, None)


async def _imported(session: AsyncSession, operator: Operator, given: argparse.Namespace) -> BaseModel:
    importing = UserImport(session, PermissionTable(()))
    content = exchange.content(sys.stdin.buffer)
    if given.dry_run:
        return await importing.look(operator, content, skip_existing=given.skip_existing)
    await exchange.confirmed(session, await importing.make(operator, content, skip_existing=given.skip_existing))
    return exchange.Kept()


async def _main(configuration: Configuration, given: argparse.Namespace) -> tuple[int, BaseModel]:
    database = connect(configuration, pool_size=1)
    try:
        async with sessions(database)() as session, session.begin():
            return 0, await _done(session, configuration, given)
    except ApiError as error:
        return 1, Refused(
            code=error.code, detail=error.detail, remedy=error.problem.fill(error.problem.remedy), errors=error.errors
        )
    finally:
        await database.dispose()


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m atoll.users")
    parser.add_argument("verb", choices=VERBS)
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--by", default="an operator")
    parser.add_argument("--stop-tasks", action="store_true")
    parser.add_argument("--keep-links", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--skip-existing", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    configure_logs()
    try:
        code, answer = asyncio.run(_main(load(), _given()))
    except (ConfigurationError, SQLAlchemyError, OSError) as error:
        sys.exit(f"the database cannot be asked: {error}")
    sys.stdout.write(answer.model_dump_json() + "\n")
    sys.exit(code)
