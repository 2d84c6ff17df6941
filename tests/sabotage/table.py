"""The table of broken promises: how each is broken, and the test that must turn red."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml

from tests.sabotage.mutations import Mutation

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

# What Atoll promises. Each has at least one way in which it is broken here.
PROMISES = {
    "idempotent": "installed again: nothing to do, nothing changed, a changed byte planned as drifted and mended",
    "topology": "the reference topology with its devices and metrics of each node",
    "air_gap": "no way out of a node",
    "contract": "every engine does what the contract of engines says",
    "first_jobs": "the first job is real, a second one trains over two nodes, a third queues, says why, and starts",
    "failures_are_shown": "memory above the limit and a crash are shown as what they are",
    "worker_added": "a worker added: exactly its phases, and nothing else",
    "killed_runs": "kill -9 and resume",
    "bad_input": "bad input is named, with a remedy, before anything is changed",
    "red_stays": "what was seen broken is told and asked again until it is sound",
    "nothing_left": "what is forgotten leaves nothing",
    "only_nodes_mount": "user data is served to nodes of the cluster by their certificates, to nobody else",
    "closed": "no program starts before its network policy is enforced",
    "identities": "each identity does its work and nothing else",
    "walled": "a stranger on the nodes' network, and a task, come only where the table of ports lets them",
    "guarded": "nobody gets further than is named: not `jobs` with its rights, not who shows none, not a pod",
    "fair": "nobody gets more than one user may, and nobody waits for all that another one asks for",
    "restarts": "a service that is started again loses no request",
    "accounts": "guesses of others lock nobody out, and who is disabled is gone within seconds",
    "rights": "everybody may what their roles and groups grant, and nobody gives what they do not hold",
    "own": "nobody reaches what is not theirs, or no longer is",
    "benchmark": "no check of the CIS benchmark fails that nobody has explained, with an end",
    "no_secret": "no secret in any journal, log, process list or the repository",
}


@dataclass(frozen=True)
class Entry:
    """One row of table.yaml: `breaks` is the promise in this case, `test` a function somewhere below tests/.

    `says` (a regular expression) is what the red test tells. `deploy` (lab only) brings the mutation to the standing
    cluster before its test: arguments of ./atoll, or `examples` (the mutated examples replace those in the
    administrator's home). Where it asks at its end whether all is sound and finds what is broken, `deploy_finds` (a
    regular expression) is what it has to say. `leaves` says that the test itself changes the cluster under the
    mutation, so that it has to be mended as if there had been a deploy.
    """

    name: str
    promise: str
    breaks: str
    kind: Literal["fast", "lab"]
    function: str
    says: str
    mutations: tuple[Mutation, ...]
    deploy: str = ""
    deploy_finds: str = ""
    leaves: bool = False
    minutes: float = 3.0
    settle_s: float = 15.0  # a kubelet tells the API server of other devices every ten seconds

    @property
    def digest(self) -> str:
        """What a stored result is a result of, beside the commit."""
        return hashlib.sha256(f"{self!r}".encode()).hexdigest()[:16]

    @property
    def test(self) -> str:
        """The test as pytest names it. Raises LookupError unless there is exactly one of that name."""
        found = _tests().get(self.function, [])
        if len(found) != 1:
            raise LookupError(f"{self.name}: {len(found)} tests are called {self.function}: {', '.join(found)}")
        return f"{found[0]}::{self.function}"

    def touched(self) -> list[str]:
        """The files that are changed. Raises Misfit."""
        return list(dict.fromkeys(str(mutation.place(ROOT)[0].relative_to(ROOT)) for mutation in self.mutations))

    def apply(self, tree: Path) -> None:
        """Break the promise in a tree. Raises Misfit where the code is not (any more) as the table knows it."""
        for mutation in self.mutations:
            mutation.apply(tree)


def entries(kind: str | None = None) -> list[Entry]:
    """All rows, or those of a kind."""
    rows = [_entry(**row) for row in yaml.safe_load((HERE / "table.yaml").read_text("utf-8"))]
    return [row for row in rows if kind in (None, row.kind)]


def _entry(*, test: str, mutations: list[dict[str, str]], **row: Any) -> Entry:
    parts = tuple(Mutation(part["in"], part["find"], part.get("put", "")) for part in mutations)
    return Entry(function=test, mutations=parts, **row)


@cache
def _tests() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for line in file.read_text("utf-8").splitlines():
            name = line.removeprefix("async ").removeprefix("def ").partition("(")[0]
            if line.startswith(("def test_", "async def test_")):
                found.setdefault(name, []).append(str(file.relative_to(ROOT)))
    return found
