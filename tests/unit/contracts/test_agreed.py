"""What platform, installer and programs of nodes each have to say by themselves, since none imports another."""

from __future__ import annotations

import home_quotas
from atoll.devices.limits import LOCAL_DISK
from atoll.identity.schemas import UserName
from pydantic import TypeAdapter

from installer.cluster.sections import Platform
from installer.cluster.values import ACCOUNT


def test_all_mean_the_same_by_the_name_of_an_account() -> None:
    platform = TypeAdapter(UserName).json_schema()["pattern"]
    found = {"platform": platform, "installer": f"^{ACCOUNT.pattern}$", "nodes": f"^{home_quotas.NAME.pattern}$"}
    assert found == dict.fromkeys(found, platform), "an account has another name elsewhere"


def test_a_task_that_says_nothing_of_its_nodes_disk_gets_as_much_everywhere() -> None:
    assert Platform().task_local_disk == LOCAL_DISK, "a task gets another share of the disk elsewhere"
