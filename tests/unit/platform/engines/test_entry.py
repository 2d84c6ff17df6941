"""The entry point of tasks as a real process. Needs nothing."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import get_args

import pytest
from atoll.engines import entry, outcome

from installer import packages


def start(tmp_path: Path, source: str, **environment: str) -> "subprocess.Popen[bytes]":
    code = tmp_path / "code"
    code.mkdir(exist_ok=True)
    (code / "main.py").write_text(source)
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", entry.__file__, sys.executable, "main.py"],
        env={
            "PATH": os.environ["PATH"],
            "ATOLL_CODE_DIR": str(code),
            "ATOLL_OUTPUT_DIR": str(tmp_path / "task/output"),
            "ATOLL_LOG_FILE": str(tmp_path / "task/log/1-%RANK%.log"),
            "ATOLL_METRICS_FILE": str(tmp_path / "task/metrics.jsonl"),
            "ATOLL_OUTCOME_FILE": str(tmp_path / "outcome"),
            **environment,
        },
        stdout=subprocess.PIPE,
    )


def told(tmp_path: Path) -> outcome.Outcome:
    parsed = outcome.parse((tmp_path / "outcome").read_text())
    assert parsed is not None
    return parsed


def test_output_goes_to_both_places_and_the_exit_code_is_the_programs(tmp_path: Path) -> None:
    process = start(tmp_path, "import sys\nprint('a')\nprint('b', file=sys.stderr)\nsys.exit(7)\n")
    stdout, _ = process.communicate(timeout=20)
    assert process.returncode == 7
    assert stdout == b"a\nb\n"
    assert (tmp_path / "task/log/1-0.log").read_bytes() == stdout
    assert told(tmp_path) == outcome.Outcome(7, last_lines=("a", "b"))


def test_sigterm_reaches_the_program_which_may_save_and_leave(tmp_path: Path) -> None:
    process = start(
        tmp_path,
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('saved', flush=True), sys.exit(3)))\n"
        "print('ready', flush=True)\ntime.sleep(30)\n",
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=20)
    assert rest == b"saved\n"
    assert process.returncode == 3


def test_a_program_that_ends_by_a_signal_gives_128_and_the_signal(tmp_path: Path) -> None:
    process = start(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGSEGV
    reason = outcome.reason(told(tmp_path), "1Gi")
    assert reason is not None
    assert reason.params["signal"] == "SIGSEGV"


def test_what_the_program_leaves_running_does_not_keep_the_task_alive(tmp_path: Path) -> None:
    process = start(tmp_path, "import subprocess\nsubprocess.Popen(['sleep', '60'])\nprint('done')\n")
    began = time.monotonic()
    stdout, _ = process.communicate(timeout=20)
    assert (process.returncode, stdout) == (0, b"done\n")
    assert time.monotonic() - began < 10


def test_the_rank_of_an_indexed_job_becomes_the_rank_of_the_program(tmp_path: Path) -> None:
    process = start(
        tmp_path, "import os\nprint(os.environ['RANK'])\n", JOB_COMPLETION_INDEX="3", MASTER_ADDR="127.0.0.1"
    )
    stdout, _ = process.communicate(timeout=20)
    assert stdout == b"3\n"
    assert (tmp_path / "task/log/1-3.log").exists()


@pytest.mark.parametrize(
    ("environment", "problem"),
    [({"ATOLL_CODE_DIR": "/nonexistent"}, "code_directory_missing"), ({}, "start_file_missing")],
)
def test_missing_code_is_named(tmp_path: Path, environment: dict[str, str], problem: str) -> None:
    process = start(tmp_path, "", **environment)
    if not environment:
        process.kill()
        process.communicate()
        (tmp_path / "code/main.py").unlink()
        process = subprocess.Popen(process.args, env=_environment(tmp_path), stdout=subprocess.PIPE)
    process.communicate(timeout=20)
    assert process.returncode == entry.NOT_STARTED
    assert told(tmp_path).problem == problem


def test_storage_that_cannot_be_written_is_named_with_its_error(tmp_path: Path) -> None:
    (tmp_path / "task").write_text("a file where a directory should be")
    process = start(tmp_path, "print('started')\n")
    stdout, _ = process.communicate(timeout=20)
    assert process.returncode == entry.NOT_STARTED
    assert b"started" not in stdout
    reason = outcome.reason(told(tmp_path), "400Mi")
    assert reason is not None
    assert reason.code == "storage_not_writable"
    assert str(reason.params["detail"]).startswith(f"atoll: the storage cannot be written: {tmp_path}/task")
    assert str(reason.params["detail"]) in reason.message


def test_what_a_task_claims_of_its_storage_is_text_that_can_be_kept() -> None:
    told_by_a_task = '{"exit_code": 66, "memory_exceeded": false, "problem": "storage_not_writable", "last_lines": %s}'
    parsed = outcome.parse(told_by_a_task % r'["\u0000\ud800"]')
    assert parsed is not None
    assert parsed.last_lines == ("\ufffd?",)


def _environment(tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "ATOLL_CODE_DIR": str(tmp_path / "code"),
        "ATOLL_START_FILE": "main.py",
        "ATOLL_OUTPUT_DIR": str(tmp_path / "task/output"),
        "ATOLL_LOG_FILE": str(tmp_path / "task/log/1-0.log"),
        "ATOLL_METRICS_FILE": str(tmp_path / "task/metrics.jsonl"),
        "ATOLL_OUTCOME_FILE": str(tmp_path / "outcome"),
    }


def test_the_outcome_fits_into_what_kubernetes_keeps(tmp_path: Path) -> None:
    process = start(tmp_path, "for n in range(50): print(str(n) * 300)\nraise SystemExit(1)\n")
    process.communicate(timeout=20)
    text = (tmp_path / "outcome").read_text()
    assert len(text.encode()) <= entry.OUTCOME_BYTES
    assert json.loads(text)["last_lines"][-1].startswith("49")


def test_a_command_that_the_image_does_not_have_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "run").write_text("#!/bin/sh\necho ran\n")
    environment = {
        "PATH": os.environ["PATH"],
        "ATOLL_CODE_DIR": str(tmp_path / "code"),
        "ATOLL_OUTPUT_DIR": str(tmp_path / "task/output"),
        "ATOLL_LOG_FILE": str(tmp_path / "task/log/1-%RANK%.log"),
        "ATOLL_METRICS_FILE": str(tmp_path / "task/metrics.jsonl"),
        "ATOLL_OUTCOME_FILE": str(tmp_path / "outcome"),
    }
    for command in ("no-such-program", "./run"):
        subprocess.run([sys.executable, entry.__file__, command], env=environment, check=False, capture_output=True)
        assert told(tmp_path).problem == "command_not_found"
    (tmp_path / "code" / "run").chmod(0o755)
    done = subprocess.run([sys.executable, entry.__file__, "./run"], env=environment, check=True, capture_output=True)
    assert done.stdout == b"ran\n"


def test_whatever_keeps_a_program_from_starting_has_words() -> None:
    assert set(get_args(entry.Problem)) == outcome.PROBLEMS.keys()


def test_what_a_task_was_given_acts_on_its_program_and_not_on_the_entry_point(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    first = tmp_path / "first"
    first.mkdir()
    (first / "sitecustomize.py").write_text(f"import os, sys\nopen({str(ran)!r}, 'a').write(f'{{sys.argv[0]}} ')\n")
    (first / "socket.py").write_text(f"open({str(ran)!r}, 'a').write('a module of ours ')\n")
    given = {"PYTHONPATH": str(first), "LD_PRELOAD": "/nowhere.so", "PATH": str(first), "ODD NAME": "x"}
    process = start(
        tmp_path,
        "import os\nprint(*(os.environ[name] for name in ('PYTHONPATH', 'LD_PRELOAD', 'PATH', 'ODD NAME')))\n"
        "print([name for name in os.environ if 'GIVEN' in name])\n",
        **{f"{entry.GIVEN}{name}": value for name, value in given.items()},
    )
    stdout, _ = process.communicate(timeout=20)
    # The loader says that it finds no such library: to the program's output, once.
    said = [line for line in stdout.decode().splitlines() if "ld.so" not in line]
    assert said == [f"{first} /nowhere.so {first} x", "[]"]
    assert stdout.decode().count("ld.so") == 1
    assert ran.read_text() == "main.py "


def test_the_program_is_looked_for_where_its_own_path_says(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/tool").write_text("#!/bin/sh\necho $0\n")
    (tmp_path / "bin/tool").chmod(0o755)
    (tmp_path / "code").mkdir()
    environment = {**_environment(tmp_path), "ATOLL_START_FILE": "", f"{entry.GIVEN}PATH": f"{tmp_path}/bin:/bin"}
    done = subprocess.run([sys.executable, entry.__file__, "tool"], env=environment, check=True, capture_output=True)
    assert done.stdout.decode().strip() == str(tmp_path / "bin/tool")


def test_a_command_beside_the_program_sees_what_it_sees(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    environment = {**_environment(tmp_path), f"{entry.GIVEN}PLAIN": "a b"}
    command = [sys.executable, entry.__file__, "--beside", "sh", "-c", 'echo "$PLAIN $PWD"; exit 3']
    done = subprocess.run(command, env=environment, check=False, capture_output=True)
    assert (done.returncode, done.stdout.decode().strip()) == (3, f"a b {tmp_path}/code")
    assert not (tmp_path / "outcome").exists()


def test_a_command_beside_the_program_is_not_run_before_the_network_is_held(tmp_path: Path) -> None:
    """It is the user's own, too, and the kubelet runs it from the start on."""
    (tmp_path / "code").mkdir()
    environment = {**_environment(tmp_path), "ATOLL_HELD_FILE": str(tmp_path / "held")}
    command = [sys.executable, entry.__file__, "--beside", "sh", "-c", "echo it ran"]
    early = subprocess.run(command, env=environment, check=False, capture_output=True)
    assert (early.returncode, early.stdout) == (entry.NOT_STARTED, b"")
    program = [sys.executable, entry.__file__, "true"]
    subprocess.run(program, env={**environment, "ATOLL_START_FILE": ""}, check=True, capture_output=True)
    assert subprocess.run(command, env=environment, check=True, capture_output=True).stdout == b"it ran\n"


API, FIRST, SECOND, DNS = "192.0.2.1:443", "192.0.2.11:443", "192.0.2.12:443", "192.0.2.10:53"
LIVE = {API: "rejected", FIRST: "rejected", SECOND: "rejected", DNS: "reached"}
NAMED = {
    "ATOLL_HOLD_WHILE_REACHABLE": API,
    "ATOLL_HOLD_UNTIL_REJECTED": f"{FIRST} {SECOND}",
    "ATOLL_HOLD_UNTIL_REACHABLE": DNS,
}


@pytest.mark.parametrize(
    ("answers", "live"),
    [
        (LIVE, True),
        (LIVE | {API: "nothing"}, True),  # the kernel sends few rejections in a second
        (LIVE | {SECOND: "nothing"}, True),
        (LIVE | {FIRST: "reached"}, False),
        (LIVE | {API: "reached"}, False),
        (LIVE | {DNS: "nothing"}, False),  # the default alone is live
        (LIVE | {DNS: "rejected"}, False),
        # The API server is down, and its address rejected because it has no endpoint; its master is down or boots.
        (LIVE | {FIRST: "nothing", SECOND: "nothing"}, False),
        (LIVE | {API: "nothing", FIRST: "nothing", SECOND: "reached"}, False),
    ],
)
def test_only_rejected_gateways_and_a_name_service_say_that_the_network_policy_is_enforced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answers: dict[str, str], live: bool
) -> None:
    for name, value in NAMED.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(entry, "POLICY_TIMEOUT_S", 0.5)
    monkeypatch.setattr(entry, "LONGEST_HOLD_S", 0.5)
    monkeypatch.setattr(entry, "ask", answers.__getitem__)
    assert entry.wait_for_policy(entry.Output(str(tmp_path / "log"))) is live
    assert ("is not enforced" in (tmp_path / "log").read_text()) is not live


@pytest.mark.parametrize("open_", [True, False])
def test_a_cluster_without_a_name_service_keeps_a_task_waiting_and_fails_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, open_: bool
) -> None:
    for name, value in NAMED.items():
        monkeypatch.setenv(name, value)
    # So much room that a machine with much else to do says it twice, too.
    for name, seconds in (("POLICY_TIMEOUT_S", 1.5), ("POLICY_SAID_S", 0.1), ("POLICY_SAID_AGAIN_S", 0.2)):
        monkeypatch.setattr(entry, name, seconds)
    back_at = time.monotonic() + 2.5
    away = LIVE | {DNS: "nothing"} | ({FIRST: "reached"} if open_ else {})
    monkeypatch.setattr(entry, "ask", lambda target: (LIVE if time.monotonic() > back_at else away)[target])
    assert entry.wait_for_policy(entry.Output(str(tmp_path / "log"))) is not open_
    assert (tmp_path / "log").read_text().count("waiting until") > 1


def test_a_task_that_an_earlier_version_queued_holds_by_the_api_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATOLL_HOLD_WHILE_REACHABLE", API)
    monkeypatch.setattr(entry, "POLICY_TIMEOUT_S", 0.5)
    monkeypatch.setattr(entry, "LONGEST_HOLD_S", 0.5)
    for answer in ("rejected", "reached", "nothing"):
        monkeypatch.setattr(entry, "ask", {API: answer}.__getitem__)
        assert entry.wait_for_policy(entry.Output(None)) is (answer == "rejected")


def test_whoever_only_holds_runs_nothing_and_tells_why_it_did_not_go_on(tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        reached = f"127.0.0.1:{listener.getsockname()[1]}"
        for hold, problem in (("", None), (reached, "network_policy_not_enforced")):
            shorter = f"import runpy, sys; sys.argv[1:] = ['--hold']; m = runpy.run_path({entry.__file__!r}); "
            shorter += "m['main'].__globals__['POLICY_TIMEOUT_S'] = 0.5; sys.exit(m['main']())"
            environment = {"ATOLL_OUTCOME_FILE": str(tmp_path / "outcome"), "ATOLL_HOLD_WHILE_REACHABLE": hold}
            done = subprocess.run([sys.executable, "-c", shorter], env=environment, check=False, capture_output=True)
            assert done.returncode == (entry.NOT_STARTED if problem else 0), done.stderr
            assert (tmp_path / "outcome").exists() is (problem is not None)
    assert told(tmp_path).problem == problem


def test_the_program_is_started_once_the_policy_rejects_and_not_by_what_a_dead_server_answers() -> None:
    """A pod, its node and a master in name spaces of their own; the rules of the node are those of a policy."""
    packages.install("firewall", print)
    program = str(Path(__file__).with_name("policed.py"))
    argv = ["unshare", "--user", "--map-root-user", "--net", "--mount", "--", sys.executable, program, entry.__file__]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "everything answers": ["reached", False],
        "the servers are down": ["nothing", False],
        "the master drops": ["nothing", False],
        "the node rejects all": ["rejected", False],
        "the node rejects by a reset": ["nothing", False],
        "the policy is live": ["rejected", True],
        "the policy is live and the servers are down": ["rejected", True],
    }
