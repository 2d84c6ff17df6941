"""Virtual clusters of a test, as their administrator has them."""

from __future__ import annotations

import secrets
from typing import Any

from tests.system.harness import Atoll, Portal, wait_for
from tests.system.people import User

TYPE = "nvidia_gpu_amd64"
OF_THE_CLUSTER = "namespaces,persistentvolumes,clusterqueues,cohorts"


class Share:
    """A virtual cluster as its administrator has it."""

    def __init__(self, atoll: Atoll, portal: Portal, **more: Any) -> None:
        self.atoll, self.portal = atoll, portal
        self.name = f"share-{secrets.token_hex(3)}"
        self.made = self.make(**more)

    def make(self, **more: Any) -> dict[str, Any]:
        body = {"name": self.name, "devices": {TYPE: 2}, "max_devices_per_user": {TYPE: 2}, "max_hours": 1, **more}
        answer = self.portal.client.post("/virtual-clusters", json=body)
        assert answer.status_code == 201, answer.text
        self.made = answer.json()
        wait_for(f"{self.name} ready", lambda: self.standing() == "ready", 60)
        return self.made

    @property
    def path(self) -> str:
        return f"/virtual-clusters/{self.made['id']}"

    def standing(self) -> str:
        answer = self.portal.client.get(self.path)
        return "gone" if answer.status_code == 404 else str(answer.json()["standing"])

    def edit(self, **changes: Any) -> Any:
        return self.portal.client.patch(self.path, json=changes)

    def members(self, *users: User, **more: Any) -> Any:
        ids = [self.id_of(user) for user in users]
        where = f"{self.path}/members/remove" if "stop_tasks" in more else f"{self.path}/members"
        return self.portal.client.post(where, json={"users": ids, **more})

    def id_of(self, user: User) -> str:
        found = self.portal.client.get("/users", params={"words": user.name}).json()["items"]
        return str(next(each["id"] for each in found if each["name"] == user.name))

    def left(self) -> list[str]:
        """What there is of it in Kubernetes beyond its namespace, which takes its content with it."""
        mine = f"vc-{self.name}"
        names = [
            line.rpartition("/")[2] for line in self.atoll.kubectl("get", OF_THE_CLUSTER, "-o", "name").out.split()
        ]
        return [name for name in names if name == mine or name.startswith((f"{mine}--", f"{mine}-"))]

    def of_member(self, user: User) -> list[str]:
        kinds, namespace = "localqueues,configmaps", f"vc-{self.name}"
        inside = self.atoll.kubectl("get", kinds, "-n", namespace, "-o", "name").out.split()
        names = [line.rpartition("/")[2] for line in inside]
        return [name for name in (*names, *self.left()) if name in (user.name, f"user-{user.name}")
                or name == f"{namespace}--{user.name}"]  # fmt: skip

    def delete(self, timeout_s: float = 120) -> None:
        answer = self.portal.client.delete(self.path)
        assert answer.status_code == 202, answer.text
        wait_for(f"{self.name} gone", lambda: self.standing() == "gone", timeout_s)
