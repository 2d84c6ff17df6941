"""How much CPU and memory a replica may have, per device type."""

from pydantic import BaseModel, ConfigDict

from atoll.quantities import Quantity


class Resources(BaseModel):
    """CPU cores and memory of one replica."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    cpu: Quantity
    memory: Quantity


class Limits(BaseModel):
    """What one replica may ask for: absolute values of its CPU and memory limit."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    floor: Resources
    default: Resources
    ceiling: Resources
