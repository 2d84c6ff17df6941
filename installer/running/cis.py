"""`./atoll verify --cis`: kube-bench's checks of the CIS benchmark on every node, and what is waived of them."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from installer.cluster import Cluster, Node, state_directory
from installer.progress.stages import Progress
from installer.running import accepted, cis_waivers
from installer.running.cis_waivers import Waiver, WaiverError
from installer.running.errors import RunError
from installer.services.access import ssh_node
from installer.ssh.nodes import NodeUnreachable, SshNode, ask_all, shown

PROGRAM = "/opt/atoll/bin/kube-bench"
ON_MASTERS, ON_NODES = ("master", "etcd", "controlplane", "policies"), ("node",)
TIMEOUT_S = 120


@dataclass(frozen=True)
class Finding:
    """What a check found on a node."""

    node: str
    roles: tuple[str, ...]
    id: str
    text: str
    state: str  # passed, failed, manual
    seen: str
    remedy: str

    def told(self) -> dict[str, str]:
        """Return the JSON form."""
        return {"node": self.node, "check": self.id, "text": self.text, "seen": self.seen, "remedy": self.remedy}


@dataclass(frozen=True)
class Verdict:
    """What came of all checks."""

    passed_of: Mapping[str, int]  # how many, by the chapter of the benchmark: "1" to "5"
    failures: tuple[tuple[Finding, str], ...]  # each with what its ended waiver says, if it has one
    waived: tuple[tuple[Finding, Waiver], ...]
    manual: tuple[tuple[str, str], ...]  # id and text, once
    notes: tuple[str, ...]  # of waivers
    silent: tuple[tuple[str, str], ...] = ()  # nodes that could not be asked, and why

    @property
    def passed(self) -> int:
        """How many passed, of all nodes."""
        return sum(self.passed_of.values())

    @property
    def ok(self) -> bool:
        """Nothing fails unexplained, and every node answered."""
        return not self.failures and not self.silent

    def to_json(self) -> dict[str, Any]:
        """Return the contract's form."""
        return {
            "ok": self.ok,
            "passed": self.passed,
            "passed_of": dict(self.passed_of),
            "failures": [finding.told() | ({"waiver": said} if said else {}) for finding, said in self.failures],
            "waived": [
                {"node": finding.node, "check": finding.id, "text": finding.text}
                | {"reason": waiver.reason, "end": waiver.end.isoformat()}
                for finding, waiver in self.waived
            ],
            "manual": [{"check": check, "text": text} for check, text in self.manual],
            "notes": list(self.notes),
            "silent": [{"node": node, "message": message} for node, message in self.silent],
        }


def parse(node: Node, text: str) -> tuple[Finding, ...]:
    """Read what kube-bench said on a node. Raises RunError."""
    roles = tuple(str(role) for role in node.roles)
    try:
        return tuple(
            Finding(node.name, roles, row["id"], row["text"], row["state"], row["seen"], row["remedy"])
            for row in json.loads(text)
        )
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"node `{node.name}`: kube-bench's answer is not understood: {error!r}") from None


def judge(
    findings: Sequence[Finding], waivers: Sequence[Waiver], today: datetime.date, *, whole: bool = True
) -> Verdict:
    """Weigh findings against waivers. With `whole`, all nodes were asked: a waiver that fits nothing is told.

    Raises WaiverError for a waiver of a check that the benchmark does not have.
    """
    known = {finding.id for finding in findings}
    if whole and (unknown := [one for one in waivers if one.check not in known]):
        raise WaiverError(
            "\n".join(f"{one.file}:{one.line}: the benchmark has no check `{one.check}`" for one in unknown),
            "Take the waiver out, or mend its id: `./atoll verify --cis -o json` lists what fails.",
        )
    failures: list[tuple[Finding, str]] = []
    waived: list[tuple[Finding, Waiver]] = []
    used: set[Waiver] = set()
    for finding in findings:
        if finding.state != "failed":
            continue
        fitting = [one for one in waivers if one.fits(finding.id, finding.node, finding.roles)]
        used |= {*fitting}
        valid = [one for one in fitting if not one.ended(today)]
        if valid:
            waived.append((finding, valid[0]))
        else:
            said = "".join(f"its waiver ended on {one.end} ({one.place}): mend it, or renew it" for one in fitting[:1])
            failures.append((finding, said))
    idle = [one for one in waivers if whole and one not in used]
    return Verdict(
        passed_of=Counter(finding.id.partition(".")[0] for finding in findings if finding.state == "passed"),
        failures=tuple(failures),
        waived=tuple(waived),
        manual=tuple({finding.id: finding.text for finding in findings if finding.state == "manual"}.items()),
        notes=tuple(f"{one.place}: nothing that fails needs the waiver of {one.check}; take it out" for one in idle),
    )


def check(cluster: Cluster, named: Collection[str], file: Path | None, progress: Progress) -> Verdict:
    """Ask all nodes, or those named, and judge by the product's waivers and those in `file`.

    Raises RunError, WaiverError.
    """
    standing = accepted.standing(state_directory(cluster))
    if standing is None:
        raise RunError(f"`{cluster.name}` is not installed from this machine.", "`./atoll up` installs it.")
    waivers = cis_waivers.read(cis_waivers.PRODUCT) + (cis_waivers.read(file) if file else ())
    installed = {node.name for node in standing.nodes}
    usual = [node for node in cluster.nodes if node.name in installed and not node.left_out]
    asked = {node.name: node for node in usual if not named or node.name in named}
    with progress.stage("cis"):
        answers = ask_all([ssh_node(cluster, node) for node in asked.values()], lambda one: _ask(one, asked[one.name]))
    findings: list[Finding] = []
    silent: list[tuple[str, str]] = []
    for name, answer in answers.items():
        if isinstance(answer, NodeUnreachable):
            silent.append((name, answer.message))
        else:
            findings += answer
    verdict = judge(findings, waivers, datetime.date.today(), whole=len(asked) == len(cluster.nodes) and not silent)
    return Verdict(**{**vars(verdict), "silent": tuple(silent)})


def _ask(one: SshNode, node: Node) -> tuple[Finding, ...]:
    parts = (*ON_MASTERS, *ON_NODES) if "master" in node.roles else ON_NODES
    code, output, errors = one.ask([PROGRAM, *parts], timeout_s=TIMEOUT_S)
    if code == 127:
        raise RunError(f"node `{node.name}` has no {PROGRAM}.", "`./atoll apply` brings it.")
    if code != 0:
        raise RunError(f"node `{node.name}`: kube-bench ended with {code}: {shown(errors)}")
    return parse(node, output)


def tell(verdict: Verdict, progress: Progress) -> None:
    """Say what failed, what is waived and what is left to people: words, or the `cis` event."""
    for check_id, text in verdict.manual:
        progress.say(f"manual  {check_id:7} {text}")
    for finding, waiver in verdict.waived:
        progress.say(f"waived  {finding.id:7} {finding.node}: until {waiver.end}, {waiver.reason}")
    for note in verdict.notes:
        progress.say(f"waiver  {note}")
    for name, message in verdict.silent:
        progress.say(f"SILENT  {name}: {message}")
    for finding, said in verdict.failures:
        progress.say(f"FAILED  {finding.id:7} {finding.node}: {finding.text}")
        remedy = " ".join(finding.remedy.split())
        progress.say(f"  seen: {finding.seen or 'nothing'}{f'; {said}' if said else ''}\n  {remedy}")
    progress.say(
        f"CIS benchmark: {len(verdict.failures)} failed, {len(verdict.waived)} waived, {verdict.passed} passed, "
        f"{len(verdict.manual)} to be judged by people."
    )
    progress.event("cis", **verdict.to_json())
