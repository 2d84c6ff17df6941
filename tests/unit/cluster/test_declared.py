"""A key of cluster.yaml is declared once; roles get what their specifications say, in a cluster of any shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from installer.cluster import EXAMPLE, TREE, Cluster, load, loads
from installer.cluster import declared as making
from installer.cluster.defaults import section_models
from installer.planning import Digests
from installer.planning.inventory import inventory
from installer.planning.phases import PHASES

SHAPES = [EXAMPLE, *sorted((TREE / "tests/shapes").glob("*.yaml"))]
ROLES = sorted({phase.role for phase in PHASES})


@pytest.mark.parametrize("file", making.files(), ids=lambda file: str(file.relative_to(TREE)))
def test_what_is_made_of_the_sections_is_up_to_date(file: Path) -> None:
    assert file.read_text(encoding="utf-8") == making.files()[file], "run python -m installer.cluster.declared"


def test_every_key_has_a_default_and_a_meaning() -> None:
    for section, model in section_models().items():
        assert model.__doc__
        for key, field in model.model_fields.items():
            assert not field.is_required(), f"{section}.{key} has no default"
            assert field.description or section == "resource_limit", f"{section}.{key} has no meaning"


def test_every_role_has_a_specification_with_a_description_of_each_option() -> None:
    for role in ROLES:
        for name, option in options_of(role).items():
            assert option.get("description"), f"{role}: {name}"


def options_of(role: str) -> dict[str, Any]:
    content = yaml.safe_load((TREE / "roles" / role / "meta/argument_specs.yml").read_text())
    options: dict[str, Any] = content["argument_specs"]["main"]["options"]
    return options


def mistakes(role: str, variables: dict[str, Any]) -> list[str]:
    """Return what Ansible itself says of a role's arguments."""
    options = options_of(role)
    given = {name: value for name, value in variables.items() if name in options and value is not None}
    found: list[str] = ArgumentSpecValidator(options).validate(given).error_messages
    return found


def arguments(cluster: Cluster) -> dict[str, dict[str, Any]]:
    """Return the variables of each node, as the inventory emits them."""
    made = inventory(cluster, Digests(version="1"), Path("/bundle"))
    return {name: made.variables | variables for name, variables in made.hosts.items()}


@pytest.mark.parametrize("file", SHAPES, ids=lambda file: file.stem)
def test_every_role_gets_the_arguments_that_it_specifies_on_every_node(file: Path) -> None:
    """Plays import files of tasks, where Ansible checks no arguments: pydantic has checked them, and this proves it."""
    for node, variables in arguments(load(file, installed=False)).items():
        for phase in PHASES:
            told = mistakes(phase.role, {**variables, "verb": "deploy", "phase": phase.name})
            assert told == [], f"{phase.role} on {node}"


@pytest.mark.parametrize(
    ("role", "name", "value", "said"),
    [
        ("storage", "storage_driver", "floppy", "value of storage_driver must be one of"),
        ("platform", "platform_virtual_clusters", [{"devices": {}}], "missing required arguments: name"),
        ("kubernetes", "kubernetes_max_pods", "many", "kubernetes_max_pods"),
        ("load_balancer", "atoll_masters", None, "missing required arguments: atoll_masters"),
    ],
)
def test_a_specification_refuses_what_a_role_cannot_use(role: str, name: str, value: Any, said: str) -> None:
    (variables, *_) = arguments(load(EXAMPLE)).values()
    told = mistakes(
        role, {**variables, "verb": "deploy", "phase": "storage" if role == "storage" else "node", name: value}
    )
    assert said in "\n".join(told)


def test_a_new_key_is_in_every_file_that_is_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What `docs/develop.md` promises: a key is its declaration, and the template that uses it."""
    from pydantic import BaseModel, Field

    from installer.cluster.sections import Ntp

    class MoreNtp(Ntp):
        """Clocks of the nodes."""

        most_drift_ms: int = Field(default=50, ge=1, description="Nodes whose clocks differ by more are told")

    meta = tmp_path / "roles/host/meta/argument_specs.yml"
    meta.parent.mkdir(parents=True)
    meta.write_text((TREE / "roles/host/meta/argument_specs.yml").read_text())
    (tmp_path / "roles/host/templates").mkdir()
    (tmp_path / "roles/host/templates/chrony.conf.j2").write_text("maxdrift {{ ntp_most_drift_ms }}\n")
    models: dict[str, type[BaseModel]] = {**section_models(), "ntp": MoreNtp}
    monkeypatch.setattr(making, "section_models", lambda: models)
    monkeypatch.setattr(
        making, "shipped", lambda: {name: model().model_dump(mode="json") for name, model in models.items()}
    )
    assert "most_drift_ms: 50" in making.group_vars("ntp")
    line = "  most_drift_ms: 50             # Nodes whose clocks differ by more are told"
    assert line in making.example(EXAMPLE.read_text()).splitlines()
    option = yaml.safe_load(making.argument_specs(meta))["argument_specs"]["main"]["options"]["ntp_most_drift_ms"]
    assert option == {"type": "int", "required": True, "description": "Nodes whose clocks differ by more are told."}


def test_an_unknown_default_is_no_default() -> None:
    """The defaults are checked like what a user writes."""
    text = "name: a\nnodes: [{name: m1, address: 10.0.0.1, roles: [master, storage]}]\n"
    written = {section: model().model_dump(mode="json") for section, model in section_models().items()}
    assert loads(text + yaml.safe_dump(written), installed=False) == loads(text, installed=False)
