"""What user data survive: a mount whose client has ended, and a server that was started again."""

from __future__ import annotations

import pytest

from installer.cluster import load
from installer.cluster.drivers import BRICK_PORT
from tests.system.harness import CLUSTER_FILE, Atoll, Portal, wait_for

FILE = ("-f", str(CLUSTER_FILE))
UNIT = "atoll-user-data.service"
# The client of user data, and of nothing else: it has the volfile as its argument.
CLIENT = ("pkill", "--signal", "KILL", "--full", "^/usr/sbin/glusterfs .*/etc/atoll/atoll.vol")


def test_user_data_are_reached_again_after_the_client_of_a_master_ended(atoll: Atoll, portal: Portal) -> None:
    assert portal.client.get("/home/files").is_success
    atoll.node("master1", *CLIENT)
    wait_for(
        "a list of files that fails in words",
        lambda: portal.client.get("/home/files").status_code in {502, 503},
        timeout_s=60,
    )
    # Nobody does anything by hand: the client is started again, and the container of `files`, too.
    wait_for("the files of a user", lambda: portal.client.get("/home/files").is_success, timeout_s=180)
    assert atoll("plan", "-f", str(CLUSTER_FILE), "-o", "json").json["steps"] == []
    atoll("verify", "-f", str(CLUSTER_FILE))


@pytest.mark.timeout(600)
def test_a_link_that_root_of_a_node_put_in_place_of_all_homes_leads_no_task_to_its_node(atoll: Atoll) -> None:
    """Tasks get their homes by path, and whoever starts their containers follows links."""
    volume = "/run/atoll-user-data/volume"
    listed = ("sh", "-c", "ls /mnt/atoll/home")
    homes = atoll.node("worker1", *listed).out
    atoll.node("storage1", "sh", "-c", f"cd {volume} && mv home away && ln -s /etc/atoll home")
    try:
        assert atoll.node("worker1", *listed).out == homes, "what is bound already has changed"
        # As after a boot: what is not a directory is not followed, and no empty one stands there in its place.
        atoll.node("worker2", "systemctl", "restart", UNIT, ok=(1,))
        assert atoll.node("worker2", "sh", "-c", "ls -A /mnt/atoll").out == ""
        told = atoll.node("worker2", "journalctl", "--unit", UNIT, "--lines", "20").out
        assert "`home` at the top of the volume is a symbolic link" in told
        # Nodes that see it are named; all keep what they have, also over an apply, which can only say so.
        named = {step["node"]: step for step in atoll("plan", *FILE, "-o", "json", ok=(2,)).json["steps"]}
        assert {step["phase"] for step in named.values()} == {"storage_client"}
        assert {"storage1", "worker2"} <= set(named)
        assert "`home` at the top of the volume is a symbolic link" in named["storage1"]["detail"]
        atoll("apply", *FILE, ok=(1,))
        for node in ("storage1", "worker1"):
            assert atoll.node(node, *listed).out == homes, "an apply took from all nodes what they had"
    finally:
        atoll.node("storage1", "sh", "-c", f"cd {volume} && rm home && mv away home")
    # It tries until it can, and so does the kubelet of a node that boots.
    wait_for("homes on the node", lambda: atoll.node("worker2", *listed, ok=(0, 2)).out == homes, timeout_s=60)
    atoll("apply", *FILE)  # what the one above could not do is owed
    assert atoll("plan", *FILE, "-o", "json").json["steps"] == []
    atoll("verify", *FILE)


# Whom the brick refuses, it hangs up on first: it then holds its port for a minute (TIME-WAIT).
REFUSED = """
import socket, ssl, sys

context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
with context.wrap_socket(socket.create_connection((sys.argv[1], int(sys.argv[2])), 5)) as stream:
    stream.settimeout(5)
    assert stream.recv(1) == b"", "a stranger without a certificate was let in"
"""


def test_the_brick_is_back_after_glusterd_was_started_again(atoll: Atoll, portal: Portal) -> None:
    address = load(CLUSTER_FILE).node("storage1").address
    atoll.node("storage1", "python3", "-c", REFUSED, address, str(BRICK_PORT))
    held = atoll.node("storage1", "ss", "-Ht", "state", "time-wait", f"sport = :{BRICK_PORT}").out
    assert str(BRICK_PORT) in held, "nothing holds the port, so this test proves nothing"
    atoll.node("storage1", "systemctl", "restart", "glusterd")
    wait_for("the files of a user", lambda: portal.client.get("/home/files").is_success, timeout_s=120)
    listens = atoll.node("storage1", "ss", "-Htln", f"sport = :{BRICK_PORT}").out
    assert str(BRICK_PORT) in listens
