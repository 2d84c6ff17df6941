"""The contract between neighbours: a domain imports of another only its `service`, and only if its manifest says so."""

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class DomainsContract(Contract):
    """`domains` are rooms of the package on one floor; each has its manifest in `atoll.api.domains`."""

    type_name = "domains"

    package = fields.StringField()
    domains = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Every import from one of the domains to another, held against the manifests."""
        from atoll.api.domains import DOMAINS

        used = {(domain.name, name) for domain in DOMAINS for name in domain.uses}
        broken, needless = [], set(used)
        for importer in self.domains:
            for imported in self.domains:
                if importer == imported:
                    continue
                for a, b in _imports(graph, f"{self.package}.{importer}", f"{self.package}.{imported}"):
                    allowed = (importer, imported) in used and b == f"{self.package}.{imported}.service"
                    needless.discard((importer, imported))
                    if not allowed:
                        broken.append(f"{a} imports {b}")
        broken += [f"the manifest of {a} names {b}, of which it imports nothing" for a, b in sorted(needless)]
        return ContractCheck(kept=not broken, metadata={"broken": sorted(broken)})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Say which imports and what to do."""
        for line in check.metadata["broken"]:
            output.print_error(line)
        output.print_error("A domain uses another through its service.py, and names it in `uses` of its domain.py.")


def _imports(graph: ImportGraph, importer: str, imported: str) -> list[tuple[str, str]]:
    ours = {importer, *graph.find_descendants(importer)}
    theirs = {imported, *graph.find_descendants(imported)}
    return [(a, b) for a in sorted(ours) for b in sorted(graph.find_modules_directly_imported_by(a)) if b in theirs]
