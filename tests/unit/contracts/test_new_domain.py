"""What docs/domain.md says of adding a domain is all that it takes. Needs nothing.

The page's domain is made in a copy of the tree, with an import and an entry in the list of domains, and then
goes through contracts, migrations, words and the matrix of permissions as any other does.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from atoll.database.migrate import alembic_config

TREE = Path(__file__).parents[3]
PAGE = TREE / "docs/domain.md"
LIST = "platform/atoll/api/domains.py"
BESIDE = "from atoll.operations.domain"
NEXT = "9999"
# What judges a domain; the contract's rules of routes and the portal's words read what the commands before them made.
JUDGES = (
    "tests/unit/platform/web/test_contract.py",
    "tests/unit/platform/web/test_words.py::test_the_committed_words_are_those_of_the_declarations",
    "tests/unit/platform/web/test_words.py::test_a_translation_has_the_same_keys_and_needs_the_same_parameters",
    "tests/unit/platform/audit/test_actions.py",
    "tests/unit/platform/web/test_permission_matrix.py::test_every_operation_has_a_row",
    "tests/unit/platform/web/test_permission_matrix.py::test_everybody_gets_what_the_table_says",
    "tests/unit/platform/database/test_database.py::test_the_migrations_make_exactly_the_tables_of_the_code",
    "tests/unit/platform/database/test_rights.py::test_a_role_holds_exactly_the_rights_of_the_table",
)


def blocks() -> dict[str, str]:
    """The files of the page by their paths."""
    return dict(re.findall(r"```(?:python|json) (\S+)\n(.*?)```", PAGE.read_text(), re.DOTALL))


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A tree in which the platform and what judges it are copies."""
    odd = shutil.ignore_patterns("__pycache__", "node_modules", "dist")
    for name in ("platform/atoll", "platform/portal/src/locales", "tests/contracts", "tests/unit/platform"):
        shutil.copytree(TREE / name, tmp_path / name, ignore=odd)
    for name in ("platform/portal/openapi.json", "pyproject.toml", "VERSION"):
        shutil.copy(TREE / name, tmp_path / name)
    (tmp_path / "installer").symlink_to(TREE / "installer")
    return tmp_path


def add_domain(tree: Path) -> None:
    """Do what the page says."""
    head = ScriptDirectory.from_config(alembic_config()).get_current_head() or ""
    for name, text in blocks().items():
        if name == Path(LIST).name:
            imported, entry = text.strip("\n").split("\n\n")
            listed = (tree / LIST).read_text().replace(BESIDE, f"{imported}\n{BESIDE}", 1)
            (tree / LIST).write_text(listed.replace("\n)\n", f"\n{entry}\n)\n", 1))
            continue
        path = tree / name.replace("<next>", NEXT)
        assert not path.exists(), f"{name} is there already"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("<next>", NEXT).replace("<head>", head))


def run(tree: Path, *command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": "platform", "COLUMNS": "300"}
    ended = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode == 0, f"{' '.join(command)}:\n{ended.stdout[-8000:]}\n{ended.stderr[-2000:]}"


def test_a_domain_is_a_folder_a_migration_and_two_lines_in_a_file(copied: Path) -> None:
    add_domain(copied)
    beside = Path(sys.executable).parent
    run(copied, str(beside / "ruff"), "check", "--no-cache", "platform")
    run(copied, str(beside / "ruff"), "format", "--no-cache", "--check", "platform")
    folder = next(name for name in blocks() if name.endswith("/domain.py")).rpartition("/")[0]
    config = ["--config-file", "pyproject.toml", "--cache-dir", os.devnull]
    run(copied, str(beside / "mypy"), *config, "-p", folder.removeprefix("platform/").replace("/", "."))
    run(copied, str(beside / "lint-imports"), "--no-cache", "--config", "tests/contracts/platform.ini")
    run(copied, sys.executable, "-m", "atoll.api.openapi")
    run(copied, sys.executable, "-m", "atoll.api.words")
    run(copied, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-x", *JUDGES)


def test_the_page_names_the_shared_files() -> None:
    new = [
        name for name in blocks() if name.startswith(("platform/atoll/notes/", "platform/atoll/database/migrations/"))
    ]
    assert {*blocks()} - {*new} == {Path(LIST).name}
    assert f"one shared file that it touches** is `{LIST}`" in PAGE.read_text()
