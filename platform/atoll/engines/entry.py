"""The entry point of every task: runs the program, copies its output to shared storage, tells how it ended.

Python >= 3.8 and the standard library only: it is mounted into images that know nothing of Atoll. It is process 1 of
its container, so it passes signals on and reaps orphans. Exit code: the program's own, 128 + n after signal n.

Images that users bring may have no Python: then an interpreter with its own libraries is mounted beside it. Nothing of
the image itself is needed.

The variables that a task was given come as ATOLL_GIVEN_<NAME> and get their names for the program alone: what changes
an interpreter, a loader or a search path (PYTHONPATH, LD_PRELOAD, PATH) must not act here, before the network is held.

`entry.py COMMAND…` runs the program, `entry.py --beside COMMAND…` becomes a command with the program's environment (and
fails before the network is held: a command that asks whether a program is ready is the user's own, too),
`entry.py --hold` only waits for the network policy, before anything of an image that we do not know is run.

Environment: ATOLL_CODE_DIR, ATOLL_OUTPUT_DIR, ATOLL_LOG_FILE, ATOLL_METRICS_FILE, ATOLL_OUTCOME_FILE; optional
ATOLL_START_FILE (must be in the code directory), ATOLL_HOLD_WHILE_REACHABLE, ATOLL_HOLD_UNTIL_REJECTED and
ATOLL_HOLD_UNTIL_REACHABLE (address:port, several with blanks between; `wait_for_policy` says what of each),
ATOLL_HELD_FILE (there once it was held), ATOLL_MEMORY_LIMIT_BYTES (watched here where no cgroup does it) and
ATOLL_UMASK (027 without it).
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Literal

# What keeps a program from being started; `outcome.py` has the words for each.
Problem = Literal[
    "code_directory_missing",
    "start_file_missing",
    "command_not_found",
    "network_policy_not_enforced",
    "storage_not_writable",
]
LAST_LINES = 20
OUTCOME_BYTES = 3500  # Kubernetes keeps 4096 bytes
POLICY_TIMEOUT_S = 120.0  # while something is open that a policy closes
LONGEST_HOLD_S = 1800.0
POLICY_SAID_S = 5.0
POLICY_SAID_AGAIN_S = 60.0
PROBE_S = 0.5
MASTER_TIMEOUT_S = 120.0
DRAIN_S = 2.0
NOT_STARTED = 66
GIVEN = "ATOLL_GIVEN_"
BESIDE = "--beside"
HOLD = "--hold"
# Of <linux/in.h>, <linux/errqueue.h> and <linux/icmp.h>; not all of them have names in every Python.
IP_RECVERR = 11
PORT_UNREACHABLE = bytes((2, 3, 3))  # it came by ICMP, destination unreachable, port unreachable


def _write_all(target: int, data: bytes) -> str | None:
    """Write everything; what keeps it from being written is returned."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(target, view) :]
    except OSError as error:
        return error.strerror
    return None


class Output:
    """Standard output and the log file at once, and the last lines for the outcome."""

    def __init__(self, path: str | None) -> None:
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o640) if path is not None else None
        self.tail: collections.deque[bytes] = collections.deque(maxlen=LAST_LINES)
        self.rest = b""

    def write(self, data: bytes) -> None:
        """Pass `data` on. A full disk ends the copy, not the program."""
        _write_all(1, data)
        if self.file is not None:
            error = _write_all(self.file, data)
            if error is not None:
                self.file = None
                _write_all(1, "atoll: the log is no longer copied to shared storage: {}\n".format(error).encode())
        *lines, self.rest = (self.rest + data).split(b"\n")
        self.rest = self.rest[-4096:]
        self.tail.extend(line[-400:] for line in lines)

    def say(self, text: str) -> None:
        """A line of our own."""
        self.write(f"atoll: {text}\n".encode())

    def last_lines(self) -> list[str]:
        """The end of the output as text."""
        lines = list(self.tail) + ([self.rest[-400:]] if self.rest else [])
        return [line.decode("utf-8", "replace") for line in lines][-LAST_LINES:]


def write_outcome(
    exit_code: int, output: Output, memory_exceeded: bool = False, problem: Problem | None = None
) -> None:
    """Tell the engine how it ended, in as many last lines as there is room for."""
    lines = output.last_lines()
    while True:
        text = json.dumps(
            {"exit_code": exit_code, "memory_exceeded": memory_exceeded, "problem": problem, "last_lines": lines}
        )
        if len(text.encode()) <= OUTCOME_BYTES or not lines:
            break
        lines = lines[1:]
    path = os.environ["ATOLL_OUTCOME_FILE"]
    # Kubernetes mounts the file itself, so it is written in place.
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def ask(target: str) -> Literal["reached", "rejected", "nothing"]:
    """What becomes of a connection. Rejected: by a machine on the way, with ICMP, as policies do it.

    A machine where nobody listens refuses too, by a reset: that says nothing of a policy, nor does no answer in time,
    no route or no free descriptor.
    """
    host, _, port = target.rpartition(":")
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as one:
            one.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
            one.settimeout(PROBE_S)
            try:
                one.connect((host, int(port)))
            except ConnectionRefusedError:
                _, told, _, _ = one.recvmsg(1, 256, socket.MSG_ERRQUEUE | socket.MSG_DONTWAIT)
                # struct sock_extended_err: four bytes of the error, then origin, type and code.
                return "rejected" if any(data[4:7] == PORT_UNREACHABLE for _, _, data in told) else "nothing"
            return "reached"
    except OSError:
        return "nothing"


def wait_for_policy(output: Output) -> bool:
    """Until the network policy of this task is enforced; if it is not, the program is not started.

    After `POLICY_TIMEOUT_S` where something is reached that must not be: nobody closes it. Where nothing is, waiting
    harms nobody, and the cluster may be mended: `LONGEST_HOLD_S`.

    What is sufficient, in one round of questions:

    - Nothing of ATOLL_HOLD_WHILE_REACHABLE (the API server) and ATOLL_HOLD_UNTIL_REJECTED (the gateway on each master,
      which everybody else may reach) is reached.
    - A gateway is rejected by ICMP. A master that is down is silent, one that boots answers by a reset or drops: only
      a policy rejects on the way to the address of a node. A policy that is live rejects on this node, whether or not
      the master is up, so one that is down keeps nobody waiting. One gateway is enough: the kernel sends few such
      answers in a second, and on a master its own firewall drops what is for its gateway while that one is away. The
      API server proves nothing: its address is a service, which kube-proxy rejects, too, while it has no endpoint.
    - ATOLL_HOLD_UNTIL_REACHABLE (the cluster's DNS, by TCP) is reached: else only the virtual cluster's default is
      live, which forbids all, and not yet what this task may.

    While the API server is down no policy of a new pod can become live: then all of this waits, too. Pods and nodes
    have IPv4 alone. A task that an earlier version queued names the API server only; that one has to be rejected then.
    """
    closed = os.environ.get("ATOLL_HOLD_WHILE_REACHABLE", "").split()
    gateways = os.environ.get("ATOLL_HOLD_UNTIL_REJECTED", "").split() or closed
    opened = os.environ.get("ATOLL_HOLD_UNTIL_REACHABLE", "").split()
    if not closed:
        return True
    began = time.monotonic()
    say_at, until = began + POLICY_SAID_S, began + POLICY_TIMEOUT_S
    while time.monotonic() < until:
        answers = {target: ask(target) for target in [*closed, *gateways]}
        rejected = any(answers[target] == "rejected" for target in gateways)
        if "reached" not in answers.values() and rejected and all(ask(target) == "reached" for target in opened):
            return True
        until = began + (POLICY_TIMEOUT_S if "reached" in answers.values() else LONGEST_HOLD_S)
        if time.monotonic() > say_at:
            output.say("waiting until the network policy of this task is enforced")
            say_at += POLICY_SAID_AGAIN_S
        time.sleep(0.1)
    output.say("the network policy of this task is not enforced; the program is not started")
    return False


def hold(output: Output) -> int:
    """Wait for the network policy and tell if it does not come."""
    if wait_for_policy(output):
        if "ATOLL_HELD_FILE" in os.environ:
            with open(os.environ["ATOLL_HELD_FILE"], "w", encoding="ascii"):
                pass
        return 0
    write_outcome(NOT_STARTED, output, problem="network_policy_not_enforced")
    return NOT_STARTED


def wait_for_first_replica(output: Output) -> None:
    """Until the name of replica 0 resolves: frameworks give up at once when it does not yet."""
    if int(os.environ.get("WORLD_SIZE", "1")) < 2:
        return
    host = os.environ["MASTER_ADDR"]
    until = time.monotonic() + MASTER_TIMEOUT_S
    while time.monotonic() < until:
        try:
            socket.getaddrinfo(host, None)
            return
        except OSError:
            time.sleep(0.2)
    output.say("{} does not resolve; going on without it".format(host))


def kernel_killed_for_memory() -> bool:
    """Whether the kernel ended a process of this container for its memory (cgroup v2, then v1)."""
    for path in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        try:
            with open(path, encoding="ascii") as file:
                for line in file:
                    name, _, value = line.partition(" ")
                    if name == "oom_kill" and int(value) > 0:
                        return True
        except (OSError, ValueError):
            continue
    return False


def group_memory_bytes(group: int) -> int:
    """Resident memory of all processes of a session."""
    total, page = 0, os.sysconf("SC_PAGE_SIZE")
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.getsid(int(name)) == group:
                    with open(f"/proc/{name}/statm", encoding="ascii") as file:
                        total += int(file.read().split()[1]) * page
            except (OSError, ValueError, IndexError):
                continue
    return total


def program_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What the program finds: ours, and what the task was given under its own names."""
    given = {name[len(GIVEN) :]: value for name, value in environment.items() if name.startswith(GIVEN)}
    return {**{name: value for name, value in environment.items() if not name.startswith(GIVEN)}, **given}


def problem_before_start(command: list[str], environment: dict[str, str]) -> tuple[Problem, str] | None:
    """What keeps the program from starting, in words for its owner."""
    directory = os.environ["ATOLL_CODE_DIR"]
    if not os.path.isdir(directory):
        return "code_directory_missing", f"the code directory {directory} does not exist"
    start = os.environ.get("ATOLL_START_FILE")
    if start and not os.path.isfile(os.path.join(directory, start)):
        return "start_file_missing", f"the start file {os.path.join(directory, start)} does not exist"
    if shutil.which(command[0], path=environment.get("PATH")) is None and not os.access(
        os.path.join(directory, command[0]), os.X_OK
    ):
        return "command_not_found", f"there is no program `{command[0]}` in the image that this user may start"
    return None


def run(command: list[str], environment: dict[str, str], output: Output) -> tuple[int, bool]:
    """Run the program until it ends. Returns its exit code and whether it was ended for its memory."""
    os.chdir(os.environ["ATOLL_CODE_DIR"])
    wakeup, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    received: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda got, _frame: received.append(got))
    signal.signal(signal.SIGCHLD, lambda *_: None)
    try:
        child = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        output.say(f"cannot start {command[0]}: {error.strerror}")
        return NOT_STARTED, False
    assert child.stdout is not None  # noqa: S101 - it was asked for
    pipe = child.stdout.fileno()
    os.set_blocking(pipe, False)
    watched = selectors.DefaultSelector()
    watched.register(pipe, selectors.EVENT_READ)
    watched.register(wakeup, selectors.EVENT_READ)
    limit = int(os.environ.get("ATOLL_MEMORY_LIMIT_BYTES", "0"))
    code: int | None = None
    ended_at, open_pipe, exceeded = 0.0, True, False
    while code is None or (open_pipe and time.monotonic() < ended_at + DRAIN_S):
        timeout = 0.2 if limit or code is not None else None
        for key, _ in watched.select(timeout):
            if key.fd == wakeup:
                os.read(wakeup, 512)
                continue
            data = os.read(pipe, 1 << 16)
            if data:
                output.write(data)
            else:
                watched.unregister(pipe)
                open_pipe = False
        while received:
            try:
                os.killpg(child.pid, received.pop())
            except ProcessLookupError:
                break
        if limit and code is None and not exceeded and group_memory_bytes(child.pid) > limit:
            exceeded = True
            os.killpg(child.pid, signal.SIGKILL)
        while True:  # the program and every orphan that became ours
            try:
                ended, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if ended == 0:
                break
            if ended == child.pid:
                code = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
                ended_at = time.monotonic()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)  # what the program left running
    child.returncode = code
    return code, exceeded or (code == 128 + signal.SIGKILL and kernel_killed_for_memory())


def main() -> int:
    """Prepare, run, tell."""
    command = sys.argv[1:]
    if command[0] == BESIDE:
        held = os.environ.get("ATOLL_HELD_FILE")
        if held is not None and not os.path.exists(held):
            return NOT_STARTED
        os.chdir(os.environ["ATOLL_CODE_DIR"])
        os.execvpe(command[1], command[1:], program_environment(os.environ))  # noqa: S606 - that is what it is for
    if command == [HOLD]:
        return hold(Output(None))
    os.umask(int(os.environ.get("ATOLL_UMASK", "027"), 8))
    rank = os.environ.get("JOB_COMPLETION_INDEX")
    if rank is not None:
        os.environ["RANK"] = rank
    os.environ["ATOLL_LOG_FILE"] = os.environ["ATOLL_LOG_FILE"].replace("%RANK%", os.environ.get("RANK", "0"))
    try:
        for path in (
            os.environ["ATOLL_OUTPUT_DIR"],
            os.path.dirname(os.environ["ATOLL_LOG_FILE"]),
            os.path.dirname(os.environ["ATOLL_METRICS_FILE"]),
        ):
            os.makedirs(path, exist_ok=True)
        output = Output(os.environ["ATOLL_LOG_FILE"])
    except OSError as error:
        output = Output(None)
        output.say("the storage cannot be written: {}: {}".format(error.filename, error.strerror))
        write_outcome(NOT_STARTED, output, problem="storage_not_writable")
        return NOT_STARTED
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    os.environ.setdefault("PYTHONNOUSERSITE", "1")
    if hold(output) != 0:
        return NOT_STARTED
    wait_for_first_replica(output)
    environment = program_environment(os.environ)
    problem = problem_before_start(command, environment)
    if problem:
        output.say(problem[1])
        write_outcome(NOT_STARTED, output, problem=problem[0])
        return NOT_STARTED
    code, exceeded = run(command, environment, output)
    if exceeded:
        output.say("the program was ended because it used more memory than its limit")
    write_outcome(code, output, memory_exceeded=exceeded)
    return code


if __name__ == "__main__":
    sys.exit(main())
