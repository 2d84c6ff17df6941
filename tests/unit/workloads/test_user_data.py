"""How user data are mounted on nodes. Needs nothing."""

from __future__ import annotations

from installer.cluster.drivers import BRICK_PORT

from .conftest import Rendered, Rendering


def test_the_user_data_bring_no_devices_and_nobody_elses_rights_to_a_node(rendered: Rendered) -> None:
    units = [file.text or "" for file in rendered.files if file.dest.endswith("/mnt-atoll.mount")]
    assert len(units) == 4
    for unit in units:
        (options,) = [line for line in unit.splitlines() if line.startswith("Options=")]
        assert {"nosuid", "nodev"} <= {*options.removeprefix("Options=").split(",")}


def test_user_data_are_mounted_without_glusterd_at_the_one_port_that_a_brick_has(rendered: Rendered) -> None:
    """What clients know by heart, what glusterd gives, and what the firewall lets through is one port."""
    units = [file.text or "" for file in rendered.files if file.dest.endswith("/mnt-atoll.mount")]
    assert {line for unit in units for line in unit.splitlines() if line.startswith("What=")} == {
        "What=/etc/atoll/atoll.vol"
    }, "a mount asks glusterd, whose port is closed to it"
    volfiles = {file.text or "" for file in rendered.files if file.dest == "/etc/atoll/atoll.vol"}
    (volfile,) = volfiles
    of_client = dict(line.split(maxsplit=1)[1].split(maxsplit=1) for line in volfile.splitlines() if "option" in line)
    (server,) = [file.text or "" for file in rendered.files if file.dest == "/etc/glusterfs/glusterd.vol"]
    of_server = dict(line.split(maxsplit=1)[1].split(maxsplit=1) for line in server.splitlines() if "option" in line)
    assert (of_client["remote-host"], of_client["remote-subvolume"]) == ("10.77.0.31", "/srv/atoll/storage/data")
    ports = {of_client["remote-port"], of_server["base-port"], of_server["max-port"]}
    assert ports == {str(BRICK_PORT)}, "a brick is somewhere else than its clients look for it"
    assert of_client["transport.socket.ssl-enabled"] == "on"
    named = [line.split()[1] for line in volfile.splitlines() if line.startswith("volume ")]
    below = [line.split()[1:] for line in volfile.splitlines() if "subvolumes" in line]
    assert below == [[name] for name in named[:-1]], "the layers are no chain"


def test_the_word_of_a_storage_server_runs_nothing_on_nodes(rendering: Rendering) -> None:
    """GlusterFS runs what stands between backquotes in a volfile; the id of the volume is what its server says."""
    files = [file.text or "" for file in rendering("three_masters").files if file.dest == "/etc/atoll/atoll.vol"]
    assert files
    for text in files:
        assert "`" not in text, "what a storage server says is run on every node"
        assert text.split("option volume-id ")[1].split("\n")[0] == "0d6b6bd4-9d0c-4b6b-8f9b-0a0b0c0d0e0f"
        assert text.count("type protocol/client") == 3
