"""Names, kernel settings, tools and folders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SYSCTLS = "/etc/sysctl.d/90-atoll.conf"


def test_the_node_knows_itself_and_the_ways_of_the_cluster(host: Any, variables: dict[str, Any]) -> None:
    node = variables["atoll_node"]
    assert host.check_output("hostname") == node["name"]
    assert host.addr(node["name"]).ipv4_addresses == [node["address"]]
    for name in ("api.atoll.internal", "registry.atoll.internal", "localhost"):
        assert host.addr(name).ipv4_addresses == ["127.0.0.1"], name


def test_what_was_in_etc_hosts_before_is_still_there(host: Any) -> None:
    assert host.file("/etc/hosts").content_string.splitlines()[0] == "127.0.0.1 localhost"


def test_settings_of_the_kernel_are_written_and_in_force(host: Any) -> None:
    lines = [line.split(" = ") for line in host.file(SYSCTLS).content_string.splitlines() if line[0] != "#"]
    wanted = dict(lines)
    assert wanted["net.ipv4.ip_forward"] == "1"
    paths = " ".join("/proc/sys/" + name.replace(".", "/") for name in wanted)
    assert host.check_output(f"cat {paths}").splitlines() == list(wanted.values())
    assert host.service("systemd-sysctl.service").is_running


def test_tools_are_installed_and_no_package_waits_to_be_configured(host: Any, groups: dict[str, list[str]]) -> None:
    listed = host.check_output("dpkg-query --show --showformat '${db:Status-Abbrev}${Package}\\n'")
    installed = {line.split()[1] for line in listed.splitlines() if line.startswith("ii")}
    assert groups["host"]
    assert set(groups["host"]) <= installed
    assert host.check_output("dpkg --audit") == ""
    assert not host.file("/usr/sbin/policy-rc.d").exists, "no package could start a service any more"


def test_folders_belong_to_root_and_programs_are_found_at_sign_in(
    host: Any, attributes: Callable[..., list[str]]
) -> None:
    paths = ("/opt/atoll/bin", "/etc/atoll", "/var/lib/atoll")
    assert attributes(*paths) == ["755 root:root"] * 3
    assert attributes(SYSCTLS, "/etc/hosts", "/etc/profile.d/atoll.sh") == ["644 root:root"] * 3
    assert "/opt/atoll/bin" in host.check_output("bash -lc 'echo $PATH'").split(":")


def test_no_swap_comes_back_at_the_next_boot(host: Any) -> None:
    table = host.run("grep --extended-regexp '^[^#].*[[:space:]]swap[[:space:]]' /etc/fstab")
    assert table.stdout == ""
