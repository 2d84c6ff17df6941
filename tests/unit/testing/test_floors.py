"""The floors of the platform hold: each kind of arrow that the contract forbids turns it red. Needs nothing."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).parents[3]


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
def copied(tmp_path: Path) -> Path:
    """A copy of the platform, to be broken."""
    return copy(tmp_path)


def copy(to: Path) -> Path:
    shutil.copytree(TREE / "platform/atoll", to / "platform/atoll", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(TREE / "tests/contracts", to / "tests/contracts")
    return to


def test_the_tree_keeps_every_contract() -> None:
    assert judged(TREE).returncode == 0, judged(TREE).stdout


# A file, a line more in it, and what is said of it.
ARROWS = (
    ("web/schema.py", "import atoll.identity.tokens", "atoll.web.schema -> atoll.identity.tokens"),
    ("identity/tokens.py", "import atoll.tasks.views", "atoll.identity.tokens -> atoll.tasks.views"),
    ("tasks/policy.py", "import atoll.nodes.service", "atoll.tasks.policy -> atoll.nodes.service"),
    ("engines/base.py", "import atoll.homes.places", "atoll.engines.base -> atoll.homes.places"),
    ("images/policy.py", "import atoll.jobs.process", "atoll.images.policy -> atoll.jobs.process"),
    ("files/names.py", "import atoll.jobs.composed", "atoll.files.names -> atoll.jobs.composed"),
    ("web/codes.py", "import atoll.accelerators.devices", "atoll.web.codes -> atoll.accelerators.devices"),
    # A neighbour that the manifest does not name, and one that it names by another door than its service.
    ("nodes/service.py", "import atoll.images.service", "atoll.nodes.service imports atoll.images.service"),
    ("overview/service.py", "import atoll.nodes.schemas", "atoll.overview.service imports atoll.nodes.schemas"),
    (
        "users/domain.py",
        'DOMAIN = Domain(name="users", uses=("images",))',
        "of users names images, of which it imports",
    ),
    # What composes knows a domain by its manifest, and that by the list alone.
    ("jobs/operations.py", "import atoll.training.service", "atoll.jobs.operations imports atoll.training.service"),
    ("api/contents.py", "import atoll.users.service", "atoll.api.contents imports atoll.users.service"),
    ("jobs/application.py", "import atoll.training.domain", "atoll.jobs.application imports atoll.training.domain"),
    ("jobs/operations.py", "import atoll.tasks.domain", "atoll.jobs.operations imports atoll.tasks.domain"),
    # What composes loops and periodic work knows no room with a manifest at all, on whatever floor.
    ("jobs/process.py", "import atoll.tasks.models", "atoll.jobs.process imports atoll.tasks.models"),
    ("jobs/process.py", "import atoll.engines.base", "atoll.jobs.process imports atoll.engines.base"),
    ("jobs/composed.py", "import atoll.provisioning", "atoll.jobs.composed imports atoll.provisioning"),
    # Of the room of the list nothing but the list, and that not by everybody.
    ("jobs/composed.py", "import atoll.api.contents", "atoll.jobs.composed imports atoll.api.contents"),
    ("jobs/operations.py", "import atoll.api", "atoll.jobs.operations imports atoll.api"),
    ("jobs/process.py", "import atoll.api.words", "atoll.jobs.process imports atoll.api.words"),
    ("files/slots.py", "import atoll.api.domains", "atoll.files.slots imports atoll.api.domains"),
    ("accelerators/holders.py", "import atoll.api.domains", "atoll.accelerators.holders imports atoll.api.domains"),
    ("operations/policy.py", "import atoll.api.domains", "atoll.operations.policy imports atoll.api.domains"),
)


@pytest.fixture(scope="module")
def said_of_all(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What lint says of a tree with all of them, in lines."""
    tree = copy(tmp_path_factory.mktemp("broken"))
    for name, line, _ in ARROWS:
        path = tree / "platform/atoll" / name
        # Never run: the contract reads the manifests, which could not be imported in circles.
        path.write_text(f"{path.read_text()}\n{line.replace('import', 'if False: import', 1)}\n")
    ended = judged(tree)
    assert ended.returncode == 1
    return ended.stdout.splitlines()


@pytest.mark.parametrize("said", [said for _, _, said in ARROWS])
def test_an_arrow_that_is_forbidden_turns_lint_red(said_of_all: list[str], said: str) -> None:
    assert [line for line in said_of_all if re.search(rf"{re.escape(said)}( \(l\.|$| nothing)", line)]


def test_a_room_that_no_floor_names_turns_lint_red(copied: Path) -> None:
    (copied / "platform/atoll/attic").mkdir()
    (copied / "platform/atoll/attic/__init__.py").write_text("")
    assert judged(copied).returncode == 1


def test_a_domain_that_the_list_lacks_turns_lint_red(copied: Path) -> None:
    (copied / "platform/atoll/attic").mkdir()
    (copied / "platform/atoll/attic/__init__.py").write_text("")
    (copied / "platform/atoll/attic/domain.py").write_text("")
    ended = judged(copied)
    assert ended.returncode == 1
    assert "api/domains.py lacks attic" in ended.stdout
