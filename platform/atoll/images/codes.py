"""What images of a request say."""

from atoll.web.codes import FieldCode


class NoOwnImages(FieldCode, words="Here tasks run as processes, so images cannot be used."):
    pass


class ImageNotOfRegistry(FieldCode, words="Name an image of the cluster's registry: {registry}/imported/NAME:TAG."):
    registry: str


class NoSuchImage(FieldCode, words="The registry has no image {image}. An administrator imports it."):
    image: str
