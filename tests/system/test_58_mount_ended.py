"""What user data survive: a mount whose client has ended, and a server that was started again."""

from __future__ import annotations

from installer.cluster import load
from installer.cluster.drivers import BRICK_PORT
from tests.system.harness import CLUSTER_FILE, Atoll, Portal, wait_for

# The client of user data, and of nothing else: it has the volfile as its argument.
CLIENT = ("pkill", "--signal", "KILL", "--full", "^/usr/sbin/glusterfs .*/etc/atoll/atoll.vol")


def test_user_data_are_reached_again_after_the_mount_of_a_master_ended(atoll: Atoll, portal: Portal) -> None:
    assert portal.client.get("/home/files").is_success
    atoll.node("master1", *CLIENT)
    wait_for(
        "a list of files that fails in words",
        lambda: portal.client.get("/home/files").status_code in {502, 503},
        timeout_s=60,
    )
    (step,) = atoll("plan", "-f", str(CLUSTER_FILE), "-o", "json", ok=(2,)).json["steps"]
    assert (step["phase"], step["node"]) == ("storage_client", "master1")
    assert "does not answer" in step["detail"]
    atoll("apply", "-f", str(CLUSTER_FILE))
    # Nobody restarts it by hand: its container learns that its mount is gone for good.
    wait_for("the files of a user", lambda: portal.client.get("/home/files").is_success, timeout_s=180)
    atoll("verify", "-f", str(CLUSTER_FILE))


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
