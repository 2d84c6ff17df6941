"""The registry's own API (OCI distribution), as much of it as pushing and listing need."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from installer.images.names import REGISTRY
from installer.ssh.nodes import shown

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_INDEX = "application/vnd.docker.distribution.manifest.list.v2+json"
INDEXES = (INDEX, DOCKER_INDEX)
ACCEPT = ", ".join((MANIFEST, INDEX, DOCKER_MANIFEST, DOCKER_INDEX))
PAGE = 500


class RegistryError(Exception):
    """What went wrong, in words for a person."""


def connect(pki: Path, transport: dict[str, Any] | None = None, answer_s: float = 600) -> httpx.Client:
    """Return a client of the registry with the certificates in `pki` (`<state>/pki/registry`).

    `transport` goes to httpx.HTTPTransport, for example `uds`: a local socket that leads there. `answer_s` is how long
    an answer is waited for: an upload of gigabytes has to be written to disk first.
    """
    context = ssl.create_default_context(cafile=str(pki / "ca.crt"))
    context.load_cert_chain(pki / "client.crt", pki / "client.key")
    return httpx.Client(
        base_url=f"https://{REGISTRY}",
        transport=httpx.HTTPTransport(verify=context, retries=2, **(transport or {})),
        timeout=httpx.Timeout(min(30, answer_s), read=answer_s, write=answer_s),
        trust_env=False,  # it is never behind a proxy
    )


@dataclass
class Registry:
    """A registry behind a client."""

    client: httpx.Client
    bytes_sent: int = 0
    _homes: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def _check(self, response: httpx.Response, wanted: tuple[int, ...], what: str) -> httpx.Response:
        if response.status_code not in wanted:
            raise RegistryError(f"the registry answered {response.status_code} to {what}: {shown(response.text, 300)}")
        return response

    def digest_of(self, repository: str, reference: str) -> str | None:
        """Return the digest of a manifest in the registry, None if it is not there."""
        response = self.client.head(f"/v2/{repository}/manifests/{reference}", headers={"Accept": ACCEPT})
        if response.status_code == httpx.codes.NOT_FOUND:
            return None
        self._check(response, (200,), f"the question for {repository}:{reference}")
        return str(response.headers["Docker-Content-Digest"])

    def manifest(self, repository: str, reference: str) -> tuple[str, dict[str, Any]] | None:
        """Return digest and content of a manifest or index, None if it is not there."""
        response = self.client.get(f"/v2/{repository}/manifests/{reference}", headers={"Accept": ACCEPT})
        if response.status_code == httpx.codes.NOT_FOUND:
            return None
        self._check(response, (200,), f"the question for {repository}:{reference}")
        return response.headers["Docker-Content-Digest"], response.json()

    def config(self, repository: str, digest: str) -> dict[str, Any]:
        """Return a small JSON blob: the configuration of an image."""
        response = self.client.get(f"/v2/{repository}/blobs/{digest}", follow_redirects=True)
        self._check(response, (200,), f"the question for {digest} of {repository}")
        found: dict[str, Any] = json.loads(response.content)
        return found

    def repositories(self, below: str) -> list[str]:
        """Return the names of all repositories of a project."""
        prefix = f"{below}/"
        found: list[str] = []
        last = below
        while True:
            response = self.client.get("/v2/_catalog", params={"n": PAGE, "last": last})
            if response.status_code == httpx.codes.NOT_FOUND:  # a registry that nothing was pushed to
                return found
            page = self._check(response, (200,), "the question for its repositories").json()["repositories"] or []
            found += [name for name in page if name.startswith(prefix)]
            # Sorted by name: behind the project there is nothing more of it.
            if not page or "Link" not in response.headers or page[-1] > f"{below}0":
                return found
            last = page[-1]

    def tags(self, repository: str) -> list[str]:
        """Return the tags of a repository."""
        response = self.client.get(f"/v2/{repository}/tags/list")
        if response.status_code == httpx.codes.NOT_FOUND:
            return []
        return sorted(self._check(response, (200,), f"the question for the tags of {repository}").json()["tags"] or [])

    def put_blob(self, repository: str, digest: str, size: int, content: Callable[[], Iterable[bytes]]) -> None:
        """Send a blob unless it is there; one that another repository got in this run is only linked."""
        if self.client.head(f"/v2/{repository}/blobs/{digest}").status_code == httpx.codes.OK:
            return
        with self._lock:
            home = self._homes.get(digest)
        query = {"mount": digest, "from": home} if home else {}
        start = self.client.post(f"/v2/{repository}/blobs/uploads/", params=query)
        self._check(start, (201, 202), f"the start of an upload to {repository}")
        if start.status_code == httpx.codes.CREATED:
            return
        target = httpx.URL(start.headers["Location"])
        answer = self.client.put(
            target.copy_merge_params({"digest": digest}),
            content=content(),
            headers={"Content-Type": "application/octet-stream", "Content-Length": str(size)},
        )
        self._check(answer, (201,), f"the upload of {digest} to {repository}")
        with self._lock:
            self.bytes_sent += size
            self._homes[digest] = repository

    def put_manifest(self, repository: str, reference: str, media_type: str, body: bytes) -> None:
        """Send a manifest or index under a tag or digest."""
        answer = self.client.put(
            f"/v2/{repository}/manifests/{reference}", content=body, headers={"Content-Type": media_type}
        )
        self._check(answer, (201,), f"the manifest {repository}:{reference}")


def chunks(file: Path, size: int = 1 << 20) -> Iterator[bytes]:
    """Return the content of a file piece by piece."""
    with file.open("rb") as stream:
        while chunk := stream.read(size):
            yield chunk
