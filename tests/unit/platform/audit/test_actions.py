"""Everything that is written in the audit has words that people read: an action without them is red here.

Read from the source of the platform: what is recorded is named where it is, in one piece. Needs nothing.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from atoll.api.domains import DOMAINS
from atoll.api.words import LANGUAGES, words

PLATFORM = Path(__file__).parents[4] / "platform/atoll"
ACTION = re.compile(r"[a-z_]+[.][a-z_]+")


def recorders(tree: ast.AST) -> dict[str, int]:
    """Functions that are handed an action, and where in their calls it stands."""
    found = {"record": 2}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = [argument.arg for argument in node.args.args if argument.arg != "self"]
            if "action" in names:
                found[node.name] = names.index("action")
    return found


def actions(source: str) -> Iterator[ast.expr]:
    """What a file hands over as one."""
    tree = ast.parse(source)
    known = recorders(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
        by_name = [each.value for each in node.keywords if each.arg == "action"]
        if name in known and len(node.args) > known[name]:
            yield node.args[known[name]]
        elif name in known or name == "AuditRow":
            yield from by_name


def recorded(source: str) -> tuple[set[str], list[str]]:
    """The actions that a file records, and what it hands over in another way than as they are."""
    found: set[str] = set()
    strange: list[str] = []
    for each in actions(source):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and ACTION.fullmatch(each.value):
            found.add(each.value)
        elif not (isinstance(each, ast.Name) and each.id == "action"):
            strange.append(ast.unparse(each))
    return found, strange


def of_the_platform() -> dict[str, set[str]]:
    """The actions of each room that writes in the audit."""
    found: dict[str, set[str]] = {}
    for path in sorted(PLATFORM.rglob("*.py")):
        source = path.read_text("utf-8")
        if "audit_trail" not in source and "_record" not in source and path.parent.name != "audit_trail":
            continue
        of_file, strange = recorded(source)
        assert strange == [], f"{path}: an action that is put together is found by nobody who looks for it"
        found.setdefault(path.relative_to(PLATFORM).parts[0], set()).update(of_file)
    return found


def test_every_action_that_is_recorded_has_words_and_none_is_idle() -> None:
    written = {action for each in of_the_platform().values() for action in each}
    declared = Counter(action for domain in DOMAINS for action in domain.actions)
    assert written - declared.keys() == set(), "it is written in the audit and has no words: `actions` of its manifest"
    assert declared.keys() - written == set(), "nothing writes it any more"
    assert {action for action, times in declared.items() if times > 1} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_action_has_words_in_every_language(language: str) -> None:
    table = words(language)["action"]
    for domain in DOMAINS:
        for action in domain.actions:
            kind, _, verb = action.partition(".")
            assert ACTION.fullmatch(action), action
            assert table[kind][verb].strip(), action


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('await record(session, caller, "task.stop", kind="task")', ({"task.stop"}, [])),
        ('await record(session, caller, action="task.stop", kind="task")', ({"task.stop"}, [])),
        ('await record(session, caller, f"task.{verb}", kind="task")', (set(), ["f'task.{verb}'"])),
        ('await record(session, caller, "stop", kind="task")', (set(), ["'stop'"])),
        ('AuditRow(action="session.create")', ({"session.create"}, [])),
        (
            "async def _changed(self, giver, action, row): await record(s, giver, action)\n"
            'async def give(self): await self._changed(giver, "role.give", row)',
            ({"role.give"}, []),
        ),
        ('await other(session, caller, "task.stop")', (set(), [])),
    ],
)
def test_an_action_is_seen_wherever_it_is_handed_over(source: str, found: tuple[set[str], list[str]]) -> None:
    assert recorded(source) == found
