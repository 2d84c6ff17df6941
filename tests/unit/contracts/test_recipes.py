"""What docs/develop.md says of adding things names files that are there. Needs nothing.

The recipe of a domain is carried out by `test_new_domain.py`; of the others, this holds what moves of itself: places.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TREE = Path(__file__).parents[3]
PAGE = (TREE / "docs/develop.md").read_text(encoding="utf-8")
RECIPE = re.compile(r"^\*\*To add ((?:an? )?[a-z ]+)\*\*(.*?)(?=\n\n|\n\*\*|\Z)", re.MULTILINE | re.DOTALL)
RECIPES = dict(RECIPE.findall(PAGE))
ROOMS = ("docs", "group_vars", "installer", "platform", "playbooks", "plugins", "roles", "tests")
MADE = {".mypy_cache", "__pycache__", "dist", "node_modules", "results"}


def _below(folder: Path) -> Iterator[str]:
    for path in folder.iterdir():
        if path.name not in MADE:
            name = str(path.relative_to(TREE))
            yield name + "/" if path.is_dir() else name
            if path.is_dir() and not path.is_symlink():
                yield from _below(path)


# Every folder (with a slash behind it) and file; those of the root that are no room's are files alone.
PLACES = [*(path.name for path in TREE.iterdir() if path.is_file()), *(f"{room}/" for room in ROOMS)]
PLACES += [name for room in ROOMS for name in _below(TREE / room)]


def named(recipe: str) -> set[str]:
    """What stands there as a file or a folder; those with a placeholder are the newcomer's own, or one of each role."""
    found = re.findall(r"`([A-Za-z0-9_./-]+(?:\.(?:py|ya?ml|json|md|tsx?)|/))`", recipe)
    return {name for name in found if not name.startswith("meta/")}


def unclear(recipe: str) -> set[str]:
    """Names that fit no place, or several: a stranger would not know which."""
    fitting = {name: [place for place in PLACES if f"/{place}".endswith(f"/{name}")] for name in named(recipe)}
    return {name for name, places in fitting.items() if len(places) != 1}


def test_there_is_a_recipe_for_each_thing_that_is_often_added() -> None:
    assert set(RECIPES) == {
        "a check", "a code", "a device type", "a domain", "a driver", "a feature", "a key", "a kind of operation",
        "a kind of task", "a phase", "a verb", "a writer of the registry", "an engine", "pages of a kind of task",
    }  # fmt: skip
    inside = re.findall(r"\*\*(?:To add|A new|A feature|A kind)[^*]*\*\*", PAGE)
    assert len(inside) == len(RECIPES), "a recipe stands where nobody reads it: at the beginning of a line, by its name"


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_a_recipe_names_places_that_are_there_and_the_shared_ones(name: str) -> None:
    assert unclear(RECIPES[name]) == set()
    assert "shared" in RECIPES[name].lower()
    assert named(RECIPES[name])


@pytest.mark.parametrize(
    ("recipe", "found"),
    [
        ("a row in `planning/phases.py`, then `tests/broken/`", set()),
        ("a row in `planning/phases_of_old.py`", {"planning/phases_of_old.py"}),
        ("a file below `tests/whole/`", {"tests/whole/"}),
        ("`sections.py`, of which there are two", {"sections.py"}),
    ],
)
def test_a_name_that_leads_nowhere_or_to_several_places_would_be_found(recipe: str, found: set[str]) -> None:
    assert unclear(recipe) == found
