"""What the control service says about images: it has the registry's certificate, so that the API needs none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import httpx
from fastapi import APIRouter, Query

from installer.control.answers import Image, ImageDescription, Images
from installer.control.problems import NO_IMAGE_NAME, NO_SUCH_IMAGE, REGISTRY_UNAVAILABLE, Problem
from installer.control.settings import Settings
from installer.images.listing import describe, images
from installer.images.names import REGISTRY, is_name
from installer.images.registry import Registry, RegistryError, connect

# Who asks waits 30 s; each question that hangs takes one of the threads that answer all others.
ANSWER_S = 8.0


def routes(settings: Settings) -> APIRouter:
    """Make the operations on the registry of one cluster."""
    router = APIRouter(tags=["images"])

    @router.get("/images", operation_id="images_list")
    def list_images() -> Images:
        with _registry(settings) as registry:
            return Images(items=[Image.model_validate(image.to_json()) for image in images(registry)])

    @router.get("/images/described", operation_id="images_describe")
    def one_image(
        repository: Annotated[str, Query(max_length=255)],
        tag: Annotated[str, Query(max_length=128)],
    ) -> ImageDescription:
        if not is_name(repository, tag):
            named = f"{repository}:{tag}"
            raise Problem(NO_IMAGE_NAME, f"`{named}` is no name of an image.", "GET /images lists them.", image=named)
        with _registry(settings) as registry:
            found = describe(registry, repository, tag)
        if found is None:
            named = f"{REGISTRY}/{repository}:{tag}"
            raise Problem(
                NO_SUCH_IMAGE,
                f"The registry has no image {named}.",
                "Import it on the control host: ./atoll image import FILE",
                image=named,
            )
        return ImageDescription.model_validate(found.to_json())

    return router


@contextmanager
def _registry(settings: Settings) -> Iterator[Registry]:
    try:
        with connect(settings.state / "pki" / "registry", answer_s=ANSWER_S) as client:
            yield Registry(client)
    except (RegistryError, OSError, httpx.HTTPError) as error:
        raise Problem(
            REGISTRY_UNAVAILABLE,
            f"The registry does not answer: {error}",
            "See `service_ctl status registry` on a master.",
        ) from error
