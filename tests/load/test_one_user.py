"""Ten clients of one user ask for all there is; what somebody else gets meanwhile, and what the services hold.

No route takes uploads, so the largest bodies that a route reads stand for them: `bodies`, each a MiB.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

import httpx
import pytest
import yaml
from atoll import quantities
from atoll.configuration import Operations, Tasks, Web
from atoll.files import work as of_files
from atoll.tasks.scalars import MOST_BYTES
from atoll.web.pace import WINDOW_MINUTES

from installer.cluster import load
from installer.services.table import SERVICES, Unit
from installer.testing.results import DIRECTORY
from tests.system.harness import CLUSTER_FILE, Atoll, Portal
from tests.system.jobs import request
from tests.system.people import User, people

HEAVY = Path(__file__).parents[1] / "unit/platform/crowd/heavy.py"
CLIENTS = TIMES = 10
# Of all clients together: ten times what one user may, see `ten_times`.
AT_ONCE = {
    "streams": 400,
    "downloads": 40,
    "submissions": 120,
    "archives": 40,
    "metrics": 20,
    "bodies": 20,
    "lists": 40,
    "sign_ins": 20,
    "strangers": 80,
}
OTHERS_LIST_P95_S = 0.2
# Refused clients of a kind ask again at least so often, however slow the machine.
GAP_S = 20.0
# Of what is refused (429, 503), all else says when to come again: here the user makes room, not waiting.
WITHOUT_RETRY = {"too_many_tasks", "too_many_operations"}
# A task for all cards of a kind: the first one runs, the others wait in the queue and cost no node anything.
HOLDS: dict[str, Any] = {"code": "examples/devices/hold.py", "device_type": "huawei_npu_amd64", "devices": 8}
TASKS = "vc-"  # name spaces of users' tasks; all others are the system's


@dataclass
class Timed:
    """What one kind of requests took, and which of them failed."""

    took: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)

    def ask(self, act: Callable[[], httpx.Response]) -> httpx.Response | None:
        """Time it, and count what is no success."""
        began = time.monotonic()
        try:
            answer = act()
        except httpx.HTTPError as error:
            self.errors[type(error).__name__] += 1
            return None
        self.took.append(time.monotonic() - began)
        if not answer.is_success:
            self.errors[str(answer.status_code)] += 1
            return None
        return answer

    def told(self) -> dict[str, Any]:
        cuts = statistics.quantiles(self.took, n=20)
        return {"count": len(self.took), "p50_s": cuts[9], "p95_s": cuts[18], "most_s": max(self.took), **self.errors}


@pytest.fixture
def made(atoll: Atoll, portal: Portal) -> Iterator[Callable[[str], User]]:
    with people(atoll, portal) as make:
        yield make


@pytest.fixture
def closing() -> Iterator[Callable[[httpx.Client], httpx.Client]]:
    """Keeps a client until the end of the test, and closes it then."""
    with contextlib.ExitStack() as kept:
        yield lambda client: kept.enter_context(contextlib.closing(client))


def furnish(atoll: Atoll, user: User, task: str) -> None:
    """A large file, a folder to archive, and metrics larger than are read."""
    line, size = json.dumps({f"key_{number:05}": number for number in range(2000)}), TIMES * MOST_BYTES
    home = f"/mnt/atoll/home/{user.name}"
    script = (
        f"cd {home} && truncate -s 1G large && mkdir -p code tasks/{task} && echo 'print(1)' > code/main.py && "
        f"yes '{line}' | head -c {size} > tasks/{task}/metrics.jsonl && chown -R --reference={home} code large tasks"
    )
    atoll.node("worker1", "sh", "-c", script)


def ten_times(atoll: Atoll, seconds: float) -> dict[str, float]:
    """What must be asked for in so long for the load to be one of ten times the limits that this cluster has."""
    told = atoll.kubectl("get", "configmap", "api-config", "-n", "atoll-system", "-o", "json").json
    settings = yaml.safe_load(told["data"]["config.yaml"])
    tasks = Tasks.model_validate(settings.get("tasks", {}))
    operations = Operations.model_validate(settings.get("operations", {}))
    assert TIMES * Web.model_validate(settings["web"]).streams_per_user <= AT_ONCE["streams"]
    assert TIMES * of_files.READS.per_owner <= AT_ONCE["downloads"]
    # What one may begin is said of ten minutes. What one may have is reached, and asked for beyond that.
    share = seconds / (60 * WINDOW_MINUTES)
    return {
        "submissions": max(tasks.unfinished_per_user, TIMES * tasks.submitted_per_user * share),
        "archives": max(operations.waiting_per_user, TIMES * operations.started_per_user * share),
    }


def containers(atoll: Atoll) -> dict[str, dict[str, Any]]:
    """Of every container of the system: how often it was started again, and its limit of memory."""
    found = {}
    for pod in atoll.kubectl("get", "pods", "-A", "-o", "json").json["items"]:
        metadata, phase = pod["metadata"], pod["status"]["phase"]
        if metadata["namespace"].startswith(TASKS) or phase != "Running":
            continue
        limits = {each["name"]: each.get("resources", {}).get("limits", {}) for each in pod["spec"]["containers"]}
        for status in pod["status"].get("containerStatuses", []):
            found[f"{metadata['namespace']}/{metadata['name']}/{status['name']}"] = {
                "restarts": status["restartCount"],
                "limit": limits[status["name"]].get("memory"),
                "node": pod["spec"]["nodeName"],
            }
    return found


def units(atoll: Atoll) -> dict[tuple[str, str], tuple[str, str]]:
    """Of every service of systemd that runs for good, by node and name: how often it was started again, its process.

    Those of sessions (`name@…`), and what the bus starts and lets end, come and go by themselves.
    """
    found = {}
    shown = "--property=Id,Type,SubState,NRestarts,ExecMainPID"
    for node in load(CLUSTER_FILE).nodes:
        for block in atoll.node(node.name, "systemctl", "show", shown, "*.service").out.strip().split("\n\n"):
            unit = dict(line.split("=", 1) for line in block.splitlines())
            if unit["SubState"] == "running" and unit["Type"] != "dbus" and "@" not in unit["Id"]:
                found[node.name, unit["Id"]] = (unit["NRestarts"], unit["ExecMainPID"])
    return found


def held(atoll: Atoll, nodes: set[str]) -> dict[str, int]:
    """What every container of the system holds now."""
    found = {}
    for node in nodes:
        summary = atoll.kubectl("get", "--raw", f"/api/v1/nodes/{node}/proxy/stats/summary").json
        for pod in summary["pods"]:
            named = pod["podRef"]
            for each in pod.get("containers", []):
                found[f"{named['namespace']}/{named['name']}/{each['name']}"] = each["memory"]["workingSetBytes"]
    return found


class Beside:
    """What is done again and again while something else goes on."""

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _run(self) -> None:
        due = time.monotonic() + self._every_s
        while not self._end.wait(self._every_s):
            self.look(due)
            due = time.monotonic() + self._every_s

    def look(self, due: float) -> None:
        """Do it; `due` is when it should have been done."""
        raise NotImplementedError


class Late(Beside):
    """How late somebody is that waits for a moment and does nothing else: what the machine does to everybody."""

    def __init__(self) -> None:
        super().__init__(every_s=0.05)
        self.timed = Timed()

    def look(self, due: float) -> None:
        self.timed.took.append(time.monotonic() - due)


class Watched(Beside):
    """The most that each container held."""

    def __init__(self, atoll: Atoll, nodes: set[str]) -> None:
        super().__init__(every_s=10)
        self._atoll, self._nodes = atoll, nodes
        self.most: dict[str, int] = {}

    def look(self, due: float) -> None:
        for name, bytes_ in held(self._atoll, self._nodes).items():
            self.most[name] = max(bytes_, self.most.get(name, 0))


@pytest.fixture
def addresses(atoll: Atoll) -> Iterator[list[str]]:
    """One for each client, on this machine: a firewall counts connections of an address."""
    lab = yaml.safe_load(atoll.file.read_text("utf-8"))["lab"]
    network = ipaddress.ip_interface(lab["address"]).network
    made = [str(network[200 + number]) for number in range(CLIENTS)]
    change = partial(subprocess.run, check=True)
    for address in made:
        change(["ip", "address", "replace", f"{address}/32", "dev", lab["bridge"]])
    yield made
    for address in made:
        change(["ip", "address", "delete", f"{address}/32", "dev", lab["bridge"]])


def elsewhere(pid: int) -> None:
    """This session of processes takes no processor from the cluster or from us: it is another machine's work."""
    Path(f"/proc/{pid}/autogroup").write_text("19")


@pytest.fixture
def own_machine() -> Iterator[None]:
    """The other user's browser waits for no processor either: beside us the lab's nodes weigh eight times as much."""
    group = Path("/proc/self/autogroup")
    group.write_text("-20")
    yield
    group.write_text("0")


def work(portal: Portal, browser: httpx.Client, task: str, seconds: float) -> dict[str, Timed]:
    """A list, a page, and now and then a submission, for so long; and a file, which the gateway answers by itself."""
    mine = request(portal, "mine", **HOLDS)
    timed = {name: Timed() for name in ("list", "page", "file", "submission")}
    end, submit_at = time.monotonic() + seconds, 0.0
    while (now := time.monotonic()) < end:
        timed["list"].ask(lambda: browser.get("/tasks"))
        timed["page"].ask(lambda: browser.get(f"/tasks/{task}"))
        timed["file"].ask(lambda: browser.get(f"{portal.url}/"))
        if now >= submit_at:
            submit_at = now + seconds / 12
            answer = timed["submission"].ask(lambda: browser.post("/trainings", json=mine))
            if answer is not None:
                browser.post(f"/tasks/{answer.json()['id']}/stop").raise_for_status()
        time.sleep(0.1)  # a person at a page that looks again
    return timed


@pytest.mark.usefixtures("own_machine")
@pytest.mark.timeout(900)
def test_who_asks_for_ten_times_what_one_may_keeps_nobody_waiting(
    atoll: Atoll,
    portal: Portal,
    made: Callable[[str], User],
    closing: Callable[[httpx.Client], httpx.Client],
    addresses: list[str],
    seconds: float,
) -> None:
    heavy, other = made("heavy"), made("other")
    browsers = [closing(heavy.browser()) for _ in range(CLIENTS)]
    calm = closing(other.browser())
    for browser in (browsers[0], calm):
        assert browser.get("/home/files").is_success  # makes the home
    tasks = [browser.post("/trainings", json=request(portal, "first", **HOLDS)) for browser in (browsers[0], calm)]
    of_heavy, of_other = (answer.json()["id"] for answer in tasks)
    furnish(atoll, heavy, of_heavy)
    before, units_before = containers(atoll), units(atoll)
    ours = {part.name for service in SERVICES for part in service.parts if isinstance(part, Unit)}
    ours = {name for name in ours if name.endswith(".service")} | {"kubelet.service", "atoll-home-quotas.service"}
    assert ours <= {name for _, name in units_before}
    told = {
        "url": str(portal.client.base_url),
        "ca": atoll("status", "-f", str(CLUSTER_FILE), "-o", "json", ok=(0, 1)).json["portal"]["ca_file"],
        "headers": {"X-Atoll-Request": "1", "Origin": portal.url},
        "addresses": addresses,
        "cookies": [dict(browser.cookies) for browser in browsers],
        "session_cookie": "atoll_session",
        "name": heavy.name,
        "password": heavy.password,
        "task": of_heavy,
        "training": request(portal, "many", **HOLDS),
        "seconds": seconds,
        "at_once": AT_ONCE,
    }
    wanted = ten_times(atoll, seconds)
    idle = work(portal, calm, of_other, max(10.0, seconds / 10))
    with (
        Late() as late,
        Watched(atoll, {each["node"] for each in before.values()}) as watched,
        subprocess.Popen(
            [sys.executable, HEAVY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        ) as process,
    ):
        elsewhere(process.pid)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(told).encode())
        process.stdin.close()
        loaded = work(portal, calm, of_other, seconds)
        said = json.loads(process.stdout.read())
    assert process.returncode == 0
    after, units_after = containers(atoll), units(atoll)
    assert before.keys() == after.keys()
    report = {
        "seconds": seconds,
        "idle": {name: each.told() for name, each in idle.items()},
        "loaded": {name: each.told() for name, each in loaded.items()},
        "late": late.timed.told(),
        "heavy": said,
        "held": {
            name: {"bytes": most, "limit": before[name]["limit"]}
            for name, most in watched.most.items()
            if name in before
        },
    }
    figures = DIRECTORY / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    (figures / "load.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report))
    for name in ("streams", "downloads", "submissions", "archives", "metrics", "bodies"):
        assert said["answers"][name].get("429"), f"{name}: nobody was refused: {said}"
        # Who was let in holds on to it to the end, reads nothing, and does not learn that it was ended there.
        asks_on = said["last_s"][name] > seconds - GAP_S or said["held"].get(name, 0) == AT_ONCE[name]
        assert asks_on, f"{name}: nobody asked any more in the end: {said}"
    few = {
        name: said["clients"].get(name, 0) for name, count in AT_ONCE.items() if said["clients"].get(name, 0) < count
    }
    assert not few, f"not so many clients came, so it was no load of that size: {few}"
    asked = {name: sum(said["answers"][name].values()) for name in wanted}
    few = {name: count for name, count in asked.items() if count < wanted[name]}
    assert not few, f"not so often was it asked for, so it was no load of that size: {few}, wanted {wanted}"
    assert min(said["held"][name] for name in ("streams", "downloads")) > 0, said["held"]
    assert not said["broken"], said["broken"]
    assert said["without_retry"].keys() <= WITHOUT_RETRY, f"refused without a word of when to come again: {said}"
    assert loaded["list"].told()["p95_s"] <= OTHERS_LIST_P95_S
    assert {name: each.errors for name, each in loaded.items() if each.errors} == {}
    started_again = {name for name, each in after.items() if each["restarts"] != before.get(name, each)["restarts"]}
    assert not started_again, f"started again: {started_again}"
    ended = {name: units_after.get(name) for name, seen in units_before.items() if units_after.get(name) != seen}
    assert not ended, f"units of nodes that ended or were started again: {ended}"
    limited = {name: int(quantities.parse(each["limit"])) for name, each in before.items() if each["limit"]}
    for service in ("api", "files", "jobs", "gateway", "database"):
        assert any(name.startswith(f"atoll-system/{service}-") for name in limited), f"{service} has no limit"
    assert limited.keys() <= watched.most.keys()
    full = {name: watched.most[name] for name, most in limited.items() if watched.most[name] >= most}
    assert not full, f"they hold as much as they may: {full}"
