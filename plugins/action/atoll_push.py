"""Push the images of the bundle to the registry of the cluster (documentation: plugins/modules/atoll_push.py)."""

from __future__ import annotations

import hashlib
import json
import ssl
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

display = Display()

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
ACCEPT = ", ".join(
    (
        MANIFEST,
        INDEX,
        "application/vnd.docker.distribution.manifest.v2+json",
        "application/vnd.docker.distribution.manifest.list.v2+json",
    )
)
REF_NAME = "org.opencontainers.image.ref.name"
OWN_REGISTRY = "registry.atoll.internal:5000"
CHUNK = 1 << 20
PARALLEL = 3
TUNNEL_S = 30


class PushError(Exception):
    """What went wrong, in words for a person."""


@dataclass(frozen=True)
class Image:
    """An image of the bundle: one manifest per architecture, and the folder that holds its blobs."""

    name: str
    manifests: tuple[tuple[str, Path, dict[str, Any]], ...]

    @property
    def repository(self) -> str:
        """Where it lies in the registry: our own by their path, all others below the name of their upstream."""
        host, _, path = self.name.rpartition(":")[0].partition("/")
        return path if self.name.startswith(f"{OWN_REGISTRY}/") else f"{host}/{path}"

    @property
    def tag(self) -> str:
        """The tag, which is always there in the bundle."""
        return self.name.rpartition(":")[2]


def images_of(bundle: Path, sets: list[str]) -> list[Image]:
    """Return the images of these sets with the manifests of every architecture that the bundle holds."""
    index_file = bundle / "images" / "index.json"
    try:
        listed = json.loads(index_file.read_text())
    except FileNotFoundError:
        raise PushError(
            f"{index_file} is missing: the bundle holds no images. Build it with `./atoll bundle`."
        ) from None
    found: dict[str, list[tuple[str, Path, dict[str, Any]]]] = {
        name: [] for name, about in listed.items() if about["set"] in sets
    }
    for layout in sorted((bundle / "images").iterdir()):
        if not (layout / "oci-layout").is_file():
            continue
        for descriptor in json.loads((layout / "index.json").read_text())["manifests"]:
            name = descriptor.get("annotations", {}).get(REF_NAME)
            if name in found:
                found[name].append((layout.name, layout / "blobs", descriptor))
    for name, manifests in found.items():
        if not manifests:
            raise PushError(f"image {name} stands in {index_file} but in no layout beside it. Build the bundle again.")
    return [Image(name, tuple(manifests)) for name, manifests in sorted(found.items())]


@dataclass
class Registry:
    """The distribution API, as much of it as pushing needs."""

    client: httpx.Client
    bytes_sent: int = 0
    _homes: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def _check(self, response: httpx.Response, wanted: tuple[int, ...], what: str) -> httpx.Response:
        if response.status_code not in wanted:
            raise PushError(f"the registry answered {response.status_code} to {what}: {response.text[:300].strip()}")
        return response

    def digest_of(self, repository: str, reference: str) -> str | None:
        """Return the digest of a manifest in the registry, None if it is not there."""
        response = self.client.head(f"/v2/{repository}/manifests/{reference}", headers={"Accept": ACCEPT})
        if response.status_code == httpx.codes.NOT_FOUND:
            return None
        self._check(response, (200,), f"the question for {repository}:{reference}")
        return response.headers.get("Docker-Content-Digest")

    def put_blob(self, repository: str, blobs: Path, descriptor: dict[str, Any]) -> None:
        """Send a blob unless it is there; one that another repository got in this run is only linked."""
        digest = descriptor["digest"]
        if self.client.head(f"/v2/{repository}/blobs/{digest}").status_code == httpx.codes.OK:
            return
        with self._lock:
            home = self._homes.get(digest)
        query = {"mount": digest, "from": home} if home else {}
        start = self.client.post(f"/v2/{repository}/blobs/uploads/", params=query)
        self._check(start, (201, 202), f"the start of an upload to {repository}")
        if start.status_code == httpx.codes.CREATED:
            return
        file = blobs / digest.replace(":", "/")
        size = file.stat().st_size
        target = httpx.URL(start.headers["Location"])
        answer = self.client.put(
            target.copy_merge_params({"digest": digest}),
            content=_chunks(file),
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


def _chunks(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            yield chunk


def _read(blobs: Path, digest: str) -> bytes:
    return (blobs / digest.replace(":", "/")).read_bytes()


def top_manifest(image: Image) -> tuple[str, str | None, bytes]:
    """Return media type, digest (None: by its content) and body of what the tag points at.

    With one architecture that is its manifest, with several an index over them, always written the same way.
    """
    if len(image.manifests) == 1:
        _arch, blobs, descriptor = image.manifests[0]
        return descriptor["mediaType"], descriptor["digest"], _read(blobs, descriptor["digest"])
    entries = [
        {
            "mediaType": descriptor["mediaType"],
            "digest": descriptor["digest"],
            "size": descriptor["size"],
            "platform": {"os": "linux", "architecture": arch},
        }
        for arch, _blobs, descriptor in image.manifests
    ]
    body = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}, sort_keys=True).encode()
    return INDEX, f"sha256:{hashlib.sha256(body).hexdigest()}", body


def push(registry: Registry, image: Image, pool: ThreadPoolExecutor) -> None:
    """Send everything of an image, what it points at first."""
    for _arch, blobs, descriptor in image.manifests:
        body = _read(blobs, descriptor["digest"])
        manifest = json.loads(body)
        parts = {part["digest"]: part for part in (manifest["config"], *manifest["layers"])}
        for done in [pool.submit(registry.put_blob, image.repository, blobs, part) for part in parts.values()]:
            done.result()
        registry.put_manifest(image.repository, descriptor["digest"], descriptor["mediaType"], body)
    media_type, _digest, body = top_manifest(image)
    registry.put_manifest(image.repository, image.tag, media_type, body)


@contextmanager
def tunnel(connection: Any, reach: str) -> Iterator[Path]:
    """Yield a local socket that leads to `reach` on the connection's host, with that connection's own settings."""
    if not hasattr(connection, "_build_command"):
        raise PushError(f"the connection `{connection.transport}` cannot forward; atoll_push needs SSH")
    with tempfile.TemporaryDirectory(prefix="atoll-push-") as directory:
        socket = Path(directory) / "registry"
        # A connection of its own: a forwarding asked of Ansible's shared one would outlive this task.
        command = connection._build_command(
            connection.get_option("ssh_executable"), "ssh", "-N", "-L", f"{socket}:{reach}", connection.host
        )
        own = [b"-o", b"ControlMaster=no", b"-o", b"ControlPath=none", b"-o", b"ExitOnForwardFailure=yes"]
        process = subprocess.Popen(
            [command[0], *own, *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            end = time.monotonic() + TUNNEL_S
            while not socket.exists():
                if process.poll() is not None or time.monotonic() > end:
                    process.kill()
                    said = process.communicate()[1].decode(errors="replace").strip()
                    raise PushError(f"no SSH forwarding to {connection.host}: {said or f'none within {TUNNEL_S} s'}")
                time.sleep(0.05)
            yield socket
        finally:
            process.terminate()
            process.communicate()


class ActionModule(ActionBase):  # type: ignore[misc]
    """See plugins/modules/atoll_push.py."""

    _VALID_ARGS = frozenset(("bundle", "sets", "registry", "reach", "ca_file", "client_certificate", "client_key"))
    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Compare, then push what differs."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        args = self._task.args
        try:
            images = images_of(Path(args["bundle"]), args.get("sets") or ["base", "platform", "engine"])
            with tunnel(self._connection, args.get("reach") or "127.0.0.1:5000") as socket:
                return result | self._push(images, socket)
        except KeyError as missing:
            raise AnsibleActionFail(f"atoll_push: the argument {missing} is missing") from None
        except (PushError, OSError, httpx.HTTPError) as error:
            raise AnsibleActionFail(f"atoll_push: {error}") from error

    def _push(self, images: list[Image], socket: Path) -> dict[str, Any]:
        args = self._task.args
        context = ssl.create_default_context(cafile=args["ca_file"])
        context.load_cert_chain(args["client_certificate"], args["client_key"])
        transport = httpx.HTTPTransport(uds=str(socket), verify=context, retries=2)
        address = f"https://{args.get('registry') or OWN_REGISTRY}"
        time_out = httpx.Timeout(30, read=600, write=600)
        with (
            httpx.Client(base_url=address, transport=transport, timeout=time_out) as client,
            ThreadPoolExecutor(PARALLEL) as pool,
        ):
            registry = Registry(client)
            there = pool.map(lambda image: registry.digest_of(image.repository, image.tag), images)
            missing = [image for image, digest in zip(images, there, strict=True) if digest != top_manifest(image)[1]]
            if not self._task.check_mode:
                for image in missing:
                    display.v(f"pushing {image.name}", host=self._connection.host)
                    push(registry, image, pool)
        names = [image.name for image in missing]
        return {"changed": bool(missing), "pushed": names, "bytes_sent": registry.bytes_sent}
