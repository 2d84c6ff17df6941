"""Between the services there is TLS: the gateway's own nginx before strangers, and the names by which all know all."""

from __future__ import annotations

import base64
import re
import ssl
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import yaml
from cryptography import x509

from tests.unit.strangers import SECRET, Somebody

from .conftest import Rendered
from .gateway import Change, configuration, nginx, started

__all__ = ["nginx"]

SERVICES = ("api", "jobs", "files")


def ask(rendered: Rendered, nginx: Path, folder: Path, port: int) -> httpx.Response:
    """Ask the gateway for something of the API's, which is whoever listens on `port`."""
    changes: tuple[Change, ...] = (
        (r"server api\.atoll-system\.svc\.[a-z.]+:8000", f"server 127.0.0.1:{port}"),
        (r"listen (\d+)(?: ssl http2[^;]*)?;", lambda m: f"listen unix:{folder}/s{m[1]};"),
        (r"  ssl_certificate.*", ""),
        (r"/etc/atoll/tls/services_authority", f"{rendered.state}/pki/platform/ca.crt"),
    )
    with started(nginx, configuration(rendered), folder, *changes):
        way = httpx.HTTPTransport(uds=str(folder / "s8443"))
        with httpx.Client(transport=way, base_url="http://portal", timeout=30) as client:
            return client.get("/api/v1/about", headers={"Cookie": f"atoll_session={SECRET}"})


def test_the_gateway_asks_the_api(rendered: Rendered, nginx: Path, tmp_path: Path) -> None:
    with Somebody.at_work(rendered.state / "pki/platform/api.crt") as api:
        assert ask(rendered, nginx, tmp_path, api.port).status_code == 200
    assert SECRET.encode() in api.heard


@pytest.mark.parametrize(
    ("shown", "newest"),
    [("database/server", None), ("platform/jobs", None), ("platform/api", ssl.TLSVersion.TLSv1_2), (None, None)],
    ids=["of another authority", "another service", "by an older TLS", "in clear"],
)
def test_who_is_not_the_api_is_told_nothing(
    rendered: Rendered, nginx: Path, tmp_path: Path, shown: str | None, newest: ssl.TLSVersion | None
) -> None:
    with Somebody.at_work(rendered.state / f"pki/{shown}.crt" if shown else None, newest) as stranger:
        assert ask(rendered, nginx, tmp_path, stranger.port).status_code == 502
    assert SECRET.encode() not in stranger.heard


def names_in(rendered: Rendered, service: str) -> set[str]:
    """The names in the certificate that a service is given."""
    shown = base64.b64decode(rendered.one("Secret", f"{service}-tls")["data"]["tls.crt"])
    found = x509.load_pem_x509_certificate(shown).extensions.get_extension_for_class(x509.SubjectAlternativeName)
    return set(found.value.get_values_for_type(x509.DNSName))


def told(rendered: Rendered, service: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = yaml.safe_load(
        rendered.one("ConfigMap", f"{service}-config")["data"]["config.yaml"]
    )
    return found


@pytest.mark.parametrize("service", SERVICES)
def test_each_service_shows_the_name_by_which_it_is_asked_and_no_name_of_another(
    rendered: Rendered, service: str
) -> None:
    names = names_in(rendered, service)
    if service == "api":
        (asked,) = re.findall(r"proxy_ssl_name (\S+);", configuration(rendered))
    else:
        urls = {urlsplit(told(rendered, caller)["services"][service]) for caller in SERVICES}
        assert {url.scheme for url in urls} == {"https"}
        (asked,) = {url.hostname for url in urls}
    assert asked in names
    (prometheus,) = [
        job
        for job in yaml.safe_load(rendered.one("ConfigMap", "prometheus-config")["data"]["prometheus.yaml"])[
            "scrape_configs"
        ]
        if job["job_name"] == "services"
    ]
    assert prometheus["scheme"] == "https"
    common = {prometheus["tls_config"]["server_name"]}
    assert common <= names
    for other in set(SERVICES) - {service}:
        assert names & names_in(rendered, other) == common, "one could answer in another's place"


def test_prometheus_shows_the_name_by_which_the_api_asks_it(rendered: Rendered) -> None:
    asked = urlsplit(told(rendered, "api")["prometheus"]["url"])
    shown = base64.b64decode(rendered.one("Secret", "measurements-certificate")["data"]["tls.crt"])
    found = x509.load_pem_x509_certificate(shown).extensions.get_extension_for_class(x509.SubjectAlternativeName)
    assert {asked.hostname, "localhost"} <= set(found.value.get_values_for_type(x509.DNSName))
    (container,) = rendered.one("StatefulSet", "prometheus")["spec"]["template"]["spec"]["containers"]
    assert "--web.config.file=/etc/prometheus/web.yaml" in container["args"]
    web = yaml.safe_load(rendered.one("ConfigMap", "prometheus-config")["data"]["web.yaml"])
    assert web["tls_server_config"]["min_version"] == "TLS13"
    authority = base64.b64decode(rendered.one("Secret", "platform-secrets")["data"]["measurements_authority"])
    assert authority == (rendered.state / "pki/monitoring/ca.crt").read_bytes()


@pytest.mark.parametrize("service", SERVICES)
def test_each_service_holds_its_own_key_and_no_other(rendered: Rendered, service: str) -> None:
    spec = rendered.one("Deployment", service)["spec"]["template"]["spec"]
    held = {
        source["secret"]["name"]
        for volume in spec["volumes"]
        for source in volume.get("projected", {}).get("sources", [])
    }
    assert {name for name in held if name.endswith("-tls")} == {f"{service}-tls"}
    paths = {
        item["path"]
        for volume in spec["volumes"]
        for source in volume.get("projected", {}).get("sources", [])
        for item in source["secret"].get("items", [])
    }
    given = told(rendered, service)
    named = {*given["tls"].values(), given["services"]["authority"]}
    assert {Path(name).name for name in named} <= paths
    assert {Path(name).parent for name in named} == {Path("/etc/atoll/secrets")}


@pytest.mark.parametrize("service", SERVICES)
def test_the_kubelet_asks_for_health_by_tls(rendered: Rendered, service: str) -> None:
    (container,) = rendered.one("Deployment", service)["spec"]["template"]["spec"]["containers"]
    probes = [container[f"{kind}Probe"]["httpGet"] for kind in ("startup", "readiness", "liveness")]
    assert {(probe["port"], probe["scheme"]) for probe in probes} == {("https", "HTTPS")}
