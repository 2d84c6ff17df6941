"""Starting, stopping and restarting services, told as it happens, and over only when the service is as it should be."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from typing import Any

from installer.errors import ToldError
from installer.services.access import Access
from installer.services.kubernetes_api import KubernetesUnavailable, NotThere
from installer.services.observation import services
from installer.services.states import ServiceState
from installer.services.table import Action, Part, Service, StaticPod, Unit, Workload, Workloads
from installer.ssh.nodes import NodeUnreachable, SshNode, shown

Say = Callable[[str], None]
# Renders the configuration of a service from cluster.yaml and returns how much changed.
Render = Callable[[Service, Say], int]
HEALTH_SECONDS = 180.0
LOOK_EVERY_SECONDS = 1.0
# The kubelet waits longer from restart to restart of a container that keeps ending.
AGAIN_SECONDS = 180.0
CTR = ("/opt/atoll/bin/ctr", "-n", "k8s.io")


class ActionFailed(ToldError):
    """An action did not reach its goal."""


@dataclass(frozen=True)
class ActionResult:
    """What an action did."""

    service: str
    action: str
    ok: bool
    changed: bool
    message: str
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return it in the shape of the API."""
        return asdict(self) | {"seconds": round(self.seconds, 1)}


def act(
    access: Access, service: Service, action: Action, render: Render, say: Say, health_seconds: float = HEALTH_SECONDS
) -> ActionResult:
    """Do it, wait until the service is healthy (or stopped), and say what was done."""
    began = time.monotonic()
    try:
        if action not in service.actions:
            raise ActionFailed(f"`{service.name}` cannot be told to {action}; it knows {', '.join(service.actions)}.")
        if action == "stop":
            changed = _each(access, service, _stop, say)
            state = _wait(access, service, {"stopped"}, health_seconds, say)
        else:
            before = _generations(access, service)
            changed = bool(render(service, say))
            renewed = {part for part, seen in _generations(access, service).items() if seen != before.get(part)}
            changed |= _each(access, service, _start, say)
            if action == "restart":
                changed |= _each(access, service, _restart_unless(renewed), say)
            state = _wait(access, service, {"running"}, health_seconds, say)
        message = f"{service.name} is {state.state} ({state.ready}/{state.wanted})"
        ok = True
    except (ActionFailed, KubernetesUnavailable, NotThere, NodeUnreachable) as error:
        message = error.message
        ok, changed = False, False
    return ActionResult(service.name, action, ok, changed, message, time.monotonic() - began)


def _each(access: Access, service: Service, do: Callable[[Access, Part, Say], bool], say: Say) -> bool:
    done = [do(access, part, say) for part in _expanded(access, service)]
    return any(done)


def _expanded(access: Access, service: Service) -> list[Part]:
    parts: list[Part] = []
    for part in service.parts:
        if isinstance(part, Workloads):
            names = sorted(key for key in access.kubernetes.workloads() if key[1] == part.namespace)
            parts += [Workload(kind, space, name) for kind, space, name in names]  # type: ignore[arg-type]
        else:
            parts.append(part)
    return parts


def _stop(access: Access, part: Part, say: Say) -> bool:
    if isinstance(part, Workload):
        if stopped := access.kubernetes.stop(part):
            say(f"{part} is being stopped")
        return stopped
    if isinstance(part, Unit):
        done = [_systemctl(node, "stop", part, say) for node in access.nodes(part.on)]
        return any(done)
    return False


def _start(access: Access, part: Part, say: Say) -> bool:
    if isinstance(part, Workload):
        if started := access.kubernetes.start(part):
            say(f"{part} is being started")
        return started
    if isinstance(part, Unit):
        done = [_systemctl(node, "start", part, say) for node in access.nodes(part.on)]
        return any(done)
    return False


def _generations(access: Access, service: Service) -> dict[Part, int]:
    """Return a number per workload that grows with each change of what it is to be."""
    found: dict[Part, int] = {}
    for part in service.parts:
        if isinstance(part, Workload):
            with contextlib.suppress(KubernetesUnavailable, NotThere):
                found[part] = int(access.kubernetes.workload(part)["metadata"]["generation"])
    return found


def _restart_unless(renewed: Collection[Part]) -> Callable[[Access, Part, Say], bool]:
    """Restart parts, but not those that the rendering has replaced already: a service goes down once, not twice."""

    def restart(access: Access, part: Part, say: Say) -> bool:
        if part in renewed:
            say(f"{part} is being replaced, since its definition changed")
            return True
        return _restart(access, part, say)

    return restart


def _restart(access: Access, part: Part, say: Say) -> bool:
    if isinstance(part, Workload):
        access.kubernetes.restart(part)
        say(f"{part} is being restarted")
    elif isinstance(part, Unit):
        # One node after the other: what is spread over nodes keeps serving.
        for node in access.nodes(part.on):
            _systemctl(node, "restart", part, say)
    elif isinstance(part, StaticPod):
        # This process is in one of them: what is done last is done at all.
        for node in sorted(access.nodes(part.on), key=lambda node: _is_this_process(node, part)):
            _restart_static_pod(node, part, say)
    return True


def _systemctl(node: SshNode, verb: str, unit: Unit, say: Say) -> bool:
    """Tell systemd; it returns once the unit is active. Return whether anything happened."""
    if verb in {"start", "stop"}:
        code, _, _ = node.ask(["systemctl", "is-active", "--quiet", unit.name], timeout_s=15)
        if (code == 0) == (verb == "start"):
            return False
    code, _, errors = node.ask(["systemctl", verb, unit.name], timeout_s=120)
    if code:
        raise ActionFailed(f"{node.name}: systemctl {verb} {unit.name}: {shown(errors)}")
    say(f"{node.name}: {unit.name}: {verb} done")
    return True


def _restart_static_pod(node: SshNode, pod: StaticPod, say: Say) -> None:
    """End the container and wait for the next one: the kubelet makes it. The API server is not needed for that.

    The manifest is not touched. A second master is not to be without this part before the first one has it again.
    """
    before = _containers(node, pod)
    ended = {
        container for container in before if not node.ask([*CTR, "tasks", "kill", "-s", "SIGTERM", container])[0]
    }  # containers that ended earlier have no task any more
    if not ended:
        raise ActionFailed(f"{node.name}: no container of {pod} runs; see `service_ctl logs kubernetes`.")
    say(f"{node.name}: {pod}: its container was ended, the kubelet starts it again")
    if _is_this_process(node, pod):
        return
    deadline = time.monotonic() + AGAIN_SECONDS
    while not (_containers(node, pod) - before) & _running(node):
        if time.monotonic() >= deadline:
            raise ActionFailed(
                f"{node.name}: {pod} does not run again after {AGAIN_SECONDS:.0f} s; no further master was touched. "
                f"See `journalctl -u kubelet` on {node.name}, mend that, then restart again."
            )
        time.sleep(LOOK_EVERY_SECONDS)
    say(f"{node.name}: {pod} runs again")


def _containers(node: SshNode, pod: StaticPod) -> set[str]:
    # The newest image of etcd, for one, runs a container of the pod's own name; kubeadm names both alike.
    code, said, errors = node.ask(
        [*CTR, "containers", "ls", "-q", f'labels."io.kubernetes.container.name"=={pod.name}']
    )
    if code:
        raise ActionFailed(f"{node.name}: containerd does not list its containers: {shown(errors)}")
    return set(said.split())


def _running(node: SshNode) -> set[str]:
    _, said, _ = node.ask([*CTR, "tasks", "ls"])
    rows = (line.split() for line in said.splitlines())
    return {row[0] for row in rows if len(row) == 3 and row[2] == "RUNNING"}


def _is_this_process(node: SshNode, pod: StaticPod) -> bool:
    """Say whether this very process is in the pod: it ends when this action does."""
    return pod.name == "control" and node.name == os.environ.get("ATOLL_NODE")


def _wait(access: Access, service: Service, goal: set[str], seconds: float, say: Say) -> ServiceState:
    """Wait until the service is in a state of `goal` and everything that was rolled out is in place."""
    deadline = time.monotonic() + seconds
    last = ""
    while True:
        (state,) = services(access, [service])
        missing = _not_rolled_out(access, service) if "running" in goal else ""
        if state.state in goal and not missing:
            return state
        now = missing or f"{state.state} ({state.ready}/{state.wanted})" + (
            f": {state.message}" if state.message else ""
        )
        if now != last:
            say(f"waiting: {now}")
            last = now
        if time.monotonic() >= deadline:
            raise ActionFailed(
                f"{service.name} is not as wanted after {seconds:.0f} s: {now}. See `service_ctl logs {service.name}`."
            )
        time.sleep(LOOK_EVERY_SECONDS)


def _not_rolled_out(access: Access, service: Service) -> str:
    """Say which workload still has pods of its former template, empty if none."""
    try:
        for part in _expanded(access, service):
            if isinstance(part, Workload) and (text := rollout_missing(access.kubernetes.workload(part))):
                return f"{part}: {text}"
    except (KubernetesUnavailable, NotThere) as error:
        return error.message
    return ""


def rollout_missing(item: dict[str, Any]) -> str:
    """Say what is missing until the newest template of a workload is everywhere, empty if nothing."""
    status, spec = item.get("status") or {}, item["spec"]
    if int(status.get("observedGeneration", 0)) < int(item["metadata"]["generation"]):
        return "the change is not seen yet"
    if item.get("kind") == "DaemonSet" or "desiredNumberScheduled" in status:
        wanted, updated = int(status.get("desiredNumberScheduled", 0)), int(status.get("updatedNumberScheduled", 0))
        total = int(status.get("currentNumberScheduled", 0))
        available = int(status.get("numberAvailable", 0))
    else:
        wanted, updated = int(spec.get("replicas", 1)), int(status.get("updatedReplicas", 0))
        total = int(status.get("replicas", 0))
        available = int(status.get("availableReplicas", status.get("readyReplicas", 0)))
    if updated < wanted:
        return f"{updated} of {wanted} pods are renewed"
    if total > wanted:
        return f"{total - wanted} former pods are still there"
    if available < wanted:
        return f"{available} of {wanted} renewed pods are ready"
    return ""
