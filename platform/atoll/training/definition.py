"""From what the form asks for to a training's definition and its specification: every rule, all mistakes in one go."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from atoll.configuration import Configuration
from atoll.devices.limits import Resources
from atoll.engines.specification import Devices, Program, TaskSpec
from atoll.images.service import Own
from atoll.tasks.building import Builder
from atoll.training import codes
from atoll.training.program import Chosen, choose
from atoll.training.schemas import TrainingCreate, TrainingDefinition
from atoll.virtual_clusters.codes import NotAMember
from atoll.virtual_clusters.models import VirtualClusterRow
from atoll.web.codes import FieldCode
from atoll.web.schema import FieldError

LEAST_DISTRIBUTED = 2


@dataclass(frozen=True)
class Built:
    """A training as it is shown, and as its engine gets it."""

    label: str
    definition: TrainingDefinition
    specification: TaskSpec


@dataclass(frozen=True)
class Drafted:
    """What was built, or what forbids it."""

    built: Built | None
    problems: list[FieldError] = field(default_factory=list)


def draft(
    configuration: Configuration,
    user_name: str,
    body: TrainingCreate,
    cluster: VirtualClusterRow | None,
    *,
    task_id: str,
    own: Own | None = None,
    machines: Sequence[str] = (),
    unprivileged: FieldCode | None = None,
) -> Drafted:
    """Check `body` by every rule.

    `cluster` is None when the user has no virtual cluster of that name; `own` is the image that `body` brings,
    `machines` are the architectures that it may find; `unprivileged` says what keeps the user from a privileged job.
    """
    builder = Builder(configuration, user_name)
    chosen = choose(configuration, body, own, builder.wrong)
    if body.distributed and body.nodes < LEAST_DISTRIBUTED:
        builder.wrong("nodes", codes.TooFewNodes(least=LEAST_DISTRIBUTED))
    if not body.distributed and body.nodes != 1:
        builder.wrong("nodes", codes.NotDistributed())
    devices = None
    if cluster is None:
        builder.wrong("virtual_cluster", NotAMember())
    else:
        devices = builder.devices(cluster, body.device_type, body.devices, body.nodes)
    if chosen is not None and devices is not None:
        devices = _fits(builder, chosen, devices, machines)
    code = builder.path("code_directory", body.code_directory)
    output = (
        builder.path("output_directory", body.output_directory) if body.output_directory else f"tasks/{task_id}/output"
    )
    if body.output_directory and not output and not builder.problems:
        builder.wrong("output_directory", codes.OutputIsHome())
    if chosen is not None:
        builder.text("parameters" if body.parameters else "image", chosen.command)
    if body.privileged and unprivileged is not None:
        builder.wrong("privileged", unprivileged)
    limits, requests = builder.limits(body.device_type, body.devices, body.limits)
    if builder.problems or chosen is None or devices is None:
        return Drafted(None, builder.problems)
    specification = TaskSpec(
        program=Program(
            image=chosen.image,
            command=tuple(chosen.command),
            working_directory=chosen.working_directory or builder.seen(code),
            needs_file=chosen.start_file,
            runtime=configuration.engine.runtime if chosen.framework is None else None,
        ),
        mounts=(builder.home_mount(), builder.output_mount(output)),
        devices=devices,
        limits=limits,
        requests=requests,
        local_disk=builder.local_disk(body.device_type, body.devices),
        privileged=body.privileged,
    )
    definition = TrainingDefinition(
        description=body.description,
        framework=chosen.framework,
        image=chosen.image,
        code_directory=code,
        start_file=chosen.start_file,
        command_line=body.command_line if chosen.framework is None else None,
        working_directory=chosen.working_directory,
        output_directory=output,
        parameters=body.parameters,
        command=chosen.command,
        device_type=devices.type,
        devices=devices.count,
        distributed=body.distributed,
        nodes=devices.nodes,
        limits=Resources(cpu=limits.cpu, memory=limits.memory),
        requests=Resources(cpu=requests.cpu, memory=requests.memory),
        privileged=body.privileged,
    )
    return Drafted(Built(chosen.label, definition, specification))


def _fits(builder: Builder, chosen: Chosen, devices: Devices, machines: Sequence[str]) -> Devices:
    """The machines that the program can run on: those with the devices, without a type those that it is made for."""
    if not chosen.architectures:
        return devices
    there = machines if devices.architecture is None else (devices.architecture,)
    fitting = [arch for arch in there or chosen.architectures if arch in chosen.architectures]
    if not fitting:
        builder.wrong("image", codes.ImageArchitecture(architectures=chosen.architectures, arch=tuple(there)))
    elif devices.type is None:
        return devices.model_copy(update={"architecture": fitting[0]})
    return devices
