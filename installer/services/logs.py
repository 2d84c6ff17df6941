"""Logs of a service: of its pods from the API server, of its units from the journals of the nodes."""

from __future__ import annotations

import functools
import os
import queue
import shlex
import subprocess
import threading
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing

from installer.services.access import Access
from installer.services.kubernetes_api import KubernetesApi, KubernetesUnavailable, NotThere
from installer.services.log_lines import LINE_BYTES, MOST_BYTES, last, lines_in
from installer.services.observation import pods_of
from installer.services.stop import Stop
from installer.services.table import Service, StaticPod, Unit, Workload, Workloads
from installer.ssh.nodes import NodeUnreachable, SshNode, ask_all, shown

Lines = Generator[str]
END = None
MOST_AHEAD = 200  # lines that are read before they are taken: of a stranger's, so many times LINE_BYTES


def logs(access: Access, service: Service, lines: int) -> list[str]:
    """Return the last lines of every part, each part by itself; with several sources each line names its own.

    Fewer, where they have more than MOST_BYTES together.
    """
    sources = _sources(access, service, lines, stop=None)
    found = []
    for name, read in sources:
        prefix = f"{name}: " if len(sources) > 1 else ""
        found += last((prefix + line for line in read()), MOST_BYTES // len(sources))
    return found


def follow(access: Access, service: Service, lines: int, stop: Stop) -> Lines:
    """Return the last lines and then every new one, of all parts together, until `stop` or all sources end."""
    sources = _sources(access, service, lines, stop)
    arriving: queue.Queue[str | None] = queue.Queue(maxsize=MOST_AHEAD)

    def tell(line: str | None) -> bool:
        # Nobody takes from a full queue any more once `stop` is set.
        while not stop.is_set():
            try:
                arriving.put(line, timeout=0.5)
            except queue.Full:
                continue
            return True
        return False

    def pump(name: str, read: Callable[[], Lines]) -> None:
        prefix = f"{name}: " if len(sources) > 1 else ""
        try:
            # What is left in the middle lets go of its program or its connection.
            with closing(read()) as found:
                for line in found:
                    if not tell(prefix + line):
                        return
        except (KubernetesUnavailable, NotThere, NodeUnreachable) as error:
            tell(f"{prefix}[the log ends here: {error.message}]")
        finally:
            tell(END)

    for name, read in sources:
        threading.Thread(target=pump, args=(name, read), daemon=True).start()
    open_sources = len(sources)
    while open_sources and not stop.is_set():
        try:
            line = arriving.get(timeout=0.5)
        except queue.Empty:
            continue
        if line is END:
            open_sources -= 1
        else:
            yield line


def _sources(access: Access, service: Service, lines: int, stop: Stop | None) -> list[tuple[str, Callable[[], Lines]]]:
    sources: list[tuple[str, Callable[[], Lines]]] = []
    for part in service.parts:
        if isinstance(part, Unit):
            for node in access.nodes(part.on):
                sources.append((f"{node.name}/{part.name}", _unit(node, part.name, lines, stop)))
        elif isinstance(part, StaticPod):
            for node in access.nodes(part.on):
                name = f"{part.name}-{node.name}"
                # From the node, not from the API server: it may be the one whose log is wanted.
                sources.append((name, _pod_files(node, part.namespace, name, lines, stop)))
        else:
            sources += _pods(access.kubernetes, part, lines, stop)
    return sources


def _pods(
    api: KubernetesApi, part: Workload | Workloads, lines: int, stop: Stop | None
) -> list[tuple[str, Callable[[], Lines]]]:
    everything = api.pods(part.namespace)
    if isinstance(part, Workload):
        try:
            everything = pods_of(api.workload(part), everything)
        except NotThere:
            raise NotThere(str(part)) from None
    return [
        (
            f"{pod['metadata']['name']}/{container['name']}",
            _container(api, part.namespace, pod["metadata"]["name"], container["name"], lines, stop),
        )
        for pod in everything
        for container in pod["spec"]["containers"]
    ]


def _container(
    api: KubernetesApi, namespace: str, pod: str, container: str, lines: int, stop: Stop | None
) -> Callable[[], Lines]:
    return lambda: api.log(namespace, pod, container, lines, stop)


def _unit(node: SshNode, unit: str, lines: int, stop: Stop | None) -> Callable[[], Lines]:
    command = ["journalctl", "--no-pager", "-o", "short-iso", "-n", str(lines), "-u", unit]
    if stop:
        return lambda: _run(node, [*command, "-f"], stop)
    # The node sends no more than is kept.
    return lambda: _run(node, ["sh", "-c", f"{shlex.join(command)} | tail -c {MOST_BYTES}"], None)


def _pod_files(node: SshNode, namespace: str, pod: str, lines: int, stop: Stop | None) -> Callable[[], Lines]:
    # A shell on the node only for the pattern: the folder's name ends in the pod's uid, which changes.
    files = f"/var/log/pods/{namespace}_{pod}_*/*/*.log"
    line = f"tail -q -n {lines} -F {files}" if stop else f"tail -q -n {lines} {files} | tail -c {MOST_BYTES}"
    return lambda: _run(node, ["sh", "-c", line], stop)


def _run(node: SshNode, command: list[str], stop: Stop | None) -> Lines:
    if stop is None:
        most = MOST_BYTES + (64 << 10)  # what the node leaves over, and the errors
        answer = ask_all([node], lambda one: one.ask(command, timeout_s=20, most_bytes=most))[node.name]
        if isinstance(answer, NodeUnreachable):
            yield f"[{answer.message}]"
            return
        code, said, errors = answer
        yield from lines_in([said.encode()])
        if code:
            yield f"[exit code {code}: {shown(errors)}]"
        elif errors and not said:  # of a program before `tail`
            yield f"[{shown(errors)}]"
        return
    with ExitStack() as stack:
        process = subprocess.Popen(
            node.arguments(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        stack.callback(process.wait)
        stack.callback(process.kill)
        stop.add(process.kill)
        if process.stdout:
            stack.enter_context(process.stdout)
            # What is there already, or the next that comes; not as many bytes as were asked for.
            yield from lines_in(iter(functools.partial(os.read, process.stdout.fileno(), LINE_BYTES), b""))
