"""What the system tests are written with: the command line, the platform's API, waiting.

The lab has a name, a bridge and addresses of its own, so that a person's own lab is left alone.
"""

from __future__ import annotations

import json
import os
import random
import ssl
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from installer.lab import labs
from installer.running import kubectl

ROOT = Path(__file__).resolve().parents[2]
SCRATCH = Path(os.environ.get("ATOLL_TEST_SCRATCH", "/var/lib/atoll/test"))
CLUSTER_FILE = SCRATCH / "cluster.yaml"
NAME = "test"
SMALL_DISK = ("huawei_npu_amd64", "128Mi")  # of a node's own disk, for a pod of a task on devices of this type
TIGHT, TIGHT_FILES = "quota-tight", 400  # an account whose files may take 64 MiB, and how many they may be
SEED = int(os.environ.get("ATOLL_TEST_SEED", str(random.SystemRandom().randrange(10**6))))


@dataclass(frozen=True)
class Ran:
    """A finished command with its output; `events` are its JSON lines."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines() if line.startswith("{")]

    @property
    def finished(self) -> dict[str, Any]:
        last = self.events[-1]
        assert last["event"] == "finished", self.out[-2000:]
        return last

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Atoll:
    """The command line on this machine, always with the test's cluster file and state."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.environment = {**os.environ, "ATOLL_STATE": str(SCRATCH / "clusters")}
        self.environment.pop("ATOLL_TEST_RESULTS", None)

    @cached_property
    def name(self) -> str:
        return str(yaml.safe_load(self.file.read_text("utf-8"))["name"])

    @property
    def state(self) -> Path:
        return SCRATCH / "clusters" / NAME

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return _start([str(ROOT / "atoll"), *arguments], self.environment)

    def __call__(self, *arguments: str, ok: tuple[int, ...] = (0,), timeout_s: int = 1800) -> Ran:
        return _ended(self.start(*arguments), arguments, ok, timeout_s)

    # What `atoll kubectl` and `atoll lab exec` become at once. A Python for each of their many calls is what the
    # suite would mostly wait for; the commands themselves are test_20's and test_05's.

    def kubectl(self, *arguments: str, ok: tuple[int, ...] = (0,)) -> Ran:
        environment = {**self.environment, "KUBECONFIG": str(self.state / "admin.conf")}
        process = _start(["kubectl", *arguments], environment, executable=kubectl.program())
        return _ended(process, ("kubectl", *arguments), ok, timeout_s=300)

    def node(self, name: str, *command: str, ok: tuple[int, ...] = (0,)) -> Ran:
        process = _start(labs.inside(self.name, name, command), self.environment)
        return _ended(process, (name, *command), ok, timeout_s=300)


def bundled(made: Path, *parts: str) -> Path:
    """A bundle with these parts, built in `made`; one that is named (`ATOLL_BUNDLE`) is taken as it is."""
    if "ATOLL_BUNDLE" in os.environ:
        return Path(os.environ["ATOLL_BUNDLE"])
    Atoll(made / "none")("bundle", "build", "--bundle", str(made), *parts, timeout_s=3600)
    return made


def _start(argv: list[str], environment: dict[str, str], executable: Path | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        argv,
        executable=executable,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env=environment,
        cwd=ROOT,
        start_new_session=True,
    )


def _ended(process: subprocess.Popen[str], said: tuple[str, ...], ok: tuple[int, ...], timeout_s: float) -> Ran:
    started = time.monotonic()
    out, err = process.communicate(timeout=timeout_s)
    ran = Ran(process.returncode, out, err, time.monotonic() - started)
    assert ran.code in ok, f"{' '.join(said)}: exit {ran.code}\n{out[-6000:]}\n{err[-4000:]}"
    return ran


def test_cluster() -> dict[str, Any]:
    """The reference topology with a name, a bridge and addresses of its own."""
    text = (ROOT / "cluster.example.yaml").read_text("utf-8")
    cluster: dict[str, Any] = yaml.safe_load(text.replace("10.77.0.", "10.79.0."))
    cluster["name"] = NAME
    cluster["lab"]["bridge"] = "atolltest"
    cluster["storage"]["user_quotas"] = {TIGHT: "64Mi"}
    cluster["resource_limit"][SMALL_DISK[0]]["local_disk"] = SMALL_DISK[1]
    cluster["storage"]["user_file_quotas"] = {TIGHT: TIGHT_FILES}
    return cluster


test_cluster.__test__ = False  # type: ignore[attr-defined]


def write_cluster(cluster: dict[str, Any]) -> None:
    CLUSTER_FILE.write_text(yaml.safe_dump(cluster, sort_keys=False), encoding="utf-8")


def postgresql(atoll: Atoll, query: str, database: str = "postgres") -> str:
    """What the cluster's database answers to its own administrator."""
    psql = ("psql", "-XAtq", "--username=postgres", database, "-c", query)
    return atoll.kubectl("-n", "atoll-system", "exec", "database-0", "-c", "upkeep", "--", *psql).out.strip()


def wait_for(what: str, ready: Callable[[], Any], timeout_s: float, every_s: float = 0.5) -> Any:
    """Return the first true value of `ready`; fail with `what` and the last value after `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while True:
        value = ready()
        if value:
            return value
        if time.monotonic() > deadline:
            pytest.fail(f"{what}: not within {timeout_s} s; last seen: {value!r}")
        time.sleep(every_s)  # the condition is on another machine: there is nothing to wait on but time


class Portal:
    """The platform's API as a third-party tool uses it, signed in as the administrator."""

    def __init__(self, atoll: Atoll) -> None:
        # Something may be coming up, or be broken on purpose: that does not keep anybody from signing in.
        status = atoll("status", "-f", str(atoll.file), "-o", "json", ok=(0, 1)).json
        self.url = status["portal"]["url"].rstrip("/")
        self.credentials_file = Path(status["credentials_file"])
        credentials = yaml.safe_load(self.credentials_file.read_text("utf-8"))
        self.user = credentials["user"]
        self.verify = ssl.create_default_context(cafile=status["portal"]["ca_file"])
        self.client = httpx.Client(
            base_url=self.url + "/api/v1",
            verify=self.verify,
            headers={"X-Atoll-Request": "1", "Origin": self.url},
            timeout=60,
        )
        changed = SCRATCH / "password"
        password = changed.read_text("utf-8").strip() if changed.exists() else str(credentials["password"])
        self.signed_in = self.client.post("/session", json={"name": self.user, "password": password})

    def change_password(self, current: str, new: str) -> httpx.Response:
        answer = self.client.post("/session/password", json={"current_password": current, "new_password": new})
        if answer.is_success:
            path = SCRATCH / "password"
            path.touch(mode=0o600)
            path.write_text(new, encoding="utf-8")
        return answer

    def task(self, identifier: str) -> dict[str, Any]:
        answer = self.client.get(f"/tasks/{identifier}")
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    def wait_state(self, identifier: str, states: set[str], timeout_s: float) -> dict[str, Any]:
        task: dict[str, Any] = wait_for(
            f"task {identifier} in {sorted(states)}",
            lambda: (t := self.task(identifier))["state"] in states and t,
            timeout_s,
        )
        return task
