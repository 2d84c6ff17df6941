"""The steps that make the bundle, derived from the lock file and the recipes: what each needs, depends on and does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from installer.bundle import debian_lock, images, layers, manifests, portal, programs, repository
from installer.bundle.debian import Archive, Package
from installer.bundle.debian_lock import DebianLock
from installer.bundle.errors import BundleError
from installer.bundle.execution import Report
from installer.bundle.lock import Images, Layer, Lock, load_images, load_lock
from installer.bundle.outputs import Output, fingerprint, tree_digests
from installer.bundle.toolchain import Toolchain

# Part of every layer's input hash: raise it when the code that fills layers changes what comes out.
LAYER_RECIPE = 1

Needed = dict[str, Output]
Make = Callable[[Needed, Path, dict[str, Any], Report], None]


@dataclass(frozen=True)
class Step:
    """One output: `name` is unique, `inputs` and the keys of what it `needs` decide whether it is made again."""

    name: str
    inputs: Callable[[], object]
    make: Make
    needs: tuple[str, ...] = ()
    describe: dict[str, Any] = field(default_factory=dict)


class Workshop:
    """The tree's recipes as steps."""

    def __init__(self, tree: Path, cache: Path, locked: bool = False) -> None:
        self.tree = tree
        self.cache = cache
        self.locked = locked
        self.lock: Lock = load_lock(tree)
        self.images: Images = load_images(tree)
        self.toolchain = Toolchain(cache, tree)

    @cached_property
    def debian(self) -> DebianLock:
        """The Debian packages that hold now."""
        return debian_lock.load(self.tree, self.cache, self.locked)

    @cached_property
    def steps(self) -> dict[str, Step]:
        """Every step by name, each after those that it needs."""
        found: list[Step] = []
        for architecture in self.lock.architectures:
            found += [self._program(name, architecture) for name in self.lock.programs]
            found.append(self._repository(architecture))
        found += [self._manifest(name) for name in self.lock.manifests]
        found.append(self._portal())
        for architecture in self.lock.architectures:
            found += [self._layer(name, layer, architecture) for name, layer in self.images.layers.items()]
            found += [self._image(name, architecture) for name in self.images.images]
        return {step.name: step for step in found}

    def key(self, name: str, known: dict[str, str]) -> str:
        """Return the input hash of a step; `known` remembers what was hashed already."""
        if name not in known:
            step = self.steps[name]
            known[name] = fingerprint({"inputs": step.inputs(), "needs": {n: self.key(n, known) for n in step.needs}})
        return known[name]

    def archive(self, architecture: str) -> Archive:
        """Return the archive that packages are fetched from."""
        return Archive(self.cache, self.lock.debian.release, architecture)

    def packages(self, architecture: str, name: str) -> list[Package]:
        """Return the locked packages of a set."""
        return self.debian.packages(architecture, name)

    def _program(self, name: str, architecture: str) -> Step:
        program = self.lock.programs[name]

        def make(_needed: Needed, into: Path, facts: dict[str, Any], report: Report) -> None:
            facts["modules"] = programs.build_programs(
                self.tree, self.toolchain, name, program, architecture, into, report
            )

        return Step(
            f"program/{architecture}/{name}",
            lambda: programs.program_inputs(self.tree, self.toolchain, name, program, architecture),
            make,
            describe={"kind": "go", "version": program.version, "source": program.source, "licence": program.licence},
        )

    def _repository(self, architecture: str) -> Step:
        groups = self.lock.debian.groups

        def sets() -> dict[str, list[Package]]:
            return {group: self.packages(architecture, f"group/{group}") for group in groups}

        def make(_needed: Needed, into: Path, _facts: dict[str, Any], report: Report) -> None:
            closures = sets()
            wanted = {package for packages in closures.values() for package in packages}
            repository.write_repository(self.archive(architecture).fetch(wanted, report), into)
            repository.write_groups(groups, closures, into)

        return Step(
            f"os/{architecture}/debian-12",
            lambda: {"recipe": 2, "groups": groups, "sets": {g: [p.sha256 for p in ps] for g, ps in sets().items()}},
            make,
            describe={"kind": "debian", "version": "12", "source": "Debian", "licence": "see each package"},
        )

    def _manifest(self, name: str) -> Step:
        manifest = self.lock.manifests[name]
        program = self.lock.programs[manifest.program]
        kubernetes = f"program/{self.lock.architectures[0]}/kubernetes"
        version = (self.tree / "VERSION").read_text().strip()

        def make(needed: Needed, into: Path, _facts: dict[str, Any], report: Report) -> None:
            manifests.render(
                self.tree, self.toolchain, name, manifest, program, needed[kubernetes], into, version, report
            )

        return Step(
            f"manifest/{name}",
            lambda: {"version": version, **manifests.manifest_inputs(self.tree, manifest, program)},
            make,
            needs=(kubernetes,),
            describe={"kind": "go", "version": program.version, "source": program.source, "licence": program.licence},
        )

    def _portal(self) -> Step:
        def make(_needed: Needed, into: Path, _facts: dict[str, Any], report: Report) -> None:
            portal.build_portal(self.tree, self.toolchain, into, report)

        version = (self.tree / "VERSION").read_text().strip()
        return Step(
            "portal",
            lambda: portal.portal_inputs(self.tree, self.toolchain),
            make,
            describe={"kind": "npm", "version": version, "source": "platform/portal", "licence": "Apache-2.0"},
        )

    def _layer(self, name: str, layer: Layer, architecture: str) -> Step:
        below = tuple(f"layer/{architecture}/{parent}" for parent in layer.above)
        built = {family: f"program/{architecture}/{family}" for family in layer.programs.values()}
        needs = (*below, *built.values(), *(["portal"] if layer.portal else []))

        def packages() -> list[Package]:
            if layer.bootstrap:
                return self.packages(architecture, debian_lock.BASE)
            return self.packages(architecture, f"layer/{name}") if layer.packages or layer.unpacked else []

        def inputs() -> object:
            files = {
                target: tree_digests(self.tree / origin)
                for target, origin in layer.files.items()
                if (self.tree / origin).exists()
            }
            found: dict[str, object] = {
                "recipe": LAYER_RECIPE,
                "layer": layer.model_dump(exclude_defaults=True),
                "files": files,
            }
            found["packages"] = [package.sha256 for package in packages()]
            if layer.requirements:
                locks = [layer.requirements, *(["build"] if layer.sources else [])]
                found["requirements"] = [tree_digests(self.tree / "requirements" / f"{lock}.txt") for lock in locks]
            return found

        def make(needed: Needed, into: Path, facts: dict[str, Any], report: Report) -> None:
            filling = layers.Filling(
                tree=self.tree,
                toolchain=self.toolchain,
                architecture=architecture,
                release=self.lock.debian.release,
                below=[needed[step] for step in below],
                programs={family: needed[step] for family, step in built.items()},
                packages=self.archive(architecture).fetch(packages(), report),
                portal=needed.get("portal"),
            )
            layers.fill(name, layer, filling, into, facts, report)

        return Step(f"layer/{architecture}/{name}", inputs, make, needs)

    def _image(self, name: str, architecture: str) -> Step:
        image = self.images.images[name]
        parts = tuple(f"layer/{architecture}/{layer}" for layer in image.layers)

        def make(needed: Needed, into: Path, facts: dict[str, Any], _report: Report) -> None:
            facts |= images.compose(image, architecture, [needed[part] for part in parts], into)

        source = "this tree" if "atoll.internal" in image.name else image.name
        return Step(
            f"image/{architecture}/{name}",
            lambda: image.model_dump(exclude_defaults=True),
            make,
            needs=parts,
            describe={"kind": "image", "version": image.version, "source": source, "licence": image.licence},
        )

    def find(self, wanted: str) -> list[str]:
        """Return the steps that a person means: a full name (`image/amd64/numpy`), `image/numpy`, or `numpy`."""
        found = [name for name in self.steps if wanted in _names(name)]
        shown = [name for name in found if not name.startswith("layer/")] or found
        if not shown:
            raise BundleError(f"the bundle has no part `{wanted}`", "`./atoll bundle list` shows its parts.")
        return shown


def _names(name: str) -> set[str]:
    parts = name.split("/")
    return {name, parts[-1], f"{parts[0]}/{parts[-1]}"}
