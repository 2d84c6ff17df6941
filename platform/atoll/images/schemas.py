"""Images as the registry has them."""

from pydantic import Field

from atoll.web.schema import Schema


class Image(Schema):
    """An imported image."""

    repository: str
    tag: str
    reference: str = Field(description="The whole name, as a task names it")
    digest: str
    architectures: list[str]
    size_bytes: int = Field(description="As it lies in the registry; layers may be compressed")


class Images(Schema):
    """All of them, by name and tag."""

    items: list[Image]


class ImageDescription(Image):
    """An image with what it starts by itself."""

    command: list[str]
    working_directory: str
