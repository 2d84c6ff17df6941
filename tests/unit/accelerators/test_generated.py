"""The Python of the kubelet's interfaces is that of their `.proto` files. Needs nothing."""

from pathlib import Path

from atoll.accelerators.kubelet import deviceplugin_pb2, generate


def test_the_generated_code_is_that_of_the_vendored_files(tmp_path: Path) -> None:
    generate.generate(tmp_path)
    made = {file.name: file.read_text() for file in tmp_path.rglob("*_pb2*.py*")}
    there = {file.name: file.read_text() for file in generate.HERE.glob("*_pb2*.py*")}
    assert len(made) == 6
    assert there == made, "run `python -m atoll.accelerators.kubelet.generate`"


def test_a_vendored_file_says_where_it_is_from_and_under_which_licence() -> None:
    for interface in generate.HERE.glob("*.proto"):
        text = interface.read_text()
        assert "Apache License, Version 2.0" in text
        assert "k8s.io/kubelet v" in text


def test_numbers_on_the_wire_are_those_of_the_published_interface() -> None:
    response = deviceplugin_pb2.ContainerAllocateResponse(envs={"A": "b"}, annotations={"c": "d"})
    # field 1, an entry {1: "A", 2: "b"}; field 4, an entry {1: "c", 2: "d"}
    assert response.SerializeToString() == b"\x0a\x06\x0a\x01A\x12\x01b\x22\x06\x0a\x01c\x12\x01d"
