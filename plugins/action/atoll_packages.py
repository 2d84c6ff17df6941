"""Send to a node the package files that it needs (documentation: plugins/modules/atoll_packages.py)."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

_WORD = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@lru_cache(maxsize=8)
def repository(directory: str) -> tuple[dict[str, dict[str, str]], dict[str, list[str]], dict[str, list[str]]]:
    """Return a repository's packages by file, its groups (names), and their closures (files)."""
    path = Path(directory)
    try:
        paragraphs = (path / "Packages").read_text().split("\n\n")
        groups = json.loads((path / "groups.json").read_text())
        closures = json.loads((path / "closures.json").read_text())
    except FileNotFoundError as error:
        raise AnsibleActionFail(
            f"{error.filename} is missing: the bundle has no packages for this system and architecture. "
            "Build it with `./atoll bundle build`, or see which systems it supports in docs/install.md."
        ) from None
    packages = {}
    for paragraph in paragraphs:
        fields = dict(line.split(": ", 1) for line in paragraph.splitlines() if ": " in line and line[0] != " ")
        if fields:
            packages[Path(fields["Filename"]).name] = {"name": fields["Package"], "version": fields["Version"]}
    return packages, groups, closures


class ActionModule(ActionBase):  # type: ignore[misc]
    """See plugins/modules/atoll_packages.py."""

    _supports_check_mode = True
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask which packages are missing, send those, install them."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        variables = task_vars or {}
        args = dict(self._task.args)
        args.setdefault("phase", variables.get("phase"))
        directory = self._directory(variables)
        packages, groups, closures = repository(str(directory))
        names: dict[str, None] = {}
        wanted: set[str] = set()
        for group in args.get("groups") or []:
            if group not in groups:
                raise AnsibleActionFail(
                    f"{directory}/groups.json has no group `{group}`; it has {', '.join(sorted(groups))}"
                )
            names |= dict.fromkeys(closures[group])
            wanted |= set(groups[group])
        args["packages"] = [{**packages[name], "file": name} for name in names]
        args["wanted"] = sorted(wanted)
        answer = self._execute_module(module_name="atoll_packages", module_args=args, task_vars=variables)
        if needed := answer.pop("needed", []):
            if unasked := [name for name in needed if name not in names]:
                raise AnsibleActionFail(f"the node asks for {unasked[0]!r:.200}, which it was not offered")
            args["staged"] = self._send([directory / name for name in needed])
            try:
                answer = self._execute_module(module_name="atoll_packages", module_args=args, task_vars=variables)
                answer.pop("needed", None)
            finally:
                self._remove_tmp_path(self._connection._shell.tmpdir)
        answer.pop("ansible_facts", None)
        return result | answer

    def _directory(self, variables: dict[str, Any]) -> Path:
        """Return the repository for the node's system, which is asked for unless a role did so before."""
        facts = variables.get("ansible_facts", {}).get("atoll_host")
        if facts is None:
            answer = self._execute_module(module_name="atoll_facts", module_args={}, task_vars=variables)
            if answer.get("failed"):
                raise AnsibleActionFail(f"what this host can do is not known: {answer.get('msg')}")
            facts = answer["ansible_facts"]["atoll_host"]
        bundle = self._templar.template(variables["atoll_bundle"])
        # A node's word becomes a path of this machine.
        named = [str(facts["os"]["directory"]), str(facts["architecture"])]
        if odd := [word for word in named if not _WORD.fullmatch(word)]:
            raise AnsibleActionFail(f"the node says that its system is {odd[0]!r:.200}, which names none")
        return Path(str(bundle), "os", *named)

    def _send(self, files: list[Path]) -> dict[str, str]:
        if not self._connection._shell.tmpdir:
            self._make_tmp_path()
        directory = self._connection._shell.tmpdir
        staged = {}
        for file in files:
            staged[file.name] = self._connection._shell.join_path(directory, file.name)
            self._transfer_file(str(file), staged[file.name])
        self._fixup_perms2((directory, *staged.values()))
        return staged
