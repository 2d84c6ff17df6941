"""Our CoreDNS has the plugins that our Corefile names: one without would not start, and no name would be known."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
DIRECTIVES = {"metrics": "prometheus"}  # plugins whose word in a Corefile is another than their package's


def named(corefile: str) -> set[str]:
    """The first word of each line directly in a block of a server."""
    words, depth = set(), 0
    for line in re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "", corefile).splitlines():
        if depth == 1 and (word := re.match(r"\s*(\w+)", line)):
            words.add(word[1])
        depth += line.count("{") - line.count("}")
    return words


def test_coredns_has_every_plugin_that_the_corefile_names() -> None:
    program = (ROOT / "platform/packaging/controllers/coredns/main.go").read_text(encoding="utf-8")
    imported = re.findall(r'^\s*_ "github\.com/coredns/coredns/plugin/(\w+)"', program, re.MULTILINE)
    words = named((ROOT / "roles/network/templates/Corefile.j2").read_text(encoding="utf-8"))
    assert {"errors", "kubernetes", "forward", "prometheus", "loadbalance"} <= words
    assert words <= {DIRECTIVES.get(name, name) for name in imported}
