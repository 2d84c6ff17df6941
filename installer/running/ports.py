"""`./atoll status --ports` for people."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table


def show_ports(seen: dict[str, Any], console: Console) -> None:
    """Print the table of ports, and what listens without a row."""
    if not seen["firewall"]:
        console.print("[yellow]The firewall is off (`firewall.enabled`): everybody may come to what is on nodes.[/]")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("port", "what", "program", "listens on", "on nodes", "who may come", "over IPv6"):
        table.add_column(title)
    for row in seen["rows"]:
        who, ipv6 = (", ".join(_named(row, key)) or "nobody" for key in ("who", "who_ipv6"))
        port = f"{row['ports']}/{row['protocol']}"
        table.add_row(port, escape(row["what"]), escape(row["program"]), row["binds"], row["on"], who, ipv6)
    console.print(table)
    for one in seen["without_row"]:
        what = f"{one['address']}:{one['port']}/{one['protocol']} ({one['program'] or 'an unknown program'})"
        console.print(f"[yellow]{one['node']}: {escape(what)} listens, or leads to a pod, and has no row.[/]")
    if seen["without_row"]:
        console.print(
            "Without a row nobody else comes there; `firewall.open_tcp` and `open_udp` open a port to everybody."
        )
    for one in seen["silent"]:
        console.print(f"[red]{escape(one['message'])}[/]")


def _named(row: dict[str, Any], key: str) -> list[str]:
    """Who may come, where pods may the names of those that do."""
    callers = f"pods ({', '.join(row['callers'])})" if row["callers"] else "pods"
    return [callers if one == "pods" else one for one in row[key]]
