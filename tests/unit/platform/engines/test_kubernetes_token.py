"""The engine's own token, which is good for an hour: it is read again. Needs nothing."""

import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from atoll.engines.kubernetes.client import KubernetesClient
from kubernetes.aio.config import incluster_config


async def shown(client: KubernetesClient) -> str:
    """The credentials of the next request."""
    _, _, headers, *_ = await client._api.param_serialize(
        "GET", "/api/v1/pods", header_params={}, auth_settings=["BearerToken"]
    )
    return str(headers["authorization"])


def renew(token: Path) -> None:
    token.write_text("second")


@pytest.fixture
def token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the token, in a pod."""
    path = tmp_path / "token"
    path.write_text("first")
    monkeypatch.setattr(incluster_config, "SERVICE_TOKEN_FILENAME", str(path))
    monkeypatch.setattr(incluster_config, "SERVICE_CERT_FILENAME", "/etc/ssl/certs/ca-certificates.crt")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "192.0.2.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    return path


async def test_a_token_that_was_renewed_is_shown_from_the_next_minute_on(
    token: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = await KubernetesClient.connect(None)
    try:
        assert await shown(client) == "bearer first"
        renew(token)
        now = datetime.datetime.now() + datetime.timedelta(seconds=61)
        later = SimpleNamespace(datetime=SimpleNamespace(now=lambda: now), timedelta=datetime.timedelta)
        monkeypatch.setattr(incluster_config, "datetime", later)
        assert await shown(client) == "bearer second"
    finally:
        await client.close()
