"""Send to a node the image blobs that it lacks (documentation: plugins/modules/atoll_images.py)."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

REF_NAME = "org.opencontainers.image.ref.name"


@lru_cache(maxsize=8)
def images_of(bundle: str, wanted: str, arch: str) -> tuple[dict[str, Any], ...]:
    """Return the images of a set for an architecture: name, descriptor, digests of all blobs."""
    layout = Path(bundle) / "images" / arch
    try:
        listed = json.loads((layout.parent / "index.json").read_text())
        descriptors = json.loads((layout / "index.json").read_text())["manifests"]
    except FileNotFoundError as error:
        raise AnsibleActionFail(
            f"{error.filename} is missing: the bundle has no images for {arch}. Build it with `./atoll bundle build`."
        ) from None
    by_name = {descriptor.get("annotations", {}).get(REF_NAME): descriptor for descriptor in descriptors}
    found = []
    for name in sorted(name for name, about in listed.items() if about["set"] == wanted):
        if name not in by_name:
            raise AnsibleActionFail(f"{layout}/index.json lacks {name}. Build the bundle again.")
        descriptor = {key: by_name[name][key] for key in ("mediaType", "digest", "size")}
        manifest = json.loads(blob(layout, descriptor["digest"]).read_text())
        blobs = [descriptor["digest"], manifest["config"]["digest"], *(layer["digest"] for layer in manifest["layers"])]
        found.append({"name": name, "descriptor": descriptor, "blobs": blobs})
    return tuple(found)


def blob(layout: Path, digest: str) -> Path:
    """Return the file of a blob."""
    return layout / "blobs" / digest.replace(":", "/")


def repository(name: str) -> str:
    """Return an image's repository, without registry and tag."""
    return name.partition("/")[2].rpartition(":")[0]


class ActionModule(ActionBase):  # type: ignore[misc]
    """See plugins/modules/atoll_images.py."""

    _supports_check_mode = True
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask which blobs are missing, send those, import the images."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        variables = task_vars or {}
        args = dict(self._task.args)
        args.setdefault("phase", variables.get("phase"))
        bundle = str(self._templar.template(variables["atoll_bundle"]))
        arch = str(self._templar.template(variables["atoll_node"])["arch"])
        left_out = set(args.get("except_repositories") or [])
        images = images_of(bundle, args.get("set") or "base", arch)
        args["images"] = [image for image in images if repository(image["name"]) not in left_out]
        answer = self._execute_module(module_name="atoll_images", module_args=args, task_vars=variables)
        if answer.pop("ask", False):
            needed = answer.pop("needed")
            offered = {digest for image in args["images"] for digest in image["blobs"]}
            if unasked := [digest for digest in needed if digest not in offered]:
                raise AnsibleActionFail(f"the node asks for {unasked[0]!r:.200}, which it was not offered")
            args["staged"] = self._send(Path(bundle) / "images" / arch, needed)
            try:
                answer = self._execute_module(module_name="atoll_images", module_args=args, task_vars=variables)
                answer.pop("ask", None)
            finally:
                self._remove_tmp_path(self._connection._shell.tmpdir)
        answer.pop("ansible_facts", None)
        return result | answer

    def _send(self, layout: Path, digests: list[str]) -> dict[str, str]:
        if not self._connection._shell.tmpdir:
            self._make_tmp_path()
        directory = self._connection._shell.tmpdir
        staged = {}
        for digest in digests:
            staged[digest] = self._connection._shell.join_path(directory, digest.replace(":", "-"))
            self._transfer_file(str(blob(layout, digest)), staged[digest])
        self._fixup_perms2((directory, *staged.values()))
        return staged
