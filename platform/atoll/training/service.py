"""Trainings: the first builder of specifications, and what its form offers."""

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import Configuration
from atoll.control.client import ControlClient
from atoll.database.identifiers import new_id
from atoll.engines.base import NodeObservation
from atoll.engines.repository import NodeRepository
from atoll.homes.places import home_as_seen
from atoll.identity.caller import Caller
from atoll.images.service import ImageService, Own
from atoll.settings.service import SettingsService
from atoll.tasks.codes import NoSuchTask
from atoll.tasks.policy import TASKS_CREATE
from atoll.tasks.repository import TaskRepository
from atoll.tasks.schemas import Estimate, Task
from atoll.tasks.service import About, TaskService, invalid, refused
from atoll.training.definition import Drafted, draft
from atoll.training.examples import EXAMPLES
from atoll.training.schemas import (
    ClusterOption,
    DeviceOption,
    Example,
    Framework,
    TrainingCreate,
    TrainingDefinition,
    TrainingOptions,
)
from atoll.virtual_clusters.models import VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.web.codes import FieldCode
from atoll.web.domain import TaskKind
from atoll.web.errors import NotFound

TRAINING = TaskKind("training", TASKS_CREATE)


class TrainingService:
    """What people do with trainings; once one is made, it is a task like any other."""

    def __init__(self, session: AsyncSession, configuration: Configuration, control: ControlClient | None) -> None:
        self._session = session
        self._images = ImageService(configuration, control)
        self._tasks = TaskService(session, configuration)
        self._settings = SettingsService(session, configuration)
        self._configuration = configuration

    async def create(self, caller: Caller, body: TrainingCreate, key: str | None) -> Task:
        """A new training, queued. Raises Invalid with every mistake, Conflict for a key that was used for another."""
        own = await self._own(caller, body)

        async def make() -> Task:
            task_id = new_id()
            cluster = await self._tasks.cluster(caller, body.virtual_cluster)
            drafted = await self._draft(caller, body, cluster, task_id, own)
            if drafted.built is None or cluster is None:
                raise invalid(drafted.problems)
            built = drafted.built
            about = About(task_id, body.name, built.label, built.definition.model_dump(mode="json"))
            return await self._tasks.submit(caller, TRAINING, built.specification, cluster=cluster, about=about)

        return await self._tasks.once(caller, key, body, make)

    async def estimate(self, caller: Caller, body: TrainingCreate) -> Estimate:
        """What it would use, and whether it would start now."""
        own = await self._own(caller, body)
        cluster = await self._tasks.cluster(caller, body.virtual_cluster)
        drafted = await self._draft(caller, body, cluster, new_id(), own)
        if drafted.built is None or cluster is None:
            return refused(drafted.problems)
        return await self._tasks.estimate(caller, drafted.built.specification, cluster=cluster)

    async def definition(self, caller: Caller, task_id: str) -> TrainingDefinition:
        """What was asked for. Raises NotFound, also for a task of another kind."""
        row = await self._tasks.row(caller, task_id)
        if row.kind != TRAINING.name:
            raise NotFound(NoSuchTask(task=task_id[:64]))
        return TrainingDefinition.model_validate(row.definition)

    async def _draft(
        self, caller: Caller, body: TrainingCreate, cluster: VirtualClusterRow | None, task_id: str, own: Own | None
    ) -> Drafted:
        nodes = [] if own is None else await NodeRepository(self._session).observations()
        machines = sorted({node.arch for node in nodes if node.takes_tasks})
        return draft(
            self._configuration,
            caller.name,
            body,
            cluster,
            task_id=task_id,
            own=own,
            machines=machines,
            unprivileged=await self._unprivileged(caller, cluster) if body.privileged else None,
        )

    async def _unprivileged(self, caller: Caller, cluster: VirtualClusterRow | None) -> FieldCode | None:
        """What keeps the caller from a privileged job there."""
        return None if cluster is None else await self._settings.unprivileged_in(caller, cluster)

    async def _own(self, caller: Caller, body: TrainingCreate) -> Own | None:
        """The image that `body` brings. Before the first query: no connection waits for a registry that is slow."""
        return None if body.image is None else await self._images.find(body.image, caller.name)

    async def options(self, caller: Caller) -> TrainingOptions:
        """What `caller` may choose."""
        repository = VirtualClusterRepository(self._session)
        taken = await TaskRepository(self._session).held()
        nodes = await NodeRepository(self._session).observations()
        clusters = await repository.visible(caller.id)
        frameworks = [
            Framework(
                name=preset.name,
                title=preset.title,
                library=preset.library,
                image=preset.image,
                distributed=preset.trains_distributed,
            )
            for preset in self._configuration.frameworks
        ]
        by_library = {framework.library: framework.name for framework in reversed(frameworks)}
        return TrainingOptions(
            frameworks=frameworks,
            virtual_clusters=[
                ClusterOption(
                    name=cluster.name,
                    devices=self._devices(cluster, taken, nodes),
                    max_nodes=sum(node.takes_tasks for node in nodes),
                    privileged=await self._unprivileged(caller, cluster) is None,
                )
                for cluster in clusters
            ],
            examples=[
                Example(
                    name=example.name,
                    framework=by_library[example.library],
                    code_directory=example.code_directory,
                    start_file=example.start_file,
                    distributed=example.distributed,
                )
                for example in EXAMPLES
                if example.library in by_library
            ],
            limits_without_devices=self._configuration.resource_limit.without_devices,
            own_images=self._images.usable,
            registry=self._configuration.engine.registry,
            request_ratio=self._configuration.resource_limit.request_ratio,
            home=home_as_seen(self._configuration, caller.name),
        )

    def _devices(
        self, cluster: VirtualClusterRow, held: dict[tuple[str, str, str], int], nodes: list[NodeObservation]
    ) -> list[DeviceOption]:
        options = []
        for quota in cluster.quotas:
            device = self._configuration.device(quota.device_type)
            limits = self._configuration.resource_limit.of(quota.device_type)
            if device is None or limits is None:  # the cluster no longer has this type: nothing to offer
                continue
            used = sum(
                count for (where, kind, _), count in held.items() if (where, kind) == (cluster.id, quota.device_type)
            )
            fitting = [node for node in nodes if node.takes_tasks and node.arch == device.arch]
            able = [node for node in fitting if any(item.type == device.type and item.total for item in node.devices)]
            options.append(
                DeviceOption(
                    type=device.type,
                    vendor=device.vendor,
                    kind=device.kind,
                    arch=device.arch,
                    total=quota.count,
                    free=max(0, quota.count - used),
                    counts=device.allowed(distributed=False),
                    distributed_counts=device.allowed(distributed=True),
                    max_nodes=len(able),
                    max_nodes_without_devices=len(fitting),
                    max_per_user=quota.max_per_user,
                    limits=limits,
                )
            )
        return options
