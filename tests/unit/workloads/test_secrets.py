"""Who is handed which secret. Needs nothing."""

from __future__ import annotations

import base64
import json
import stat
from pathlib import Path
from typing import Any

import yaml

from .conftest import Rendered


def test_secrets_are_in_secrets_only(rendered: Rendered) -> None:
    secrets = yaml.safe_load((rendered.state / "secrets.yaml").read_text())
    assert {"admin_password", "database_password", "internal_token"} <= set(secrets)
    for item in rendered.objects():
        text = json.dumps(item)
        if item["kind"] != "Secret":
            for name, value in secrets.items():
                assert value not in text, f"{name} in {item['kind']} {item['metadata']['name']}"
                assert base64.b64encode(value.encode()).decode() not in text
    held = rendered.one("Secret", "platform-secrets")["data"]
    assert base64.b64decode(held["admin_password"]).decode() == secrets["admin_password"]


def secrets_of(template: dict[str, Any]) -> dict[str, set[str]]:
    """What a pod is handed: keys by the name of their Secret, none where it gets all of them."""
    held: dict[str, set[str]] = {}
    for volume in template["spec"].get("volumes", ()):
        for source in [volume, *volume.get("projected", {}).get("sources", ())]:
            if secret := source.get("secret"):
                keys = {item["key"] for item in secret.get("items", ())}
                held.setdefault(secret.get("secretName") or secret["name"], set()).update(keys)
    return held


def test_a_secret_is_handed_to_services_that_read_it_and_none_without(rendered: Rendered) -> None:
    held = {
        name: secrets_of(template).get("platform-secrets", set()) for name, template in rendered.workloads("platform")
    }
    own = {name.partition("-")[0]: keys - {"internal_token"} for name, keys in held.items() if keys}
    assert own == {
        # It alone asks the control service, and Prometheus.
        "Deployment api": {"control.crt", "control.key", "ca.crt", "measurements_authority"},
        "Deployment jobs": set(),
        "Deployment files": set(),
        "Job migration": {"admin_password"},
    }
    handed = {key for keys in held.values() for key in keys}
    data = rendered.one("Secret", "platform-secrets")["data"]
    # Pods of an earlier version name these: the one says nothing, the other opens nothing when they are gone.
    assert data.pop("session_key") == ""
    assert data.pop("database_password")
    assert data.keys() == handed
    read = "\n".join(file.read_text("utf-8") for file in Path("platform/atoll").rglob("*.py"))
    read += "\n".join(json.dumps(item["data"]) for item in rendered.objects("platform") if item["kind"] == "ConfigMap")
    assert {name for name in handed if f'secret("{name}")' not in read and f"/secrets/{name}" not in read} == set()


def test_each_service_signs_in_to_the_database_as_itself_and_only_the_migration_as_the_owner(
    rendered: Rendered,
) -> None:
    accounts = {"api": "api", "jobs": "jobs", "migration": "owner"}
    passwords = set()
    held = {
        template["metadata"]["labels"]["app.kubernetes.io/name"]: secrets_of(template)
        for _, template in rendered.workloads("platform")
    }
    for service, secrets in held.items():
        own = {name for name in secrets if name.startswith("database-")}
        assert own == ({f"database-{accounts[service]}"} if service in accounts else set()), f"{service} holds {own}"
        if service not in accounts:
            continue
        account = accounts[service]
        told = yaml.safe_load(rendered.one("ConfigMap", f"{service}-config")["data"]["config.yaml"])["database"]
        assert told["user"] == f"atoll_{account}"
        data = rendered.one("Secret", f"database-{account}")["data"]
        assert {told["password_file"], told["authority"]} == {f"/etc/atoll/secrets/{key}" for key in data}
        assert base64.b64decode(data["database_authority"]) == (rendered.state / "pki/database/ca.crt").read_bytes()
        assert data["database_password"] == rendered.one("Secret", "database-secrets")["data"][account]
        passwords.add(data["database_password"])
    assert len(passwords) == 3, "two accounts have one password"


def test_the_database_is_reached_by_network_with_tls_alone_by_the_platforms_accounts(rendered: Rendered) -> None:
    told = rendered.one("ConfigMap", "database-config")["data"]
    postgresql = yaml.safe_load(told["patroni.yaml"])["postgresql"]
    assert postgresql["use_unix_socket"]
    assert postgresql["use_unix_socket_repl"]
    assert postgresql["parameters"]["ssl"] == "on"
    assert postgresql["parameters"]["ssl_min_protocol_version"] == "TLSv1.3"
    # Else one query fills the volume where the WAL lies.
    assert postgresql["parameters"]["temp_file_limit"] == "1GB"
    lines = [line.split() for line in postgresql["pg_hba"]]
    network = [line for line in lines if line[0] != "local"]
    let_in = [(kind, to, who, how) for kind, to, who, _, how in network if how != "reject"]
    assert let_in == [
        ("hostssl", "atoll", "atoll_owner,atoll_api,atoll_jobs,atoll", "scram-sha-256"),
        ("hostssl", "replication", "replicator", "scram-sha-256"),
    ], f"the database lets others in by network: {let_in}"
    assert network[-2:] == [["host", "all", "all", "all", "reject"], ["host", "replication", "all", "all", "reject"]]
    pod = rendered.one("StatefulSet", "database")["spec"]["template"]["spec"]
    (key,) = [volume["secret"] for volume in pod["volumes"] if volume["name"] == "tls"]
    # PostgreSQL refuses a key that more than its group may read.
    assert key == {"secretName": "database-certificate", "defaultMode": 0o440}
    assert pod["securityContext"]["fsGroup"] == pod["securityContext"]["runAsGroup"]


def test_only_the_migration_gets_the_first_password(rendered: Rendered) -> None:
    holders = set()
    for name, template in rendered.workloads():
        if "admin_password" in secrets_of(template).get("platform-secrets", ()):
            holders.add(name.split()[0])
    assert holders == {"Job"}


def test_the_first_sign_in_is_for_one_person(rendered: Rendered) -> None:
    file = rendered.state / "credentials.yaml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    content = yaml.safe_load(file.read_text())
    assert content["user"] == "admin"
    assert content["url"].startswith("https://")
    assert len(content["password"]) >= 20
