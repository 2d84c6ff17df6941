"""The floors of the platform hold: each kind of arrow that the contract forbids turns it red. Needs nothing."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

TREE = Path(__file__).parents[3]
Copy = Callable[[str, str], Path]


def judged(tree: Path) -> subprocess.CompletedProcess[str]:
    """What lint says of the tree, as the suite `lint` asks it."""
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--config", "tests/contracts/platform.ini", "--no-cache"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": "platform", "COLUMNS": "300"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def broken(tmp_path: Path) -> Copy:
    """A copy of the platform with a line more in one of its files."""

    def copy(name: str, line: str) -> Path:
        shutil.copytree(
            TREE / "platform/atoll", tmp_path / "platform/atoll", ignore=shutil.ignore_patterns("__pycache__")
        )
        shutil.copytree(TREE / "tests/contracts", tmp_path / "tests/contracts")
        path = tmp_path / "platform/atoll" / name
        path.write_text(f"{path.read_text()}\n{line}\n")
        return tmp_path

    return copy


def test_the_tree_keeps_every_contract() -> None:
    assert judged(TREE).returncode == 0, judged(TREE).stdout


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("web/schema.py", "import atoll.identity.tokens", "atoll.web is not allowed to import atoll.identity"),
        ("identity/tokens.py", "import atoll.tasks.views", "atoll.identity is not allowed to import atoll.tasks"),
        ("tasks/policy.py", "import atoll.nodes.service", "atoll.tasks is not allowed to import atoll.nodes"),
        ("engines/base.py", "import atoll.homes.places", "atoll.engines is not allowed to import atoll.homes"),
        ("images/policy.py", "import atoll.jobs.provision", "atoll.images is not allowed to import atoll.jobs"),
        # A neighbour that the manifest does not name, and one that it names by another door than its service.
        ("nodes/service.py", "import atoll.images.service", "atoll.nodes.service imports atoll.images.service"),
        ("overview/service.py", "import atoll.nodes.schemas", "atoll.overview.service imports atoll.nodes.schemas"),
        (
            "nodes/domain.py",
            'DOMAIN = Domain(name="nodes", uses=("images",))',
            "nodes names images, of which it imports",
        ),
        ("jobs/provision.py", "import atoll.api.contents", "atoll.jobs is not allowed to import atoll.api.contents"),
    ],
)
def test_an_arrow_that_is_forbidden_turns_lint_red(broken: Copy, name: str, line: str, said: str) -> None:
    ended = judged(broken(name, line))
    assert ended.returncode == 1
    assert said in " ".join(ended.stdout.split())


def test_a_room_that_no_floor_names_turns_lint_red(broken: Copy) -> None:
    tree = broken("web/schema.py", "")
    (tree / "platform/atoll/attic").mkdir()
    (tree / "platform/atoll/attic/__init__.py").write_text("")
    assert judged(tree).returncode == 1


def test_a_domain_that_the_list_lacks_turns_lint_red(broken: Copy) -> None:
    tree = broken("web/schema.py", "")
    (tree / "platform/atoll/attic").mkdir()
    (tree / "platform/atoll/attic/__init__.py").write_text("")
    (tree / "platform/atoll/attic/domain.py").write_text("")
    ended = judged(tree)
    assert ended.returncode == 1
    assert "api/domains.py lacks attic" in ended.stdout
