"""Which image of the registry a request means, and what it is."""

from dataclasses import dataclass

from atoll.configuration import Configuration
from atoll.control.client import ControlClient
from atoll.control.schemas import ImageDescription
from atoll.images.codes import ImageNotOfRegistry, NoOwnImages, NoSuchImage
from atoll.images.references import Reference, parse
from atoll.web.codes import FieldCode
from atoll.web.errors import NotFound


@dataclass(frozen=True)
class Own:
    """The image that a request brings, or what is wrong with it."""

    reference: Reference | None = None
    description: ImageDescription | None = None
    problem: FieldCode | None = None


class ImageService:
    """Looks images up in the registry."""

    def __init__(self, configuration: Configuration, control: ControlClient | None) -> None:
        self._configuration = configuration
        self._control = control

    @property
    def usable(self) -> bool:
        """Whether tasks may bring an image here: the engine can run it and the registry can be asked."""
        return self._configuration.engine.runtime is not None and self._control is not None

    async def find(self, text: str, user: str) -> Own:
        """The image that `text` names, looked up for `user`. Raises Unavailable when the registry cannot be asked."""
        if self._control is None or not self.usable:
            return Own(problem=NoOwnImages())
        registry = self._configuration.engine.registry
        reference = parse(text, registry)
        if reference is None:
            return Own(problem=ImageNotOfRegistry(registry=registry))
        try:
            description = await self._control.image(reference.repository, reference.tag, user)
        except NotFound:
            return Own(problem=NoSuchImage(image=reference.short))
        return Own(reference, description)
