"""Real runs of ansible-runner on this machine: books, journal, failures, secrets."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from installer.progress.stages import Progress
from installer.redaction import BLOT, Redactor
from installer.running import journal, runs
from installer.running.errors import RunError
from installer.running.playbook import Playbook
from installer.running.run import Outcome, writing
from tests.unit.running.conftest import command

MakePlaybook = Callable[..., Playbook]


def play(state: Path, playbook: Playbook) -> Outcome:
    with writing(state, "apply", "0.1.0", Progress()) as writer:
        return writer.play(playbook, [{"phase": "one", "node": "n1", "action": "deploy", "reason": "new"}], Progress())


def test_each_pair_of_task_and_node_counts_once_skipped_ones_and_loops_too(state: Path, playbook: MakePlaybook) -> None:
    outcome = play(
        state,
        playbook(
            {"hosts": "phase_none", "name": "Nobody", "tasks": [command("x", "false")]},
            {
                "hosts": "phase_one",
                "tasks": [
                    command("loop", "true", loop=[1, 2, 3]),
                    command("skipped", "false", when=False),
                    command("quiet", "true", changed_when=False),
                ],
            },
            {"hosts": "phase_two", "tasks": [command("one node", "true", run_once=True)]},
        ),
    )
    assert outcome.ok
    assert sum(outcome.evaluated_tasks.values()) == 7
    assert outcome.evaluated_tasks["n2"] == 3
    assert [(p.name, p.nodes, p.changed) for p in outcome.phases] == [("one", ["n1", "n2"], 2), ("two", ["n1"], 1)]
    assert outcome.changed == 3


def test_the_finished_event_has_the_fields_of_the_contract(state: Path, playbook: MakePlaybook) -> None:
    finished = play(state, playbook({"hosts": "phase_one", "tasks": [command("t", "true")]})).to_json()
    assert {"ok", "changed", "failed", "evaluated_tasks", "phases", "seconds"} <= finished.keys()
    assert finished["phases"][0].keys() == {"name", "nodes", "seconds", "changed"}


def test_a_failure_names_phase_node_task_message_and_remedy(state: Path, playbook: MakePlaybook) -> None:
    outcome = play(
        state,
        playbook(
            {
                "hosts": "phase_one",
                "tasks": [
                    command("Disk is formatted", "echo no space left >&2; exit 3", when="inventory_hostname == 'n2'")
                ],
            }
        ),
    )
    assert not outcome.ok
    (failure,) = outcome.failures
    assert (failure.phase, failure.node, failure.task) == ("one", "n2", "Disk is formatted")
    assert "no space left" in failure.message
    assert failure.remedy


def test_a_remedy_that_a_module_gives_reaches_the_person(state: Path, playbook: MakePlaybook) -> None:
    task = {"name": "t", "ansible.builtin.assert": {"that": "false"}, "vars": {}, "failed_when": True}
    outcome = play(state, playbook({"hosts": "phase_one", "tasks": [task]}))
    assert {failure.node for failure in outcome.failures} == {"n1", "n2"}


def test_ignored_and_rescued_failures_are_none(state: Path, playbook: MakePlaybook) -> None:
    outcome = play(
        state,
        playbook(
            {
                "hosts": "phase_one",
                "tasks": [
                    command("ignored", "false", ignore_errors=True),
                    {"name": "b", "block": [command("broken", "false")], "rescue": [command("mended", "true")]},
                ],
            }
        ),
    )
    assert outcome.ok
    assert outcome.failures == []


def test_the_journal_tells_the_run(state: Path, playbook: MakePlaybook) -> None:
    outcome = play(state, playbook({"hosts": "phase_one", "tasks": [command("t", "true")]}))
    assert outcome.run_id
    lines = list(journal.read(state / "runs" / outcome.run_id))
    assert [line["event"] for line in lines] == [
        "started",
        "plan",
        "phase",
        "task",
        "task",
        "phase_finished",
        "finished",
    ]
    (run,) = runs.runs(state)
    assert (run.id, run.state, run.verb, run.changed) == (outcome.run_id, "succeeded", "apply", 2)
    assert [(phase.name, phase.state, phase.nodes) for phase in run.phases] == [
        ("one", "succeeded", {"n1": "changed", "n2": "changed"})
    ]


def test_no_secret_gets_into_the_run_folder_even_from_a_task_without_no_log(
    state: Path, playbook: MakePlaybook, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, key = "Correct-Horse-77", "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ==\n-----END KEY-----\n"
    (state / "secrets.yaml").write_text(yaml.safe_dump({"database": {"password": secret}, "key": key}))
    monkeypatch.setenv("SOMEBODY_ELSES_TOKEN", secret)
    outcome = play(
        state,
        playbook(
            {
                "hosts": "phase_one",
                "tasks": [
                    command("hidden", f"echo {secret}", no_log=True),
                    command("careless", f"echo {secret}; echo '{key}'; exit 1"),
                ],
            }
        ),
    )
    assert not outcome.ok
    said = json.dumps(outcome.to_json())
    for file in (state / "runs").rglob("*"):
        said += file.read_text() if file.is_file() else ""
    assert secret not in said
    assert "MIIEvQIBADANBgkqhkiG9w0BAQ==" not in said
    assert not list((state / "runs").rglob("job_events"))


def test_no_secret_that_the_first_run_itself_makes_gets_into_its_folder(state: Path, playbook: MakePlaybook) -> None:
    made = state / "secrets.yaml"
    making = command("made", f"echo 'password: Correct-'Horse'-77' > {made}", run_once=True)
    telling = command("careless", f"cat {made}; exit 1")
    outcome = play(
        state, playbook({"hosts": "phase_one", "tasks": [making]}, {"hosts": "phase_two", "tasks": [telling]})
    )
    said = json.dumps(outcome.to_json())
    for file in (state / "runs").rglob("*"):
        said += file.read_text() if file.is_file() else ""
    assert "careless" in said
    assert "Correct-Horse-77" not in said


def test_a_secret_that_was_replaced_is_still_one(tmp_path: Path) -> None:
    file = tmp_path / "secrets.yaml"
    redactor = Redactor.of_file(file)
    for secret in ("first-secret", "second-secret"):
        file.write_text(f"password: {secret}\n")
        assert redactor.data({"said": [secret]}) == {"said": [BLOT]}
    assert redactor.text("first-secret") == BLOT


def test_options_of_ssh_in_the_callers_environment_do_not_reach_ansible(
    state: Path, playbook: MakePlaybook, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "ANSIBLE_SSH_ARGS",
        "ANSIBLE_SSH_EXTRA_ARGS",
        "ANSIBLE_SFTP_EXTRA_ARGS",
        "ANSIBLE_SSH_HOST_KEY_CHECKING",
    ):
        monkeypatch.setenv(name, "-o StrictHostKeyChecking=no")
    outcome = play(
        state, playbook({"hosts": "phase_one", "tasks": [command("t", "! env | grep StrictHostKeyChecking")]})
    )
    assert outcome.ok


def test_ansible_that_ends_before_any_task_is_an_error_with_its_words(state: Path, playbook: MakePlaybook) -> None:
    broken = playbook({"hosts": "phase_one", "tasks": [{"name": "t", "no_such_module_anywhere": {}}]})
    with pytest.raises(RunError, match="no_such_module_anywhere"):
        play(state, broken)
    (summary,) = runs.runs(state)
    assert summary.state == "failed"
