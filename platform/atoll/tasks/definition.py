"""From what was asked for to what will run: every rule of the form, all mistakes in one go."""

import posixpath
from dataclasses import dataclass, field
from decimal import Decimal

from atoll import quantities
from atoll.configuration import Configuration, Device
from atoll.devices.limits import Limits, Resources
from atoll.engines.admission import allowed_counts
from atoll.identity.caller import Caller
from atoll.images.service import Own
from atoll.tasks.program import Program, program
from atoll.tasks.schemas import Definition, TaskCreate
from atoll.virtual_clusters.models import VirtualClusterRow
from atoll.web.schema import FieldError


@dataclass
class Drafted:
    """A definition, or what forbids it."""

    definition: Definition | None
    label: str = ""
    problems: list[FieldError] = field(default_factory=list)


class _Draft:
    def __init__(self, configuration: Configuration, caller: Caller, body: TaskCreate, home: str) -> None:
        self.configuration = configuration
        self.caller = caller
        self.body = body
        self.home = home
        self.problems: list[FieldError] = []

    def wrong(self, where: str, code: str, message: str, **params: str | int | list[int]) -> None:
        self.problems.append(FieldError(field=where, code=code, message=message, params=params))

    def path(self, where: str, text: str) -> str:
        """`text` relative to the home."""
        inside = text
        if text.startswith("/"):
            if text != self.home and not text.startswith(self.home + "/"):
                self.wrong(where, "path_outside_home", f"`{text}` does not lie below {self.home}.", home=self.home)
                return ""
            inside = text[len(self.home) :]
        inside = inside.strip("/")
        if ".." in inside.split("/"):
            self.wrong(where, "path_outside_home", "A path cannot contain `..`.", home=self.home)
            return ""
        return posixpath.normpath(inside) if inside else ""

    def device(self, cluster: VirtualClusterRow) -> Device | None:
        body = self.body
        device = self.configuration.device(body.device_type)
        if device is None or body.device_type not in {quota.device_type for quota in cluster.quotas}:
            self.wrong(
                "device_type",
                "device_type_not_in_virtual_cluster",
                f"The virtual cluster {cluster.name} has no devices of type `{body.device_type}`.",
            )
            return None
        counts = allowed_counts(device.type, device.counts, distributed=body.distributed)
        if body.devices not in counts:
            words = ", ".join(map(str, counts))
            self.wrong("devices", "device_count_not_allowed", f"Choose one of {words}.", counts=counts)
        return device

    def fits(self, wanted: Program, device: Device) -> None:
        """Whether the program can run on the machines that have the device."""
        if wanted.architectures and device.arch not in wanted.architectures:
            words = ", ".join(wanted.architectures)
            self.wrong(
                "image",
                "image_architecture",
                f"The image is for {words}; machines with these devices are {device.arch}.",
                architectures=words,
                arch=device.arch,
            )

    def nodes(self) -> None:
        if self.body.distributed and self.body.nodes < 2:
            self.wrong("nodes", "too_few_nodes", "A distributed task runs on at least 2 nodes.", least=2)
        if not self.body.distributed and self.body.nodes != 1:
            self.wrong("nodes", "not_distributed", "More than one node needs `distributed`.", most=1)

    def limits(self) -> tuple[Resources, Resources]:
        """Limit and request of a replica; the request is the limit times the configured ratio."""
        configured = self.configuration.resource_limit
        bounds = configured.of(self.body.device_type)
        if self.body.devices == 0 and bounds is not None:
            bounds = configured.without_devices or bounds
        wanted = self.body.limits
        if bounds is None:  # the device type is unknown and was reported
            bounds_default = Resources(cpu="1", memory="1Gi")
            return bounds_default, bounds_default
        if wanted is None:
            wanted = bounds.default
        else:
            self.within("cpu", wanted.cpu, bounds)
            self.within("memory", wanted.memory, bounds)
        ratio = Decimal(str(self.configuration.resource_limit.request_ratio))
        request = Resources(
            cpu=quantities.cpu_text(quantities.parse(wanted.cpu) * ratio),
            memory=quantities.memory_text(quantities.parse(wanted.memory) * ratio),
        )
        return wanted, request

    def within(self, name: str, value: str, bounds: Limits) -> None:
        floor, ceiling = getattr(bounds.floor, name), getattr(bounds.ceiling, name)
        if not quantities.parse(floor) <= quantities.parse(value) <= quantities.parse(ceiling):
            self.wrong(
                f"limits.{name}",
                "limit_out_of_bounds",
                f"Choose between {floor} and {ceiling}.",
                floor=floor,
                ceiling=ceiling,
            )


def draft(
    configuration: Configuration,
    caller: Caller,
    body: TaskCreate,
    cluster: VirtualClusterRow | None,
    *,
    home: str,
    task_id: str,
    own: Own | None = None,
) -> Drafted:
    """Check `body` by every rule.

    `cluster` is None when the caller has no virtual cluster of that name; `own` is the image that `body` brings.
    """
    work = _Draft(configuration, caller, body, home)
    wanted = program(configuration, body, own, work.wrong)
    device = None
    if cluster is None:
        work.wrong(
            "virtual_cluster",
            "not_a_member",
            f"You are not a member of a virtual cluster `{body.virtual_cluster}`.",
        )
    else:
        device = work.device(cluster)
    if wanted is not None and device is not None:
        work.fits(wanted, device)
    work.nodes()
    code_directory = work.path("code_directory", body.code_directory)
    output_directory = (
        work.path("output_directory", body.output_directory) if body.output_directory else f"tasks/{task_id}/output"
    )
    if body.output_directory and not output_directory and not work.problems:
        work.wrong("output_directory", "output_is_home", "Choose a directory below the home, not the home itself.")
    limits, requests = work.limits()
    if work.problems or wanted is None or device is None:
        return Drafted(None, problems=work.problems)
    return Drafted(
        Definition(
            description=body.description,
            framework=wanted.framework,
            image=wanted.image,
            code_directory=code_directory,
            start_file=wanted.start_file,
            command_line=body.command_line if wanted.framework is None else None,
            working_directory=wanted.working_directory,
            output_directory=output_directory,
            parameters=body.parameters,
            command=wanted.command,
            device_type=device.type,
            devices=body.devices,
            distributed=body.distributed,
            nodes=body.nodes,
            limits=limits,
            requests=requests,
        ),
        wanted.label,
    )
