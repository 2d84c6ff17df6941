"""One run of one playbook by ansible-runner, in a private folder that keeps no secret when it is over."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible_runner.config.runner import RunnerConfig
from ansible_runner.runner import Runner

from installer.running.errors import Interrupted, RunError
from installer.running.events import TREE, Recorder
from installer.running.processes import RUN_MARKER, end, marked

# What ansible-playbook gets of this process' environment. The rest stays here: it may hold secrets of other programs,
# and ansible-runner writes the environment of a run into its folder.
# The images of a large bundle on slow disks take minutes: who takes so long is a node that lets us in and says nothing.
LONGEST_TASK_S = 7200
KEPT_ENVIRONMENT = ("HOME", "LANG", "LC_ALL", "TERM", "TMPDIR", "USER", "SSH_AUTH_SOCK", "ATOLL_CACHE", "ATOLL_STATE")


Event = dict[str, Any]


@dataclass(frozen=True)
class Playbook:
    """What to run: which playbook on which inventory, and the environment that the run needs."""

    path: Path
    inventory: Path
    environment: Mapping[str, str]
    forks: int = 10


def run(playbook: Playbook, run_id: str, folder: Path, recorder: Recorder, on_pid: Callable[[int], None]) -> bool:
    """Run the playbook; return whether it succeeded. `on_pid` learns the pid of ansible-playbook at once.

    Raises RunError if Ansible ended without doing anything, Interrupted if a person stopped it.
    """
    known: list[int] = []

    def take(event: Event) -> None:
        if not known and isinstance(pid := event.get("pid"), int):
            known.append(pid)
            on_pid(pid)
        recorder.event(event)

    try:
        code = listen(playbook, run_id, folder, take)
    finally:
        recorder.close()
    if code and not recorder.failures:
        said = "\n".join(recorder.tail).strip() or "it said nothing"
        raise RunError(
            f"ansible-playbook ended with code {code} before a task failed:\n{said}",
            f"The whole output is in {folder / 'ansible.log'}.",
        )
    return code == 0


def listen(playbook: Playbook, run_id: str, folder: Path, take: Callable[[Event], None]) -> int:
    """Run the playbook, hand every event to `take`, and return Ansible's exit code. Raises Interrupted."""
    private = folder / "ansible"
    config = RunnerConfig(
        private_data_dir=str(private),
        ident=run_id,
        playbook=str(playbook.path),
        inventory=str(playbook.inventory),
        forks=playbook.forks,
        # Ansible's drafts go with the folder, also after a kill.
        envvars={"ANSIBLE_LOCAL_TEMP": str(private / "tmp"), **_environment(playbook, run_id)},
    )
    config.prepare()
    config.env = {name: value for name, value in config.env.items() if _kept(name, playbook)}
    config.suppress_output_file = True  # the recorder writes the log, without secrets
    config.suppress_ansible_output = True
    config.cwd = str(TREE)
    config.command = [*_ansible_playbook(), *config.command[1:]]

    def handle(event: Event) -> bool:
        take(event)
        return False  # ansible-runner shall not keep events in files of its own

    try:
        _, code = Runner(config, event_handler=handle).run()
        return int(code)
    except KeyboardInterrupt:
        end(marked(run_id))
        raise Interrupted("The run was interrupted.", "Run the same command again: it goes on where it was.") from None
    except BaseException:
        end(marked(run_id))
        raise
    finally:
        # Event files that a kill left half-read hold unredacted results.
        shutil.rmtree(private, ignore_errors=True)


def drop_private_folder(folder: Path) -> None:
    """Remove what a killed run left of ansible-runner's private folder."""
    shutil.rmtree(folder / "ansible", ignore_errors=True)


def _ansible_playbook() -> list[str]:
    """Return how to start Ansible of this very environment: the control image has it in a folder without scripts."""
    script = Path(sys.executable).parent / "ansible-playbook"
    return [str(script)] if script.exists() else [sys.executable, "-m", "ansible", "playbook"]


def _environment(playbook: Playbook, run_id: str) -> dict[str, str]:
    return {
        "ANSIBLE_CONFIG": str(TREE / "ansible.cfg"),
        "ANSIBLE_HOST_KEY_CHECKING": "True",  # ansible-runner would switch it off
        "ANSIBLE_INJECT_FACT_VARS": "False",  # what a node says never stands before the inventory
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_RETRY_FILES_ENABLED": "False",
        "ANSIBLE_TASK_TIMEOUT": str(LONGEST_TASK_S),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "PYTHONPATH": os.pathsep.join(filter(None, (str(TREE), os.environ.get("PYTHONPATH")))),
        "PYTHONUNBUFFERED": "1",
        RUN_MARKER: run_id,
        **playbook.environment,
    }


def _kept(name: str, playbook: Playbook) -> bool:
    # The caller's options would stand before ours on the line of ssh, and the first one counts.
    if name.startswith(("ANSIBLE_SSH_", "ANSIBLE_SCP_", "ANSIBLE_SFTP_")):
        return name in playbook.environment
    ours = name.startswith(("ANSIBLE_", "AWX_", "RUNNER_", "PYTHON", "ORIGINAL_")) or name in {"PATH", RUN_MARKER}
    return ours or name in playbook.environment or name in KEPT_ENVIRONMENT
