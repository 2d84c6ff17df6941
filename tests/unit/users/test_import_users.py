"""`./atoll users import` as a person types it; kubectl, the edge, is a program that talks as the platform's does."""

from __future__ import annotations

import csv
import json
import platform
import stat
from pathlib import Path
from typing import Any

import pytest
from atoll.users import csv_file, exchange
from click.testing import CliRunner, Result

from installer import exit_codes
from installer.cluster import TREE
from installer.running import accepted
from installer.running.kubectl import ARCHITECTURES
from installer.users import importing
from installer.users.commands import users
from installer.users.errors import PlatformUnavailable, UsersError

# Reads the file, then says what `answers` has, one after the other, and waits for a line where these say so.
KUBECTL = """#!/usr/bin/env python3
import json, pathlib, sys
folder = pathlib.Path({folder!r})
(folder / "argv").write_text(json.dumps(sys.argv[1:]))
length = int(sys.stdin.buffer.readline())
(folder / "content").write_bytes(sys.stdin.buffer.read(length))
for answer in json.loads((folder / "answers").read_text()):
    if answer == "hear":
        heard = sys.stdin.buffer.readline()
        (folder / "heard").write_bytes(heard)
        written = folder / "passwords.csv"
        (folder / "then").write_bytes(written.read_bytes() if written.exists() else b"")
    elif isinstance(answer, int):
        sys.exit(answer)
    else:
        print(json.dumps(answer), flush=True)
"""
SECRETS = [
    {"name": "ada", "password": "abcde-fghjk-mnpqr-stuvw"},
    {"name": "eve", "password": "22222-33333-44444-55555"},
]
LINE = {
    **{"line": 2, "state": "new", "name": "ada", "nickname": "Ada", "phone": "", "email": ""},
    **{"roles": ["User", "Watch"], "groups": [], "virtual_clusters": ["default"], "errors": []},
}
ANSWER = {
    **{"dry_run": True, "encoding": "gb18030", "new": 1, "existing": 0, "mistakes": 0, "lines": [LINE]},
    **{"errors": [], "passwords": []},
}
MADE = {**ANSWER, "dry_run": False, "lines": [], "passwords": SECRETS, "new": 2, "existing": 3}
KEPT = {"kept": True}
REFUSED = {"code": "not_written_down", "detail": "They were not written down.", "remedy": "Again.", "errors": []}
MISTAKEN = {
    **{"code": "users_file_mistakes", "detail": "There are 2.", "remedy": "Mend them."},
    "errors": [
        {"field": "2.roles", "code": "no_such_role", "message": "There is no role `x`.", "params": {}},
        {"field": "7", "code": "broken_line", "message": "Look at its \x1b[31mquotation marks.", "params": {}},
    ],
}


class Place:
    """Where a person works, with a file of users; what the platform is told and answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.csv, self.passwords = folder / "new.csv", folder / "passwords.csv"
        self.csv.write_bytes(b"User name,Nickname,Roles\r\nada,Ada,User\r\n")
        program = folder / "bundle" / "bin" / ARCHITECTURES[platform.machine()] / "kubernetes"
        program.parent.mkdir(parents=True)
        program.write_text(KUBECTL.format(folder=str(folder)))
        program.chmod(0o755)

    def says(self, *answers: Any) -> None:
        (self.folder / "answers").write_text(json.dumps(answers))

    @property
    def asked(self) -> list[str]:
        argv: list[str] = json.loads((self.folder / "argv").read_text())
        return argv

    def wrote(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("ATOLL_BUNDLE", str(tmp_path / "bundle"))
    monkeypatch.setenv("SUDO_USER", "grace")
    accepted.accept(tmp_path / "state" / "demo", (TREE / "cluster.example.yaml").read_text())
    (tmp_path / "state" / "demo" / "admin.conf").touch()
    monkeypatch.setattr("installer.users.in_cluster.reachable", lambda servers: servers[0])
    return Place(tmp_path)


def ran(*arguments: str | Path) -> Result:
    return CliRunner().invoke(users, ["import", *map(str, arguments)], catch_exceptions=False)


def test_a_dry_run_shows_each_line_and_makes_no_file(place: Place) -> None:
    place.says(ANSWER)
    done = ran(place.csv, "--dry-run")
    assert done.exit_code == 0
    for word in ("ada", "User; Watch", "default", "new", "New: 1. There already: 0. Nothing was changed.", "gb18030"):
        assert word in done.output
    assert place.wrote("content") == place.csv.read_bytes()
    assert place.asked[1:6] == ["exec", "-i", "-n", "atoll-system", "deployment/api"]
    assert place.asked[6:12] == ["--", "python3", "-m", "atoll.users", "import", "--dry-run"]
    assert place.asked[12].startswith("--by=grace@")
    assert not place.passwords.exists()
    assert json.loads(ran(place.csv, "--dry-run", "-o", "json").output) == ANSWER


def test_a_dry_run_with_mistakes_names_them_with_file_line_and_column(place: Place) -> None:
    errors = [{"field": "roles", "code": "no_such_role", "message": "There is no role `x`.", "params": {}}]
    wrong = {**LINE, "state": "wrong", "nickname": "[bold]\x1b[31mAda", "errors": errors}
    place.says({**ANSWER, "lines": [wrong], "new": 0, "mistakes": 1})
    done = ran(place.csv, "--dry-run")
    assert done.exit_code == exit_codes.FAILED
    assert f"{place.csv}:2: Roles: There is no role `x`." in done.output
    assert "Mistakes: 1. Nothing can be imported until they are mended." in done.output
    assert "[bold]�[31mAda" in done.output
    assert "\x1b" not in done.output


def test_the_passwords_are_in_a_file_of_ones_own_before_anything_is_kept_and_never_on_the_screen(place: Place) -> None:
    place.says(MADE, "hear", KEPT)
    done = ran(place.csv, "--passwords", place.passwords, "--skip-existing")
    assert done.exit_code == 0
    assert "Made: 2. There already: 3." in done.output
    assert str(place.passwords) in done.output
    assert place.wrote("heard") == exchange.WRITTEN_DOWN
    with place.passwords.open(newline="") as file:
        lines = list(csv.reader(file))
    assert lines == [["User name", "Initial password"], *([each["name"], each["password"]] for each in SECRETS)]
    assert place.wrote("then") == place.passwords.read_bytes(), "it was said before it was so"
    assert stat.S_IMODE(place.passwords.stat().st_mode) == 0o600, "others can read the passwords"
    assert "--skip-existing" in place.asked
    for secret in SECRETS:
        assert secret["password"] not in done.output
        assert secret["password"] not in " ".join(place.asked)


def test_programs_are_told_where_the_passwords_are_and_not_what_they_are(place: Place) -> None:
    place.says(MADE, "hear", KEPT)
    done = ran(place.csv, "--passwords", place.passwords, "-o", "json")
    assert json.loads(done.output) == {"made": 2, "existing": 3, "passwords": str(place.passwords)}


def test_a_file_for_passwords_that_is_there_already_is_left_alone_and_nothing_is_asked(place: Place) -> None:
    place.passwords.write_text("of last year")
    with pytest.raises(UsersError, match="is there already"):
        ran(place.csv, "--passwords", place.passwords)
    assert place.passwords.read_text() == "of last year"
    (place.folder / "link.csv").symlink_to(place.folder / "elsewhere.csv")
    with pytest.raises(UsersError, match="is there already"):
        ran(place.csv, "--passwords", place.folder / "link.csv")
    with pytest.raises(UsersError, match="cannot be made"):
        ran(place.csv, "--passwords", place.folder / "nowhere" / "passwords.csv")
    assert not (place.folder / "argv").exists()
    assert not (place.folder / "elsewhere.csv").exists()


def test_what_is_refused_leaves_no_file_and_is_told_place_by_place(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    place.says(MISTAKEN, 1)
    with pytest.raises(UsersError, match=r"There are 2.\n  Mend them."):
        ran(place.csv, "--passwords", place.passwords)
    assert not place.passwords.exists()
    done = CliRunner().invoke(users, ["import", str(place.csv), "--passwords", str(place.passwords)])
    assert f"{place.csv}:2: Roles: There is no role `x`." in done.output
    assert f"{place.csv}:7: Look at its �[31mquotation marks." in done.output
    json_ = CliRunner().invoke(users, ["import", str(place.csv), "--passwords", str(place.passwords), "-o", "json"])
    assert '"code": "no_such_role"' in json_.output


def test_what_is_refused_at_the_last_moment_leaves_no_file(place: Place) -> None:
    place.says(MADE, "hear", REFUSED, 1)
    with pytest.raises(UsersError, match="They were not written down"):
        ran(place.csv, "--passwords", place.passwords)
    assert not place.passwords.exists()


def test_when_nobody_knows_whether_they_were_made_the_passwords_stay(place: Place) -> None:
    place.says(MADE, "hear", 137)
    with pytest.raises(importing.Unsure, match="--skip-existing"):
        ran(place.csv, "--passwords", place.passwords)
    assert SECRETS[0]["password"] in place.passwords.read_text()


def test_where_nobody_is_new_there_is_no_file(place: Place) -> None:
    place.says({**MADE, "passwords": [], "new": 0}, "hear", KEPT)
    done = ran(place.csv, "--passwords", place.passwords, "--skip-existing")
    assert (done.exit_code, "Made: 0. There already: 3." in done.output) == (0, True)
    assert not place.passwords.exists()


def test_when_nothing_answers_no_file_is_left_and_it_says_where_to_look(place: Place) -> None:
    place.says(3)
    with pytest.raises(PlatformUnavailable, match="service_ctl status database"):
        ran(place.csv, "--passwords", place.passwords)
    assert not place.passwords.exists()


def test_the_template_needs_no_cluster_and_is_what_the_platform_reads() -> None:
    for language in ("en", "zh"):
        done = ran("--template", "--language", language)
        assert done.output.strip() == csv_file.template("en" if language == "en" else "zh").strip()
    assert ran("--template").output == ran("--template", "--language", "en").output


def test_the_command_and_the_platforms_program_agree() -> None:
    assert importing.MOST_BYTES == csv_file.MOST_BYTES
    assert importing.WRITTEN_DOWN == exchange.WRITTEN_DOWN


@pytest.mark.parametrize(
    ("arguments", "told"),
    [([], "Name the file with the users"), (["new.csv"], "--passwords"), (["new.csv", "--skip-existing"], "--dry-run")],
)
def test_what_is_missing_on_the_command_line_is_named(arguments: list[str], told: str) -> None:
    done = CliRunner().invoke(users, ["import", *arguments])
    assert done.exit_code == 2
    assert told in done.output


def test_a_file_that_cannot_be_read_or_is_too_large_is_named(place: Place) -> None:
    with pytest.raises(UsersError, match=r"nowhere.csv: cannot be read \(No such file"):
        ran(place.folder / "nowhere.csv", "--dry-run")
    place.csv.write_bytes(b" " * (importing.MOST_BYTES + 1))
    with pytest.raises(UsersError, match="larger than 4 MiB"):
        ran(place.csv, "--dry-run")
    assert not (place.folder / "argv").exists()
