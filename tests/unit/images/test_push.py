"""What is sent to the registry and what is not, against a registry in memory. Needs nothing."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from installer.images.registry import MANIFEST
from tests.unit.images.memory import Memory


def _load() -> ModuleType:
    path = Path(__file__).parents[3] / "plugins/action/atoll_push.py"
    spec = importlib.util.spec_from_file_location("atoll_push_action", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


push = _load()


def write_blob(layout: Path, body: bytes) -> dict[str, Any]:
    digest = hashlib.sha256(body).hexdigest()
    (layout / "blobs/sha256").mkdir(parents=True, exist_ok=True)
    (layout / "blobs/sha256" / digest).write_bytes(body)
    return {"digest": f"sha256:{digest}", "size": len(body), "mediaType": "application/octet-stream"}


def bundle_with(root: Path, images: dict[str, tuple[str, list[bytes]]], arches: tuple[str, ...] = ("amd64",)) -> Path:
    listed: dict[str, Any] = {}
    for arch in arches:
        layout = root / "images" / arch
        entries = []
        for name, (kind, layers) in images.items():
            manifest = {
                "config": write_blob(layout, json.dumps({"arch": arch}).encode()),
                "layers": [write_blob(layout, layer) for layer in layers],
            }
            entry = write_blob(layout, json.dumps(manifest).encode()) | {"mediaType": MANIFEST}
            entries.append(entry | {"annotations": {push.REF_NAME: name}})
            listed[name] = {"digest": entry["digest"], "bytes": 1, "set": kind}
        (layout / "oci-layout").write_text("{}")
        (layout / "index.json").write_text(json.dumps({"manifests": entries}))
    (root / "images" / "index.json").write_text(json.dumps(listed))
    return root


def push_all(images: list[Any], memory: Memory) -> Any:
    with (
        httpx.Client(base_url="https://registry", transport=httpx.MockTransport(memory)) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        registry = push.Registry(client)
        for image in images:
            push.push(registry, image, pool)
        return registry


OWN = "registry.atoll.internal:5000/atoll/platform:0.1.0"
FOREIGN = "registry.k8s.io/kueue/kueue:v0.19.2"


def test_our_images_keep_their_path_and_others_lie_below_their_upstream(tmp_path: Path) -> None:
    bundle = bundle_with(tmp_path, {OWN: ("platform", [b"a"]), FOREIGN: ("platform", [b"b"])})
    found = {image.name: (image.repository, image.tag) for image in push.images_of(bundle, ["platform"])}
    assert found == {
        OWN: ("atoll/platform", "0.1.0"),
        FOREIGN: ("registry.k8s.io/kueue/kueue", "v0.19.2"),
    }


def test_only_the_wanted_sets_are_pushed(tmp_path: Path) -> None:
    bundle = bundle_with(tmp_path, {OWN: ("platform", [b"a"]), FOREIGN: ("framework", [b"b"])})
    assert [image.name for image in push.images_of(bundle, ["framework"])] == [FOREIGN]


def test_a_shared_layer_is_sent_once_and_linked_afterwards(tmp_path: Path) -> None:
    bundle = bundle_with(tmp_path, {OWN: ("platform", [b"shared" * 9, b"x"]), FOREIGN: ("platform", [b"shared" * 9])})
    memory = Memory()
    registry = push_all(push.images_of(bundle, ["platform"]), memory)
    assert ("registry.k8s.io/kueue/kueue", "v0.19.2") in memory.manifests
    assert ("atoll/platform", "0.1.0") in memory.manifests
    assert registry.bytes_sent == len(b"shared" * 9) + 1 + len(json.dumps({"arch": "amd64"}))


def test_a_second_push_sends_no_blob(tmp_path: Path) -> None:
    images = push.images_of(bundle_with(tmp_path, {OWN: ("platform", [b"a"])}), ["platform"])
    memory = Memory()
    push_all(images, memory)
    assert push_all(images, memory).bytes_sent == 0


def test_before_the_first_image_is_sent_the_phase_has_begun(tmp_path: Path) -> None:
    """The name of an image of ours is that of a version: two trees give it to different images."""
    images = push.images_of(bundle_with(tmp_path, {OWN: ("platform", [b"a"])}), ["platform"])
    memory = Memory()
    seen: list[int] = []
    with (
        httpx.Client(base_url="https://registry", transport=httpx.MockTransport(memory)) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        registry = push.Registry(client)
        push.push_all(registry, push.lacking(registry, images, pool), pool, lambda: seen.append(len(memory.manifests)))
        assert (seen, len(memory.manifests)) == ([0], 2)
        push.push_all(registry, push.lacking(registry, images, pool), pool, lambda: seen.append(len(memory.manifests)))
        assert seen == [0]


def test_two_architectures_become_one_tag(tmp_path: Path) -> None:
    images = push.images_of(bundle_with(tmp_path, {OWN: ("platform", [b"a"])}, ("amd64", "arm64")), ["platform"])
    memory = Memory()
    push_all(images, memory)
    index = json.loads(memory.manifests["atoll/platform", "0.1.0"])
    assert [entry["platform"]["architecture"] for entry in index["manifests"]] == ["amd64", "arm64"]
    assert push.top_manifest(images[0])[1] == (
        "sha256:" + hashlib.sha256(memory.manifests["atoll/platform", "0.1.0"]).hexdigest()
    )


def test_what_the_registry_refuses_is_said(tmp_path: Path) -> None:
    images = push.images_of(bundle_with(tmp_path, {OWN: ("platform", [b"a"])}), ["platform"])
    refusing = httpx.MockTransport(lambda _request: httpx.Response(403, text="read only"))
    with httpx.Client(base_url="https://registry", transport=refusing) as client, ThreadPoolExecutor(1) as pool:
        with pytest.raises(push.PushError, match=r"403 .* read only"):
            push.push(push.Registry(client), images[0], pool)
        with pytest.raises(push.PushError, match="403"):
            push.Registry(client).digest_of("atoll/platform", "0.1.0")


def test_a_bundle_without_images_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(push.PushError, match="atoll bundle"):
        push.images_of(tmp_path, ["platform"])
