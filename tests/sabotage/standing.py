"""The cluster that the suite `system` left running, and the one clone from which it is broken and mended."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import time
from pathlib import Path

import pytest
import yaml

from installer.testing.trees import copy_files, tracked
from tests.sabotage.table import ROOT, Entry, entries
from tests.sabotage.trees import INHERITED
from tests.system.harness import CLUSTER_FILE, NAME, SCRATCH, Atoll, Portal

PLACE = SCRATCH.with_name("sabotage")
EXAMPLES = "platform/atoll/files/examples"
WHOLE = ("apply", "up")
ENDED = {"finished", "failed", "error", "killed"}
PUT = (
    "import os,sys; path='/mnt/atoll/home/admin/examples/'+sys.argv[1]; s=os.stat(path);"
    "open(path,'w').write(sys.argv[2]); os.chown(path, s.st_uid, s.st_gid)"
)


class Standing:
    """Breaks and mends the cluster; every command runs in the clone."""

    def __init__(self) -> None:
        self.tree = PLACE / "tree"
        self.state = SCRATCH / "clusters" / NAME
        self.python = str(self.tree / ".venv" / "bin" / "python")
        # Nobody else's bundle: what a sabotaged `up` builds is placed here, by hard links.
        self.bundle = PLACE / "bundle"
        self.owed: list[Entry] = []  # what is still broken on the cluster, though no more in the clone

    def find(self) -> None:
        """Fail with what to do first if no cluster stands."""
        if os.geteuid() != 0:
            pytest.fail("lab nodes need root", pytrace=False)
        if CLUSTER_FILE.exists() and self.state.exists():
            ran = Atoll(CLUSTER_FILE)("status", "-f", str(CLUSTER_FILE), "-o", "json", ok=(0, 1, 65, 69))
            if ran.code in (0, 1) and ran.out.startswith("{") and any(node["ready"] for node in ran.json["nodes"]):
                return
        pytest.fail("no cluster stands to be broken: run `./atoll test system` first", pytrace=False)

    def prepare(self) -> None:
        """Bring the clone to the state of this tree, give it an environment of its own, and the cluster to both."""
        PLACE.mkdir(parents=True, exist_ok=True)
        if not self.tree.exists():
            _git(PLACE, "clone", "--quiet", "--no-checkout", str(ROOT), str(self.tree))
        _git(self.tree, "fetch", "--quiet", str(ROOT), "HEAD")
        _git(self.tree, "checkout", "--quiet", "--force", "--detach", "FETCH_HEAD")
        _git(self.tree, "clean", "--quiet", "--force", "-d")
        copy_files(ROOT, self.tree, tracked(ROOT))
        self.atoll("test", "--list")  # makes the environment, with what tests need
        self.atoll("up", "-f", str(CLUSTER_FILE), "-o", "json")
        for entry in entries("lab"):  # what a part that was killed may have left
            if entry.deploy == "examples":
                self.put_examples(entry)
        self.stop_tasks()

    def atoll(self, *arguments: str, bundle: Path | None = None, finds: str = "") -> str:
        """Run a command of the clone; it must succeed, or fail by saying what it `finds`."""
        environment = {name: value for name, value in os.environ.items() if name not in INHERITED}
        environment |= {"ATOLL_STATE": str(SCRATCH / "clusters")}
        environment |= {"ATOLL_BUNDLE": str(bundle)} if bundle else {}
        ran = subprocess.run(
            [str(self.tree / "atoll"), *arguments],
            cwd=self.tree,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=1500,
            check=False,
        )
        said = f"{' '.join(arguments)}: exit {ran.returncode}\n{ran.stdout[-4000:]}\n{ran.stderr[-3000:]}"
        assert ran.returncode == (1 if finds else 0), said
        assert re.search(finds, ran.stdout), said
        return ran.stdout

    def make_way(self, entry: Entry) -> None:
        """Mend what an entry before this one broke; a whole `apply` or `up` does so by itself."""
        if entry.deploy not in WHOLE:
            self.mend()

    def deploy(self, entry: Entry) -> None:
        """Bring what the mutation changed to the cluster."""
        self.owed.append(entry)
        if entry.deploy == "examples":
            self.put_examples(entry)
        elif entry.deploy:
            verb, *more = shlex.split(entry.deploy)
            bundle = self.bundle if verb == "up" else None
            self.atoll(verb, "-f", str(CLUSTER_FILE), "-o", "json", *more, bundle=bundle, finds=entry.deploy_finds)
            time.sleep(entry.settle_s)  # what reports by itself gives nothing to wait on but time

    def mend(self) -> None:
        """Bring the cluster back to what the sound tree wants."""
        for entry in self.owed:
            if entry.deploy == "examples":
                self.put_examples(entry)
        if any(entry.leaves or entry.deploy not in ("", "examples") for entry in self.owed):
            self.atoll("apply", "-f", str(CLUSTER_FILE), "-o", "json")
        self.owed.clear()

    def put_examples(self, entry: Entry) -> None:
        """Replace examples in the administrator's home by those of the clone: it got them with its first job."""
        for name in entry.touched():
            text = (self.tree / name).read_text("utf-8")
            inside = str(Path(name).relative_to(EXAMPLES))
            self.atoll("lab", "exec", "-f", str(CLUSTER_FILE), "master1", "--", "python3", "-c", PUT, inside, text)

    def runs(self) -> set[str]:
        """The runs that the control host knows."""
        return {path.name for path in (self.state / "runs").iterdir()}

    def forget_runs(self, but: set[str]) -> None:
        """Remove runs, here and on the master."""
        for name in self.runs() - but:
            shutil.rmtree(self.state / "runs" / name)
            there = f"/var/lib/atoll/clusters/{NAME}/runs/{name}"
            self.atoll("lab", "exec", "-f", str(CLUSTER_FILE), "master1", "--", "rm", "-rf", there)

    def stop_tasks(self) -> None:
        """Stop jobs that a failed test left, and wait until their devices are free."""
        portal = Portal(Atoll(CLUSTER_FILE))
        try:
            going = [task["id"] for task in portal.client.get("/tasks").json()["items"] if task["state"] not in ENDED]
            for task in going:
                portal.client.post(f"/tasks/{task}/stop").raise_for_status()
            for task in going:
                portal.wait_state(task, ENDED, 120)
        finally:
            portal.client.close()

    def fill_in_secrets(self, entry: Entry) -> None:
        """Put generated secrets where a mutation says `@secret:NAME@`: it cannot know them."""
        known = yaml.safe_load((self.state / "secrets.yaml").read_text("utf-8"))
        for name in entry.touched():
            file = self.tree / name
            text = file.read_text("utf-8")
            file.write_text(re.sub(r"@secret:(\w+)@", lambda found: str(known[found[1]]), text), encoding="utf-8")


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
