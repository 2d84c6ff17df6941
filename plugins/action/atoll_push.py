"""Push the images of the bundle to the registry of the cluster (documentation: plugins/modules/atoll_push.py)."""

from __future__ import annotations

import hashlib
import json
import ssl
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

# Found by the plugin's own place, so that it works from any directory and in any of Ansible's processes.
_TREE = str(Path(__file__).resolve().parents[2])
if _TREE not in sys.path:
    sys.path.insert(0, _TREE)

from installer.images.names import REGISTRY as OWN_REGISTRY  # noqa: E402
from installer.images.registry import INDEX, Registry, chunks  # noqa: E402
from installer.images.registry import RegistryError as PushError  # noqa: E402
from installer.images.tunnel import forwarded  # noqa: E402

display = Display()

REF_NAME = "org.opencontainers.image.ref.name"
PARALLEL = 3


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
        parts = dict.fromkeys(part["digest"] for part in (manifest["config"], *manifest["layers"]))
        files = {digest: blobs / digest.replace(":", "/") for digest in parts}
        for done in [
            pool.submit(registry.put_blob, image.repository, digest, file.stat().st_size, partial(chunks, file))
            for digest, file in files.items()
        ]:
            done.result()
        registry.put_manifest(image.repository, descriptor["digest"], descriptor["mediaType"], body)
    media_type, _digest, body = top_manifest(image)
    registry.put_manifest(image.repository, image.tag, media_type, body)


def lacking(registry: Registry, images: list[Image], pool: ThreadPoolExecutor) -> list[Image]:
    """Return the images that the registry does not have in this form."""
    there = pool.map(lambda image: registry.digest_of(image.repository, image.tag), images)
    return [image for image, digest in zip(images, there, strict=True) if digest != top_manifest(image)[1]]


def push_all(registry: Registry, images: list[Image], pool: ThreadPoolExecutor, begin: Callable[[], None]) -> None:
    """Send images; `begin` is called before the first."""
    if images:
        begin()
    for image in images:
        display.v(f"pushing {image.name}")
        push(registry, image, pool)


@contextmanager
def tunnel(connection: Any, reach: str) -> Iterator[Path]:
    """Yield a local socket that leads to `reach` on the connection's host, with that connection's own settings."""
    if not hasattr(connection, "_build_command"):
        raise PushError(f"the connection `{connection.transport}` cannot forward; atoll_push needs SSH")

    def command(socket: Path) -> list[str]:
        # A connection of its own: a forwarding asked of Ansible's shared one would outlive this task.
        built = connection._build_command(
            connection.get_option("ssh_executable"), "ssh", "-N", "-L", f"{socket}:{reach}", connection.host
        )
        own = [b"-o", b"ControlMaster=no", b"-o", b"ControlPath=none", b"-o", b"ExitOnForwardFailure=yes"]
        return [built[0], *own, *built[1:]]

    with forwarded(command, connection.host) as socket:
        yield socket


class ActionModule(ActionBase):  # type: ignore[misc]
    """See plugins/modules/atoll_push.py."""

    _VALID_ARGS = frozenset(
        ("bundle", "sets", "registry", "reach", "ca_file", "client_certificate", "client_key", "record")
    )
    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Compare, then push what differs."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        args = self._task.args
        try:
            images = images_of(Path(args["bundle"]), args.get("sets") or ["base", "platform", "framework"])
            with tunnel(self._connection, args.get("reach") or "127.0.0.1:5000") as socket:
                result |= self._push(images, socket, partial(self._begin, task_vars))
            if record := args.get("record"):
                kept = self._execute_module(module_name="atoll_record", module_args=dict(record), task_vars=task_vars)
                kept.pop("ansible_facts", None)
                return result | kept | {"changed": result["changed"] or kept.get("changed", False)}
            return result
        except KeyError as missing:
            raise AnsibleActionFail(f"atoll_push: the argument {missing} is missing") from None
        except (PushError, OSError, httpx.HTTPError) as error:
            raise AnsibleActionFail(f"atoll_push: {error}") from error

    def _begin(self, task_vars: dict[str, Any] | None) -> None:
        """Mark the record of the phase: a name in the registry that stood for one image may soon stand for another."""
        if record := self._task.args.get("record"):
            about = {"phase": record["phase"], "scope": record["scope"], "state": "begun"}
            marked = self._execute_module(module_name="atoll_record", module_args=about, task_vars=task_vars)
            if marked.get("failed"):
                raise AnsibleActionFail(f"atoll_push: {marked.get('msg')}")

    def _push(self, images: list[Image], socket: Path, begin: Callable[[], None]) -> dict[str, Any]:
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
            missing = lacking(registry, images, pool)
            if not self._task.check_mode:
                push_all(registry, missing, pool, begin)
        names = [image.name for image in missing]
        return {"changed": bool(missing), "pushed": names, "bytes_sent": registry.bytes_sent}
