#!/usr/bin/python
# Apache-2.0
"""Directories, files and links of a phase on a node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_files
short_description: Directories, files and links of a phase
description:
  - Compares by digest first and sends only what differs, so that a 150 MB program costs nothing when it is there.
  - Writes atomically and keeps a book of what it manages in C(/var/lib/atoll/managed/<phase>.json), by which
    M(atoll_probe) tells what was changed by hand. Books of several tasks of a phase are merged.
options:
  directories:
    description: Directories that are there. Missing parents are made with mode C(0755).
    type: list
    elements: dict
    default: []
    suboptions:
      path: {description: Path., type: path, required: true}
      shared: {description: "Others may put a link in its place: it is never followed.", type: bool, default: false}
      mode: {description: Mode., type: str, default: "0755"}
      owner: {description: Owner by name or number., type: str, default: root}
      group: {description: Group by name or number., type: str, default: root}
  files:
    description: >-
      Files that are there, each with exactly one of C(content), C(template), C(artifact), C(src). Parents are made.
    type: list
    elements: dict
    default: []
    suboptions:
      dest: {description: Path on the node., type: path, required: true}
      content: {description: The content itself., type: str}
      template: {description: A template of the role., type: str}
      artifact: {description: A file of the bundle by its path there., type: str}
      src: {description: "A file on the control host; relative ones lie in C(files) of the role.", type: str}
      mode: {description: Mode., type: str, default: "0644"}
      owner: {description: Owner by name or number., type: str, default: root}
      group: {description: Group by name or number., type: str, default: root}
      secret: {description: The content appears in no diff., type: bool, default: false}
      keep: {description: A file that is there already keeps its content., type: bool, default: false}
      block: {description: Name of a block. Only that part of a file is ours (content or template)., type: str}
      sha256: {description: Set by the action., type: str}
      staged: {description: Set by the action., type: str}
  links:
    description: Symbolic links that are there. What else lies at their path is replaced, but for a directory.
    type: list
    elements: dict
    default: []
    suboptions:
      path: {description: Where the link lies., type: path, required: true}
      to: {description: What it points at., type: str, required: true}
  absent:
    description: Files, links or whole directories that are not there.
    type: list
    elements: path
    default: []
extends_documentation_fragment:
  - atoll
  - atoll.phase
  - atoll.record
author:
  - Atoll
"""

EXAMPLES = r"""
- name: The container runtime is installed from the bundle
  atoll_files:
    phase: container_runtime
    files:
      - {dest: /opt/atoll/bin/containerd, artifact: "bin/{{ atoll_node.arch }}/containerd", mode: "0755"}
      - {dest: /etc/containerd/config.toml, template: config.toml.j2}
    links:
      - {path: /usr/local/bin/ctr, to: /opt/atoll/bin/ctr}
  register: container_runtime_files
"""

RETURN = r"""
changed_paths:
  description: What was made, changed or removed.
  returned: always
  type: list
  elements: str
"""

import contextlib
import hashlib
import io
import os
import shutil
from typing import Any, Dict, Iterator, List, Optional

from ansible.module_utils.atoll_leftovers import without_leftovers
from ansible.module_utils.atoll_node import (
    COMMON_ARGUMENTS,
    Book,
    NodeError,
    attributes_of,
    block_of,
    dead_mount,
    file_record,
    guarded,
    ids_of,
    known_digest,
    locked,
    read_text,
    replacing,
    with_block,
    write_atomically,
)
from ansible.module_utils.atoll_recording import RECORD_ARGUMENTS, begun, recorded
from ansible.module_utils.basic import AnsibleModule

UNITS = "/etc/systemd/system"
OWNED = {"owner": {"type": "str", "default": "root"}, "group": {"type": "str", "default": "root"}}
ARGUMENTS = {
    "phase": {"type": "str", "required": True},
    "directories": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {
            "path": {"type": "path", "required": True},
            "shared": {"type": "bool", "default": False},
            "mode": {"type": "str", "default": "0755"},
            **OWNED,
        },
    },
    "files": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {
            "dest": {"type": "path", "required": True},
            # no_log is decided by the task: marking it here would blank harmless words of every result
            "content": {"type": "str", "no_log": False},
            "template": {"type": "str"},
            "artifact": {"type": "str"},
            "src": {"type": "str"},
            "mode": {"type": "str", "default": "0644"},
            "secret": {"type": "bool", "default": False, "no_log": False},
            "keep": {"type": "bool", "default": False},
            "block": {"type": "str"},
            "sha256": {"type": "str"},
            "staged": {"type": "str"},
            **OWNED,
        },
    },
    "links": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {"path": {"type": "path", "required": True}, "to": {"type": "str", "required": True}},
    },
    "absent": {"type": "list", "elements": "path", "default": []},
    **COMMON_ARGUMENTS,
    **RECORD_ARGUMENTS,
}


@contextlib.contextmanager
def opened(path: str, follow: bool) -> Iterator[int]:
    """Open a directory: what is done with it then is done to no other. Raises NodeError for a link not to follow."""
    try:
        directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | (0 if follow else os.O_NOFOLLOW))
    except NotADirectoryError:
        said = "{} is a link where others may write, so it is not followed. See where it leads, and remove it."
        raise NodeError(said.format(path)) from None
    try:
        yield directory
    finally:
        os.close(directory)


class Facet:
    """One task's directories, files and links, compared and then set."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.dry = module.check_mode
        self.book = Book(module.params["state_directory"], module.params["phase"])
        self.changed: List[str] = []
        self.diff: List[Dict[str, Any]] = []

    def missing(self) -> List[str]:
        """Return the digests of contents that this node lacks and that were not sent along."""
        needed = []
        for file in self.module.params["files"]:
            if file["content"] is None and file["staged"] is None and self._differs(file):
                needed.append(file["sha256"])
        return sorted(set(needed))

    def _seen(self, file: Dict[str, Any]) -> Optional[str]:
        known = {"block": file["block"]} if file["block"] else self.book.section("files").get(file["dest"])
        return known_digest(file["dest"], known)

    def _differs(self, file: Dict[str, Any]) -> bool:
        seen = self._seen(file)
        return seen is None or (not file["keep"] and seen != file["sha256"])

    def apply(self) -> None:
        """Bring everything to where it should be."""
        for directory in self.module.params["directories"]:
            self._directory(directory)
        for file in self.module.params["files"]:
            self._file(file)
        for link in self.module.params["links"]:
            self._link(link)
        for path in self.module.params["absent"]:
            self._absent(path)
        if not self.dry:
            self.book.save()

    def _note(self, path: str, before: str, after: str) -> None:
        if path not in self.changed:
            self.changed.append(path)
        self.diff.append({"before_header": path, "after_header": path, "before": before + "\n", "after": after + "\n"})

    def _parents(self, path: str) -> None:
        parent = os.path.dirname(path)
        if not os.path.isdir(parent):
            os.makedirs(parent, mode=0o755)

    def _directory(self, wanted: Dict[str, Any]) -> None:
        path = wanted["path"]
        if dead_mount(path):  # the directory is below it; who mounts there looks after it (atoll_units)
            return
        if os.path.lexists(path) and not os.path.isdir(path):
            raise NodeError("{} should be a directory but is a file. Move it away, then apply again.".format(path))
        if not os.path.isdir(path):
            self._note(path, "absent", "directory")
            if self.dry:
                return
            self._parents(path)
            os.mkdir(path, 0o700)
            with opened(path, follow=not wanted["shared"]) as directory:
                os.chown(directory, *ids_of(wanted["owner"], wanted["group"]))
                os.chmod(directory, int(wanted["mode"], 8))
        with opened(path, follow=not wanted["shared"]) as directory:
            self._attributes(path, wanted, directory)
        self.book.section("directories")[path] = attributes_of(path)

    def _attributes(self, path: str, wanted: Dict[str, Any], at: Optional[int] = None) -> None:
        # A mount point shows its file system's own mode, so directories follow links. `at` is what stands open there.
        place: Any = path if at is None else at
        seen = os.stat(place)
        ids = ids_of(wanted["owner"], wanted["group"])
        mode = int(wanted["mode"], 8)
        if (seen.st_mode & 0o7777, seen.st_uid, seen.st_gid) != (mode, *ids):
            before = "{:04o} {}:{}".format(seen.st_mode & 0o7777, seen.st_uid, seen.st_gid)
            self._note(path, before, "{:04o} {}:{}".format(mode, *ids))
            if not self.dry:
                os.chown(place, *ids)
                os.chmod(place, mode)

    def _file(self, wanted: Dict[str, Any]) -> None:
        path = wanted["dest"]
        if os.path.isdir(path) and not os.path.islink(path):
            raise NodeError("{} should be a file but is a directory. Move it away, then apply again.".format(path))
        if self._differs(wanted):
            self._show(wanted)
            if self.dry:
                return
            self._parents(path)
            self._write(wanted)
            self._record(wanted)
            return
        self._attributes(path, wanted)
        if not self.dry:
            self._record(wanted)

    def _record(self, wanted: Dict[str, Any]) -> None:
        # The content of a file that is only made once belongs to others.
        path = wanted["dest"]
        record = file_record(path, None if wanted["keep"] else wanted["sha256"])
        self.book.section("files")[path] = {**record, "block": wanted["block"]} if wanted["block"] else record

    def _show(self, wanted: Dict[str, Any]) -> None:
        path = wanted["dest"]
        seen = self._seen(wanted)
        before, after = "sha256:{}".format(seen) if seen else "absent", "sha256:{}".format(wanted["sha256"])
        if wanted["content"] is not None and not wanted["secret"]:
            after = wanted["content"].rstrip("\n")
            if seen and os.path.getsize(path) < 1 << 20:
                text = read_text(path).encode(errors="surrogateescape").decode(errors="replace")
                before = ((block_of(text, wanted["block"]) or "") if wanted["block"] else text).rstrip("\n")
        self._note(path, before, after)

    def _write(self, wanted: Dict[str, Any]) -> None:
        path, mode = wanted["dest"], int(wanted["mode"], 8)
        ids = ids_of(wanted["owner"], wanted["group"])
        if wanted["block"]:
            try:
                text = with_block(read_text(path), wanted["block"], wanted["content"])
            except NodeError as error:
                raise NodeError("{}: {}".format(path, error)) from None
            write_atomically(path, text.encode(errors="surrogateescape"), mode, ids)
            return
        with contextlib.ExitStack() as stack:
            if wanted["content"] is not None:
                source: Any = io.BytesIO(wanted["content"].encode())
            else:
                source = stack.enter_context(open(wanted["staged"], "rb"))
            stream = stack.enter_context(replacing(path, mode, ids))
            sha = hashlib.sha256()
            for chunk in iter(lambda: source.read(1 << 20), b""):
                sha.update(chunk)
                stream.write(chunk)
            if sha.hexdigest() != wanted["sha256"]:
                raise NodeError("the content of {} was damaged on its way to the node. Apply again.".format(path))

    def _link(self, wanted: Dict[str, Any]) -> None:
        path, target = wanted["path"], wanted["to"]
        seen = os.readlink(path) if os.path.islink(path) else None
        if seen != target:
            if seen is None and os.path.isdir(path):
                raise NodeError("{} should be a link but is a directory. Move it away, then apply again.".format(path))
            self._note(path, seen or "absent", target)
            if self.dry:
                return
            self._parents(path)
            temporary = "{}.atoll-{}".format(path, os.getpid())
            os.symlink(target, temporary)
            os.replace(temporary, path)
        self.book.section("links")[path] = target

    def _absent(self, path: str) -> None:
        if os.path.lexists(path):
            self._note(path, "present", "absent")
            if not self.dry:
                if os.path.isdir(path) and not os.path.islink(path):
                    shutil.rmtree(path)
                else:
                    os.unlink(path)
        for name in ("files", "links", "directories"):
            section = self.book.section(name)
            for known in [known for known in section if known == path or known.startswith(path + "/")]:
                del section[known]
        if os.path.dirname(path) == UNITS:  # nobody asks any more how it does
            self.book.section("units").pop(os.path.basename(path), None)


def work(module: Any) -> Dict[str, Any]:
    """Say what must be sent first, or set everything."""
    with locked(module.params["state_directory"], wanted=not module.check_mode):
        facet = Facet(module)
        if not module.check_mode:
            without_leftovers(module, [file["staged"] for file in module.params["files"] if file["staged"]])
        needed = facet.missing()
        if needed and not module.check_mode:
            return {"changed": False, "changed_paths": [], "needed": needed}
        facet.apply()
    return {"changed": bool(facet.changed), "changed_paths": facet.changed, "diff": facet.diff, "needed": []}


def main() -> None:
    """Run as a module."""
    guarded(begun(recorded(work)), AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
