"""Tasks with an image of the user's own: every rule of the request, against a control service in memory."""

import contextlib
from pathlib import Path
from typing import Any, cast

import pytest
from atoll.api.contents import ensure_contents
from atoll.api.domains import permissions
from atoll.configuration import Configuration
from atoll.control.client import ControlClient
from atoll.control.codes import NoSuchImage
from atoll.control.schemas import ImageDescription
from atoll.database.connection import connect, sessions
from atoll.identity.permissions import PermissionKind, PermissionTable
from atoll.identity.repository import IdentityRepository
from atoll.identity.service import caller_of
from atoll.images.service import ImageService
from atoll.training.definition import Built, Drafted, draft
from atoll.training.schemas import TrainingCreate
from atoll.training.service import TrainingService
from atoll.virtual_clusters.models import QuotaRow, VirtualClusterRow
from atoll.web.errors import Invalid, NotFound
from sqlalchemy.pool import QueuePool

from installer.cluster import DEVICE_TYPES
from tests.unit.platform.conftest import LIMITS, RunningPlatform, training
from tests.unit.platform.conftest import configuration as running_configuration

REGISTRY = "registry.atoll.internal:5000"
IMAGE = f"{REGISTRY}/imported/team/tool:1.0"
DIGEST = "sha256:" + "a" * 64


class FakeControl:
    """Knows one image."""

    def __init__(self, **changes: Any) -> None:
        self.description = ImageDescription.model_validate(
            {
                "repository": "imported/team/tool",
                "tag": "1.0",
                "reference": IMAGE,
                "digest": DIGEST,
                "architectures": ["amd64"],
                "size_bytes": 7,
                "command": ["/tool", "serve"],
                "working_directory": "/app",
                **changes,
            }
        )

    async def image(self, repository: str, tag: str, user: str) -> ImageDescription:
        assert user in {"ada", "admin"}
        if (repository, tag) != (self.description.repository, self.description.tag):
            raise NotFound(NoSuchImage(image="none"))
        return self.description


def configuration(runtime: str | None = f"{REGISTRY}/atoll/runtime:0") -> Configuration:
    return Configuration.model_validate(
        {
            "cluster": {"name": "test", "version": "0"},
            "database": {"host": "/x", "user": "nobody"},
            "web": {"origin": "https://portal"},
            "services": {"files": "http://127.0.0.1:1", "jobs": "http://127.0.0.1:2"},
            "engine": {
                "kind": "kubernetes",
                "runtime": runtime,
                "gateways": ["10.77.0.11"],
                "name_service": "10.96.0.10",
                "networks": ["10.244.0.0/16"],
            },
            "frameworks": [{"name": "numpy", "title": "N", "image": "n", "library": "scikit-learn"}],
            "devices": [DEVICE_TYPES[name].row() for name in ("nvidia_gpu_amd64", "huawei_npu_arm64")],
            "resource_limit": {"nvidia_gpu_amd64": LIMITS, "huawei_npu_arm64": LIMITS},
        }
    )


async def drafted(control: Any = None, *, settings: Configuration | None = None, **changes: Any) -> Drafted:
    body = TrainingCreate.model_validate(
        {"name": "a_task", "virtual_cluster": "default", "device_type": "nvidia_gpu_amd64", **changes}
    )
    settings = settings or configuration()
    known: Any = control or FakeControl()
    own = await ImageService(settings, known).find(body.image, "ada") if body.image else None
    quotas = [QuotaRow(device_type=kind, count=4, max_per_user=4) for kind in ("nvidia_gpu_amd64", "huawei_npu_arm64")]
    cluster = VirtualClusterRow(id="1", name="default", quotas=quotas)
    return draft(settings, "ada", body, cluster, task_id="1", own=own)


def built(found: Drafted) -> Built:
    assert found.built is not None, found.problems
    return found.built


def codes(found: Drafted) -> set[tuple[str, str]]:
    assert found.built is None
    return {(problem.field, problem.code) for problem in found.problems}


async def test_an_image_runs_by_its_digest_what_it_starts_itself_where_it_starts_itself() -> None:
    found = built(await drafted(image=IMAGE, parameters=[{"name": "fast", "value": ""}]))
    assert found.definition.image == f"{IMAGE}@{DIGEST}"
    assert found.definition.command == ["/tool", "serve", "--fast"]
    assert (found.definition.framework, found.definition.working_directory) == (None, "/app")
    assert found.label == "imported/team/tool:1.0"


async def test_a_command_line_is_read_as_words_and_a_code_directory_is_where_it_starts() -> None:
    found = built(await drafted(image=IMAGE, command_line="sh -c 'echo \"$HOME\"; ls'", code_directory="work"))
    assert found.definition.command == ["sh", "-c", 'echo "$HOME"; ls']
    assert (found.definition.code_directory, found.definition.working_directory) == ("work", None)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"image": "docker.io/library/busybox:1"}, ("image", "image_not_of_registry")),
        ({"image": f"{REGISTRY}.evil/imported/x:1"}, ("image", "image_not_of_registry")),
        ({"image": f"{REGISTRY}/imported/UPPER:1"}, ("image", "image_not_of_registry")),
        ({"image": f"{REGISTRY}/imported/../atoll/platform:1"}, ("image", "image_not_of_registry")),
        ({"image": f"{REGISTRY}/imported/other:1"}, ("image", "no_such_image")),
        ({"image": IMAGE, "device_type": "huawei_npu_arm64"}, ("image", "image_architecture")),
        ({"image": IMAGE, "framework": "numpy"}, ("image", "framework_or_image")),
        ({"image": IMAGE, "start_file": "x.py"}, ("start_file", "start_file_needs_framework")),
        ({"image": IMAGE, "command_line": "sh -c 'open"}, ("command_line", "command_unreadable")),
        ({}, ("framework", "missing")),
        ({"framework": "numpy"}, ("start_file", "missing")),
        ({"framework": "numpy", "start_file": "x.py", "command_line": "ls"}, ("command_line", "command_needs_image")),
    ],
)
async def test_what_cannot_be_is_said_at_the_field(changes: dict[str, Any], problem: tuple[str, str]) -> None:
    assert problem in codes(await drafted(**changes))


async def test_an_image_that_starts_nothing_needs_a_command_line() -> None:
    silent = FakeControl(command=[])
    assert codes(await drafted(silent, image=IMAGE)) == {("command_line", "command_needed")}
    assert (await drafted(silent, image=IMAGE, command_line="ls")).built is not None


async def test_an_engine_without_images_says_so() -> None:
    assert codes(await drafted(settings=configuration(None), image=IMAGE)) == {("image", "no_own_images")}


async def test_a_task_without_devices_has_limits_of_its_own() -> None:
    settings = configuration()
    small = {**LIMITS, "floor": {"cpu": "50m", "memory": "16Mi"}, "default": {"cpu": "200m", "memory": "64Mi"}}
    settings = Configuration.model_validate(
        settings.model_dump(exclude={"resource_limit"})
        | {"resource_limit": {"cpu": small, "nvidia_gpu_amd64": LIMITS, "huawei_npu_arm64": LIMITS}}
    )
    without = await drafted(settings=settings, image=IMAGE)
    with_one = await drafted(settings=settings, image=IMAGE, devices=1)
    assert without.built is not None
    assert with_one.built is not None
    assert (without.built.definition.limits.cpu, with_one.built.definition.limits.cpu) == ("200m", "1")


async def test_under_atoll_dev_the_form_offers_no_images_and_the_api_says_why(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    assert (await admin.get("/trainings/options")).json()["own_images"] is False
    request = training(image=IMAGE, framework=None, start_file=None)
    refused = await admin.post("/trainings", request)
    assert refused.status_code == 422
    assert [error["code"] for error in refused.json()["errors"]] == ["no_own_images"]
    estimate = (await admin.post("/trainings/estimate", request)).json()
    assert (estimate["starts"], estimate["problems"][0]["field"]) == ("never", "image")


async def test_no_connection_to_the_database_waits_while_the_registry_is_asked(
    tmp_path: Path, postgres: str, database_name: str
) -> None:
    settings = running_configuration(tmp_path, postgres, database_name)
    engine = settings.engine.model_copy(update={"runtime": "runtime:0"})
    settings = settings.model_copy(update={"engine": engine})
    database = connect(settings, pool_size=1)
    held: list[int] = []

    class SlowControl(FakeControl):
        async def image(self, repository: str, tag: str, user: str) -> ImageDescription:
            held.append(cast("QueuePool", database.pool).checkedout())
            return await super().image(repository, tag, user)

    try:
        await ensure_contents(sessions(database), settings)
        async with sessions(database)() as session:
            admin = await IdentityRepository(session).user_by_name("admin")
        assert admin is not None
        caller = caller_of(admin, [PermissionKind.PLATFORM], PermissionTable(permissions()), "", "request")
        body = TrainingCreate(name="a", virtual_cluster="default", image=IMAGE, device_type="nvidia_gpu_amd64")
        for key in (None, "a-key-of-its-own"):
            async with sessions(database)() as session, session.begin():
                service = TrainingService(session, settings, cast("ControlClient", SlowControl()))
                with contextlib.suppress(Invalid):  # there is no machine that could take it
                    await (service.create(caller, body, key) if key else service.estimate(caller, body))
    finally:
        await database.dispose()
    assert held == [0, 0]
