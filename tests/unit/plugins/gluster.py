"""A GlusterFS of one server that keeps what it is told, in the folder where its program lies.

Files there make it fail: `busy` (so many commands are refused), `away` (so many starts by force until the brick
serves), `port` (of its brick), `peers`, `others` (volumes), `stays` (what cannot be removed).
"""

from __future__ import annotations

import sys
from pathlib import Path

GLUSTER = f"""#!{sys.executable} -I
import json, os, sys
here = os.path.dirname(os.path.abspath(__file__))
words = sys.argv[3:]
with open(here + "/calls", "a") as log:
    log.write(" ".join(words) + "\\n")
def answer(inner="", code=0, why=""):
    print("<cliOutput><opRet>%d</opRet><opErrstr>%s</opErrstr>%s</cliOutput>" % (code, why, inner))
    sys.exit(0)
busy = here + "/busy"
if os.path.exists(busy):
    left = int(open(busy).read()) - 1
    open(busy, "w").write(str(left)) if left else os.unlink(busy)
    answer(code=-1, why="Another transaction is in progress for atoll. Please try again after some time.")
def kept_in(name, empty):
    return json.load(open(here + name)) if os.path.exists(here + name) else empty
def keep(name, what):
    json.dump(what, open(here + name, "w"))
peers, others, stays = kept_in("/peers", []), kept_in("/others", {{}}), kept_in("/stays", [])
away = kept_in("/away", 0)  # so many more starts by force until the brick serves
if words[:2] == ["peer", "status"]:
    if peers is None:
        answer(code=-22)
    answer("".join("<peer>%s</peer>" % "".join("<hostname>%s</hostname>" % n for n in names) for names in peers))
if words[:2] == ["peer", "detach"]:
    if peers is None:
        sys.exit("Connection failed. Please check if gluster daemon is operational.")  # glusterd died of it
    if any(brick.startswith(words[2] + ":") for volume in others.values() for brick in volume["bricks"]):
        answer(code=-1, why="Brick(s) with the peer %s exist in cluster" % words[2])
    if words[2] not in stays:
        keep("/peers", [names for names in peers if names[0] != words[2]])
    answer()
if words[1] == "list":
    mine = ["atoll"] if os.path.exists(here + "/volume") else []
    answer("<volList>%s</volList>" % "".join("<volume>%s</volume>" % name for name in [*mine, *others]))
if words[2] in others:
    if words[1] == "info":
        bricks = "".join("<brick>%s<name>%s</name></brick>" % (b, b) for b in others[words[2]]["bricks"])
        answer("<volume>%s<statusStr>Started</statusStr></volume>" % bricks)
    if words[1] == "stop":
        others[words[2]]["started"] = False
    if words[1] == "delete" and words[2] in stays:
        answer(code=-1, why="Some of the peers are down")
    if words[1] == "delete" and others[words[2]]["started"]:
        answer(code=-1, why="Volume %s has been started. Volume needs to be stopped before deletion." % words[2])
    if words[1] == "delete":
        del others[words[2]]
    keep("/others", others)
    answer()
kept = here + "/volume"
volume = json.load(open(kept)) if os.path.exists(kept) else None
options = volume["options"] if volume else {{}}
if words[1] == "info":
    if volume is None:
        answer(code=-1)
    told = "".join("<option><name>%s</name><value>%s</value></option>" % item for item in options.items())
    told += "<statusStr>%s</statusStr>" % ("Started" if volume["started"] else "Created")
    answer("<volume><brick><name>%s</name></brick>%s</volume>" % (volume["brick"], told))
if words[1] == "status" and volume is None:
    answer(code=-1)
if words[1] == "status":
    host, path = volume["brick"].split(":")
    brick = "<node><hostname>%s</hostname><path>%s</path><port>%s</port><status>%d</status></node>"
    brick = brick % (host, path, kept_in("/port", 24009), not away)
    answer(brick + "<node><hostname>Quota Daemon</hostname><path>localhost</path><status>1</status></node>")
if words[1] == "create":
    volume = {{"brick": words[3], "started": False, "options": {{}}}}
elif words[1] == "set" and "features.quota" in words:
    answer(code=-1, why="'gluster volume set <VOLNAME> features.quota' is deprecated.")
elif words[1] == "set":
    options.update(zip(words[3::2], words[4::2]))
elif words[1] == "start":
    volume["started"] = True
    keep("/away", max(away - ("force" in words), 0))
elif words[1] == "quota" and not volume["started"]:
    answer(code=-1, why="Volume is stopped, start volume before executing quota command.")
elif words[3:] == ["enable"]:
    options.update({{"features.quota": "on", "features.inode-quota": "on", "features.quota-deem-statfs": "on"}})
elif words[3:] == ["disable"]:
    for name in ("soft-timeout", "hard-timeout", "quota-deem-statfs"):
        options.pop("features." + name, None)
    options.update({{"features.quota": "off", "features.inode-quota": "off"}})
json.dump(volume, open(kept, "w"))
answer()
"""

SYSTEMCTL = """#!/bin/sh
echo "systemctl $*" >> "${0%/*}/calls"
echo "[]" > "${0%/*}/peers"
"""


def put(folder: Path) -> None:
    """Put the programs into a folder."""
    for name, body in (("gluster", GLUSTER), ("systemctl", SYSTEMCTL)):
        (folder / name).write_text(body)
        (folder / name).chmod(0o755)


def told(gluster: Path, of: str) -> list[str]:
    """The commands that change peers and volumes."""
    calls = (gluster / "calls").read_text().splitlines()
    return [call for call in calls if call.startswith(of)]
