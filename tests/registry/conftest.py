"""Needs the bundle (built or in the cache): its registry runs here, with the role's configuration and certificates."""

from __future__ import annotations

import os
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import jinja2
import pytest
import yaml

from tests.ports import free_ports
from tests.system.harness import ROOT, bundled, wait_for
from tests.unit.plugins.conftest import load

ROLE = ROOT / "roles/registry"
# By the names of their certificates, as phase `certificates` makes them.
COMMON_NAMES = {"client": "atoll:installer", "verification/storage1": "atoll:verification", "nodes/worker1": "worker1"}


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The registry of the bundle; one that is named is taken as it is."""
    return bundled(tmp_path_factory.mktemp("bundle"), "program/registry") / "bin/amd64/registry"


@pytest.fixture(scope="session")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates of the registry's authority, and one of another below the same root."""
    folder = tmp_path_factory.mktemp("pki")
    authority = load("module_utils", "atoll_authority").Pki(folder, "demo")
    authority.certificate("registry/server", names=["localhost", "127.0.0.1"])
    for name, common_name in COMMON_NAMES.items():
        authority.certificate(f"registry/{name}", common_name=common_name, usages=["client"])
    authority.certificate("gateway/portal", common_name="atoll:installer", usages=["client"])
    return folder


@pytest.fixture(scope="session")
def address(program: Path, pki: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the registry of a node runs: its configuration, with other places in it."""
    folder = tmp_path_factory.mktemp("registry")
    (port,) = free_ports(1)
    writers = yaml.safe_load((ROLE / "vars/main.yml").read_text("utf-8"))["registry_writers"]
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)  # noqa: S701 - no page
    environment.filters["to_json"] = lambda value: yaml.safe_dump(value, default_flow_style=True).strip()
    template = environment.from_string((ROLE / "templates/distribution/config.yml.j2").read_text("utf-8"))
    text = template.render(registry_directory=folder / "images", registry_writers=writers)
    moved = {
        ":5443": f"127.0.0.1:{port}",
        "/etc/atoll/registry/server.": f"{pki}/registry/server.",
        "/etc/atoll/registry/clients.crt": f"{pki}/registry/issuer.crt",
    }
    for ours, here in moved.items():
        assert ours in text
        text = text.replace(ours, here)
    (folder / "config.yml").write_text(text, "utf-8")
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen(
            [program, "serve", folder / "config.yml"],
            env={**os.environ, "OTEL_TRACES_EXPORTER": "none"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        with caller(f"https://127.0.0.1:{port}", pki, "registry/client") as client:
            wait_for(f"the registry ({folder / 'log'})", lambda: answers(client), 30)
        yield f"https://127.0.0.1:{port}"
    finally:
        running.kill()
        running.wait()


def caller(address: str, pki: Path, certificate: str | None) -> httpx.Client:
    context = ssl.create_default_context(cafile=pki / "ca.crt")
    if certificate:
        context.load_cert_chain(pki / f"{certificate}.crt", pki / f"{certificate}.key")
    return httpx.Client(base_url=address, verify=context, timeout=30, trust_env=False)


def answers(client: httpx.Client) -> bool:
    try:
        return client.get("/v2/").status_code == 200
    except httpx.TransportError:
        return False


@pytest.fixture
def as_(address: str, pki: Path) -> Iterator[Callable[[str | None], Any]]:
    """A client of the registry, by the name of its certificate."""
    with ExitStack() as stack:
        yield lambda name: stack.enter_context(caller(address, pki, name))
