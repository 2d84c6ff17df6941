"""The page of the table of ports, `docs/ports.md`: `python -m installer.cluster.ports_page` writes it.

It is of the reference topology with the settings that nobody changed. A test fails when it differs from the table, of
which the firewall of the nodes is made.
"""

from __future__ import annotations

from pathlib import Path

from installer.cluster import TREE, Cluster, load
from installer.cluster.listeners import Binds, Listener, Who
from installer.cluster.ports import listeners, who, who_ipv6

PAGE = TREE / "docs/ports.md"
_HEAD = """\
# Who may come to which port

Made from the table of ports (`installer/cluster/ports.py`) by `python -m installer.cluster.ports_page`; a test fails
when they differ. The nodes' firewall is made of the same table, the pods' network policies are held against it. It is
of the reference topology (`cluster.example.yaml`) as it is shipped; yours, with what listens without a row, is shown by
`./atoll status --ports` and, for administrators, by **Visual operations → Ports** in the portal.

Who: **everybody**; **administrators**, from the networks of `firewall.administrators` (none named: everybody);
**nodes**, **masters** and **storage** nodes by their IPv4 addresses; **pods** of the system, those in brackets where
their network policies name some; **tasks**. A task reaches what says so, and what its virtual cluster opens
([operate.md](operate.md)), which is never a node, a pod or a service of the cluster.
"""
_SENSITIVE = """
## Sensitive ports

Meant for parts of the cluster and for administrators, whoever may come there as it is set. The network is the first
wall and not the only one: what is asked for a proof behind it, [develop.md](develop.md) says under "Certificates".
"""
_OTHERS = """
## All others

For everybody or for tasks by their purpose, or for nobody but the node itself.
"""


def text(cluster: Cluster) -> str:
    """Return the content of the page for a cluster."""
    rows = listeners(cluster)
    return "".join(
        [
            _HEAD,
            _SENSITIVE,
            *_table(cluster, [row for row in rows if row.sensitive]),
            _OTHERS,
            *_table(cluster, [row for row in rows if not row.sensitive]),
        ]
    )


def _table(cluster: Cluster, rows: list[Listener]) -> list[str]:
    lines = [["port", "what", "program", "where", "who may come", "over IPv6"], ["--"] * 6]
    lines += [
        [
            f"{row.ports}/{row.protocol}",
            row.what,
            row.program,
            str(row.binds) if row.binds is Binds.PODS else f"{row.on}, {row.binds}",
            _named(row, who(cluster, row)),
            _named(row, who_ipv6(cluster, row)),
        ]
        for row in rows
    ]
    return ["\n", *(f"| {' | '.join(line)} |\n" if line[0] != "--" else f"|{'|'.join(line)}|\n" for line in lines)]


def _named(row: Listener, allowed: tuple[Who, ...]) -> str:
    callers = f"pods ({', '.join(row.callers)})" if row.callers else "pods"
    found = ", ".join(callers if one is Who.PODS else str(one) for one in allowed)
    if found == Who.EVERYBODY and row.sensitive:
        return "administrators; everybody until `firewall.administrators` names them"
    return found or ("the node itself" if row.binds is Binds.LOOPBACK else "nobody")


def main(page: Path = PAGE) -> None:
    """Write the page."""
    page.write_text(text(load(TREE / "cluster.example.yaml")), encoding="utf-8")


if __name__ == "__main__":
    main()
