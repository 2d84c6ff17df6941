"""A mount of user data whose client has ended is named, and one `apply` brings back all that stood on it."""

from __future__ import annotations

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
