#!/usr/bin/python
# Apache-2.0
"""A GlusterFS volume: peers, bricks, options, started."""

from __future__ import annotations

import socket
import ssl
import time
import xml.etree.ElementTree as ElementTree

from ansible.module_utils.atoll_node import COMMON_ARGUMENTS, guarded
from ansible.module_utils.atoll_recording import begun
from ansible.module_utils.basic import AnsibleModule

CERTIFICATE, KEY, AUTHORITY = "/etc/ssl/glusterfs.pem", "/etc/ssl/glusterfs.key", "/etc/ssl/glusterfs.ca"
MANAGEMENT_PORT = 24007
READ_AT_START = {"server.ssl", "client.ssl", "ssl.cipher-list", "ssl.certificate-depth"}
ANSWER_S, HANGS_UP_S = 5, 2
# One command at a time changes a volume, and homes get their limits by such.
BUSY, BUSY_S, BUSY_STEP_S = "Another transaction is in progress", 60, 1

DOCUMENTATION = r"""
module: atoll_gluster
short_description: A GlusterFS volume is served
description:
  - Probes the peers, creates the volume, sets its options, starts it and checks that every brick is online. Runs on one
    storage node. With one server the volume is not replicated, with three it is (replica 3).
  - Turns quotas on and off. They count what there is when they are turned on; limits of directories are others' work.
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
  options:
    description: Options of the volume.
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
open:
  description: In check mode, servers that do not refuse a stranger, each in words.
  type: list
  elements: str
  returned: check mode
"""


class Gluster:
    """The command line of GlusterFS in its script mode, which answers in XML and asks nothing."""

    def __init__(self, module):
        self.module = module
        self.program = module.get_bin_path("gluster", required=True)
        self.changes = []

    def _run(self, *args):
        """Run a command, again while another one goes on."""
        end = time.monotonic() + BUSY_S
        while True:
            code, out, err = self.module.run_command([self.program, "--mode=script", "--xml", *args])
            if BUSY not in out + err or time.monotonic() > end:
                return code, out, err
            time.sleep(BUSY_STEP_S)

    def ask(self, *args):
        """Run a command that changes nothing and return its XML; None if gluster says no."""
        code, out, err = self._run(*args)
        if code != 0 and not out.strip().startswith("<"):
            self.module.fail_json(msg="gluster %s: %s" % (" ".join(args), (err or out).strip()))
        answer = ElementTree.fromstring(out)  # noqa: S314 (written by gluster on this node)
        return answer if answer.findtext("opRet") == "0" else None

    def act(self, what, *args):
        """Run a command that changes something, unless in check mode."""
        self.changes.append(what)
        if self.module.check_mode:
            return
        answer_code, out, err = self._run(*args)
        said = (err or out).strip()
        if out.strip().startswith("<"):
            answer = ElementTree.fromstring(out)  # noqa: S314 (written by gluster on this node)
            answer_code = int(answer.findtext("opRet") or 0)
            said = answer.findtext("opErrstr") or said
        if answer_code != 0:
            self.module.fail_json(msg="gluster %s: %s" % (" ".join(args), said), changes=self.changes)


def peers(gluster):
    """Return the addresses of the peers that are known."""
    answer = gluster.ask("peer", "status")
    return [] if answer is None else [name.text for name in answer.iter("hostname")]


def described(gluster, volume):
    """Return (bricks, options, started) of a volume, None if it is not there."""
    answer = gluster.ask("volume", "info", volume)
    found = None if answer is None else answer.find(".//volume")
    if found is None:
        return None
    bricks = [brick.findtext("name") for brick in found.iter("brick")]
    options = {option.findtext("name"): option.findtext("value") for option in found.iter("option")}
    return bricks, options, found.findtext("statusStr") == "Started"


def bricks_of(gluster, volume):
    """Return (host, path, port, serves) of each brick of a started volume; None if it cannot be asked."""
    answer = gluster.ask("volume", "status", volume)
    if answer is None:
        return None
    nodes = [node for node in answer.iter("node") if (node.findtext("path") or "").startswith("/")]
    return [
        (n.findtext("hostname"), n.findtext("path"), n.findtext("port"), n.findtext("status") == "1") for n in nodes
    ]


def offline(gluster, volume):
    """Return the bricks of a started volume that do not serve."""
    bricks = bricks_of(gluster, volume)
    return ["all"] if bricks is None else ["%s:%s" % (host, path) for host, path, _, serves in bricks if not serves]


def listens(host, port, known):
    """Say whether a server goes on listening to us: as the node that we are, or as a stranger without a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(AUTHORITY)
    if known:
        context.load_cert_chain(CERTIFICATE, KEY)
    try:
        with socket.create_connection((host, port), timeout=ANSWER_S) as plain, context.wrap_socket(plain) as stream:
            # GlusterFS shakes hands with everybody, and hangs up on those who showed no certificate.
            stream.settimeout(HANGS_UP_S)
            return known or bool(stream.recv(1))
    except socket.timeout:
        return True
    except OSError:  # ssl.SSLError is one
        return False


def open_to_strangers(servers, bricks):
    """Return in words which servers do not speak TLS, or speak it with anybody."""
    found = []
    places = [("glusterd", host, MANAGEMENT_PORT) for host in servers]
    places += [("the brick", host, int(port)) for host, _, port, serves in bricks if serves]
    for what, host, port in places:
        if not listens(host, port, known=True):
            found.append("%s at %s:%d does not speak TLS with this node" % (what, host, port))
        elif listens(host, port, known=False):
            found.append("%s at %s:%d takes connections without a certificate" % (what, host, port))
    return found


def limited(gluster, volume, options, wanted):
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


def ensure(module):
    """Bring the volume into the wanted form."""
    volume, brick, servers = module.params["volume"], module.params["brick"], module.params["servers"]
    if len(servers) not in (1, 3):
        module.fail_json(msg="a volume needs one storage node or three, not %d: change roles of nodes" % len(servers))
    wanted = ["%s:%s/data" % (server, brick.rstrip("/")) for server in servers]
    gluster = Gluster(module)
    known = peers(gluster)
    for server in servers[1:]:
        if server not in known:
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
    told = {"changes": gluster.changes, "replicas": len(servers)}
    if module.check_mode:
        told["open"] = open_to_strangers(servers, bricks_of(gluster, volume) or [])
    module.exit_json(changed=bool(gluster.changes), **told)


def main():
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "phase": {"type": "str"},
            "volume": {"type": "str", "required": True},
            "brick": {"type": "path", "required": True},
            "servers": {"type": "list", "elements": "str", "required": True},
            "options": {"type": "dict", "default": {}},
            "quota": {"type": "dict", "default": {}},
            **COMMON_ARGUMENTS,
        },
        supports_check_mode=True,
    )
    guarded(begun(ensure), module)


if __name__ == "__main__":
    main()
