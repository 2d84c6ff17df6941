"""How much CPU, memory and disk of its node a replica may have, per device type."""

from pydantic import BaseModel, ConfigDict, Field

from atoll.quantities import Quantity

# Where nobody says anything of it; the installer has the same, which tests/unit/contracts hold against it.
LOCAL_DISK = "20Gi"


class Resources(BaseModel):
    """CPU cores and memory of one replica."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    cpu: Quantity
    memory: Quantity


class Limits(BaseModel):
    """What one replica may ask for: absolute values of its CPU and memory limit, and the limit of its node's disk."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    floor: Resources
    default: Resources
    ceiling: Resources
    local_disk: Quantity = Field(
        default=LOCAL_DISK, description="What a replica may write to its node's own disk; it cannot be chosen"
    )
    local_disk_request: Quantity = Field(default="0", description="What of it is set aside for a replica")
