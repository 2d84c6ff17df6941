"""What the form for a new training offers."""

from pydantic import Field

from atoll.devices.limits import Limits
from atoll.web.schema import Schema


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
