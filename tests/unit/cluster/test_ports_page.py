"""The page of sensitive ports says what the firewall is made of. Needs nothing."""

from __future__ import annotations

from pathlib import Path

from installer.cluster import TREE, load, loads
from installer.cluster.listeners import Binds, Listener, Who
from installer.cluster.ports import firewall, listeners
from installer.cluster.ports_page import PAGE, main, text

NAMED = "name: a\nnodes: [{name: m, address: 10.0.0.1, roles: [master, storage]}]\n"


def rows(page: str, title: str) -> dict[str, list[str]]:
    """The rows of one of its tables by their port and what is there."""
    part = page.split(f"## {title}\n")[1].split("\n## ")[0]
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line[:2] == "| "]
    return {f"{cells[0]} {cells[1]}": cells for cells in found[1:]}


def test_the_page_is_what_the_table_makes_of_it() -> None:
    wanted = text(load(TREE / "cluster.example.yaml"))
    assert PAGE.read_text(encoding="utf-8") == wanted, "write it anew: python -m installer.cluster.ports_page"


def test_every_row_of_the_table_is_on_the_page_once(tmp_path: Path) -> None:
    main(tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    table = listeners(load(TREE / "cluster.example.yaml"))
    sensitive, others = rows(page, "Sensitive ports"), rows(page, "All others")
    assert len(sensitive) + len(others) == len(table)
    assert {*sensitive} == {f"{row.ports}/{row.protocol} {row.what}" for row in table if row.sensitive}


def test_what_is_meant_for_parts_of_the_cluster_is_sensitive_and_what_is_for_strangers_and_tasks_is_not() -> None:
    def row(*who: Who) -> bool:
        return Listener("x", "x", 1, who=who).sensitive

    assert all(row(one) for one in (Who.ADMINISTRATORS, Who.NODES, Who.MASTERS, Who.STORAGE, Who.PODS))
    assert not row(Who.EVERYBODY)
    assert not row(Who.NODES, Who.TASKS)
    assert not row(Who.PODS, Who.EVERYBODY)
    assert not row(), "nobody comes there"


def test_the_ports_that_give_the_cluster_away_are_among_the_sensitive_ones() -> None:
    found = rows(text(load(TREE / "cluster.example.yaml")), "Sensitive ports")
    assert {key.partition("/")[0] for key in found} >= {
        "22",
        "6443",
        "2379",
        "2380",
        "10250",
        "24007",
        "5443",
        "7444",
        "5432",
    }
    assert found["2379/tcp etcd"][4:] == ["masters", "nobody"]
    assert found["8002/tcp files"][4] == "pods (api, jobs, prometheus)"


def test_the_page_and_the_firewall_let_the_same_come() -> None:
    cluster = load(TREE / "cluster.example.yaml")
    page = text(cluster)
    both = rows(page, "Sensitive ports") | rows(page, "All others")
    for node in cluster.nodes:
        for rule in firewall(cluster, node)["accept"]:
            told = both[f"{rule['ports']}/{rule['protocol']} {rule['what']}"][4]
            assert told.split(", ") == rule["from"] or (
                told == "administrators; everybody until `firewall.administrators` names them"
                and rule["from"] == ["everybody"]
            ), rule


def test_networks_of_administrators_shut_what_is_theirs_to_all_others() -> None:
    narrow = text(loads(NAMED + "firewall: {administrators: [10.1.0.0/16]}\n", installed=False))
    assert rows(narrow, "Sensitive ports")["22/tcp SSH"][4] == "nodes, administrators"
    wide = text(loads(NAMED, installed=False))
    assert rows(wide, "Sensitive ports")["22/tcp SSH"][4].startswith("administrators; everybody until")
    assert Binds.LOOPBACK not in {row.binds for row in listeners(loads(NAMED, installed=False)) if row.sensitive}
