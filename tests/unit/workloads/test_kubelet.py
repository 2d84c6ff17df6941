"""The kubelet's unit. Needs nothing."""

from __future__ import annotations

import configparser
import shlex
import subprocess
from pathlib import Path

import jinja2
import pytest

TEMPLATES = Path(__file__).parents[3] / "roles" / "kubernetes" / "templates"


def unit(is_master: bool) -> configparser.ConfigParser:
    environment = jinja2.Environment(  # noqa: S701 - a unit is no web page
        loader=jinja2.FileSystemLoader(TEMPLATES), trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    # A key may come again; the last one counts, which is the mount's.
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(environment.get_template("kubelet.service.j2").render(kubernetes_is_master=is_master))
    return parser


@pytest.mark.parametrize(
    ("described", "mounts", "starts"), [(False, False, True), (True, True, True), (True, False, False)]
)
def test_tasks_run_only_where_the_user_data_is_mounted(
    tmp_path: Path, described: bool, mounts: bool, starts: bool
) -> None:
    made = unit(is_master=False)
    assert made["Unit"]["StartLimitIntervalSec"] == "0", "it has to try until the storage is back"
    assert made["Service"]["Restart"] == "always"
    if described:
        (tmp_path / "atoll-user-data.service").touch()
    systemctl = tmp_path / "systemctl"
    systemctl.write_text(
        f'#!/bin/sh\ntest "$*" = "start atoll-user-data.service" && exit {0 if mounts else 1}\nexit 9\n'
    )
    systemctl.chmod(0o755)
    before = made["Service"]["ExecStartPre"].replace("/etc/systemd/system/", f"{tmp_path}/")
    done = subprocess.run(shlex.split(before), env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=False, timeout=30)
    assert (done.returncode == 0) is starts


def test_masters_come_up_without_the_user_data() -> None:
    made = unit(is_master=True)
    assert "user-data" not in made["Service"]["ExecStartPre"]
    assert "StartLimitIntervalSec" not in made["Unit"]
