"""What a training runs: a file of the home in a preset framework, or an image that the user brings."""

import posixpath
import shlex
from collections.abc import Callable
from dataclasses import dataclass

from atoll.configuration import Configuration
from atoll.images.service import Own
from atoll.training import codes
from atoll.training.schemas import Parameter, TrainingCreate
from atoll.web.codes import FieldCode
from atoll.web.told import Missing

Wrong = Callable[[str, FieldCode], None]


@dataclass(frozen=True)
class Chosen:
    """An image and the command in it. Without `architectures` it is there for all that the cluster has."""

    label: str
    framework: str | None
    image: str
    command: list[str]
    start_file: str | None = None
    working_directory: str | None = None
    architectures: tuple[str, ...] = ()


def choose(configuration: Configuration, body: TrainingCreate, own: Own | None, wrong: Wrong) -> Chosen | None:
    """The program that `body` asks for; what forbids it is told to `wrong`."""
    if body.image is not None and body.framework is not None:
        wrong("image", codes.FrameworkOrImage())
        return None
    if own is not None:
        return _own(body, own, wrong)
    return _preset(configuration, body, wrong)


def _preset(configuration: Configuration, body: TrainingCreate, wrong: Wrong) -> Chosen | None:
    if body.command_line:
        wrong("command_line", codes.CommandNeedsImage())
    for field, value in (("framework", body.framework), ("start_file", body.start_file)):
        if not value:
            wrong(field, Missing())
    if not body.framework or not body.start_file:
        return None
    framework = configuration.framework(body.framework)
    start_file = posixpath.normpath(body.start_file)
    if start_file.startswith(("/", "..")):
        wrong("start_file", codes.PathOutsideCode())
    if framework is None:
        wrong("framework", codes.NoSuchFramework())
        return None
    if body.distributed and not framework.trains_distributed:
        wrong("framework", codes.FrameworkNotDistributed())
    command = [framework.python or "python3", start_file, *_arguments(body.parameters)]
    return Chosen(framework.name, framework.name, framework.image, command, start_file)


def _own(body: TrainingCreate, own: Own, wrong: Wrong) -> Chosen | None:
    if body.start_file:
        wrong("start_file", codes.StartFileNeedsFramework())
    if own.problem is not None:
        wrong("image", own.problem)
    command = _words(body.command_line or "", wrong)
    reference, image = own.reference, own.description
    if reference is None or image is None or command is None:
        return None
    if not command:
        command = list(image.command)
    if not command:
        wrong("command_line", codes.CommandNeeded())
        return None
    return Chosen(
        label=reference.short,
        framework=None,
        # By digest: a tag that is moved later changes no task, and no node runs an old copy of it.
        image=reference.pinned(image.digest),
        command=[*command, *_arguments(body.parameters)],
        working_directory=None if body.code_directory else image.working_directory,
        architectures=tuple(image.architectures),
    )


def _words(line: str, wrong: Wrong) -> list[str] | None:
    try:
        return shlex.split(line)
    except ValueError:
        wrong("command_line", codes.CommandUnreadable())
        return None


def _arguments(parameters: list[Parameter]) -> list[str]:
    return [part for item in parameters for part in (f"--{item.name}", item.value) if part]
