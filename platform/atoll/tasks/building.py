"""What every builder of specifications needs: the rules that all kinds share, all mistakes in one go."""

import posixpath
from collections.abc import Iterable
from decimal import Decimal

from atoll import quantities
from atoll.configuration import Configuration
from atoll.devices.limits import Limits, Resources
from atoll.devices.types import DeviceType
from atoll.engines.codes import DeviceTypeNotInVirtualCluster
from atoll.engines.specification import MOST_TEXT_BYTES, Amounts, Devices, LocalDisk, Mount, MountKind, text_bytes
from atoll.homes.places import home_as_seen
from atoll.tasks import codes
from atoll.virtual_clusters.models import VirtualClusterRow
from atoll.web.codes import FieldCode
from atoll.web.schema import FieldError
from atoll.web.told import Missing


class Builder:
    """Rules on one request. What forbids it is gathered in `problems`; only without any is there a specification."""

    def __init__(self, configuration: Configuration, user_name: str) -> None:
        self.configuration = configuration
        self.user_name = user_name
        self.home = home_as_seen(configuration, user_name)
        self.problems: list[FieldError] = []

    def wrong(self, where: str, mistake: FieldCode) -> None:
        """Note a mistake at a field."""
        self.problems.append(mistake.at(where))

    def path(self, where: str, text: str) -> str:
        """`text` relative to the home."""
        inside = text
        if text.startswith("/"):
            if text != self.home and not text.startswith(self.home + "/"):
                self.wrong(where, codes.PathOutsideHome(home=self.home))
                return ""
            inside = text[len(self.home) :]
        inside = inside.strip("/")
        if ".." in inside.split("/"):
            self.wrong(where, codes.PathOutsideHome(home=self.home))
            return ""
        normal = posixpath.normpath(inside)
        return "" if normal == "." else normal

    def seen(self, inside: str) -> str:
        """A path of the home as the program sees it."""
        return f"{self.home}/{inside}".rstrip("/")

    def home_mount(self) -> Mount:
        """The owner's home."""
        return Mount(kind=MountKind.HOME, source=f"home/{self.user_name}", target=self.home)

    def output_mount(self, inside: str) -> Mount:
        """A directory of the home that the program writes its results to."""
        return Mount(kind=MountKind.OUTPUT, source=f"home/{self.user_name}/{inside}", target=self.seen(inside))

    def text(self, where: str, texts: Iterable[str]) -> None:
        """What the program is told is no longer than an engine takes."""
        size = text_bytes(texts)
        if size > MOST_TEXT_BYTES:
            self.wrong(where, codes.ProgramTextTooLong(size=size, limit=MOST_TEXT_BYTES))

    def devices(self, cluster: VirtualClusterRow, device_type: str | None, count: int, nodes: int) -> Devices | None:
        """The machines, if the virtual cluster has such and the numbers are allowed.

        Where the virtual cluster has no device type there is none to name: any machine will do.
        """
        limits = self.configuration.resource_limit.without_devices
        if device_type is None and limits is not None and not self._types(cluster):
            return self._without_devices(count, nodes)
        device = self._device(cluster, device_type, count, several=nodes > 1)
        if device is None:
            return None
        return Devices.of(device, count, nodes)

    def _types(self, cluster: VirtualClusterRow) -> dict[str, DeviceType]:
        """The device types of the virtual cluster that the cluster still has."""
        found = (self.configuration.device(quota.device_type) for quota in cluster.quotas)
        return {device.type: device for device in found if device is not None}

    def _without_devices(self, count: int, nodes: int) -> Devices | None:
        if count:
            self.wrong("devices", codes.DeviceCountNotAllowed(counts=(0,)))
            return None
        return Devices(count=0, nodes=nodes)

    def _device(
        self, cluster: VirtualClusterRow, device_type: str | None, count: int, *, several: bool
    ) -> DeviceType | None:
        if device_type is None:
            self.wrong("device_type", Missing())
            return None
        device = self._types(cluster).get(device_type)
        if device is None:
            self.wrong("device_type", DeviceTypeNotInVirtualCluster())
            return None
        counts = device.allowed(distributed=several)
        if count not in counts:
            self.wrong("devices", codes.DeviceCountNotAllowed(counts=tuple(counts)))
        return device

    def limits(self, device_type: str | None, count: int, wanted: Resources | None) -> tuple[Amounts, Amounts]:
        """Limit and request of a replica; the request is the limit times the configured ratio."""
        configured, bounds = self.configuration.resource_limit, self._bounds(device_type, count)
        if bounds is None:  # the device type is unknown and was reported
            nothing = Amounts(cpu="1", memory="1Gi")
            return nothing, nothing
        if wanted is None:
            wanted = bounds.default
        else:
            self._within("cpu", wanted.cpu, bounds)
            self._within("memory", wanted.memory, bounds)
        ratio = Decimal(str(configured.request_ratio))
        request = Amounts(
            cpu=quantities.cpu_text(quantities.parse(wanted.cpu) * ratio),
            memory=quantities.memory_text(quantities.parse(wanted.memory) * ratio),
        )
        return Amounts(cpu=wanted.cpu, memory=wanted.memory), request

    def local_disk(self, device_type: str | None, count: int) -> LocalDisk | None:
        """What a replica may write to its node's own disk."""
        bounds = self._bounds(device_type, count)
        return LocalDisk(limit=bounds.local_disk, request=bounds.local_disk_request) if bounds is not None else None

    def _bounds(self, device_type: str | None, count: int) -> Limits | None:
        """The limits of a device type, of tasks without devices; None where the type is unknown."""
        configured = self.configuration.resource_limit
        bounds = configured.without_devices if device_type is None else configured.of(device_type)
        return (configured.without_devices or bounds) if count == 0 and bounds is not None else bounds

    def _within(self, name: str, value: str, bounds: Limits) -> None:
        floor, ceiling = getattr(bounds.floor, name), getattr(bounds.ceiling, name)
        if not quantities.parse(floor) <= quantities.parse(value) <= quantities.parse(ceiling):
            self.wrong(f"limits.{name}", codes.LimitOutOfBounds(floor=floor, ceiling=ceiling))
