"""What went wrong in a task, told to a person: where, what it said, and what to do."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from installer.ssh.nodes import printable

LONGEST_MESSAGE = 2000


@dataclass(frozen=True)
class Failure:
    """A task that failed on a node."""

    phase: str
    node: str
    task: str
    message: str
    remedy: str
    where: str = ""  # file:line of the task
    unreachable: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        return f"phase `{self.phase}`, node `{self.node}`, task `{self.task}`: {self.message}\n  {self.remedy}"


def failure_of(phase: str, event: dict[str, Any], tree: str) -> Failure:
    """Make a failure of an event `runner_on_failed` or `runner_on_unreachable` of ansible-runner."""
    data = event["event_data"]
    result = data.get("res") or {}
    unreachable = event["event"] == "runner_on_unreachable"
    node = str(data.get("host", ""))
    where = str(data.get("task_path", "")).removeprefix(tree + "/")
    return Failure(
        phase=phase,
        node=node,
        task=str(data.get("task", "")),
        message=_message(result),
        remedy=_remedy(result, node, where, unreachable),
        where=where,
        unreachable=unreachable,
    )


def _message(result: dict[str, Any]) -> str:
    items = [item for item in result.get("results") or [] if isinstance(item, dict) and item.get("failed")]
    if items:
        return _shortened("; ".join(_message(item) for item in items))
    if "censored" in result:
        return "the task failed; what it said is hidden because it handles secrets"
    parts = [str(result.get("msg") or "the task failed without a message").strip()]
    for stream in ("stderr", "module_stderr", "module_stdout"):
        said = str(result.get(stream) or "").strip()
        if said and said not in parts[0]:
            parts.append("\n".join(said.splitlines()[-12:]))
            break
    return _shortened("\n".join(parts))


def _shortened(text: str) -> str:
    """Return both ends of what a node said, in nothing but words: also ssh's are a node's, who ends as ssh does."""
    if len(text) > LONGEST_MESSAGE:
        half = LONGEST_MESSAGE // 2
        text = f"{text[:half]} … {text[-half:]}"
    return printable(text)


def _remedy(result: dict[str, Any], node: str, where: str, unreachable: bool) -> str:
    if result.get("remedy"):
        return _shortened(str(result["remedy"]))
    if unreachable:
        return f"Check that `{node}` is on and answers SSH with the cluster's key (`./atoll preflight` says more)."
    return f"Mend the cause on `{node}` (the task is at {where})." if where else f"Mend the cause on `{node}`."
