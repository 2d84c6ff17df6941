"""What the form of a training says."""

from atoll.web.codes import FieldCode


class PathOutsideCode(FieldCode, words="The start file lies in the code directory."):
    pass


class NoSuchFramework(FieldCode, words="There is no such framework."):
    pass


class FrameworkNotDistributed(FieldCode, words="This framework does not train over several machines."):
    pass


class TooFewNodes(FieldCode, words="A distributed training runs on at least {least} nodes."):
    least: int


class NotDistributed(FieldCode, words="Several nodes need distributed training."):
    pass


class FrameworkOrImage(FieldCode, words="Choose a framework or an image of your own, not both."):
    pass


class CommandNeedsImage(FieldCode, words="A command line is for images of your own."):
    pass


class StartFileNeedsFramework(FieldCode, words="An image of your own starts a command, not a start file."):
    pass


class ImageArchitecture(FieldCode, words="The image is for {architectures}; machines with these devices are {arch}."):
    arch: tuple[str, ...]
    architectures: tuple[str, ...]


class CommandUnreadable(FieldCode, words="A quotation mark, or a backslash at the end, has no partner."):
    pass


class CommandNeeded(FieldCode, words="The image starts nothing by itself: give a command line."):
    pass


class OutputIsHome(FieldCode, words="Choose a directory below the home, not the home itself."):
    pass
