"""The playbook is the phases, and what roles read is what planning knows of."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml

from installer.cluster import TREE
from installer.cluster.defaults import shipped
from installer.planning import PHASES, Scope
from installer.planning import playbook as making
from installer.planning.digests import roles
from installer.planning.verbs import APPLY, VERBS, VERIFY, Verb

# Variables of the inventory that are the same as long as the cluster lives, or that no result depends on.
CONSTANT = {
    "atoll_bundle",
    "atoll_state",
    "atoll_version",
    "atoll_cluster_name",
    "atoll_first_master",
    "atoll_input_hashes",
}
FACTS = {
    "atoll_masters": "masters",
    "atoll_registry_hosts": "registry_hosts",
    "atoll_storage_hosts": "storage_hosts",
    "atoll_members": "members",
    "atoll_fenced": "fenced",
    "atoll_device_types": "device_types",
    "atoll_card_labels": "card_labels",
    "atoll_card_plugins": "card_plugins",
    "atoll_resource_limit": "resource_limit",
    "atoll_ways_in": "sign_in",
    "atoll_ways_in_files": "sign_in",
    "atoll_providers": "sign_in",
    "atoll_portal_address": "portal_address",
}
ROLES = sorted({phase.role for phase in PHASES})


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_the_playbook_of_a_verb_is_made_from_the_phases(verb: Verb) -> None:
    written = making.file_of(verb).read_text(encoding="utf-8")
    assert written == making.text(verb), "run python -m installer.planning.playbook"


def asked_files(tasks: Path) -> list[Path]:
    """`tasks`, or where it does nothing but hand over to its driver, the file of each driver that has a folder."""
    steps = yaml.safe_load(tasks.read_text(encoding="utf-8"))
    names = [step.get("ansible.builtin.include_tasks", "") for step in steps]
    if len(names) != 1 or "_driver }}/" not in names[0]:
        return [tasks]
    found = sorted(tasks.parent.glob(f"*/{names[0].rpartition('/')[2]}"))
    assert found, f"{tasks} hands over to nobody"
    return found


def test_verify_asks_every_phase_of_its_role_and_none_keeps_another_from_being_asked() -> None:
    first, *plays, last = yaml.safe_load(making.text(VERIFY))
    assert (first["hosts"], last["hosts"]) == ("planned", "planned")
    assert [play["hosts"] for play in plays] == [phase.group for phase in PHASES]
    for play in plays:
        (block,) = play["tasks"]
        asked = block["block"][0]["ansible.builtin.import_role"]
        tasks = TREE / "roles" / asked["name"] / "tasks" / f"{asked['tasks_from']}.yml"
        assert tasks.is_file()
        for file in asked_files(tasks):
            said = file.read_text(encoding="utf-8")
            assert "atoll_verify" in said or "fail_msg" in said, f"{file} does not say in words what is broken"
        assert block["rescue"]
        assert "any_errors_fatal" not in play


def run_by_verbs(role: str) -> tuple[set[str], set[str]]:
    """The words for which verbs come to a role, and the files of tasks that they run there."""
    words: set[str] = set()
    files: set[str] = set()
    for verb in VERBS:
        for turn in verb.turns:
            for phase in turn.phases:
                if phase.role == role:
                    words.add(turn.runs)
                    files.add(making.tasks_of(phase, turn))
    return words, files


@pytest.mark.parametrize("role", ROLES)
def test_every_file_of_tasks_and_every_word_of_a_role_is_run_by_a_verb(role: str) -> None:
    """What nobody runs nobody tries: it would rot, and be believed."""
    words, files = run_by_verbs(role)
    folder = TREE / "roles" / role
    said = yaml.safe_load((folder / "meta/argument_specs.yml").read_text())["argument_specs"]["main"]["options"]["verb"]
    assert set(said["choices"]) == words
    # `main` hands over to a file by the verb's word: for who applies a role by hand, and for molecule.
    idle = {file.name for file in (folder / "tasks").rglob("*.yml")} - {f"{name}.yml" for name in files | words}
    assert idle - {"main.yml"} == set()


def test_what_a_role_asks_afterwards_plans_nothing_again(tmp_path: Path) -> None:
    tasks = tmp_path / "roles" / "host" / "tasks"
    tasks.mkdir(parents=True)
    (tasks / "deploy.yml").write_text("- atoll_files: {}\n")
    first = roles.__wrapped__(tmp_path)
    (tasks / "verify.yml").write_text("- atoll_verify: {}\n")
    (tasks / "of_a_driver").mkdir()
    (tasks / "of_a_driver" / "verify.yml").write_text("- atoll_verify: {}\n")
    assert roles.__wrapped__(tmp_path) == first


def test_every_phase_has_a_play_in_order_and_says_what_goes_on_record() -> None:
    plays = yaml.safe_load(making.text(APPLY))
    applying = [play for play in plays if play["hosts"].startswith("phase_")]
    assert [play["hosts"] for play in applying] == [phase.group for phase in PHASES]
    for play, phase in zip(applying, PHASES, strict=True):
        assert play["gather_facts"] is False
        record = play["vars"].pop("on_record", None)
        assert play["vars"] == {"verb": "deploy", "phase": phase.name}
        assert record == {
            "phase": phase.name,
            "scope": "cluster" if phase.on is Scope.CLUSTER else "node",
            "input_hash": f"{{{{ atoll_input_hashes.{phase.name} | default('') }}}}",
            "version": "{{ atoll_version }}",
        }
        assert "post_tasks" not in play
    removing = [play for play in plays if play["hosts"].startswith("remove_")]
    assert [play["hosts"] for play in removing] == [
        phase.removal_group for phase in reversed(PHASES) if phase.removable
    ]
    for play in removing:
        (off,) = play["post_tasks"]
        assert off["atoll_record"]["state"] == "absent"


@pytest.mark.parametrize("role", ROLES)
def test_a_task_that_puts_a_phase_on_record_is_always_done_on_the_node_itself(role: str) -> None:
    """A handler runs at the end of all tasks, behind the record, so no role that records has one."""
    for file in sorted((TREE / "roles" / role / "tasks").rglob("*.yml")):
        for task in yaml.safe_load(file.read_text(encoding="utf-8")):
            modules = [name for name, args in task.items() if isinstance(args, dict) and "record" in args]
            if modules or "atoll_record" in task:
                assert not {"delegate_to", "when", "loop", "notify", "run_once"} & set(task), f"{file}: {task['name']}"
    assert not (TREE / "roles" / role / "handlers").exists()


def texts(role: str) -> dict[Path, str]:
    folder = TREE / "roles" / role
    used = [folder / part for part in ("tasks", "templates", "handlers", "defaults", "vars")]
    files = [file for part in used for file in sorted(part.rglob("*")) if file.is_file()]
    return {file: file.read_text(encoding="utf-8", errors="replace") for file in files}


@pytest.mark.parametrize("role", ROLES)
def test_what_a_role_reads_of_the_cluster_is_an_input_of_its_phases(role: str) -> None:
    """Else a change would not be planned. Phases of one role share its files, so that their inputs count together."""
    inputs = {name for phase in PHASES if phase.role == role for name in phase.inputs}
    keys = {f"{section}_{key}": f"{section}.{key}" for section, found in shipped().items() for key in found}
    missing = set()
    for file, text in texts(role).items():
        for word in set(re.findall(r"\b[a-z]+_[a-z_]+\b", text)):
            name = keys.get(word) or FACTS.get(word)
            if name and name not in inputs and name.partition(".")[0] not in inputs:
                missing.add(f"{file.relative_to(TREE)}: {word} (input `{name}`)")
    assert not missing


@pytest.mark.parametrize("role", ROLES)
def test_what_a_role_takes_from_the_bundle_is_an_artifact_of_its_phases(role: str) -> None:
    patterns = [
        pattern.replace("{arch}", "amd64") for phase in PHASES if phase.role == role for pattern in phase.artifacts
    ]
    taken: list[list[str]] = []
    for text in texts(role).values():
        for image in re.findall(r"atoll_image', '([^']+)'", text):
            taken.append([f"image/{kind}/{image}:1" for kind in ("base", "platform", "framework")])
        for name in re.findall(r"bin/\{\{ atoll_node.arch \}\}/([a-z0-9_./-]+)", text):
            taken.append([f"bin/amd64/{name}"])
        taken += [
            [name] for name in re.findall(r"\bmanifests/[a-z-]+\.yaml", text) if "kubernetes/manifests" not in text
        ]
    for names in taken:
        assert any(fnmatchcase(name, pattern) for name in names for pattern in patterns), f"{role}: {names[0]}"


@pytest.mark.parametrize("role", ROLES)
def test_a_role_reads_variables_that_exist(role: str) -> None:
    made = {*CONSTANT, *FACTS, "atoll_node"}
    plugins = {file.stem for file in (TREE / "plugins").rglob("atoll_*.py")}
    facts = {"atoll_host"}
    for file, text in texts(role).items():
        used = set(re.findall(r"\{\{[^}]*?\b(atoll_[a-z_]+)\b", text))
        assert used <= made | plugins | facts, f"{file}: {sorted(used - made - plugins - facts)}"


@pytest.mark.parametrize("role", ROLES)
def test_no_file_on_a_node_lists_all_nodes(role: str) -> None:
    for file, text in texts(role).items():
        listing = set(re.findall(r"groups(?:\.|\[['\"])(all|workers|accelerated)\b", text))
        if any("accelerated_nodes" in phase.inputs for phase in PHASES if phase.role == role):
            listing.discard("accelerated")
        assert not listing, f"{file} reads the list of all nodes"


def test_digests_follow_what_a_role_uses(tmp_path: Path) -> None:
    def write(name: str, text: str) -> None:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    write("roles/host/tasks/main.yml", "- atoll_files: {}\n")
    write("roles/queue/tasks/main.yml", "- ansible.builtin.command: true\n")
    write("plugins/modules/atoll_files.py", "from ansible.module_utils.atoll_node import x\n")
    write("plugins/module_utils/atoll_node.py", "x = 1\n")
    first = roles.__wrapped__(tmp_path)
    write("plugins/module_utils/atoll_node.py", "x = 2\n")
    second = roles.__wrapped__(tmp_path)
    assert first["host"] != second["host"]
    assert first["queue"] == second["queue"]
    write("roles/host/README.md", "words\n")
    assert roles.__wrapped__(tmp_path) == second
