"""The rooms that have rules, with the tests that have to notice when one is broken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LEFT_OUT = frozenset({"__pycache__", "examples", "migrations"})  # users change the examples; nobody edits a migration
WORDS = frozenset({"codes.py"})  # tables of words for people


@dataclass(frozen=True)
class Room:
    """Files and folders of the tree with one name, and the paths that pytest gets for them."""

    name: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]

    def files(self, tree: Path) -> Iterator[str]:
        """Yield its source files, by their path in the tree."""
        for source in self.sources:
            place = tree / source
            for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
                if LEFT_OUT.isdisjoint(file.parts[len(tree.parts) :]) and file.name not in WORDS:
                    yield str(file.relative_to(tree))


def _domain(name: str, *others: str) -> Room:
    tests = (f"tests/unit/platform/{name}", *others)
    return Room(name, (f"platform/atoll/{name}",), tests)


PLATFORM = "tests/unit/platform"
PEOPLE = (f"{PLATFORM}/users", f"{PLATFORM}/groups", f"{PLATFORM}/roles")

ROOMS = (
    Room(
        "planning",
        ("installer/planning",),
        ("tests/unit/planning", "tests/unit/running/test_verify.py", "tests/unit/running/test_given.py"),
    ),
    Room(
        "checks", ("installer/cluster/checks",), ("tests/unit/cluster", "--ignore=tests/unit/cluster/test_bootstrap.py")
    ),
    Room(
        "running",
        (
            "installer/redaction.py",
            "installer/running/journal.py",
            "installer/running/lock.py",
            "installer/running/lock_file.py",
        ),
        ("tests/unit/running/test_journal.py", "tests/unit/running/test_lock.py", "tests/unit/running/test_run.py"),
    ),
    Room("modules", ("plugins/modules",), ("tests/unit/plugins",)),
    Room("module_utils", ("plugins/module_utils",), ("tests/unit/plugins",)),
    _domain("identity", *PEOPLE, f"{PLATFORM}/web/test_permission_matrix.py", f"{PLATFORM}/ways_in/test_linking.py"),
    Room("ways_in", ("platform/atoll/ways_in", "platform/atoll/providers.py"), (f"{PLATFORM}/ways_in",)),
    Room("people", ("platform/atoll/users", "platform/atoll/groups", "platform/atoll/roles"), PEOPLE),
    _domain("virtual_clusters", f"{PLATFORM}/devices", f"{PLATFORM}/tasks/test_admission.py"),
    _domain("tasks", f"{PLATFORM}/engines/test_hostile_programs.py"),
    _domain("jobs", f"{PLATFORM}/operations"),
    _domain("files", f"{PLATFORM}/archives", f"{PLATFORM}/operations/test_kill_archive.py"),
    _domain("engines", "tests/engines"),
)


def room(name: str) -> Room:
    """Return a room by its name. Raises KeyError."""
    return {each.name: each for each in ROOMS}[name]
