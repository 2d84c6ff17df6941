"""What docs/develop.md says of adding things names files that are there. Needs nothing.

The recipe of a domain is carried out by `test_new_domain.py`; of the others, this holds what moves of itself: places.
"""

import re
from pathlib import Path

import pytest

TREE = Path(__file__).parents[3]
PAGE = (TREE / "docs/develop.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^\*\*To add a ([a-z ]+)\*\*(.*?)(?=\n\n|\n\*\*)", PAGE, re.MULTILINE | re.DOTALL))
ROOTS = ("", "installer", "platform/atoll", "installer/cluster", "installer/planning", "platform/atoll/training")
FOUND_ANYWHERE = {path.name for folder in ("installer", "roles", "tests") for path in (TREE / folder).rglob("*.py")}


def places(recipe: str) -> set[str]:
    """What stands there as a file or a folder; those with a placeholder are the newcomer's own."""
    named = re.findall(r"`([A-Za-z0-9_./-]+(?:\.(?:py|yml|yaml|json)|/))`", recipe)
    return {name for name in named if not name.startswith("meta/")}


def is_there(name: str) -> bool:
    return any((TREE / root / name).exists() for root in ROOTS) or name in FOUND_ANYWHERE


def test_there_is_a_recipe_for_each_thing_that_is_often_added() -> None:
    told = set(re.findall(r"\*\*To add a ([a-z ]+)\*\*", PAGE))
    assert {"domain", "kind of task", "phase", "verb", "driver", "check", "code"} <= told


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_the_files_that_a_recipe_names_are_there(name: str) -> None:
    found = places(RECIPES[name])
    assert {place for place in found if not is_there(place)} == set()
