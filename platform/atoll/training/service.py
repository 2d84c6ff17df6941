"""What the form for a new training offers: configuration, virtual clusters and machines in one answer."""

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import Configuration
from atoll.control.client import ControlClient
from atoll.engines.admission import allowed_counts
from atoll.engines.base import NodeObservation
from atoll.engines.repository import NodeRepository
from atoll.homes.places import home_as_seen
from atoll.identity.caller import Caller
from atoll.images.service import ImageService
from atoll.tasks.usage import held
from atoll.training.examples import EXAMPLES
from atoll.training.schemas import ClusterOption, DeviceOption, Example, Framework, TrainingOptions
from atoll.virtual_clusters.models import VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository


class TrainingService:
    """The form's options."""

    def __init__(self, session: AsyncSession, configuration: Configuration, control: ControlClient | None) -> None:
        self._session = session
        self._control = control
        self._configuration = configuration

    async def options(self, caller: Caller) -> TrainingOptions:
        """What `caller` may choose."""
        repository = VirtualClusterRepository(self._session)
        taken = await held(self._session)
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
                ClusterOption(name=cluster.name, devices=self._devices(cluster, taken, nodes)) for cluster in clusters
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
            own_images=ImageService(self._configuration, self._control).usable,
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
                    counts=allowed_counts(device.type, device.counts, distributed=False),
                    distributed_counts=allowed_counts(device.type, device.counts, distributed=True),
                    max_nodes=len(able),
                    max_nodes_without_devices=len(fitting),
                    max_per_user=quota.max_per_user,
                    limits=limits,
                )
            )
        return options
