#!/usr/bin/python
# Apache-2.0
"""Packages of the operating system, from the bundle."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_packages
short_description: Packages of the operating system, from the bundle
description:
  - Installs groups of the bundle's repository for the node's system and architecture. Sends only the package files
    that the node needs. A newer version that is installed already stays.
  - No service is started by an installation; M(atoll_units) does that when its configuration is there.
options:
  groups:
    description: Groups of C(groups.json) in the repository.
    type: list
    elements: str
    required: true
  packages:
    description: Set by the action.
    type: list
    elements: dict
  wanted:
    description: Set by the action.
    type: list
    elements: str
  staged:
    description: Set by the action.
    type: dict
extends_documentation_fragment:
  - atoll
  - atoll.phase
author:
  - Atoll
"""

EXAMPLES = r"""
- name: The load balancer is installed
  atoll_packages:
    groups: [load_balancer]
"""

RETURN = r"""
installed:
  description: Packages that were installed, with their versions.
  returned: always
  type: list
  elements: str
"""

import errno
import fcntl
import os
import subprocess
import time
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List

from ansible.module_utils.atoll_node import (
    COMMON_ARGUMENTS,
    Book,
    NodeError,
    guarded,
    lines,
    locked,
    run,
    write_atomically,
)
from ansible.module_utils.atoll_recording import begun
from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {
    "groups": {"type": "list", "elements": "str", "required": True},
    "phase": {"type": "str", "required": True},
    "packages": {"type": "list", "elements": "dict", "required": True},
    "wanted": {"type": "list", "elements": "str", "required": True},
    "staged": {"type": "dict"},
    **COMMON_ARGUMENTS,
}
POLICY = "/usr/sbin/policy-rc.d"
POLICY_SAYS_NO = (
    b"#!/bin/sh\n# Written by Atoll while it installs packages: services start when they are configured.\nexit 101\n"
)
# Who installs packages holds the first, its dpkg the second.
FRONTEND_LOCK = "/var/lib/dpkg/lock-frontend"
DATABASE_LOCK = "/var/lib/dpkg/lock"
LOCK_S = 600
INSTALL_S = 900
OPTIONS = (
    *("--quiet", "--yes", "--no-install-recommends"),
    *("-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold"),
    # A server updates itself in the background (unattended-upgrades, apt-daily): its turn ends.
    *("-o", "DPkg::Lock::Timeout={}".format(LOCK_S)),
    *("-o", "Dir::Etc::sourcelist=/dev/null", "-o", "Dir::Etc::sourceparts=/dev/null"),
)


def installed() -> Dict[str, str]:
    """Return the packages that are fully installed, with their versions."""
    said = run(
        ["dpkg-query", "--show", "--showformat", "${Package}\\t${Version}\\t${db:Status-Abbrev}\\n"], accept=(0, 1)
    )
    found = {}
    for line in said.splitlines():
        name, version, status = [*line.split("\t"), "", ""][:3]
        if status.startswith("ii"):
            found[name] = version
    return found


def older(version: str, than: str) -> bool:
    """Compare two versions the way dpkg does."""
    return subprocess.run(["dpkg", "--compare-versions", version, "lt", than], check=False).returncode == 0


@contextmanager
def quiet_services() -> Iterator[None]:
    """Keep packages from starting their services while they are installed."""
    # One of ours was left by a run that was killed: it goes at the end, or nothing on this node would ever start again.
    if os.path.lexists(POLICY) and not _is_ours(POLICY):
        yield
        return
    write_atomically(POLICY, POLICY_SAYS_NO, 0o755)
    try:
        yield
    finally:
        os.unlink(POLICY)


def _is_ours(policy: str) -> bool:
    try:
        with open(policy, "rb") as stream:
            return stream.read(len(POLICY_SAYS_NO) + 1) == POLICY_SAYS_NO
    except OSError:
        return False


def configure_the_rest() -> None:
    """Configure what somebody unpacked and was cut off at; who still does so is waited for, as dpkg itself does not."""
    if not lines(run(["dpkg", "--audit"])):
        return
    with _dpkg_lock(FRONTEND_LOCK):
        with _dpkg_lock(DATABASE_LOCK):
            cut_off = bool(lines(run(["dpkg", "--audit"])))
        if cut_off:
            env = {"DEBIAN_FRONTEND": "noninteractive", "DPKG_FRONTEND_LOCKED": "1"}
            run(["dpkg", "--configure", "--pending"], env=env, timeout_s=600)


@contextmanager
def _dpkg_lock(path: str) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
    try:
        end = time.monotonic() + LOCK_S
        while True:
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if error.errno not in (errno.EACCES, errno.EAGAIN):
                    raise
            if time.monotonic() > end:
                raise NodeError(
                    "somebody else has been installing packages for more than {} s ({} is locked). See who "
                    "(`fuser -v {}`), let it end, then apply again.".format(LOCK_S, path, path)
                )
            time.sleep(0.5)  # such a lock has no time-out of its own
        yield
    finally:
        os.close(descriptor)


def missing(packages: List[Dict[str, Any]], there: Dict[str, str]) -> List[Dict[str, Any]]:
    """Return the packages that are not there, or are there in an older version."""
    return [
        package
        for package in packages
        if package["name"] not in there
        or (there[package["name"]] != package["version"] and older(there[package["name"]], package["version"]))
    ]


def work(module: Any) -> Dict[str, Any]:
    """Say which files must be sent first, or install them."""
    params, dry = module.params, module.check_mode
    with locked(params["state_directory"], wanted=not dry):
        there = installed()
        lacking = missing(params["packages"], there)
        names = ["{}={}".format(package["name"], package["version"]) for package in lacking]
        if lacking and not dry:
            if params["staged"] is None:
                return {"changed": False, "installed": [], "needed": [package["file"] for package in lacking]}
            files = [params["staged"][package["file"]] for package in lacking]
            with quiet_services():
                configure_the_rest()
                run(
                    ["apt-get", *OPTIONS, "install", *files],
                    env={"DEBIAN_FRONTEND": "noninteractive"},
                    timeout_s=LOCK_S + INSTALL_S,
                )
            there = installed()
            left = [name for name in params["wanted"] if name not in there]
            if left:
                raise NodeError("apt-get installed everything but {}".format(", ".join(left)))
        if not dry:
            book = Book(params["state_directory"], params["phase"])
            book.section("packages").update({name: there[name] for name in params["wanted"]})
            book.save()
    diff = {"before": "", "after": "\n".join(names) + "\n"} if names else {}
    return {"changed": bool(names), "installed": names, "diff": diff, "needed": []}


def main() -> None:
    """Run as a module."""
    guarded(begun(work), AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
