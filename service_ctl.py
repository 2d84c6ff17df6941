#!/usr/bin/env python3
"""The administrator's command for the services of an Atoll cluster: a thin client of the control service.

Runs on a master (installed as /usr/local/bin/service_ctl) with Python >= 3.8 and nothing else, and on the control host
from the tree.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import shutil
import ssl
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path
from typing import Any, Iterator, NoReturn, Sequence  # noqa: UP035 - Python 3.8 on masters

OK, FAILED, BUSY, USAGE, UNAVAILABLE, INTERRUPTED = 0, 1, 3, 64, 69, 130
ON_MASTER = Path("/etc/atoll/service_ctl.json")
PATIENCE_S = 900  # the longest silence while a service is restarted
BACK_S = 60

EXAMPLES = """\
examples:
  service_ctl list                        all services, their state, replicas and version
  service_ctl status database             one service with its parts, and what is wrong with it
  service_ctl restart api                 render the configuration of `api` from cluster.yaml again, restart it, wait
                                          until it is healthy: this is how a changed `resource_limit` takes effect
  service_ctl restart api -f cluster.yaml the same, with a new cluster.yaml (it becomes the accepted revision)
  service_ctl logs jobs -f                follow the log; -n 1000 shows more of the past
  service_ctl config api                  the configuration that is in force now
  service_ctl operations                  what was done to services, by whom, and how it ended
  service_ctl list -o json                for programs (works with every command)

exit codes: 0 done and healthy · 1 failed, or not healthy · 3 another action goes on · 64 wrong use ·
            69 the control service does not answer · 130 interrupted
"""


class Failure(Exception):
    """Something that ends this command: what is wrong, what to do, and the exit code."""

    def __init__(self, message: str, remedy: str = "", code: int = FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.code = code


class Control:
    """The control services of the masters; the first that answers is used."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._urls: list[str] = settings["urls"]
        try:
            self._tls = ssl.create_default_context(cafile=settings["ca"])
            self._tls.minimum_version = ssl.TLSVersion.TLSv1_3
            self._tls.load_cert_chain(settings["certificate"], settings["key"])
        except OSError as error:
            raise Failure(
                f"the certificate of this command cannot be read: {error}", "Run it as root.", UNAVAILABLE
            ) from None

    def get(self, path: str, **query: Any) -> Any:
        """Return the answer to a question."""
        return json.loads(self._ask("GET", path, query, None, "application/json", 60).read())

    def events(self, method: str, path: str, body: Any = None, **query: Any) -> Iterator[tuple[str, Any]]:
        """Return the server-sent events of an answer."""
        response = self._ask(method, path, query, body, "text/event-stream", PATIENCE_S)
        name, data = "message", ""
        for raw in response:
            line = raw.decode("utf-8").rstrip("\r\n")
            if line.startswith("event:"):
                name = line[6:].strip()
            elif line.startswith("data:"):
                data += line[5:].strip()
            elif not line and data:
                yield name, json.loads(data)
                name, data = "message", ""

    def _ask(
        self, method: str, path: str, query: dict[str, Any], body: Any, accept: str, timeout_s: float
    ) -> http.client.HTTPResponse:
        target = path + ("?" + urllib.parse.urlencode(query) if query else "")
        content = None if body is None else json.dumps(body)
        headers = {"Accept": accept, **({"Content-Type": "application/json"} if content else {})}
        said = []
        for url in self._urls:
            place = urllib.parse.urlsplit(url)
            connection = http.client.HTTPSConnection(place.hostname or "", place.port, context=self._tls, timeout=5)
            try:
                connection.connect()
                connection.sock.settimeout(timeout_s)
            except OSError as error:
                said.append(f"{url}: {error}")
                continue
            # From here on no other master is tried: the first one may have begun to act.
            connection.request(method, target, content, headers)
            response = connection.getresponse()
            if response.status >= 400:
                raise _problem(response)
            return response
        raise Failure(
            "the control service does not answer: " + "; ".join(said),
            "On a master: `service_ctl restart control`, `journalctl -u kubelet`.",
            UNAVAILABLE,
        )


def _problem(response: http.client.HTTPResponse) -> Failure:
    text = response.read().decode("utf-8", "replace")
    try:
        problem = json.loads(text)
    except ValueError:
        return Failure(f"the control service answered {response.status}: {text[:300]}")
    detail = problem.get("detail", text)
    code = {409: BUSY, 503: UNAVAILABLE}.get(response.status, FAILED)
    return Failure(detail if isinstance(detail, str) else json.dumps(detail), problem.get("remedy", ""), code)


def settings_of(options: argparse.Namespace) -> dict[str, Any]:
    """Find out where the control service is and who we are for it."""
    named = options.config or os.environ.get("ATOLL_SERVICE_CTL")
    if named:
        return _read(Path(named))
    if ON_MASTER.exists() and not options.cluster:
        return _read(ON_MASTER)
    state = Path(os.environ.get("ATOLL_STATE") or "/var/lib/atoll/clusters")
    found = sorted(state.glob(f"{options.cluster or '*'}/service_ctl.json"))
    if len(found) == 1:
        return _read(found[0])
    if found:
        names = ", ".join(file.parent.name for file in found)
        raise Failure(f"this machine knows several clusters: {names}", "Choose one: --cluster NAME.", USAGE)
    raise Failure(
        f"neither {ON_MASTER} nor {state}/*/service_ctl.json exists",
        "Run this on a master, or on the machine that installed the cluster, after `./atoll apply`.",
        UNAVAILABLE,
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise Failure(f"{path}: {error}", "Run this command as root.", UNAVAILABLE) from None
    if not isinstance(content, dict):
        raise Failure(f"{path} is not what `./atoll apply` writes there", "Run `./atoll apply`.", UNAVAILABLE)
    return content


def show_list(control: Control, options: argparse.Namespace) -> int:
    """List all services."""
    services = control.get("/services")["items"]
    if options.output == "json":
        say(json.dumps({"services": services}, indent=1))
        return OK
    rows = [("NAME", "STATE", "READY", "VERSION", "ACTIONS", "")]
    for one in services:
        replicas = f"{one['replicas']['ready']}/{one['replicas']['wanted']}"
        actions = ", ".join(one["actions"])
        rows.append((one["name"], one["state"], replicas, one["version"], actions, one["message"]))
    say(aligned(rows))
    return OK


def show_status(control: Control, options: argparse.Namespace) -> int:
    """Show one service with its parts, or the state of all; exit code 1 if something is not well."""
    if not options.name:
        code = show_list(control, options)
        states = {one["state"] for one in control.get("/services")["items"]}
        return code if states <= {"running", "stopped"} else FAILED
    one = control.get(f"/services/{options.name}")
    if options.output == "json":
        say(json.dumps(one, indent=1))
    else:
        say(f"{one['name']}: {one['title']}: {one['state']} ({one['replicas']['ready']}/{one['replicas']['wanted']})")
        rows = [("PART", "STATE", "READY", "NODES", "")]
        for part in one["parts"]:
            ready = f"{part['ready']}/{part['wanted']}"
            rows.append((part["part"], part["state"], ready, ", ".join(part["nodes"]), part["message"]))
        say(aligned(rows))
    return OK if one["state"] == "running" else FAILED


def act(control: Control, options: argparse.Namespace) -> int:
    """Start, stop or restart a service, telling what happens; exit code 1 if it does not get healthy."""
    body = None
    if getattr(options, "file", None):
        try:
            body = {"revision": Path(options.file).read_text("utf-8")}
        except OSError as error:
            raise Failure(f"{options.file}: {error.strerror}", "Name a cluster.yaml.", USAGE) from None
    before = control.get("/about") if options.name == "control" else {}
    events = control.events("POST", f"/services/{options.name}/{options.command}", body)
    if options.name != "control":
        return _end_of(control, options, events)
    return _end_of(control, options, events, before)


def _end_of(
    control: Control,
    options: argparse.Namespace,
    events: Iterator[tuple[str, Any]],
    restarted: dict[str, Any] | None = None,
) -> int:
    """Tell what an operation says until its end; `restarted` is the control service before it restarts itself."""
    result = None
    for event, data in events:
        if event == "finished":
            result = data
        elif options.output == "json":
            say(json.dumps({"event": "message", **data}))
        else:
            say(f"  {data['text']}")
    if result is None:
        raise Failure(
            "the control service ended before the action did",
            "`service_ctl operations` shows how far it came, `service_ctl status` what is.",
        )
    if restarted is not None and result["ok"]:
        _wait_until_back(control, restarted)
        result = {**result, "message": "control is running again"}
    if options.output == "json":
        say(json.dumps({"event": "finished", **result}))
    else:
        say(f"{'OK' if result['ok'] else 'FAILED'}: {result['message']} after {result['seconds']:.1f} s")
    return OK if result["ok"] else FAILED


def _wait_until_back(control: Control, before: dict[str, Any]) -> None:
    deadline = time.monotonic() + BACK_S
    while time.monotonic() < deadline:
        time.sleep(1)
        try:
            if control.get("/about")["started_at"] != before.get("started_at"):
                return
        except (Failure, OSError, http.client.HTTPException):
            continue  # it is down for a moment: that is what was asked for
    raise Failure(f"the control service did not come back within {BACK_S} s", "See `journalctl -u kubelet`.")


def show_logs(control: Control, options: argparse.Namespace) -> int:
    """Show the end of a log, or follow it until Ctrl-C."""
    path = f"/services/{options.name}/logs"
    if not options.follow:
        found = control.get(path, lines=options.lines)["lines"]
        say(json.dumps({"lines": found}, indent=1) if options.output == "json" else "\n".join(found))
        return OK
    for event, data in control.events("GET", path, lines=options.lines, follow="true"):
        if event == "line":
            say(json.dumps(data) if options.output == "json" else data["text"])
    return OK


def show_operations(control: Control, options: argparse.Namespace) -> int:
    """List what was done to services from this master, the newest first; `operations ID` follows one to its end."""
    if options.name:
        return _end_of(control, options, control.events("GET", f"/operations/{options.name}/events"))
    found = control.get("/operations", limit=options.lines)["items"]
    if options.output == "json":
        say(json.dumps({"operations": found}, indent=1))
        return OK
    rows = [("ID", "WHAT", "STATE", "BEGAN", "ASKED BY", "")]
    for one in found:
        what = f"{one['action']} {one['service']}"
        rows.append((one["id"], what, one["state"], one["started_at"], one["caller"], one["message"]))
    say(aligned(rows))
    return OK


def show_config(control: Control, options: argparse.Namespace) -> int:
    """Show the configuration that is in force."""
    found = control.get(f"/services/{options.name}/config")
    if options.output == "json":
        say(json.dumps(found, indent=1))
        return OK
    for place, text in found["files"].items():
        say(f"# {place}\n{text.rstrip()}\n")
    if not found["files"]:
        say(f"{options.name} has no configuration of its own.")
    return OK


def restart_control_here() -> int:
    """Restart the control service of this master without its own help."""
    ctr = shutil.which("ctr", path="/opt/atoll/bin:" + os.environ.get("PATH", ""))
    if not ctr or not ON_MASTER.exists():
        raise Failure(
            "the control service does not answer, and this is no master", "Run the command on a master.", UNAVAILABLE
        )
    runtime = [ctr, "-n", "k8s.io"]
    chosen = 'labels."io.kubernetes.container.name"==control'
    listed = subprocess.run([*runtime, "containers", "ls", "-q", chosen], stdout=subprocess.PIPE, text=True, check=True)
    for container in listed.stdout.split():
        subprocess.run([*runtime, "tasks", "kill", "-s", "SIGKILL", container], check=False, stderr=subprocess.DEVNULL)
    say("OK: the container of the control service was ended; the kubelet starts it again")
    return OK


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a table; the last column is as wide as it likes."""
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = []
    for row in rows:
        cells = [str(cell).ljust(width) for cell, width in zip(row, widths)]  # noqa: B905 - Python 3.8
        lines.append("  ".join([*cells, str(row[-1])]).rstrip())
    return "\n".join(lines)


def say(text: str) -> None:
    """Write a line for whoever called."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes have our exit code."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and how it is meant."""
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\nTry `{self.prog} --help`.\n")


def parser() -> Parser:
    """Return the command line."""
    shared = Parser(add_help=False)
    shared.add_argument("-o", "--output", choices=("text", "json"), default="text", help="for people, or for programs")
    shared.add_argument("--config", metavar="FILE", help=f"where to find the control service (default: {ON_MASTER})")
    shared.add_argument("--cluster", metavar="NAME", help="which cluster, on a machine that installed several")
    top = Parser(
        prog="service_ctl",
        description="List, look at, start, stop, restart and configure the services of an Atoll cluster.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)

    def add(name: str, does: str, run: Any, with_name: str = "required") -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=does, description=does, parents=[shared])
        if with_name:
            made.add_argument("name", metavar="SERVICE", nargs=None if with_name == "required" else "?")
        made.set_defaults(run=run)
        return made

    add("list", "list all services with their state", show_list, with_name="")
    add("status", "show one service with its parts, or all; exit code 1 if not well", show_status, "optional")
    add("start", "start a stopped service", act)
    add("stop", "stop a service; its data stay", act)
    restart = add("restart", "render the configuration from cluster.yaml again, restart, wait until healthy", act)
    restart.add_argument("-f", "--file", metavar="FILE", help="a new cluster.yaml; without it the accepted one")
    logs = add("logs", "show the log", show_logs)
    logs.add_argument("-f", "--follow", action="store_true", help="go on showing new lines")
    logs.add_argument("-n", "--lines", type=int, default=200, metavar="N", help="how much of the past (default: 200)")
    add("config", "show the configuration in force", show_config)
    book = commands.add_parser(
        "operations", help="list what was done to services, and by whom; follow one", parents=[shared]
    )
    book.add_argument("name", metavar="ID", nargs="?", help="follow this one to its end")
    book.add_argument("-n", "--lines", type=int, default=20, metavar="N", help="how many (default: 20)")
    book.set_defaults(run=show_operations)
    return top


def main() -> int:
    """Run the command line."""
    options = parser().parse_args()
    try:
        try:
            code: int = options.run(Control(settings_of(options)), options)
        except Failure as failure:
            if failure.code == UNAVAILABLE and (options.command, getattr(options, "name", "")) == (
                "restart",
                "control",
            ):
                return restart_control_here()
            raise
    except Failure as failure:
        if options.output == "json":
            say(json.dumps({"event": "finished", "ok": False, "message": failure.message, "remedy": failure.remedy}))
        sys.stderr.write(f"service_ctl: {failure.message}\n" + (f"  {failure.remedy}\n" if failure.remedy else ""))
        return failure.code
    except (OSError, http.client.HTTPException) as error:
        sys.stderr.write(f"service_ctl: the connection to the control service broke: {error}\n")
        return UNAVAILABLE
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


if __name__ == "__main__":
    sys.exit(main())
