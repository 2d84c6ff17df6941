"""`./atoll dev`: what it says to people, and that nothing of it stays. The whole of it: tests/e2e/dev."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from installer.dev import processes, settings, state, tasks
from installer.dev.commands import dev
from installer.dev.errors import DevError
from installer.dev.postgres import PostgreSQL
from installer.dev.processes import Family

TREE = Path(__file__).resolve().parents[3]
SLEEP = (sys.executable, "-c", "import time; time.sleep(600)")


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def refused(*arguments: str) -> DevError:
    """What `./atoll dev` says to a person instead of starting."""
    error = CliRunner().invoke(dev, arguments).exception
    assert isinstance(error, DevError), error
    assert error.remedy
    return error


def lives(number: int) -> bool:
    return processes.began(number) != ""


def test_a_taken_port_is_told_with_another_one(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = refused("--port", str(port), "--state", str(tmp_path / "state"))
    assert f"port {port} of this machine is taken" in told.message
    assert f"--port {port + 1}" in told.remedy


def test_a_port_is_held_from_the_first_moment_and_handed_on_without_letting_go(tmp_path: Path) -> None:
    """Two who start side by side never take each other's port: there is no moment at which it is nobody's."""
    program = (
        "import os\nfrom fastapi import FastAPI\nfrom atoll.web.internal import serve\n"
        # Not where it is told to be otherwise.
        "serve(FastAPI(openapi_url='/there'), host='192.0.2.1', port=1, tls=None)\n"
    )
    family = Family(tmp_path)
    with processes.listen() as door:
        port = processes.port_of(door)
        said = refused("--port", str(port), "--state", str(tmp_path / "other")).message
        assert f"port {port} of this machine is taken" in said
        given = {**os.environ, "PYTHONPATH": str(TREE / "platform"), "ATOLL_SOCKET": str(door.fileno())}
        family.start("api", [sys.executable, "-c", program], given, keeps=(door.fileno(),))
    try:
        with pytest.raises(DevError):
            processes.listen(port)  # while the service is still starting
        # Who comes too early is answered once it is there.
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/there", timeout=60) as answer:
            assert answer.status == 200
        family.check()
    finally:
        family.end()
    processes.listen(port).close()


def test_a_second_one_in_the_same_folder_is_told_where_the_first_is(tmp_path: Path) -> None:
    with state.own(tmp_path):
        state.say(tmp_path, "http://127.0.0.1:8080 (process 7)")
        told = refused("--state", str(tmp_path), "--reset")
        assert "http://127.0.0.1:8080 (process 7)" in told.message
        assert "--state FOLDER --port NUMBER" in told.remedy
    with state.own(tmp_path):
        pass


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    assert "was not made by `./atoll dev`" in refused("--state", str(tmp_path), "--reset").message
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a folder away")
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    os.chown(tmp_path, 4711, 4711)
    assert "belongs to another user" in refused("--state", str(tmp_path)).message


def test_the_first_password_is_for_its_owner_and_never_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from installer.dev.commands import _welcome

    file = settings.make_secrets(tmp_path / "secrets")
    _welcome(8080, file, tmp_path, portal=True, seconds=37.4)
    said = capsys.readouterr().out
    assert "Ready in 37 s." in said
    assert str(file) in said
    assert file.read_text() not in said
    assert file.stat().st_mode & 0o777 == 0o600


def test_two_beside_each_other_have_cookies_of_their_own(tmp_path: Path) -> None:
    ports = ({"api": 8080, "files": 1, "jobs": 2}, {"api": 8081, "files": 3, "jobs": 4})
    names = {settings.configuration(tmp_path, {}, each, None)["web"]["session_cookie"] for each in ports}
    assert len(names) == 2


def test_ways_to_sign_in_come_from_a_file_and_one_that_says_none_is_told(tmp_path: Path) -> None:
    file = tmp_path / "ways_in.yaml"
    file.write_text("wechat: {app_id: wx1, secret_file: /nowhere}\n")
    assert settings.ways_in(file) == {"ways_in": {"wechat": {"app_id": "wx1", "secret_file": "/nowhere"}}}
    for content, said in (
        ("[", "cannot be read"),
        ("", "says nothing of ways to sign in"),
        ("- wechat", "says nothing"),
    ):
        file.write_text(content)
        with pytest.raises(DevError) as told:
            settings.ways_in(file)
        assert said in told.value.message
        assert told.value.remedy


def test_a_service_that_ends_is_named_with_its_last_lines(tmp_path: Path) -> None:
    family = Family(tmp_path)
    family.start("jobs", [sys.executable, "-c", "print('the database is gone'); raise SystemExit(3)"], os.environ)
    with pytest.raises(DevError) as told:
        family.wait_until("jobs", lambda: False, 20)
    assert "jobs ended by itself (exit code 3)" in told.value.message
    assert "the database is gone" in told.value.message
    assert str(tmp_path / "logs" / "jobs.log") in told.value.message
    assert "--reset" in told.value.remedy


def test_one_that_is_killed_takes_its_processes_with_it(tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from installer.dev.processes import Family\n"
        f"family = Family(Path({str(tmp_path)!r}))\n"
        f"family.start('api', {SLEEP!r}, os.environ)\n"
        "print(family._known[0].number, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=TREE, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == -signal.SIGKILL
    until(lambda: not lives(int(done.stdout)))


def test_the_next_start_ends_what_a_killed_one_left(tmp_path: Path) -> None:
    earlier = Family(tmp_path)
    # It does not mind the death of its parent, and neither a SIGTERM.
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    earlier.start("files", [sys.executable, "-c", stubborn], os.environ)
    process = earlier._running["files"]
    until(lambda: (tmp_path / "logs" / "files.log").stat().st_size > 0)
    Family(tmp_path)
    assert process.wait(timeout=5) == -signal.SIGKILL


def test_running_tasks_end_with_it(tmp_path: Path) -> None:
    with subprocess.Popen(SLEEP, start_new_session=True) as process:
        record = tmp_path / "attempt" / "0.pid"
        record.parent.mkdir()
        record.write_text(f"{process.pid} {processes.began(process.pid)}")
        (record.parent / "1.pid").write_text("1 0")  # a number that another process has by now
        assert tasks.end(tmp_path) == 1
        assert process.wait(timeout=5) == -signal.SIGTERM
    assert lives(1)
    assert tasks.end(tmp_path) == 0


def test_what_a_broken_off_build_leaves_ends_with_it() -> None:
    left = f"import subprocess; print(subprocess.Popen({SLEEP!r}, stdout=subprocess.DEVNULL).pid, flush=True)"
    program = (
        "import subprocess, sys; from installer.dev import processes\n"
        "processes.keep_orphans()\n"
        f"subprocess.run([sys.executable, '-c', {left!r}], check=True)\n"
        "processes.end_orphans()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=TREE, stdout=subprocess.PIPE, text=True, check=True)
    assert not lives(int(done.stdout))


def test_postgresql_starts_in_a_folder_with_a_long_name_and_comes_back_with_its_content(tmp_path: Path) -> None:
    folder = tmp_path / ("a-long-name-" * 8)
    folder.mkdir()
    for content in ("CREATE TABLE kept ()", "TABLE kept"):
        family = Family(folder)
        database = PostgreSQL(folder, family)
        try:
            database.start()
            database._psql(content)
            assert database.connection["name"] == "atoll"
        finally:
            family.end()
            database.end()
    assert not Path(database.connection["host"]).exists()


def test_a_folder_that_was_there_is_closed_to_other_users(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o755)
    with state.own(folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
