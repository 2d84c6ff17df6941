#!/usr/bin/python
# Apache-2.0
"""A GlusterFS volume: peers, bricks, options, started."""

from __future__ import annotations

import os
import time
import xml.etree.ElementTree as ElementTree
from typing import Any, Dict, List, Optional, Tuple

from ansible.module_utils.atoll_gluster_access import Brick, misplaced, open_to_strangers
from ansible.module_utils.atoll_gluster_options import unseen_by_mounts
from ansible.module_utils.atoll_node import COMMON_ARGUMENTS, NodeError, guarded
from ansible.module_utils.atoll_recording import begun
from ansible.module_utils.basic import AnsibleModule

IDENTITY = "/etc/ssl/glusterfs.pem", "/etc/ssl/glusterfs.key", "/etc/ssl/glusterfs.ca"
READ_AT_START = {"server.ssl", "client.ssl", "ssl.cipher-list", "ssl.certificate-depth"}
# Tried with GlusterFS 10.3: a peer that only said hello has no identity, `peer status` fails of it, and glusterd ends
# when it is told to detach it. It forgets such ones at its start; their files stay.
PEERS, NOBODY = "/var/lib/glusterd/peers", "00000000-0000-0000-0000-000000000000"
UNIT, STARTS_S, STARTS_STEP_S = "glusterd.service", 30, 1
# `start force` says success, too, where the port of a brick is taken, and nobody tries again.
SERVES_S, SERVES_STEP_S = 90, 3
# One command at a time changes a volume, and homes get their limits by such.
BUSY, BUSY_S, BUSY_STEP_S = "Another transaction is in progress", 60, 1

DOCUMENTATION = r"""
module: atoll_gluster
short_description: A GlusterFS volume is served
description:
  - Probes the peers, creates the volume, sets its options, starts it and checks that every brick is online. Runs on one
    storage node. With one server the volume is not replicated, with three it is (replica 3).
  - A brick that does not serve is started again for a while, as its port may be taken for a moment; then it fails.
  - Turns quotas on and off. They count what there is when they are turned on; limits of directories are others' work.
  - Peers that are none of the servers are detached and volumes other than this one stopped and deleted, in this order
    and before all else; files of their bricks stay as they are. Peers that only said hello are gone with a restart of
    glusterd. What cannot be removed fails.
  - A volume that runs is stopped and started where an option is one that its servers read at their start (TLS);
    mounts of before are dead then.
options:
  phase:
    description: The phase that the volume belongs to.
    type: str
  volume:
    description: Name of the volume.
    type: str
    required: true
  brick:
    description: Directory of the brick, the same on each server. Must exist.
    type: path
    required: true
  servers:
    description: Addresses of the storage nodes; the first is this one. 1 or 3.
    type: list
    elements: str
    required: true
  port:
    description: Where clients look for the brick of each server.
    type: int
    required: true
  options:
    description: Options of the volume. One that only a mount would read is refused, as mounts do not ask for it.
    type: dict
    default: {}
  quota:
    description: Quotas are on, with these options of the volume; empty, they are off.
    type: dict
    default: {}
extends_documentation_fragment:
  - atoll
author:
  - Atoll
"""

EXAMPLES = r"""
- name: The volume of user data is served
  atoll_gluster:
    phase: volume
    volume: atoll
    brick: /srv/atoll/brick
    servers: [10.0.0.4]
    port: 24009
    options: {network.ping-timeout: "10"}
    quota: {features.quota-deem-statfs: "on", features.hard-timeout: "1"}
"""

RETURN = r"""
replicas:
  description: How many copies of each file there are.
  type: int
  returned: always
changes:
  description: What was done, or would be in check mode.
  type: list
  elements: str
  returned: always
unknown:
  description: Peers and volumes that nobody wanted, in words; in check mode they are there, else they were removed.
  type: list
  elements: str
  returned: always
open:
  description: In check mode, servers that do not refuse a stranger, each in words.
  type: list
  elements: str
  returned: check mode
misplaced:
  description: In check mode, bricks that serve where no client looks for them, each in words.
  type: list
  elements: str
  returned: check mode
"""


class Gluster:
    """The command line of GlusterFS in its script mode, which answers in XML and asks nothing."""

    def __init__(self, module: AnsibleModule) -> None:
        self.module = module
        self.program = module.get_bin_path("gluster", required=True)
        self.changes: List[str] = []

    def _run(self, *args: str) -> Tuple[int, str, str]:
        """Run a command, again while another one goes on."""
        end = time.monotonic() + BUSY_S
        while True:
            code, out, err = self.module.run_command([self.program, "--mode=script", "--xml", *args])
            if BUSY not in out + err or time.monotonic() > end:
                return int(code), str(out), str(err)
            time.sleep(BUSY_STEP_S)

    def ask(self, *args: str) -> Optional[ElementTree.Element]:
        """Run a command that changes nothing and return its XML; None if gluster says no."""
        code, out, err = self._run(*args)
        if code != 0 and not out.strip().startswith("<"):
            self.module.fail_json(msg="gluster %s: %s" % (" ".join(args), (err or out).strip()))
        answer = ElementTree.fromstring(out)  # noqa: S314 (written by gluster on this node)
        return answer if answer.findtext("opRet") == "0" else None

    def act(self, what: str, *args: str) -> None:
        """Run a command that changes something, unless in check mode."""
        self.changes.append(what)
        if self.module.check_mode:
            return
        refused = self.try_to(*args)
        if refused:
            self.module.fail_json(msg=refused, changes=self.changes)

    def try_to(self, *args: str) -> str:
        """Run a command and return why it was refused, empty if it was not."""
        answer_code, out, err = self._run(*args)
        said = (err or out).strip()
        if out.strip().startswith("<"):
            answer = ElementTree.fromstring(out)  # noqa: S314 (written by gluster on this node)
            answer_code = int(answer.findtext("opRet") or 0)
            said = answer.findtext("opErrstr") or said
        return "gluster %s: %s" % (" ".join(args), said) if answer_code != 0 else ""


class Strangers:
    """Peers and volumes that nobody wanted: who has a certificate of a node can make them."""

    def __init__(self, gluster: Gluster, volume: str, servers: List[str]) -> None:
        self.gluster = gluster
        self.module = gluster.module
        self.known = known(gluster)
        # The first name is the address from which it came; a peer tells others of itself as it likes.
        first = [names[0] for names in self.known or []]
        wanted = servers[1:]
        self.peers = sorted({name for name in first if name not in wanted or first.count(name) > 1})
        self.halves = halves()
        self.volumes = sorted(set(volumes(gluster)) - {volume})

    def __bool__(self) -> bool:
        return self.known is None or bool(self.peers or self.halves or self.volumes)

    def words(self) -> List[str]:
        """Return what there is."""
        found = ["the peer %s" % name for name in self.peers]
        found += ["the peer %s, which only said hello" % name for name in sorted(self.halves.values())]
        if self.known is None and not self.halves:
            found.append("peers that glusterd does not name")
        for name in self.volumes:
            seen = described(self.gluster, name)
            found.append("the volume %s (%s)" % (name, ", ".join(seen[0]) if seen else "bricks unknown"))
        return found

    def remove(self) -> List[str]:
        """Try to remove them, and return what was refused. Files of bricks stay as they are."""
        refused = []
        if self.known is None or self.halves:
            refused.append(self._forget_halves())
        # A peer that is away keeps volumes from being deleted.
        refused += [self.gluster.try_to("peer", "detach", name, "force") for name in self.peers]
        for name in self.volumes:
            self.gluster.try_to("volume", "stop", name, "force")  # it may not run
            refused.append(self.gluster.try_to("volume", "delete", name))
        return [why for why in refused if why]

    def _forget_halves(self) -> str:
        """Have glusterd forget those who only said hello; say why it does not start."""
        for path in self.halves:
            os.unlink(path)
        if self.known is not None:  # it was started since
            return ""
        systemctl = self.module.get_bin_path("systemctl", required=True)
        code, out, err = self.module.run_command([systemctl, "restart", UNIT])
        end = time.monotonic() + STARTS_S
        while code == 0 and self.gluster.try_to("volume", "list") and time.monotonic() < end:
            time.sleep(STARTS_STEP_S)
        return str(err or out).strip() if code != 0 else ""


def without_strangers(gluster: Gluster, volume: str, servers: List[str]) -> List[str]:
    """Remove the peers and volumes that nobody wanted, unless in check mode, and return in words what there was."""
    found = Strangers(gluster, volume, servers)
    if not found:
        return []
    words = found.words()
    gluster.changes += ["without %s" % word for word in words]
    if gluster.module.check_mode:
        return words
    # A peer is not detached while a volume has a brick there: again, once the volume is gone.
    left = found
    refused: List[str] = []
    for _ in range(2):
        if left:
            refused = left.remove()
            left = Strangers(gluster, volume, servers)
    if left:
        gluster.module.fail_json(
            msg="Nobody wanted %s, and it cannot be removed (%s). Whoever made it has the certificate of a node: fence "
            "that node (docs/operate.md). Then, on %s: stop glusterd, remove what is named so below /var/lib/glusterd "
            "(peers, vols), start glusterd, and apply again."
            % (", ".join(left.words()), "; ".join(refused) or "it comes again", servers[0]),
            changes=gluster.changes,
            unknown=words,
        )
    return words


def known(gluster: Gluster) -> Optional[List[List[str]]]:
    """Return the names of each peer that is known; None if glusterd cannot say."""
    answer = gluster.ask("peer", "status")
    if answer is None:
        return None
    return [[name.text or "" for name in peer.iter("hostname")] for peer in answer.iter("peer")]


def halves() -> Dict[str, str]:
    """Return the peers without an identity, name by file."""
    found = {}
    for entry in sorted(os.listdir(PEERS)) if os.path.isdir(PEERS) else []:
        path = os.path.join(PEERS, entry)
        with open(path, encoding="utf-8", errors="replace") as file:
            told = dict(line.rstrip("\n").split("=", 1) for line in file if "=" in line)
        if told.get("uuid") == NOBODY:
            found[path] = told.get("hostname1", entry)
    return found


def volumes(gluster: Gluster) -> List[str]:
    """Return the names of all volumes."""
    answer = gluster.ask("volume", "list")
    if answer is None:
        raise NodeError("glusterd does not say which volumes there are: look at its log")
    return [volume.text or "" for volume in answer.iter("volume")]


def described(gluster: Gluster, volume: str) -> Optional[Tuple[List[str], Dict[str, str], bool]]:
    """Return (bricks, options, started) of a volume, None if it is not there."""
    answer = gluster.ask("volume", "info", volume)
    found = None if answer is None else answer.find(".//volume")
    if found is None:
        return None
    bricks = [brick.findtext("name", "") for brick in found.iter("brick")]
    options = {option.findtext("name", ""): option.findtext("value", "") for option in found.iter("option")}
    return bricks, options, found.findtext("statusStr") == "Started"


def bricks_of(gluster: Gluster, volume: str) -> Optional[List[Brick]]:
    """Return (host, path, port, serves) of each brick of a started volume; None if it cannot be asked."""
    answer = gluster.ask("volume", "status", volume)
    if answer is None:
        return None
    nodes = [node for node in answer.iter("node") if (node.findtext("path") or "").startswith("/")]
    words = [[node.findtext(key, "") for key in ("hostname", "path", "port", "status")] for node in nodes]
    return [(host, path, port, status == "1") for host, path, port, status in words]


def offline(gluster: Gluster, volume: str) -> List[str]:
    """Return the bricks of a started volume that do not serve."""
    bricks = bricks_of(gluster, volume)
    return ["all"] if bricks is None else ["%s:%s" % (host, path) for host, path, _, serves in bricks if not serves]


def wait_for_bricks(gluster: Gluster, volume: str) -> None:
    """Wait until all bricks serve, and start them again meanwhile; fail with words if they do not."""
    end = time.monotonic() + SERVES_S
    while True:
        missing = offline(gluster, volume)
        if not missing:
            return
        if time.monotonic() > end:
            gluster.module.fail_json(
                msg="the bricks %s do not serve: look for another program on their port (ss -tlnp), and at "
                "/var/log/glusterfs of their servers" % ", ".join(missing),
                changes=gluster.changes,
            )
        time.sleep(SERVES_STEP_S)
        gluster.try_to("volume", "start", volume, "force")


def limited(gluster: Gluster, volume: str, options: Dict[str, str], wanted: Dict[str, Any]) -> None:
    """Turn quotas of a started volume on or off, which is no option that can be set like others; theirs are."""
    on = options.get("features.quota") == "on"
    if on and not wanted:
        gluster.act("quota off", "volume", "quota", volume, "disable")
    if wanted and not on:
        gluster.act("quota on", "volume", "quota", volume, "enable")
    other = {name: str(value) for name, value in wanted.items() if options.get(name) != str(value)}
    if other:
        words = [word for name in sorted(other) for word in (name, other[name])]
        gluster.act("options %s" % ", ".join(sorted(other)), "volume", "set", volume, *words)


def ensure(module: AnsibleModule) -> None:
    """Bring the volume into the wanted form."""
    volume, brick, servers = module.params["volume"], module.params["brick"], module.params["servers"]
    if len(servers) not in (1, 3):
        module.fail_json(msg="a volume needs one storage node or three, not %d: change roles of nodes" % len(servers))
    lost = unseen_by_mounts(module.params["options"])
    if lost:
        module.fail_json(msg=lost)
    wanted = ["%s:%s/data" % (server, brick.rstrip("/")) for server in servers]
    gluster = Gluster(module)
    unknown = without_strangers(gluster, volume, servers)
    peers = {name for names in known(gluster) or [] for name in names}
    for server in servers[1:]:
        if server not in peers:
            gluster.act("peer %s" % server, "peer", "probe", server)
    seen = described(gluster, volume)
    if seen is None:
        replica = ["replica", str(len(servers))] if len(servers) > 1 else []
        # `force`: the brick may lie on the root file system, which is what a node without a data disk has.
        gluster.act("volume %s" % volume, "volume", "create", volume, *(replica + wanted + ["force"]))
        seen = (wanted, {}, False)
    bricks, options, started = seen
    if sorted(bricks) != sorted(wanted):
        module.fail_json(
            msg="volume %s has the bricks %s, wanted are %s. Bricks of a volume with data are not exchanged by an "
            "apply: restore the storage nodes in cluster.yaml." % (volume, ", ".join(bricks), ", ".join(wanted))
        )
    other = {name: str(value) for name, value in module.params["options"].items() if options.get(name) != str(value)}
    if started and READ_AT_START & other.keys():
        # Before the options: a run that is killed between the two finds it stopped, and starts it.
        gluster.act("stop", "volume", "stop", volume, "force")
        started = False
    if other:
        # In one go: who may connect, and that it is asked, belong together.
        words = [word for name in sorted(other) for word in (name, other[name])]
        gluster.act("options %s" % ", ".join(sorted(other)), "volume", "set", volume, *words)
    if not started:
        gluster.act("start", "volume", "start", volume)
    limited(gluster, volume, options, module.params["quota"])
    missing = [] if module.check_mode and gluster.changes else offline(gluster, volume)
    if missing and started:
        gluster.act("start bricks %s" % ", ".join(missing), "volume", "start", volume, "force")
    if not module.check_mode:
        wait_for_bricks(gluster, volume)
    told: Dict[str, Any] = {"changes": gluster.changes, "replicas": len(servers), "unknown": unknown}
    if module.check_mode:
        bricks = bricks_of(gluster, volume) or []
        told["open"] = open_to_strangers(servers, bricks, IDENTITY)
        told["misplaced"] = misplaced(bricks, module.params["port"])
    module.exit_json(changed=bool(gluster.changes), **told)


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "phase": {"type": "str"},
            "volume": {"type": "str", "required": True},
            "brick": {"type": "path", "required": True},
            "servers": {"type": "list", "elements": "str", "required": True},
            "port": {"type": "int", "required": True},
            "options": {"type": "dict", "default": {}},
            "quota": {"type": "dict", "default": {}},
            **COMMON_ARGUMENTS,
        },
        supports_check_mode=True,
    )
    guarded(begun(ensure), module)


if __name__ == "__main__":
    main()
