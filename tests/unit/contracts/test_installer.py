"""The floors of installer/ and what runs on nodes: an import that breaks a contract turns it red. Needs nothing."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[3]
CONTRACT = TREE / "tests" / "contracts" / "installer.ini"


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """Check the contract against the package in `root`, as the suite `lint` does in the tree."""
    program = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache", "--config", str(CONTRACT)]
    return subprocess.run(program, cwd=root, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    shutil.copytree(TREE / "installer", tmp_path / "installer", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_rooms_of_the_installer_import_downwards_only() -> None:
    checked = lint(TREE)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    ("lower", "line"),
    [
        ("progress/timings.py", "from installer.running.errors import Busy"),
        ("lab/nodes.py", "from installer.preflight import checks"),
        ("services/states.py", "import installer.preflight.checks"),
        ("planning/plan.py", "import subprocess"),
        ("cluster/given.py", "def later():\n    from installer.up import commands"),
    ],
)
def test_an_import_upwards_or_beside_is_found(copied: Path, lower: str, line: str) -> None:
    file = copied / "installer" / lower
    file.write_text(f"{file.read_text()}\n{line}\n")
    checked = lint(copied)
    assert checked.returncode == 1, checked.stdout
    assert f"installer.{lower.partition('/')[0]}" in checked.stdout.partition("Broken contracts")[2]


def test_a_room_without_a_floor_is_found(copied: Path) -> None:
    (copied / "installer" / "attic").mkdir()
    (copied / "installer" / "attic" / "__init__.py").write_text("")
    checked = lint(copied)
    assert checked.returncode == 1, checked.stdout
    assert "attic" in checked.stdout


def foreign_imports(source: str) -> set[str]:
    """Return what a module imports that a node does not have: all but the standard library and our module_utils."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            carried = name.startswith("ansible.module_utils.")
            if not carried and name.split(".")[0] not in sys.stdlib_module_names:
                found.add(name)
    return found


# Makes keys and certificates, which only the control host does; its environment has the library.
ON_CONTROL_HOST = {"atoll_authority.py"}
ON_NODES = sorted([*(TREE / "plugins/modules").glob("*.py"), *(TREE / "plugins/module_utils").glob("*.py")])


def test_what_runs_on_nodes_needs_the_standard_library_and_our_module_utils_only() -> None:
    assert len(ON_NODES) > 5
    needed = {path.name: foreign_imports(path.read_text()) for path in ON_NODES if path.name not in ON_CONTROL_HOST}
    assert {name: foreign for name, foreign in needed.items() if foreign} == {}


def test_a_library_that_nodes_lack_would_be_found() -> None:
    source = "import os\nfrom ansible.module_utils.basic import AnsibleModule\ndef f():\n    import yaml\n"
    assert foreign_imports(source) == {"yaml"}
