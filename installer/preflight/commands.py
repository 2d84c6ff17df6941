"""The commands `preflight` and `enrol`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from installer import packages
from installer.cluster import Cluster, Node
from installer.cluster.given import ssh_key
from installer.cluster.options import FILE, OUTPUT, cluster_of
from installer.exit_codes import OK, UNAVAILABLE
from installer.preflight import host_keys
from installer.preflight.checks import Finding, stops
from installer.preflight.everything import check_all
from installer.preflight.host_keys import Shown
from installer.progress.stages import Progress, progress_for


@click.command()
@FILE
@OUTPUT
@click.option("--install", is_flag=True, help="Install the Debian packages that this machine lacks, first.")
def preflight(file: Path | None, output: str, install: bool) -> None:
    """Check this machine, the bundle and every node, and say all that is wrong at once. Nodes are not changed.

    Exit code 0 when nothing is in the way, 69 when something is.
    """
    cluster = cluster_of(file)
    with Progress() if output == "json" else progress_for(output) as progress:
        if install:
            for part in ("nodes", *(["lab"] if cluster.lab else [])):
                packages.install(part, progress.say)
        findings = check_all(cluster, progress)
    bad = stops(findings)
    if output == "json":
        print(json.dumps({"ok": not bad, "findings": [one.to_json() for one in findings]}, indent=1))
    else:
        _show(findings)
    sys.exit(UNAVAILABLE if bad else OK)


def _show(findings: Sequence[Finding]) -> None:
    order = {"error": 0, "warning": 1, "note": 2}
    for one in sorted(findings, key=lambda one: order[one.severity]):
        print(one)
    counts = [f"{kind}s: {sum(one.severity == kind for one in findings)}" for kind in order]
    print(f"{', '.join(counts)}." if findings else "Nothing is in the way.")


@click.command()
@FILE
@OUTPUT
@click.option("--accept", multiple=True, metavar="SHA256:…", help="Pin the key with this fingerprint without asking.")
@click.option("--forget", is_flag=True, help="Take the pinned keys of NODES away: after a machine was installed anew.")
@click.argument("nodes", nargs=-1)
def enrol(file: Path | None, output: str, accept: tuple[str, ...], forget: bool, nodes: tuple[str, ...]) -> None:
    """Show the SSH host keys of the servers (or of NODES) and pin them once you say that they are right.

    Those of the jump hosts before them (`ssh.jump`) too.
    Compare each fingerprint with what the server itself says: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub.
    A key that differs from the pinned one is refused. Exit code 0 when every key is pinned, 69 otherwise.
    """
    cluster = cluster_of(file)
    if forget:
        _forget(cluster, nodes, output)
        return
    chosen = _chosen(cluster, nodes)
    host_keys.prepare(cluster)
    shown = host_keys.look(cluster, chosen)
    if output == "text":
        _show_keys(shown)
    new = [one for one in shown if one.state == "new"]
    agreed = [one for one in new if one.fingerprint in accept]
    if new and not agreed and not accept and output == "text" and sys.stdin.isatty():
        agreed = new if click.confirm("Are these the servers' own keys?") else []
    host_keys.pin(cluster, agreed)
    left = [one for one in shown if one.state != "pinned" and one not in agreed]
    if output == "json":
        pinned = {one.node for one in agreed}
        rows = [{**one.to_json(), **({"state": "pinned"} if one.node in pinned else {})} for one in shown]
        print(json.dumps({"ok": not left, "nodes": rows}, indent=1))
    else:
        _show_outcome(cluster, agreed, left)
    sys.exit(UNAVAILABLE if left else OK)


def _chosen(cluster: Cluster, names: Sequence[str]) -> list[Node]:
    known = {node.name: node for node in cluster.nodes}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise click.UsageError(f"no node `{unknown[0]}` in cluster.yaml; the nodes are: {', '.join(known)}")
    return [known[name] for name in names or known]


def _forget(cluster: Cluster, names: Sequence[str], output: str) -> None:
    if not names:
        raise click.UsageError("--forget needs the names of the nodes whose keys are to be forgotten")
    own = {node.name for node in cluster.nodes}
    gates = [name for name in names if name in host_keys.jump_hosts(cluster, cluster.nodes) and name not in own]
    nodes = [node for name in names if name not in gates for node in _chosen(cluster, [name])]
    gone = host_keys.forget(cluster, nodes, gates)
    if output == "json":
        print(json.dumps({"ok": True, "forgotten": gone}))
    else:
        print(f"Forgotten: {', '.join(gone)}." if gone else "None of them was pinned.")


def _show_keys(shown: Sequence[Shown]) -> None:
    for one in shown:
        print(f"{one.node:<20} {one.address:<16} {one.fingerprint or '-':<52} {one.state}")
        if one.evidence:
            print(f"  {one.evidence}\n  {one.remedy}")


def _show_outcome(cluster: Cluster, agreed: Sequence[Shown], left: Sequence[Shown]) -> None:
    if agreed:
        print(f"Pinned: {', '.join(one.node for one in agreed)}.")
    unasked = [one for one in left if one.state == "new"]
    if unasked:
        flags = " ".join(f"--accept {one.fingerprint}" for one in unasked)
        names = " ".join(one.node for one in unasked)
        nodes = " ".join(one.node for one in unasked if not one.jump)
        print(f"Not pinned: {names}. When the fingerprints are right: ./atoll enrol {flags} {nodes}".rstrip())
    if cluster.lab is not None:
        return
    for key in sorted({ssh_key(cluster, node) for node in cluster.nodes}):
        public = Path(f"{key}.pub")
        if public.exists():
            print("\nThe servers must let this key in (~/.ssh/authorized_keys of the user in `ssh.user`):")
            print(public.read_text("utf-8").strip())
