import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from installer.bundle import building, disk, index
from installer.bundle.debian import Gone
from installer.bundle.errors import BundleError
from installer.bundle.lock import Program
from installer.bundle.outputs import Output, Outputs, fingerprint
from installer.bundle.programs import build_programs
from installer.bundle.steps import Step
from installer.bundle.toolchain import Toolchain
from installer.cluster.places import cache_directory

TREE = Path(__file__).parents[3]
ABOUT = {"version": "1", "source": "here", "licence": "MIT", "kind": "go"}


class Heard:
    """A reporter that remembers."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str, bool | None]] = []
        self.said: list[str] = []

    def begin(self, stage: str, total: int | None = None) -> None:
        self.events.append(("begin", stage, None))

    def advance(self, text: str, count: int = 1) -> None: ...

    def end(self, stage: str, ok: bool = True) -> None:
        self.events.append(("end", stage, ok))

    def say(self, text: str) -> None:
        self.said.append(text)


class Shop:
    """A workshop with two programs, the second made from the first."""

    def __init__(self, cache: Path, made: list[str], text: str = "one") -> None:
        self.cache, self.tree = cache, TREE
        self.lock = SimpleNamespace(architectures=["amd64"])
        self.images = SimpleNamespace(images={})
        self.toolchain = SimpleNamespace(ensure=lambda report: report("there"))
        self.made = made
        self.steps = {s.name: s for s in (self._step("one", text), self._step("two", "2", "program/amd64/one"))}

    def _step(self, name: str, text: str, *needs: str) -> Step:
        def make(needed: dict[str, Output], into: Path, facts: dict[str, Any], report: Callable[[str], None]) -> None:
            report("making")
            self.made.append(name)
            (into / name).write_text(text + "".join(o.path("one").read_text() for o in needed.values()))

        return Step(f"program/amd64/{name}", lambda: text, make, needs, ABOUT)

    def key(self, name: str, known: dict[str, str]) -> str:
        step = self.steps[name]
        return fingerprint([step.inputs(), [self.key(n, known) for n in step.needs]])

    def find(self, wanted: str) -> list[str]:
        return [f"program/amd64/{wanted}"]


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., building.Result]:
    monkeypatch.setattr(index, "_sbom", lambda *_: "{}")
    monkeypatch.setattr(disk, "PEAK_BYTES", 1)
    monkeypatch.setattr(disk, "STEP_BYTES", 1)

    def run(
        shop: Shop, wanted: list[str] | None = None, heard: Heard | None = None, again: bool = False
    ) -> building.Result:
        monkeypatch.setattr(building, "Workshop", lambda *_: shop)
        return building.ensure(tmp_path / "bundle", wanted, heard or Heard(), cache=tmp_path / "cache", again=again)

    return run


def test_a_second_build_makes_nothing_and_a_changed_input_makes_what_depends_on_it(
    tmp_path: Path, build: Callable[..., building.Result]
) -> None:
    made: list[str] = []
    build(Shop(tmp_path / "cache", made))
    assert made == ["one", "two"]
    assert build(Shop(tmp_path / "cache", made)).built == {}
    build(Shop(tmp_path / "cache", made, text="changed"))
    assert made == ["one", "two", "one", "two"]
    assert (tmp_path / "bundle" / "bin" / "amd64" / "two").read_text() == "2changed"


def test_only_what_is_wanted_and_what_it_needs_is_made(tmp_path: Path, build: Callable[..., building.Result]) -> None:
    made: list[str] = []
    result = build(Shop(tmp_path / "cache", made), ["one"])
    assert made == ["one"]
    assert "bin/amd64/one" in result.index["files"]


def test_an_image_that_the_portal_does_not_wait_for_is_put_off_only_while_the_bundle_lacks_it(
    tmp_path: Path, build: Callable[..., building.Result]
) -> None:
    made: list[str] = []
    shop = Shop(tmp_path / "cache", made)
    step = shop.steps["program/amd64/two"]
    shop.steps = {
        "program/amd64/one": shop.steps["program/amd64/one"],
        "layer/amd64/big": replace(step, name="layer/amd64/big"),
        "image/amd64/big": replace(step, name="image/amd64/big", needs=("layer/amd64/big",), describe=ABOUT),
    }
    shop.images = SimpleNamespace(images={"big": SimpleNamespace(later=True)})

    def first() -> list[str] | None:
        return building.before_the_portal(tmp_path / "bundle", cache=tmp_path / "cache")

    build(shop, ["one"])
    assert made == ["one"]
    assert first() == ["program/amd64/one"]
    (tmp_path / "bundle" / "index.json").write_text(json.dumps({"artifacts": [{"name": "image/amd64/big"}]}))
    assert first() is None


def test_each_stage_begins_and_ends_and_a_failing_one_says_so(
    tmp_path: Path, build: Callable[..., building.Result]
) -> None:
    shop, heard = Shop(tmp_path / "cache", []), Heard()

    def fail(*_: object) -> None:
        raise BundleError("no")

    shop.steps["program/amd64/two"] = Step("program/amd64/two", lambda: 1, fail, ("program/amd64/one",))
    with pytest.raises(BundleError):
        build(shop, None, heard)
    assert heard.events[-3:] == [
        ("end", "program/amd64/one", True),
        ("begin", "program/amd64/two", None),
        ("end", "program/amd64/two", False),
    ]
    made: list[str] = []
    build(Shop(tmp_path / "cache", made))
    assert made == ["two"], "what was done before the failure is kept"


def test_verify_finds_one_flipped_byte_a_missing_file_and_a_stranger(
    tmp_path: Path, build: Callable[..., building.Result]
) -> None:
    bundle = tmp_path / "bundle"
    build(Shop(tmp_path / "cache", []))
    assert index.verify(bundle) == []
    victim = bundle / "bin" / "amd64" / "one"
    content = bytearray(victim.read_bytes())
    content[0] ^= 1
    victim.write_bytes(content)
    (bundle / "stranger").write_text("?")
    (bundle / "bin" / "amd64" / "two").unlink()
    found = {damage.path: damage.problem for damage in index.verify(bundle)}
    assert set(found) == {"bin/amd64/one", "bin/amd64/two", "stranger"}
    assert "digest" in found["bin/amd64/one"]


def test_a_damaged_file_is_mended_by_building_its_part_again(
    tmp_path: Path, build: Callable[..., building.Result]
) -> None:
    shop = Shop(tmp_path / "cache", [])
    build(shop)
    victim = tmp_path / "bundle" / "bin" / "amd64" / "one"
    victim.write_text("broken")
    outputs = {name: o for name in shop.steps if (o := Outputs(shop.cache).find(name, shop.key(name, {})))}
    parts = index.owners(shop, outputs, ["bin/amd64/one"])  # type: ignore[arg-type]
    assert parts == ["program/amd64/one"]
    build(shop, ["one"], again=True)
    assert victim.read_text() == "one"
    assert index.verify(tmp_path / "bundle") == []


def test_a_full_disk_is_found_before_anything_is_made(
    tmp_path: Path, build: Callable[..., building.Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    monkeypatch.setattr(disk, "PEAK_BYTES", 1 << 60)
    monkeypatch.setattr(disk, "STEP_BYTES", 1 << 60)
    with pytest.raises(BundleError, match="ATOLL_CACHE"):
        build(Shop(tmp_path / "cache", made))
    assert made == []


def test_packages_that_the_archive_dropped_are_locked_anew_once_and_told(
    tmp_path: Path, build: Callable[..., building.Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, heard, renewed = Shop(tmp_path / "cache", []), Heard(), []
    whole = shop.steps["program/amd64/one"]

    def gone(*_: object) -> None:
        shop.steps["program/amd64/one"] = whole
        raise Gone("openssl 1 is gone", "relock")

    shop.steps["program/amd64/one"] = Step(whole.name, whole.inputs, gone, (), whole.describe)
    monkeypatch.setattr(building, "renew_lock", lambda _shop, path, _say: renewed.append(path))
    build(shop, None, heard)
    assert len(renewed) == 1
    assert renewed[0].is_relative_to(tmp_path / "cache"), "the tree's own file is left alone"
    assert "openssl 1 is gone" in heard.said[0]


@pytest.mark.timeout(300)
def test_a_program_built_twice_in_different_places_is_bit_identical(tmp_path: Path) -> None:
    toolchain = Toolchain(cache_directory(), TREE)
    toolchain.ensure(lambda _line: None)
    results = []
    for place in ("here", "over/there"):
        tree = tmp_path / place
        module = tree / "platform" / "packaging" / "hello"
        module.mkdir(parents=True)
        (module / "go.mod").write_text("module atoll.local/hello\n\ngo 1.27\n")
        (module / "main.go").write_text(
            'package main\n\nvar version string\n\nfunc main() { println("hello", version) }\n'
        )
        program = Program(version="1", source="-", licence="-", builds={"hello": "."}, variables={"main.version": "1"})
        elsewhere = Elsewhere(toolchain, tmp_path / place / "cache")
        build_programs(tree, elsewhere, "hello", program, "amd64", tree / "out", lambda _line: None)
        results.append((tree / "out" / "hello").read_bytes())
    assert results[0] == results[1]


class Elsewhere(Toolchain):
    """The same compiler with build caches of its own, so that nothing of the first build is reused."""

    def __init__(self, compiler: Toolchain, cache: Path) -> None:
        super().__init__(cache, compiler.tree)
        object.__setattr__(self, "compiler", compiler)

    @property
    def programs(self) -> Path:
        return self.compiler.programs  # type: ignore[attr-defined,no-any-return]


def test_a_folder_with_other_files_is_no_place_for_a_bundle(
    tmp_path: Path, build: Callable[..., building.Result]
) -> None:
    other = tmp_path / "bundle" / "photos" / "thesis.pdf"
    other.parent.mkdir(parents=True)
    other.write_text("years of work")
    made: list[str] = []
    with pytest.raises(BundleError, match="holds something else"):
        build(Shop(tmp_path / "cache", made))
    assert (made, other.read_text()) == ([], "years of work")
    other.unlink()
    other.parent.rmdir()
    build(Shop(tmp_path / "cache", made))
    build(Shop(tmp_path / "cache", made))
    assert made == ["one", "two"]
