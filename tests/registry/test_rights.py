"""What each certificate may do at the registry: nodes pull, a writer changes its own project, a stranger nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import httpx
import pytest

from installer.images.registry import MANIFEST, Registry

INSTALLER, VERIFICATION, NODE = "registry/client", "registry/verification/storage1", "registry/nodes/worker1"
As = Callable[[str | None], httpx.Client]
CONTENT = b"a layer that the installer pushed"
DIGEST = "sha256:" + hashlib.sha256(CONTENT).hexdigest()
CONFIG = b"{}"
CONFIG_DIGEST = "sha256:" + hashlib.sha256(CONFIG).hexdigest()
BODY = json.dumps(
    {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": CONFIG_DIGEST, "size": 2},
        "layers": [
            {"mediaType": "application/vnd.oci.image.layer.v1.tar", "digest": DIGEST, "size": len(CONTENT)},
        ],
    }
).encode()
BODY_DIGEST = "sha256:" + hashlib.sha256(BODY).hexdigest()
# Each as it would be for an image that is there: method, path.
PULLS = [
    ("GET", "/v2/"),
    ("HEAD", "/v2/atoll/platform/manifests/1"),
    ("GET", "/v2/atoll/platform/manifests/1"),
    ("GET", f"/v2/atoll/platform/manifests/{BODY_DIGEST}"),
    ("HEAD", f"/v2/atoll/platform/blobs/{DIGEST}"),
    ("GET", f"/v2/atoll/platform/blobs/{DIGEST}"),
    ("GET", "/v2/atoll/platform/tags/list"),
]
CHANGES = [
    ("POST", "/v2/atoll/platform/blobs/uploads/"),
    ("POST", f"/v2/atoll/platform/blobs/uploads/?digest={DIGEST}"),
    ("POST", "/v2/verification/blobs/uploads/"),
    ("POST", "/v2/verificationx/upload/blobs/uploads/"),
    ("POST", "/v2/atoll/verification/blobs/uploads/"),
    ("PUT", "/v2/atoll/platform/manifests/1"),
    ("PUT", "/v2/atoll/platform/manifests/2"),
    ("PUT", f"/v2/atoll/platform/manifests/{BODY_DIGEST}"),
    ("DELETE", "/v2/atoll/platform/manifests/1"),
    ("DELETE", f"/v2/atoll/platform/manifests/{BODY_DIGEST}"),
    ("DELETE", f"/v2/atoll/platform/blobs/{DIGEST}"),
    ("GET", "/v2/_catalog"),
]
# Other ways to write the same, and ways out of one's own project. None may succeed.
DETOURS = [
    ("POST", "/v2//atoll/platform/blobs/uploads/"),
    ("POST", "//v2/atoll/platform/blobs/uploads/"),
    ("POST", "/v2/verification%2f..%2fatoll/platform/blobs/uploads/"),
    ("POST", "/v2/verification/../atoll/platform/blobs/uploads/"),
    ("POST", "/v2/verification/%2e%2e/atoll/platform/blobs/uploads/"),
    ("POST", "/v2/atoll%2fplatform/blobs/uploads/"),
    ("PUT", "/v2/verification/upload/../../atoll/platform/manifests/1"),
    ("DELETE", "/v2/verification/upload/../../atoll/platform/manifests/1"),
    ("PROPFIND", "/v2/atoll/platform/manifests/1"),
]


def ask(client: httpx.Client, method: str, path: str) -> httpx.Response:
    """The path as it stands here: httpx would tidy it up."""
    url = client.base_url.copy_with(raw_path=path.encode())
    body = BODY if method == "PUT" else b""
    return client.request(method, url, content=body, headers={"Content-Type": MANIFEST, "Accept": MANIFEST})


@pytest.fixture
def image(as_: As) -> Registry:
    """The installer puts it there, and says afterwards whether it is."""
    registry = Registry(as_(INSTALLER))
    registry.put_blob("atoll/platform", CONFIG_DIGEST, len(CONFIG), lambda: [CONFIG])
    registry.put_blob("atoll/platform", DIGEST, len(CONTENT), lambda: [CONTENT])
    registry.put_manifest("atoll/platform", "1", MANIFEST, BODY)
    return registry


@pytest.mark.parametrize("name", [NODE, VERIFICATION, INSTALLER])
def test_whoever_has_a_certificate_of_the_authority_pulls(name: str, as_: As, image: Registry) -> None:
    client = as_(name)
    told = {(method, path): ask(client, method, path).status_code for method, path in PULLS}
    assert told == dict.fromkeys(PULLS, 200)
    assert image.tags("atoll/platform") == ["1"]


@pytest.mark.parametrize("name", [NODE, VERIFICATION])
def test_nobody_else_changes_what_the_installer_put_there(name: str, as_: As, image: Registry) -> None:
    client = as_(name)
    told = {(method, path): ask(client, method, path).status_code for method, path in CHANGES}
    assert told == dict.fromkeys(CHANGES, 401)
    for method, path in DETOURS:
        assert ask(client, method, path).status_code not in range(200, 300), (method, path)
    assert image.tags("atoll/platform") == ["1"]
    assert image.digest_of("atoll/platform", "1") == BODY_DIGEST
    assert image.digest_of("atoll/platform", BODY_DIGEST) == BODY_DIGEST
    assert image.client.get(f"/v2/atoll/platform/blobs/{DIGEST}").content == CONTENT
    assert set(image.repositories("atoll")) == {"atoll/platform"}


def test_an_upload_that_another_began_is_not_gone_on_with(as_: As, image: Registry) -> None:
    begun = image.client.post("/v2/atoll/platform/blobs/uploads/")
    place = begun.headers["Location"]
    for name in (NODE, VERIFICATION):
        client = as_(name)
        assert client.patch(place, content=CONTENT).status_code == 401
        assert client.put(f"{place}&digest={DIGEST}", content=CONTENT).status_code == 401
        assert client.delete(place).status_code == 401
        assert client.patch(place.replace("atoll/platform", "verification/upload")).status_code not in range(200, 300)
    assert image.client.delete(place).status_code == 204


def test_a_writer_changes_its_own_project_only(as_: As, image: Registry) -> None:
    client = as_(VERIFICATION)
    own = "/v2/verification/upload/blobs"
    begun = client.post(f"{own}/uploads/")
    assert begun.status_code == 202
    assert client.delete(begun.headers["Location"]).status_code == 204
    # What it may pull it may mount into its own project, and nothing from there into another's.
    mounted = client.post(f"{own}/uploads/", params={"mount": DIGEST, "from": "atoll/platform"})
    assert mounted.status_code == 201
    elsewhere = {"mount": DIGEST, "from": "verification/upload"}
    assert client.post("/v2/frameworks/numpy/blobs/uploads/", params=elsewhere).status_code == 401
    assert as_(NODE).post(f"{own}/uploads/", params={"mount": DIGEST, "from": "atoll/platform"}).status_code == 401
    assert client.delete(f"{own}/{DIGEST}").status_code == 202
    assert image.client.get(f"/v2/atoll/platform/blobs/{DIGEST}").content == CONTENT


# With none, and with the installer's name from another authority below the same root.
@pytest.mark.parametrize("certificate", [None, "gateway/portal"])
def test_without_a_certificate_of_its_authority_nobody_is_let_in(certificate: str | None, as_: As) -> None:
    with pytest.raises(httpx.TransportError, match=r"(?i)alert"):
        as_(certificate).get("/v2/")


def test_the_installer_removes_what_it_put_there(as_: As, image: Registry) -> None:
    client = as_(INSTALLER)
    assert "atoll/platform" in image.repositories("atoll")
    assert client.delete(f"/v2/atoll/platform/manifests/{BODY_DIGEST}").status_code == 202
    assert image.digest_of("atoll/platform", "1") is None
