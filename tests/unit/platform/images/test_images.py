"""Which image of the registry a request means, and the list of them with a control service behind it."""

from typing import Any, cast

import httpx
import pytest
from atoll.control.client import ControlClient
from atoll.images.references import parse
from atoll.images.service import ImageService, Own

from installer.control.routers import images
from installer.images.names import is_name
from tests.unit.control.conftest import Running, control, kubernetes
from tests.unit.platform.conftest import RunningPlatform
from tests.unit.platform.training.test_own_images import DIGEST, IMAGE, REGISTRY, FakeControl, configuration

__all__ = ["control", "kubernetes"]


@pytest.fixture
def different(control: Running) -> dict[str, Any]:
    """The platform has its own certificate for the control service, whose database knows the platform's users."""
    for who in ("administrators/admin", "users/ada"):
        (control.nodes / who).touch()
    certificate, key = control.authority.issue("platform")
    ca = control.authority.file
    return {"control": {"url": control.url, "certificate": certificate, "key": key, "ca": ca}}


async def test_imported_images_are_listed_for_whoever_may_start_tasks(
    platform: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: dict[str, Any] = {
        "/v2/_catalog": {"repositories": ["imported/tool"]},
        "/v2/imported/tool/tags/list": {"tags": ["1"]},
        "/v2/imported/tool/manifests/1": {"config": {"digest": "sha256:c", "size": 3}, "layers": []},
        "/v2/imported/tool/blobs/sha256:c": {"architecture": "amd64", "os": "linux", "config": {"Cmd": ["run"]}},
    }

    def registry(request: httpx.Request) -> httpx.Response:
        told = found.get(request.url.path)
        return httpx.Response(200 if told else 404, json=told, headers={"Docker-Content-Digest": DIGEST})

    def connect(_pki: object, **_: object) -> httpx.Client:
        return httpx.Client(base_url="https://r", transport=httpx.MockTransport(registry))

    ada = await platform.user(await platform.admin(), "ada")
    unreachable = await ada.get("/images")
    assert (unreachable.status_code, unreachable.json()["code"]) == (503, "registry_unavailable")
    monkeypatch.setattr(images, "connect", connect)
    (image,) = (await ada.get("/images")).json()["items"]
    assert (image["repository"], image["tag"], image["architectures"]) == ("imported/tool", "1", ["amd64"])
    assert image["reference"].endswith("/imported/tool:1")


async def test_an_image_is_found_by_its_whole_name_or_is_said_to_be_missing() -> None:
    service = ImageService(configuration(), cast("ControlClient", FakeControl()))
    found = await service.find(IMAGE, "ada")
    assert found.problem is None
    assert found.description is not None
    assert found.description.digest == DIGEST
    for text, code in ((f"{REGISTRY}/imported/other:1", "no_such_image"), ("busybox", "image_not_of_registry")):
        problem = (await service.find(text, "ada")).problem
        assert problem is not None
        assert problem.at("image").code == code
    without = (await ImageService(configuration(), None).find(IMAGE, "ada")).problem
    assert without is not None
    assert without.at("image").code == "no_own_images"


def test_a_reference_is_of_the_clusters_registry_or_none() -> None:
    found = parse(f"{REGISTRY}/a/b", REGISTRY)
    assert found is not None
    assert (found.repository, found.tag) == ("a/b", "latest")
    for text in ("a/b", f"{REGISTRY}/", f"{REGISTRY}/a@sha256:1", f"{REGISTRY}/../a", f"{REGISTRY}//a", ""):
        assert parse(text, REGISTRY) is None
    assert Own().description is None


@pytest.mark.parametrize(
    "repository",
    ["imported/team/tool", "a.b/c__d-e--f", "a..b", "a/../b", "a/./b", "a//b", "-a", "a-", "A", "a._b"],
)
def test_the_api_and_the_control_service_agree_on_what_is_a_name(repository: str) -> None:
    assert (parse(f"{REGISTRY}/{repository}:1", REGISTRY) is not None) == is_name(repository, "1")
