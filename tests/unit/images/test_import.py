"""Images from files into a registry in memory: what is understood, what is refused, what is sent. Needs nothing."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import tarfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from installer.images import containers
from installer.images.archive import Found, image_in
from installer.images.containers import opened
from installer.images.errors import BadArchive, BadName, ImageError
from installer.images.importing import Imported, import_image
from installer.images.listing import describe, images
from installer.images.names import name_of
from installer.images.registry import INDEX, MANIFEST, Registry, RegistryError
from tests.unit.images.memory import Memory

NAME = name_of("team/tool:1.0")


def config_of(architecture: str = "amd64", **process: Any) -> bytes:
    return json.dumps({"architecture": architecture, "os": "linux", "config": process, "rootfs": {}}).encode()


def layout(files: dict[str, bytes], images: dict[str, bytes], *, name: str | None = "docker.io/library/tool:1") -> None:
    """Add an OCI layout to `files`: by architecture, the content of the only layer."""

    def blob(body: bytes, media_type: str) -> dict[str, Any]:
        digest = hashlib.sha256(body).hexdigest()
        files[f"blobs/sha256/{digest}"] = body
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(body)}

    entries = []
    for architecture, layer in images.items():
        manifest = {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": blob(config_of(architecture, Entrypoint=["/tool"]), "application/vnd.oci.image.config.v1+json"),
            "layers": [blob(layer, "application/vnd.oci.image.layer.v1.tar")],
        }
        entries.append(blob(json.dumps(manifest).encode(), MANIFEST))
    top = entries[0]
    if len(entries) > 1:
        top = blob(json.dumps({"schemaVersion": 2, "manifests": entries}).encode(), INDEX)
    notes = {"annotations": {"io.containerd.image.name": name}} if name else {}
    files["oci-layout"] = b'{"imageLayoutVersion": "1.0.0"}'
    files["index.json"] = json.dumps({"schemaVersion": 2, "manifests": [top | notes]}).encode()


def archive(path: Path, files: dict[str, bytes], links: dict[str, str] | None = None, mode: str = "w") -> Path:
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]
        for name, body in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(body)
            tar.addfile(member, io.BytesIO(body))
        for name, target in (links or {}).items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            tar.addfile(member)
    return path


def docker_save(path: Path, layers: list[bytes], tags: list[str] | None, mode: str = "w") -> Path:
    """What older Docker writes: a folder per layer, the second one a link to the first when they are equal."""
    files = {"config.json": config_of(Cmd=["run"]), "a/layer.tar": layers[0]}
    names, links = ["a/layer.tar"], {}
    for number, layer in enumerate(layers[1:], 1):
        names.append(f"b{number}/layer.tar")
        if layer == layers[0]:
            links[names[-1]] = "../a/layer.tar"
        else:
            files[names[-1]] = layer
    listed = [{"Config": "config.json", "RepoTags": tags, "Layers": names}]
    return archive(path, files | {"manifest.json": json.dumps(listed).encode()}, links, mode)


def read(path: Path) -> Found:
    with opened(path) as container:
        return image_in(container, path.name)


def put(path: Path, memory: Memory, **more: Any) -> Imported:
    transport = httpx.MockTransport(memory)
    with opened(path) as container, httpx.Client(base_url="https://registry", transport=transport) as client:
        found = image_in(container, path.name)
        given = {"name": NAME, "architectures": {"amd64"}, "say": lambda _text: None, **more}
        return import_image(Registry(client), found, **given)


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_what_docker_saves_becomes_an_image_of_the_registry(tmp_path: Path, mode: str) -> None:
    memory = Memory()
    path = docker_save(tmp_path / "tool.tar", [b"first", b"\x1f\x8bpacked", b"first"], ["tool:1"], mode)
    done = put(path, memory)
    assert done.changed
    assert done.reference == "registry.atoll.internal:5000/imported/team/tool:1.0"
    manifest = json.loads(memory.manifests["imported/team/tool", "1.0"])
    kinds = [layer["mediaType"].rpartition(".")[2] for layer in manifest["layers"]]
    assert kinds == ["tar", "tar+gzip", "tar"]
    assert manifest["layers"][0]["digest"] == manifest["layers"][2]["digest"]
    with opened(path) as container:
        assert image_in(container, "x").name == "tool:1"


def test_a_layout_is_taken_as_it_is_from_a_directory_or_an_archive(tmp_path: Path) -> None:
    files: dict[str, bytes] = {}
    layout(files, {"amd64": b"layer"})
    for name, body in files.items():
        (tmp_path / "layout" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "layout" / name).write_bytes(body)
    from_directory = read(tmp_path / "layout")
    assert from_directory.name == "docker.io/library/tool:1"
    assert read(archive(tmp_path / "layout.tar", files)).manifests[0].digest == from_directory.manifests[0].digest
    assert put(tmp_path / "layout", Memory()).digest == from_directory.manifests[0].digest


def test_of_several_architectures_those_of_the_cluster_are_kept(tmp_path: Path) -> None:
    files: dict[str, bytes] = {}
    layout(files, {"amd64": b"a", "arm64": b"b", "s390x": b"c"})
    path, memory = archive(tmp_path / "tool.tar", files), Memory()
    assert put(path, memory).architectures == ("amd64",)
    assert json.loads(memory.manifests["imported/team/tool", "1.0"])["mediaType"] == MANIFEST
    both = put(path, Memory(), architectures={"amd64", "arm64"})
    assert both.architectures == ("amd64", "arm64")
    with pytest.raises(ImageError, match="is for amd64, arm64, s390x; the nodes of this cluster are riscv64"):
        put(path, Memory(), architectures={"riscv64"})


def test_the_same_image_again_changes_nothing_and_another_needs_to_be_told(tmp_path: Path) -> None:
    memory = Memory()
    first = put(docker_save(tmp_path / "one.tar", [b"one"], None), memory)
    asked = len(memory.requests)
    again = put(tmp_path / "one.tar", memory)
    assert (again.changed, again.digest, len(memory.requests) - asked) == (False, first.digest, 1)
    other = docker_save(tmp_path / "two.tar", [b"two"], None)
    with pytest.raises(ImageError, match=r"`team/tool:1.0` is taken.*\n.*--replace"):
        put(other, memory)
    assert put(other, memory, replace=True).digest != first.digest


def test_a_broken_import_leaves_no_name_and_the_next_one_sends_only_the_rest(tmp_path: Path) -> None:
    memory = Memory()
    path = docker_save(tmp_path / "tool.tar", [b"first", b"second"], None)
    answers = iter([memory] * 7)

    def dies(request: httpx.Request) -> httpx.Response:
        handler = next(answers, None)
        return handler(request) if handler else httpx.Response(500, text="killed")

    with pytest.raises(RegistryError):
        put(path, dies)  # type: ignore[arg-type]
    assert memory.manifests == {}
    assert len(memory.blobs) == 2
    assert put(path, memory).bytes_sent == len(b"second")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"hello": b""}, "neither index.json nor manifest.json"),
        ({"index.json": b"{"}, "is not JSON"),
        ({"index.json": b'{"manifests": [{"digest": "../../etc/passwd"}]}'}, "no SHA-256 digest"),
        ({"index.json": b'{"manifests": []}'}, "no image for Linux"),
        ({"manifest.json": b'[{"Config": "c", "Layers": []}]'}, "lacks c"),
        ({"manifest.json": b"[{}, {}]"}, "holds 2 images"),
    ],
)
def test_what_is_no_image_is_refused_with_words(tmp_path: Path, files: dict[str, bytes], said: str) -> None:
    with pytest.raises(BadArchive, match=said):
        read(archive(tmp_path / "x.tar", files))


def test_a_file_that_is_no_archive_or_is_not_there_is_refused_with_words(tmp_path: Path) -> None:
    (tmp_path / "x.tar").write_text("hello")
    with pytest.raises(BadArchive, match="is no archive"):
        read(tmp_path / "x.tar")
    with pytest.raises(BadArchive, match="does not exist"):
        read(tmp_path / "y.tar")


def test_a_layer_that_was_not_saved_is_noticed_before_anything_is_sent(tmp_path: Path) -> None:
    files: dict[str, bytes] = {}
    layout(files, {"amd64": b"layer"})
    del files[f"blobs/sha256/{hashlib.sha256(b'layer').hexdigest()}"]
    with pytest.raises(BadArchive, match="lacks 1 of 2 parts"):
        read(archive(tmp_path / "x.tar", files))


@pytest.mark.parametrize(
    ("text", "repository", "tag"),
    [
        ("busybox", "imported/busybox", "latest"),
        ("docker.io/library/busybox:1.36", "imported/busybox", "1.36"),
        ("localhost:5000/team/tool:2", "imported/team/tool", "2"),
        ("registry.atoll.internal:5000/imported/tool:2", "imported/tool", "2"),
        ("team/tool", "imported/team/tool", "latest"),
    ],
)
def test_names_lose_the_registry_that_they_came_from(text: str, repository: str, tag: str) -> None:
    assert (name_of(text).repository, name_of(text).tag) == (repository, tag)


NAMES = ["", "Tool:1", "a//b", "../x", "tool:", "a@sha256:1", "atoll/platform:1", "frameworks/x"]


@pytest.mark.parametrize("text", NAMES)
def test_names_that_cannot_be_or_are_the_platforms_own_are_refused(text: str) -> None:
    with pytest.raises(BadName, match="--name"):
        name_of(text)


def test_the_list_is_what_the_registry_holds_of_imported_images(tmp_path: Path) -> None:
    memory = Memory()
    for other in ("atoll/platform", "frameworks/numpy", "importedx/a", "registry.k8s.io/pause"):
        memory.manifests[other, "1"] = b"{}"
    put(docker_save(tmp_path / "one.tar", [b"one"], None), memory)
    put(tmp_path / "one.tar", memory, name=name_of("a:2"))
    with httpx.Client(base_url="https://registry", transport=httpx.MockTransport(memory)) as client:
        listed = images(Registry(client))
        described = describe(Registry(client), "imported/a", "2")
        assert describe(Registry(client), "imported/a", "3") is None
    assert [(image.repository, image.tag) for image in listed] == [("imported/a", "2"), ("imported/team/tool", "1.0")]
    assert listed[0].size_bytes == len(b"one") + len(config_of(Cmd=["run"]))
    assert described is not None
    assert (described.command, described.architectures, described.working_directory) == (("run",), ("amd64",), "/")


LOOP = "blobs/sha256/" + "0" * 64
TO_LOOP = b'{"manifests": [{"digest": "sha256:' + b"0" * 64 + b'", "mediaType": "' + INDEX.encode() + b'"}]}'


@pytest.mark.parametrize(
    "files",
    [
        {"index.json": b"[]"},
        {"index.json": b'{"manifests": null}'},
        {"index.json": b'{"manifests": ["x"]}'},
        {"index.json": TO_LOOP, LOOP: TO_LOOP},
        {"manifest.json": b"[{}]"},
        {"manifest.json": b"null"},
        {"manifest.json": b'[{"Config": "c", "Layers": []}]', "c": b"[]"},
    ],
)
def test_what_is_described_in_another_way_is_refused_in_words(tmp_path: Path, files: dict[str, bytes]) -> None:
    with pytest.raises(BadArchive, match=r"written in another way|more than 200 manifests"):
        read(archive(tmp_path / "tool.tar", files))


@pytest.mark.parametrize("mode", ["w:gz", "w:xz", "w:bz2"])
def test_a_damaged_archive_is_refused_in_words(tmp_path: Path, mode: str) -> None:
    path = docker_save(tmp_path / "tool.tar", [random.Random(1).randbytes(100_000)], ["tool:1"], mode)
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2 : len(damaged) // 2 + 20] = bytes(20)
    path.write_bytes(bytes(damaged[: len(damaged) * 2 // 3]))
    with pytest.raises(BadArchive, match=r"cut off or damaged|cannot be read"):
        put(path, Memory())


def test_a_damaged_layer_of_docker_is_not_imported(tmp_path: Path) -> None:
    config = json.loads(config_of())
    config["rootfs"] = {"diff_ids": ["sha256:" + hashlib.sha256(b"sound").hexdigest()]}
    listed = [{"Config": "c.json", "RepoTags": ["tool:1"], "Layers": ["l.tar"]}]
    files = {"c.json": json.dumps(config).encode(), "manifest.json": json.dumps(listed).encode()}
    assert put(archive(tmp_path / "sound.tar", files | {"l.tar": b"sound"}), Memory()).changed
    with pytest.raises(BadArchive, match=r"is damaged: l\.tar"):
        read(archive(tmp_path / "damaged.tar", files | {"l.tar": b"rotten"}))


def test_a_damaged_blob_of_a_layout_is_the_archives_fault(tmp_path: Path) -> None:
    files: dict[str, bytes] = {}
    layout(files, {"amd64": b"layer"})
    name = next(name for name, body in files.items() if body == b"layer")
    files[name] = b"rotte"
    memory = Memory()
    with pytest.raises(BadArchive, match="is damaged"):
        put(archive(tmp_path / "tool.tar", files), memory)
    assert not memory.manifests


def test_files_outside_a_directory_are_no_part_of_its_image(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a secret of this machine")
    image = tmp_path / "image"
    image.mkdir()
    (image / "c.json").write_bytes(config_of())
    (image / "link").symlink_to("../secret")
    for name in ("../secret", str(tmp_path / "secret"), "link"):
        (image / "manifest.json").write_text(json.dumps([{"Config": "c.json", "Layers": [name]}]))
        with pytest.raises(BadArchive, match="lacks"):
            read(image)


def test_an_error_of_the_rest_is_not_the_archives(tmp_path: Path) -> None:
    path = docker_save(tmp_path / "tool.tar", [b"layer"], ["tool:1"])
    with pytest.raises(PermissionError), opened(path):
        raise PermissionError("of something else")


def refused(path: Path) -> str:
    with pytest.raises(BadArchive) as told:
        read(path)
    return str(told.value)


def test_a_bomb_is_noticed_before_it_is_unpacked(tmp_path: Path) -> None:
    """Three GiB of nothing in three MiB: what stands behind the header is not read."""
    header = tarfile.TarInfo("zeros")
    header.size = 3 << 30
    bomb = tmp_path / "bomb.tar.gz"
    with gzip.open(bomb, "wb", compresslevel=1) as out:
        out.write(header.tobuf())
        for _ in range(64):
            out.write(bytes(1 << 20))
    assert "holds more than 1,073,741,824 bytes" in refused(bomb)


def test_entries_names_and_headers_of_an_archive_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long_name = archive(tmp_path / "name.tar", {"n" * (containers.LONGEST_NAME + 1): b""})
    assert "a name of more than 1024 characters" in refused(long_name)
    header = tarfile.TarInfo("header")
    header.type, header.size = tarfile.XHDTYPE, 1 << 30
    (tmp_path / "header.tar").write_bytes(header.tobuf())
    assert "a header of 1,073,741,824 bytes" in refused(tmp_path / "header.tar")
    monkeypatch.setattr(containers, "MOST_ENTRIES", 50)
    many = archive(tmp_path / "many.tar", {f"{number}": b"" for number in range(60)})
    assert "more than 50 entries" in refused(many)


def test_manifests_and_layers_are_counted(tmp_path: Path) -> None:
    digest = "sha256:" + "a" * 64
    entry = {"mediaType": INDEX, "digest": digest, "size": 1}
    itself = json.dumps({"schemaVersion": 2, "manifests": [entry] * 1000}).encode()
    files = {"index.json": itself, f"blobs/sha256/{'a' * 64}": itself}
    assert "more than 200 manifests" in refused(archive(tmp_path / "index.tar", files))
    layers = ["a/layer.tar"] * 600
    listed = [{"Config": "config.json", "RepoTags": None, "Layers": layers}]
    files = {"config.json": config_of(), "a/layer.tar": b"x", "manifest.json": json.dumps(listed).encode()}
    assert "has 600 layers" in refused(archive(tmp_path / "layers.tar", files))


def test_a_manifest_that_is_huge_is_not_read(tmp_path: Path) -> None:
    files = {"index.json": b"{}" + b" " * (5 << 20)}
    assert "index.json is too large" in refused(archive(tmp_path / "index.tar", files))
    digest = "a" * 64
    entry = {"mediaType": MANIFEST, "digest": f"sha256:{digest}", "size": 1}
    files = {
        "index.json": json.dumps({"manifests": [entry]}).encode(),
        f"blobs/sha256/{digest}": b"{}" + b" " * (5 << 20),
    }
    assert f"{digest} is too large" in refused(archive(tmp_path / "manifest.tar", files))
