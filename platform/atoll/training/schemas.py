"""Requests for trainings, and what the form for a new one offers."""

from typing import Annotated

from pydantic import Field, StringConstraints

from atoll.devices.limits import Limits, Resources
from atoll.tasks.schemas import HomePath, TaskName
from atoll.web.schema import Schema


class Parameter(Schema):
    """One running parameter; the program gets it as `--name value`, a bare `--name` when the value is empty."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]*$", max_length=128)]
    value: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=4096)] = ""


class TrainingCreate(Schema):
    """A new training."""

    name: TaskName
    description: Annotated[str, Field(max_length=2000)] = ""
    virtual_cluster: Annotated[str, Field(min_length=1, max_length=63)]
    framework: Annotated[str, StringConstraints(min_length=1, max_length=63)] | None = Field(
        default=None, description="Name of a framework of the options; either this, with a start file, or `image`"
    )
    image: Annotated[str, StringConstraints(min_length=1, max_length=512)] | None = Field(
        default=None, description="An image of the cluster's registry, for example one of GET /images"
    )
    command_line: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=8192)] | None = Field(
        default=None,
        description="With `image`: what to start, in words as a shell reads them, but no shell runs unless it is named"
        " (sh -c '…'). Without it: what the image itself starts",
    )
    code_directory: HomePath = Field(
        default="",
        description="Where the program starts. With `image`, empty: the image's own directory, else the home",
    )
    start_file: Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f]+\.py$", max_length=512)] | None = Field(
        default=None, description="With `framework`: a Python file, relative to the code directory"
    )
    output_directory: HomePath | None = Field(default=None, description="Without it: tasks/<id>/output in the home")
    parameters: Annotated[list[Parameter], Field(max_length=200)] = Field(default_factory=list)
    device_type: Annotated[str, Field(min_length=1, max_length=63)] | None = Field(
        default=None, description="One of the virtual cluster's; left out where it has none"
    )
    devices: Annotated[int, Field(ge=0, le=64, description="Per node")] = 0
    distributed: bool = False
    nodes: Annotated[int, Field(ge=1, le=512)] = 1
    limits: Resources | None = Field(default=None, description="CPU and memory limit of each replica")
    privileged: bool = Field(
        default=False, description="Root of its container: where options offer it, and nowhere else"
    )


class TrainingDefinition(Schema):
    """A training as it was asked for, with every default filled in."""

    description: str
    framework: str | None
    image: str = Field(description="What runs; an image of the user's own is pinned to its digest")
    code_directory: str
    start_file: str | None
    command_line: str | None = None
    working_directory: str | None = Field(default=None, description="In the image, where there is no code directory")
    output_directory: str
    parameters: list[Parameter]
    command: list[str]
    device_type: str | None
    devices: int
    distributed: bool
    nodes: int
    limits: Resources
    requests: Resources
    privileged: bool = False


class Framework(Schema):
    """A preset image: the environment in which a program runs."""

    name: str
    title: str
    library: str
    image: str
    distributed: bool = Field(description="Whether its library trains over several nodes")


class DeviceOption(Schema):
    """A device type as the chosen virtual cluster offers it."""

    type: str
    vendor: str
    kind: str
    arch: str
    total: int
    free: int
    counts: list[int] = Field(description="Devices per node that a single-node task may ask for")
    distributed_counts: list[int] = Field(description="Devices per node that a distributed task may ask for")
    max_nodes: int = Field(description="Nodes that a task with devices of this type may run on")
    max_nodes_without_devices: int = Field(description="Nodes that a task with 0 devices may run on")
    max_per_user: int
    limits: Limits


class ClusterOption(Schema):
    """A virtual cluster that the caller may use."""

    name: str
    devices: list[DeviceOption]
    max_nodes: int = Field(description="Nodes that a task without a device type may run on")
    privileged: bool = Field(description="Whether a job of the caller may be root of its container there")


class Example(Schema):
    """A program that every home has."""

    name: str
    framework: str
    code_directory: str
    start_file: str
    distributed: bool


class TrainingOptions(Schema):
    """Everything that the form needs, in one answer."""

    frameworks: list[Framework]
    virtual_clusters: list[ClusterOption]
    examples: list[Example]
    limits_without_devices: Limits | None = Field(
        description="Limits of a task with 0 devices, where they are not those of its device type"
    )
    own_images: bool = Field(description="Whether a task may bring an image of its own")
    registry: str = Field(description="Where images of tasks come from")
    request_ratio: float
    home: str = Field(description="The caller's home as programs see it")
