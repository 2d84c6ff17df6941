"""The programs that every home has (`files/examples`)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ExampleProgram:
    """One of them, with the library that it needs."""

    name: str
    library: str
    code_directory: str
    start_file: str = "train.py"
    distributed: bool = False


EXAMPLES = (
    ExampleProgram("digits", "scikit-learn", "examples/digits"),
    ExampleProgram("ddp", "pytorch", "examples/ddp", distributed=True),
    ExampleProgram("devices", "scikit-learn", "examples/devices", "hold.py"),
)
