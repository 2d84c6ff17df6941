from pathlib import Path

import pytest

from installer.bundle import debian_lock
from installer.bundle.debian import Package, as_stanza, stanzas, suite_addresses
from installer.bundle.errors import BundleError

OPENSSL = Package("openssl", "3.0.17-1", "amd64", 10, "ab" * 32, "bookworm-security", "pool/o/openssl.deb")
ADDUSER = Package("adduser", "3.134", "all", 20, "cd" * 32, "bookworm", "pool/a/adduser.deb")
DEB822 = """# a comment
Types: deb
URIs: http://mirror.example/debian
Suites: {0} {0}-updates
Components: main

Types: deb-src
URIs: http://sources.example/debian
Suites: {0}
Components: main

Types: deb
URIs: http://mirror.example/debian-security
Suites: {0}-security
Components: main
"""


def etc(root: Path, codename: str, name: str, text: str) -> Path:
    (root / "apt" / "sources.list.d").mkdir(parents=True)
    (root / "os-release").write_text(f'ID=debian\nVERSION_CODENAME="{codename}"\n')
    (root / "apt" / "sources.list.d" / name).write_text(text)
    return root


def test_the_archive_is_where_the_machine_gets_its_own_packages(tmp_path: Path) -> None:
    found = suite_addresses("bookworm", etc(tmp_path, "bookworm", "debian.sources", DEB822.format("bookworm")))
    assert found == {
        "bookworm": "http://mirror.example/debian",
        "bookworm-updates": "http://mirror.example/debian",
        "bookworm-security": "http://mirror.example/debian-security",
    }


def test_a_machine_with_a_newer_debian_finds_the_release_on_its_own_mirror(tmp_path: Path) -> None:
    found = suite_addresses("bookworm", etc(tmp_path, "trixie", "debian.sources", DEB822.format("trixie")))
    assert found["bookworm-security"] == "http://mirror.example/debian-security"


def test_one_line_sources_with_options_are_read(tmp_path: Path) -> None:
    line = "deb [arch=amd64 signed-by=/x.gpg] http://mirror.example/debian bookworm main contrib\n"
    assert suite_addresses("bookworm", etc(tmp_path, "bookworm", "a.list", line)) == {
        "bookworm": "http://mirror.example/debian"
    }


def test_a_machine_without_debian_sources_is_told_what_to_do(tmp_path: Path) -> None:
    line = "deb http://mirror.example/ubuntu noble main\n"
    with pytest.raises(BundleError, match=r"sources\.list\.d"):
        suite_addresses("bookworm", etc(tmp_path, "noble", "a.list", line))


def test_control_paragraphs_survive_reading_and_writing() -> None:
    fields = {"Package": "x", "Description": "short\n longer\n .\n end"}
    assert list(stanzas(as_stanza(fields) + "\n" + as_stanza({"Package": "y"}))) == [fields, {"Package": "y"}]


def test_an_epoch_in_a_version_makes_a_name_that_urls_carry() -> None:
    package = Package("iptables", "1:1.8", "amd64", 1, "", "bookworm", "p")
    assert package.file_name == "iptables_1+1.8_amd64.deb"


def test_a_lock_reads_back_as_it_was_written() -> None:
    lock = debian_lock.DebianLock("bookworm", {"amd64": {"base": [ADDUSER], "group/host": [ADDUSER, OPENSSL]}})
    again = debian_lock.parse(lock.text())
    assert again.release == "bookworm"
    assert again.packages("amd64", "group/host") == [ADDUSER, OPENSSL]


def test_a_set_that_is_not_locked_says_how_to_lock_it() -> None:
    with pytest.raises(BundleError, match="relock"):
        debian_lock.parse("release bookworm\narchitecture amd64\n").packages("amd64", "group/new")


def test_a_broken_line_is_named() -> None:
    with pytest.raises(BundleError, match=r"debian\.lock:2"):
        debian_lock.parse("release bookworm\nnonsense\n")
