"""The floors of the platform, domains in one place: a domain is a room with a `domain.py` that no floor names.

So the table of floors lists none of them, and a new one needs no line there. What domains know of each other their
manifests say: one imports of another only its `service`, and only if it names it in `uses`.
"""

from typing import Any

from grimp import ImportGraph
from importlinter import ContractCheck, output
from importlinter.contracts.layers import Layer, LayersContract, ModuleTail

PLACE = "DOMAINS"


class FloorsContract(LayersContract):
    """Layers of one container, of which one is called `DOMAINS`."""

    type_name = "floors"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """The contract of layers with the domains in their place, then every import from one of them to another."""
        options: Any = self
        (container,) = (str(each) for each in options.containers)
        named = {tail.name for layer in options.layers for tail in layer.module_tails}
        domains = sorted(
            room.removeprefix(f"{container}.")
            for room in graph.find_children(container)
            if f"{room}.domain" in graph.modules and room.removeprefix(f"{container}.") not in named
        )
        beside = Layer({ModuleTail(name) for name in domains}, is_independent=False)
        options.layers = [beside if layer == Layer({ModuleTail(PLACE)}) else layer for layer in options.layers]
        found = super().check(graph, verbose)
        found.metadata["neighbours"] = _wrong_neighbours(graph, container, domains)
        found.kept = found.kept and not found.metadata["neighbours"]
        return found

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Say which imports and what to do."""
        super().render_broken_contract(check)
        for line in check.metadata["neighbours"]:
            output.print_error(line)
        if check.metadata["neighbours"]:
            output.print_error("A domain uses another through its service.py, and names it in `uses` of its domain.py.")


def _wrong_neighbours(graph: ImportGraph, container: str, domains: list[str]) -> list[str]:
    from atoll.api.domains import DOMAINS

    used = {(domain.name, name) for domain in DOMAINS for name in domain.uses}
    needless = {*used}
    wrong = [f"api/domains.py lacks {name}" for name in {*domains} - {domain.name for domain in DOMAINS}]
    for importer in domains:
        for imported in domains:
            if importer == imported:
                continue
            for a, b in _imports(graph, f"{container}.{importer}", f"{container}.{imported}"):
                allowed = (importer, imported) in used and b == f"{container}.{imported}.service"
                needless.discard((importer, imported))
                if not allowed:
                    wrong.append(f"{a} imports {b}")
    wrong += [f"the manifest of {a} names {b}, of which it imports nothing" for a, b in needless]
    return sorted(wrong)


def _imports(graph: ImportGraph, importer: str, imported: str) -> list[tuple[str, str]]:
    ours = {importer, *graph.find_descendants(importer)}
    theirs = {imported, *graph.find_descendants(imported)}
    return [(a, b) for a in sorted(ours) for b in sorted(graph.find_modules_directly_imported_by(a)) if b in theirs]
