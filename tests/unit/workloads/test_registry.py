"""Who may change what at the registry, as it is rendered, and which images tasks get from it. Needs nothing."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from cryptography import x509
from cryptography.x509.oid import NameOID

from .conftest import Rendered

FILE = "/etc/atoll/registry/config.yml"
WRITERS = {"atoll:installer": ["*"], "atoll:verification": ["verification"]}
PINNED = re.compile(r"[a-z0-9.]+(:5000)?/[a-z0-9/-]+:[^@:/]+@sha256:[0-9a-f]+")


def common_names(folder: Path) -> dict[str, str]:
    """The registry's certificates, and as whom each is known to it."""
    found = {}
    for file in folder.rglob("*.crt"):
        if file.name not in ("ca.crt", "issuer.crt"):
            leaf, *_ = x509.load_pem_x509_certificates(file.read_bytes())
            (name,) = leaf.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
            found[str(file.relative_to(folder))] = str(name.value)
    return found


def test_only_the_installer_and_the_verification_write_to_the_registry(rendered: Rendered) -> None:
    texts = [file.text or "" for file in rendered.files if file.dest == FILE]
    assert texts
    for text in texts:
        configuration = yaml.safe_load(text)
        assert configuration.get("auth") == {"certificates": WRITERS}
        assert configuration["http"]["tls"]["clientcas"] == ["/etc/atoll/registry/clients.crt"]
    names = common_names(rendered.state / "pki/registry")
    writing = {file for file, name in names.items() if name in WRITERS}
    assert {file.partition("/")[0] for file in writing} == {"client.crt", "verification"}
    assert names["client.crt"] == "atoll:installer"
    nodes = [name for file, name in names.items() if file.startswith("nodes/")]
    assert nodes
    # A node may have any name but one with a colon in it.
    assert all(":" in name for name in WRITERS)
    assert not any(":" in name for name in nodes)


def test_tasks_get_the_very_images_of_the_bundle_whatever_the_tags_say_later(rendered: Rendered) -> None:
    for service in ("api", "jobs"):
        content = yaml.safe_load(rendered.one("ConfigMap", f"{service}-config")["data"]["config.yaml"])
        images = [content["engine"]["runtime"], *(framework["image"] for framework in content["frameworks"])]
        assert len(images) == 3
        for image in images:
            assert PINNED.fullmatch(image), image


def test_what_the_system_pulls_from_the_registry_is_pinned(rendered: Rendered) -> None:
    found = {
        container["image"]
        for _, template in rendered.workloads()
        for container in (*template["spec"]["containers"], *template["spec"].get("initContainers", ()))
    }
    assert found
    assert [image for image in found if not PINNED.fullmatch(image)] == []
