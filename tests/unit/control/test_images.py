"""The registry's images as the control service tells them. Needs nothing but this machine."""

import shutil
import socket
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from installer.control.routers import images
from installer.images.registry import connect
from tests.unit.control.conftest import Running


def test_images_are_those_of_the_registry(client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    config = {"architecture": "amd64", "os": "linux", "config": {"Cmd": ["run"], "WorkingDir": "/app"}}
    parts = {"config": {"digest": "sha256:c", "size": 3}, "layers": [{"digest": "sha256:l", "size": 4}]}

    def registry(request: httpx.Request) -> httpx.Response:
        answers: dict[str, Any] = {
            "/v2/_catalog": {"repositories": ["imported/tool"]},
            "/v2/imported/tool/tags/list": {"tags": ["1"]},
            "/v2/imported/tool/manifests/1": parts,
            "/v2/imported/tool/blobs/sha256:c": config,
        }
        found = answers.get(request.url.path)
        headers = {"Docker-Content-Digest": "sha256:m"}
        return httpx.Response(200 if found else 404, json=found, headers=headers)

    monkeypatch.setattr(
        images,
        "connect",
        lambda _pki, **_: httpx.Client(base_url="https://r", transport=httpx.MockTransport(registry)),
    )
    listed = client.get("/images").json()["items"]
    assert [(item["repository"], item["tag"], item["size_bytes"]) for item in listed] == [("imported/tool", "1", 7)]
    described = client.get("/images/described", params={"repository": "imported/tool", "tag": "1"}).json()
    assert (described["command"], described["working_directory"], described["digest"]) == (["run"], "/app", "sha256:m")
    missing = client.get("/images/described", params={"repository": "imported/tool", "tag": "2"})
    assert (missing.status_code, missing.json()["code"]) == (404, "no_such_image")
    # What would be another address of the registry is never asked there.
    for repository, tag in (
        ("../secrets", "2"),
        ("other/../imported/tool", "1"),
        ("imported/tool", ".."),
        ("a", "b/c"),
    ):
        odd = client.get("/images/described", params={"repository": repository, "tag": tag})
        assert (odd.status_code, odd.json()["code"]) == (422, "no_image_name")


def test_a_registry_that_does_not_answer_is_named(client: httpx.Client) -> None:
    answer = client.get("/images")
    assert (answer.status_code, answer.json()["code"]) == (503, "registry_unavailable")


def test_a_registry_that_hangs_is_not_waited_for_longer_than_who_asks_waits(
    client: httpx.Client, control: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pki = control.settings.state / "pki" / "registry"
    pki.mkdir(parents=True)
    shutil.copy(control.authority.file, pki / "ca.crt")
    for source, name in zip(control.authority.issue("registry"), ("client.crt", "client.key"), strict=True):
        shutil.copy(source, pki / name)
    assert images.ANSWER_S * 3 < 30  # a connection is tried three times
    monkeypatch.setattr(images, "ANSWER_S", 0.3)
    with socket.socket(socket.AF_UNIX) as hanging:
        hanging.bind(str(tmp_path / "r"))
        hanging.listen()
        transport = {"uds": str(tmp_path / "r")}
        monkeypatch.setattr(images, "connect", lambda pki, **more: connect(pki, transport, **more))
        began = time.monotonic()
        answer = client.get("/images", timeout=10)

    assert (answer.status_code, answer.json()["code"]) == (503, "registry_unavailable")
    assert time.monotonic() - began < 5
