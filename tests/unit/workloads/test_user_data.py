"""How user data are mounted on nodes. Needs nothing."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import jinja2
from ansible.plugins.filter.core import FilterModule

from installer.cluster import TREE
from installer.cluster.drivers import BRICK_PORT

from .conftest import Rendered, Rendering


def settings(text: str) -> dict[str, str]:
    """The options of a volfile by name; its layers have none in common here."""
    return dict(line.split(maxsplit=2)[1:] for line in text.splitlines() if line.strip().startswith("option "))


def test_the_directories_of_user_data_are_bound_on_every_node(rendered: Rendered) -> None:
    units = {file.host: file.text or "" for file in rendered.files if file.dest.endswith("/atoll-user-data.service")}
    assert len(units) == 4
    names = " home vc datasets models logs"
    for unit in units.values():
        told = [line.partition("/opt/atoll/bin/user_data ")[2] for line in unit.splitlines() if line.startswith("Exec")]
        assert told == [f"up{names}", "down"]
        assert {"Restart=always", "StartLimitIntervalSec=0"} <= {*unit.splitlines()}, "a client that ended stays away"


def test_user_data_are_mounted_without_glusterd_at_the_one_port_that_a_brick_has(rendered: Rendered) -> None:
    """What clients know by heart, what glusterd gives, and what the firewall lets through is one port."""
    volfiles = {file.text or "" for file in rendered.files if file.dest == "/etc/atoll/atoll.vol"}
    (volfile,) = volfiles
    of_client = settings(volfile)
    (server,) = [file.text or "" for file in rendered.files if file.dest == "/etc/glusterfs/glusterd.vol"]
    of_server = settings(server)
    assert (of_client["remote-host"], of_client["remote-subvolume"]) == ("10.77.0.31", "/srv/atoll/storage/data")
    ports = {of_client["remote-port"], of_server["base-port"], of_server["max-port"]}
    assert ports == {str(BRICK_PORT)}, "a brick is somewhere else than its clients look for it"
    (volume,) = rendered.of("atoll_gluster")
    assert volume["args"]["port"] == BRICK_PORT
    assert of_client["transport.socket.ssl-enabled"] == "on"
    named = [line.split()[1] for line in volfile.splitlines() if line.startswith("volume ")]
    below = [line.split()[1:] for line in volfile.splitlines() if "subvolumes" in line]
    assert below == [[name] for name in named[:-1]], "the layers are no chain"


def test_no_link_that_a_client_put_into_the_tree_is_followed(rendered: Rendered) -> None:
    """Root of any node writes there; `apply` is root of the first master."""
    below = [
        directory
        for call in rendered.of("atoll_files")
        for directory in call["args"].get("directories", ())
        if directory["path"].startswith("/mnt/atoll/")
    ]
    assert len(below) == 5
    assert [each["path"] for each in below if not each.get("shared")] == []


def test_the_word_of_a_storage_server_runs_nothing_on_nodes(rendering: Rendering) -> None:
    """GlusterFS runs what stands between backquotes in a volfile; the id of the volume is what its server says."""
    files = [file.text or "" for file in rendering("three_masters").files if file.dest == "/etc/atoll/atoll.vol"]
    assert files
    for text in files:
        assert "`" not in text, "what a storage server says is run on every node"
        assert text.split("option volume-id ")[1].split("\n")[0] == "0d6b6bd4-9d0c-4b6b-8f9b-0a0b0c0d0e0f"
        assert text.count("type protocol/client") == 3


def restarted_for(rendered: Rendered, unit: str) -> set[frozenset[str]]:
    """For which files a unit starts again, on the nodes that have it."""
    of_nodes = [one for call in rendered.of("atoll_units") for one in call["args"]["units"]]
    return {frozenset(one["restart_when"]) for one in of_nodes if one["name"] == unit}


def test_another_description_of_the_mount_is_mounted(rendered: Rendered) -> None:
    (files,) = restarted_for(rendered, "atoll-user-data.service")
    assert {"/etc/atoll/atoll.vol", "/opt/atoll/bin/user_data"} <= files, (
        "what is mounted stays as the file of before had it"
    )


def test_user_data_that_are_not_those_of_the_volume_any_more_are_mounted_anew(rendered: Rendered) -> None:
    of_nodes = [one for call in rendered.of("atoll_units") for one in call["args"]["units"]]
    checks = [one["check"] for one in of_nodes if one["name"] == "atoll-user-data.service"]
    assert checks == [["/opt/atoll/bin/user_data", "check", "home", "vc", "datasets", "models", "logs"]] * 4


def test_a_mount_talks_as_the_volume_wants_it(rendered: Rendered) -> None:
    (call,) = rendered.of("atoll_gluster")
    wanted = call["args"]["options"]
    volfiles = [settings(file.text or "") for file in rendered.files if file.dest == "/etc/atoll/atoll.vol"]
    assert len(volfiles) == 4
    for volfile in volfiles:
        for at_client, of_volume in (
            ("transport.socket.ssl-cert-depth", "ssl.certificate-depth"),
            ("transport.socket.ssl-cipher-list", "ssl.cipher-list"),
            ("ping-timeout", "network.ping-timeout"),
        ):
            assert volfile[at_client] == wanted[of_volume], f"a mount and its volume differ in {of_volume}"


def test_a_mount_waits_as_long_as_glusterfs_does_where_the_volume_says_nothing() -> None:
    """Who gives options of their own need not name this one."""
    environment = jinja2.Environment(autoescape=False)  # noqa: S701 (no HTML)
    environment.filters |= {name: FilterModule().filters()[name] for name in ("comment", "regex_replace")}
    template = environment.from_string((TREE / "roles/storage/templates/glusterfs/atoll.vol.j2").read_text("utf-8"))
    text = template.render(
        atoll_storage_hosts=[{"name": "storage1", "address": "10.0.0.31"}],
        ansible_managed="",
        storage_directory="/srv",
        storage_of_driver={"volume_access": {}},
        storage_volume_options={"server.event-threads": "4"},
    )
    assert "    option ping-timeout 42\n" in text, "the volfile says no time"


SS = """#!/bin/sh
here="$(dirname "$0")"
echo "$*" >> "$here/calls"
[ "$(grep -c kill "$here/calls")" -ge "$(cat "$here/until")" ] || echo TIME-WAIT
"""


def test_what_clients_left_at_the_port_of_a_brick_is_ended_before_its_start(rendered: Rendered, tmp_path: Path) -> None:
    """The kernel may end some of it by itself only, so that is waited for."""
    drop_in = "/etc/systemd/system/glusterd.service.d/atoll.conf"
    ((host, text),) = [(file.host, file.text or "") for file in rendered.files if file.dest == drop_in]
    assert host == "storage1"
    lines = text.replace("\\\n", "").replace("$$", "$").splitlines()  # as systemd reads it
    (before,) = [line.partition("=-")[2] for line in lines if line.startswith("ExecStartPre=-") and "ss " in line]
    for name, body in (("ss", SS), ("sleep", "#!/bin/sh\n")):
        (tmp_path / name).write_text(body)
        (tmp_path / name).chmod(0o755)
    for until, tried in ((1, 1), (3, 3), (1000, 65)):
        (tmp_path / "until").write_text(str(until))
        (tmp_path / "calls").unlink(missing_ok=True)
        program = shlex.split(before)
        subprocess.run(program, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=False, timeout=60)
        calls = (tmp_path / "calls").read_text().splitlines()
        of_port = {call.partition("--tcp ")[2] for call in calls}
        assert of_port == {f"state connected sport = :{BRICK_PORT}"}, "the port of the brick is not freed"
        assert sum("--kill" in call for call in calls) == tried, "glusterd does not wait for the port of its brick"


def test_glusterd_starts_again_for_the_port_of_its_brick(rendered: Rendered) -> None:
    (files,) = restarted_for(rendered, "glusterd.service")
    wanted = {"/etc/systemd/system/glusterd.service.d/atoll.conf", "/etc/glusterfs/glusterd.vol"}
    assert wanted <= files, "glusterd goes on with the port of before"


def test_what_glusterd_starts_for_a_brick_gives_it_a_root_of_its_own(rendered: Rendered) -> None:
    """Else whoever comes to the brick, root of any node, comes to all files of the server by it."""
    files = {file.dest: file for file in rendered.files if file.host == "storage1"}
    drop_in = files["/etc/systemd/system/glusterd.service.d/atoll.conf"].text or ""
    bound = [line.partition("=")[2] for line in drop_in.splitlines() if line.startswith("BindReadOnlyPaths=")]
    # systemd mounts in the order of the places: the real one is bound before it is hidden.
    assert bound == [
        "/usr/sbin/glusterfsd:/opt/atoll/lib/glusterfs/glusterfsd",
        "/opt/atoll/bin/brick:/usr/sbin/glusterfsd",
    ], "bricks run in the root of their server"
    assert "/opt/atoll/bin/brick" in files
    (starts,) = [line for line in drop_in.splitlines() if line.startswith("ExecStart=/")]
    assert starts.startswith("ExecStart=/opt/atoll/lib/glusterfs/glusterd -p /run/glusterd.pid")
    # What a client may fill is not the memory of the whole server, and no pid of before stands for a brick.
    assert "TemporaryFileSystem=/run/atoll-brick:size=64k," in drop_in
    assert "ExecStartPre=-/bin/sh -c 'rm -f /run/gluster/vols/*/*.pid'" in drop_in
    assert {"MemoryMax=50%", "OOMPolicy=continue"} <= {*drop_in.splitlines()}
    (volume,) = rendered.of("atoll_gluster")
    assert files["/etc/atoll/brick"].text == volume["args"]["brick"] + "/data\n", "it serves no other brick"
    (restarted,) = restarted_for(rendered, "glusterd.service")
    assert {"/opt/atoll/bin/brick", "/etc/atoll/brick"} <= restarted
