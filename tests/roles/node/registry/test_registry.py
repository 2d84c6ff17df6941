"""The registry serves those with a certificate of its authority, and nobody else."""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

UNIT = "atoll-registry.service"
CONTENT = b"a blob that the test of the role pushed"
DIGEST = "sha256:" + hashlib.sha256(CONTENT).hexdigest()


def client(variables: dict[str, Any], pki: Path, certificate: str | None) -> httpx.Client:
    context = ssl.create_default_context(cafile=pki / "ca.crt")
    if certificate:
        context.load_cert_chain(pki / f"{certificate}.crt", pki / f"{certificate}.key")
    return httpx.Client(base_url=f"https://{variables['atoll_node']['address']}:5443", verify=context)


@pytest.fixture
def pusher(variables: dict[str, Any], pki: Path) -> Iterator[httpx.Client]:
    with client(variables, pki, "registry/client") as opened:
        yield opened


def test_the_registry_runs_now_and_at_the_next_boot_as_nobody_special(host: Any, listening: set[str]) -> None:
    service = host.service(UNIT)
    assert service.is_running
    assert service.is_enabled
    assert host.check_output(f"stat --format %U /proc/$(systemctl show -p MainPID --value {UNIT})") == "atoll-registry"
    assert "*:5443" in listening


def test_only_root_changes_its_files_and_only_the_registry_reads_its_key(
    variables: dict[str, Any], attributes: Callable[..., list[str]]
) -> None:
    here = "/etc/atoll/registry"
    assert attributes("/opt/atoll/bin/registry", f"/etc/systemd/system/{UNIT}") == ["755 root:root", "644 root:root"]
    assert attributes(here, f"{here}/config.yml", f"{here}/server.key") == [
        "750 root:atoll-registry",
        "640 root:atoll-registry",
        "640 root:atoll-registry",
    ]
    assert attributes(f"{here}/verification.key") == ["600 root:root"]
    assert attributes(variables["registry_directory"]) == ["750 atoll-registry:atoll-registry"]


def test_a_client_with_a_certificate_pushes_and_pulls(
    host: Any, variables: dict[str, Any], pusher: httpx.Client
) -> None:
    begun = pusher.post("/v2/roles/probe/blobs/uploads/")
    assert begun.status_code == 202, begun.text
    stored = pusher.put(f"{begun.headers['Location']}&digest={DIGEST}", content=CONTENT)
    assert stored.status_code == 201, stored.text
    assert pusher.get(f"/v2/roles/probe/blobs/{DIGEST}").content == CONTENT
    digest = DIGEST.removeprefix("sha256:")
    place = f"{variables['registry_directory']}/docker/registry/v2/blobs/sha256/{digest[:2]}/{digest}/data"
    assert host.file(place).user == "atoll-registry"


def test_a_node_pulls_with_its_own_certificate_and_changes_nothing(
    variables: dict[str, Any], pki: Path, pusher: httpx.Client
) -> None:
    blob = f"/v2/roles/probe/blobs/{DIGEST}"
    with client(variables, pki, "registry/nodes/node1") as node:
        assert node.get(blob).content == CONTENT
        assert node.post("/v2/roles/probe/blobs/uploads/").status_code == 401
        assert node.delete(blob).status_code == 401
    assert pusher.get(blob).content == CONTENT


def test_the_verification_has_an_upload_of_its_own_and_no_other(variables: dict[str, Any], pki: Path) -> None:
    with client(variables, pki, "registry/verification/node1") as verification:
        begun = verification.post("/v2/verification/upload/blobs/uploads/")
        assert begun.status_code == 202
        assert verification.delete(begun.headers["Location"]).status_code == 204
        assert verification.post("/v2/roles/probe/blobs/uploads/").status_code == 401


# Signed by nobody, by an authority of its own, and by another one below the same root.
@pytest.mark.parametrize("certificate", [None, "control/administrator", "gateway/portal"])
def test_without_a_certificate_of_its_authority_nobody_is_let_in(
    certificate: str | None, variables: dict[str, Any], pki: Path
) -> None:
    with client(variables, pki, certificate) as stranger, pytest.raises(httpx.TransportError, match=r"(?i)alert"):
        stranger.get("/v2/")


def test_it_does_not_speak_without_tls(variables: dict[str, Any]) -> None:
    answer = httpx.get(f"http://{variables['atoll_node']['address']}:5443/v2/")
    assert answer.status_code == 400
    assert "HTTPS" in answer.text
