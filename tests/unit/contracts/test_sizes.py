"""A file that one reads in one go (design.md 2): under 400 lines."""

from __future__ import annotations

from pathlib import Path

TREE = Path(__file__).resolve().parents[3]
MOST = 400
GENERATED = ("_pb2.py", "_pb2_grpc.py", ".gen.ts")
FOLDERS = (
    *("installer", "plugins", "roles", "tests"),
    *("platform/atoll", "platform/images", "platform/packaging", "platform/portal/src", "platform/portal/tests"),
)


def test_no_file_of_code_is_longer_than_one_reads_in_one_go() -> None:
    long: dict[str, int] = {
        str(file.relative_to(TREE)): lines
        for folder in FOLDERS
        for file in (TREE / folder).rglob("*")
        if file.suffix in {".py", ".ts", ".tsx", ".go", ".j2"}
        and "node_modules" not in file.parts
        and not file.name.endswith(GENERATED)
        and (lines := len(file.read_text(encoding="utf-8").splitlines())) > MOST
    }
    assert not long
