"""Send to a node the files of a phase that differ there (documentation: plugins/modules/atoll_files.py)."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail, AnsibleError
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import lookup_loader

# Contents up to this size travel with the question; larger ones are asked for first.
INLINE_BYTES = 64 << 10
SOURCES = ("content", "template", "artifact", "src")


@lru_cache(maxsize=4)
def index_of(bundle: str) -> dict[str, dict[str, Any]]:
    """Return the files of a bundle with their digests."""
    path = Path(bundle) / "index.json"
    try:
        files: dict[str, dict[str, Any]] = json.loads(path.read_text())["files"]
    except FileNotFoundError:
        raise AnsibleActionFail(f"{path} is missing. Build the bundle with `./atoll bundle build`.") from None
    return files


class ActionModule(ActionBase):  # type: ignore[misc]
    """See plugins/modules/atoll_files.py."""

    TRANSFERS_FILES = False
    _supports_check_mode = True
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask what differs, send that, then set everything."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        variables = task_vars or {}
        args = dict(self._task.args)
        args.setdefault("phase", variables.get("phase"))
        sources: dict[str, Path] = {}
        args["files"] = [self._prepared(dict(file), variables, sources) for file in args.get("files") or []]
        answer = self._execute_module(module_name="atoll_files", module_args=args, task_vars=variables)
        needed = answer.pop("needed", [])
        if needed:
            if unasked := [sha256 for sha256 in needed if sha256 not in sources]:
                raise AnsibleActionFail(f"the node asks for {unasked[0]!r:.200}, which it was not offered")
            staged = self._send({sha256: sources[sha256] for sha256 in needed})
            try:
                args["files"] = [
                    {**file, "staged": staged[file["sha256"]]} if file["sha256"] in staged else file
                    for file in args["files"]
                ]
                answer = self._execute_module(module_name="atoll_files", module_args=args, task_vars=variables)
                answer.pop("needed", None)
            finally:
                self._remove_tmp_path(self._connection._shell.tmpdir)
        # It repeats the arguments, and with them what may be secret.
        answer.pop("invocation", None)
        answer.pop("ansible_facts", None)
        return result | answer

    def _send(self, sources: dict[str, Path]) -> dict[str, str]:
        """Put files into the task's own directory on the node, which the module reads as root."""
        if not self._connection._shell.tmpdir:
            self._make_tmp_path()
        directory = self._connection._shell.tmpdir
        staged = {}
        for sha256, source in sources.items():
            # Asked only now: masters have the bundle's index but not its programs, and a node that has the right
            # ones needs none.
            if not source.is_file():
                raise AnsibleActionFail(
                    f"the node lacks {source.name}, and {source} is not on this machine. Run `./atoll apply` on the "
                    "machine with the bundle (`./atoll bundle build` makes it)."
                )
            target = self._connection._shell.join_path(directory, sha256)
            self._transfer_file(str(source), target)
            staged[sha256] = target
        self._fixup_perms2((directory, *staged.values()))
        return staged

    def _prepared(self, file: dict[str, Any], variables: dict[str, Any], sources: dict[str, Path]) -> dict[str, Any]:
        """Return a file as the module takes it: with its digest, and its content where that is small."""
        given = [name for name in SOURCES if file.get(name) is not None]
        if len(given) != 1:
            raise AnsibleActionFail(
                f"atoll_files: {file.get('dest')} needs exactly one of {', '.join(SOURCES)}, not {given or 'none'}"
            )
        kind, value = given[0], file.pop(given[0])
        if kind == "artifact":
            source, sha256 = self._artifact(value, variables)
            sources[sha256] = source
            return {**file, "sha256": sha256}
        if kind == "src":
            source = self._source(value)
            try:
                content = source.read_bytes()
            except OSError as error:
                if self._task.check_mode and isinstance(error, FileNotFoundError):
                    # A task before this one would have made it: that it changes is all that can be known.
                    return {**file, "sha256": "unknown"}
                raise AnsibleActionFail(f"{source}: {error.strerror}. An earlier phase makes it.") from error
            sha256 = hashlib.sha256(content).hexdigest()
            if len(content) > INLINE_BYTES or not _is_text(content):
                sources[sha256] = source
                return {**file, "sha256": sha256}
            return {**file, "sha256": sha256, "content": content.decode()}
        if kind == "template":
            lookup = lookup_loader.get("ansible.builtin.template", loader=self._loader, templar=self._templar)
            value = lookup.run([value], variables=variables)[0]
        if not isinstance(value, str):
            raise AnsibleActionFail(
                f"atoll_files: the content of {file.get('dest')} is not text but {type(value).__name__}"
            )
        return {**file, "sha256": hashlib.sha256(value.encode()).hexdigest(), "content": value}

    def _artifact(self, name: str, variables: dict[str, Any]) -> tuple[Path, str]:
        bundle = self._templar.template(variables["atoll_bundle"])
        known = index_of(str(bundle)).get(name)
        path = Path(bundle) / name
        if known is None:
            raise AnsibleActionFail(
                f"the bundle {bundle} has no {name}. Build it with `./atoll bundle build`; a node's `arch` may be one "
                "that this bundle was not built for."
            )
        return path, known["sha256"]

    def _source(self, name: str) -> Path:
        try:
            return Path(name) if Path(name).is_absolute() else Path(self._find_needle("files", name))
        except AnsibleError as error:
            raise AnsibleActionFail(f"atoll_files: {error}") from error


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in content
