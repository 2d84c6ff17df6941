"""The floors of the platform, domains in one place: a domain is a room with a `domain.py` that no floor names.

So the table of floors lists none of them, and a new one needs no line there. What domains know of each other their
manifests say: one imports of another only its `service`, and only if it names it in `uses`. Rooms above know of a
domain what its manifest says, and the manifest from the list of all.
"""

from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
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
        domains = sorted(_with_manifest(graph, container) - named)
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
            output.print_error("Rooms above take of a domain what its manifest says.")


class DoorsContract(Contract):
    """Which module of a room others import, where that is not the room's own affair.

    `list`, in a room of its own, imports all manifests, and nobody else imports one; of its room nothing else is
    imported, and that by `readers` alone. `composers` are handed what the manifests say: no room that has one.
    """

    type_name = "doors"

    container = fields.StringField()
    list = fields.StringField()
    readers = fields.SetField(subfield=fields.StringField())
    composers = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Look at all imports of a manifest or of the room of the list from outside, and at those of composers."""
        options: Any = self
        container, the_list = str(options.container), f"{options.container}.{options.list}"
        room = the_list.rpartition(".")[0]
        doors = {f"{container}.{name}.domain": {the_list} for name in _with_manifest(graph, container)}
        for module in {room, *graph.find_descendants(room)}:
            doors[module] = {f"{container}.{reader}" for reader in options.readers if module == the_list}
        wrong = [
            f"{importer} imports {imported}"
            for imported, allowed in doors.items()
            for importer in graph.find_modules_that_directly_import(imported)
            if not {importer, _room(importer)} & {*allowed, _room(imported)}
        ]
        rooms = {f"{container}.{name}" for name in _with_manifest(graph, container)}
        for composer in (f"{container}.{name}" for name in options.composers):
            found = graph.find_modules_directly_imported_by(composer)
            wrong += [f"{composer} imports {imported}" for imported in found if _room(imported) in rooms]
        return ContractCheck(kept=not wrong, metadata={"wrong": sorted(wrong)})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Say which imports."""
        for line in check.metadata["wrong"]:
            output.print_error(line)


def _room(module: str) -> str:
    return ".".join(module.split(".")[:2])


def _with_manifest(graph: ImportGraph, container: str) -> set[str]:
    """The rooms with a manifest; `web` has a module of that name, in which is said what one is."""
    rooms = {room.removeprefix(f"{container}.") for room in graph.find_children(container)}
    return {room for room in rooms if f"{container}.{room}.domain" in graph.modules} - {"web"}


def _wrong_neighbours(graph: ImportGraph, container: str, domains: list[str]) -> list[str]:
    from atoll.api.domains import DOMAINS

    used = {(domain.name, name) for domain in DOMAINS for name in domain.uses}
    needless = {*used}
    wrong = [f"api/domains.py lacks {name}" for name in {*domains} - {domain.name for domain in DOMAINS}]
    rooms = sorted(room.removeprefix(f"{container}.") for room in graph.find_children(container))
    for importer in rooms:
        for imported in domains:
            if importer == imported:
                continue
            for a, b in _imports(graph, f"{container}.{importer}", f"{container}.{imported}"):
                used_service = (importer, imported) in used and b == f"{container}.{imported}.service"
                allowed = used_service or (importer not in domains and b == f"{container}.{imported}.domain")
                needless.discard((importer, imported))
                if not allowed:
                    wrong.append(f"{a} imports {b}")
    wrong += [f"the manifest of {a} names {b}, of which it imports nothing" for a, b in needless]
    return sorted(wrong)


def _imports(graph: ImportGraph, importer: str, imported: str) -> list[tuple[str, str]]:
    ours = {importer, *graph.find_descendants(importer)}
    theirs = {imported, *graph.find_descendants(imported)}
    return [(a, b) for a in sorted(ours) for b in sorted(graph.find_modules_directly_imported_by(a)) if b in theirs]
