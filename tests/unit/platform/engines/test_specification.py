"""What a specification refuses by itself, and what of it is kept. Needs nothing."""

from typing import Any

import pytest
from atoll.engines.specification import Mount, MountKind, TaskSpec, text_bytes
from pydantic import ValidationError

SPECIFICATION: dict[str, Any] = {
    "program": {"image": "i", "command": ["run"], "working_directory": "/work"},
    "devices": {"type": "nvidia_gpu_amd64", "resource": "nvidia.com/gpu", "count": 0},
    "limits": {"cpu": "1", "memory": "1Gi"},
    "requests": {"cpu": "1", "memory": "1Gi"},
}
WEB = {"name": "web", "number": 8080}


def made(**changes: Any) -> TaskSpec:
    return TaskSpec.model_validate({**SPECIFICATION, **changes})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mode": "service"}, "a service has a readiness"),
        ({"variables": {"A": "1"}, "secrets": {"A": "2"}}, "plain and secret at once: A"),
        ({"variables": {"RANK": "1"}}, "variables that the engine sets: RANK"),
        ({"secrets": {"ATOLL_LOG_FILE": "1"}}, "variables that the engine sets: ATOLL_LOG_FILE"),
        ({"variables": {"KUBERNETES_SERVICE_HOST": "127.0.0.1"}}, "engine sets: KUBERNETES_SERVICE_HOST"),
        ({"variables": {"a b": "1"}}, "pattern"),
        ({"ports": [WEB, {**WEB, "number": 8081}]}, "names and numbers of ports are unique"),
        ({"readiness": {"by": "tcp", "port": "web"}}, "port `web`, which is not declared"),
        ({"ports": [{**WEB, "number": 80}]}, "greater than or equal to 1024"),
        ({"mounts": [{"kind": "dataset", "source": "datasets/../home/bob", "target": "/d"}]}, "no `.` or `..`"),
        ({"mounts": [{"kind": "dataset", "source": "/etc", "target": "/d"}]}, "pattern"),
        ({"version": 2}, "Input should be 1"),
        ({"kind": "training"}, "Extra inputs are not permitted"),
    ],
)
def test_what_cannot_be_meant_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        made(**changes)


def test_what_is_kept_has_no_secrets_and_is_the_same_with_them() -> None:
    specification = made(secrets={"TOKEN": "hunter2"}, ports=[WEB], readiness={"by": "http", "port": "web"})
    kept = specification.kept()
    assert "hunter2" not in str(kept)
    assert "hunter2" not in repr(specification)
    assert "hunter2" not in specification.model_dump_json()
    assert TaskSpec.model_validate({**kept, "secrets": specification.secret_values()}) == specification


def test_a_mount_covers_what_lies_in_it_with_the_same_rights() -> None:
    home = Mount(kind=MountKind.HOME, source="home/ada", target="/home/ada")
    inside = {"kind": "output", "source": "home/ada/out", "target": "/home/ada/out"}
    assert home.covers(Mount.model_validate(inside))
    assert not home.covers(Mount.model_validate({**inside, "target": "/out"}))
    assert not home.covers(Mount.model_validate({**inside, "read_only": True}))
    assert not home.covers(Mount.model_validate({**inside, "source": "home/adam/out"}))


def test_the_length_of_all_text_that_an_engine_keeps_is_known() -> None:
    assert made().text_bytes == len("run")
    assert made(variables={"A": "$中"}, secrets={"B": "x"}).text_bytes == len("run") + 1 + 2 + 3 + 1 + 1
    asked = {"mode": "service", "readiness": {"by": "command", "command": ["test", "-f"]}}
    assert made(**asked).text_bytes == len("run") + len("test-f")


def test_text_counts_as_kubernetes_keeps_it() -> None:
    """In JSON as Go writes it: what a text of odd signs becomes there would fill its database six times as fast."""
    for sign, takes in {
        "a": 1,
        "$": 2,
        '"': 2,
        "\\": 2,
        "\n": 2,
        "\x01": 6,
        "<": 6,
        "&": 6,
        "\u2028": 6,
        "中": 3,
    }.items():
        assert text_bytes([sign * 10]) == takes * 10, f"{sign!r} counts for less than it takes"
