"""What platform, installer and programs of nodes each have to say by themselves, since none imports another."""

from __future__ import annotations

import home_quotas
import pytest
from atoll.devices.limits import LOCAL_DISK
from atoll.identity.schemas import UserName
from atoll.virtual_clusters.management import reserved
from atoll.virtual_clusters.schemas import VirtualClusterName
from pydantic import TypeAdapter, ValidationError

from installer.cluster.sections import Platform
from installer.cluster.values import ACCOUNT, VIRTUAL_CLUSTER


def test_all_mean_the_same_by_the_name_of_an_account() -> None:
    platform = TypeAdapter(UserName).json_schema()["pattern"]
    found = {"platform": platform, "installer": f"^{ACCOUNT.pattern}$", "nodes": f"^{home_quotas.NAME.pattern}$"}
    assert found == dict.fromkeys(found, platform), "an account has another name elsewhere"


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        *((name, True) for name in ("default", "a", "1", "lab-1", "a-b-c", "l" * 40, "rooted", "rooted-1")),
        *((name, False) for name in ("", "Lab", "lab_1", "-a", "a-", "a--b", "a.b", "l" * 41, "x-root", "root", "a\n")),
    ],
)
def test_all_mean_the_same_by_the_name_of_a_virtual_cluster(name: str, fits: bool) -> None:
    try:
        TypeAdapter(VirtualClusterName).validate_python(name)
        platform = not reserved(name)
    except ValidationError:
        platform = False
    assert (platform, VIRTUAL_CLUSTER.fullmatch(name) is not None) == (fits, fits), "it has another name elsewhere"


def test_a_task_that_says_nothing_of_its_nodes_disk_gets_as_much_everywhere() -> None:
    assert Platform().task_local_disk == LOCAL_DISK, "a task gets another share of the disk elsewhere"
