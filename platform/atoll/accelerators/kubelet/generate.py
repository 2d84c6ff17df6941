"""`python -m atoll.accelerators.kubelet.generate`: makes the Python of the `.proto` files beside this one.

What it makes is committed, so that the image needs no compiler; a test fails when it differs.
"""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]  # imports in the generated code begin at `atoll`


def generate(into: Path) -> None:
    """Write messages, their types and the services of each interface, below `into`."""
    from grpc_tools import protoc  # only where it is developed

    made = [f"--{kind}_out={into}" for kind in ("python", "pyi", "grpc_python")]
    for interface in sorted(HERE.glob("*.proto")):
        if protoc.main(["protoc", f"-I{ROOT}", *made, str(interface)]) != 0:
            raise SystemExit(f"{interface} cannot be compiled")


if __name__ == "__main__":
    generate(ROOT)
