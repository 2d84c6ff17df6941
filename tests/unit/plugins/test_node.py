"""The lock of a node, secrets, packages, facts. Needs nothing."""

from __future__ import annotations

import base64
import re
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml


def test_the_lock_is_waited_for_and_its_holder_named(module_utility: Any, tmp_path: Path) -> None:
    node = module_utility("atoll_node")
    with (
        node.locked(str(tmp_path)),
        pytest.raises(node.NodeError, match=r"pid \d+.*for more than 0 s"),
        node.locked(str(tmp_path), timeout_s=0.2),
    ):
        pass
    with node.locked(str(tmp_path), timeout_s=0.2):
        pass


def test_a_failing_program_is_told_with_its_last_words(module_utility: Any) -> None:
    node = module_utility("atoll_node")
    with pytest.raises(node.NodeError, match="exit code 3: no room"):
        node.run(["sh", "-c", "echo no room >&2; exit 3"])
    with pytest.raises(node.NodeError, match="not installed"):
        node.run(["/nowhere/program"])


@pytest.fixture
def secret(plugin: Any, tmp_path: Path) -> Any:
    """Return a function that looks a secret up."""
    lookup = plugin("lookup", "atoll_secret").LookupModule(
        loader=SimpleNamespace(_vault=None), templar=SimpleNamespace(template=lambda text: text)
    )

    def call(name: str, kind: str = "password") -> str:
        lookup.set_options = lambda **_: None
        lookup.get_option = lambda _: kind
        (value,) = lookup.run([name], {"atoll_state": str(tmp_path)})
        return str(value)

    return call


def test_a_secret_is_made_once_and_kept(secret: Any, tmp_path: Path) -> None:
    first = secret("database_password")
    assert re.fullmatch(r"[A-Za-z0-9]{32}", first)
    assert secret("database_password") == first
    assert secret("other") != first
    assert len(base64.b64decode(secret("key", "key"))) == 32
    file = tmp_path / "secrets.yaml"
    assert file.stat().st_mode & 0o7777 == 0o600
    assert set(yaml.safe_load(file.read_text())) == {"database_password", "other", "key"}


def test_secrets_looked_up_at_the_same_time_are_the_same(secret: Any, tmp_path: Path) -> None:
    found: list[str] = []
    threads = [threading.Thread(target=lambda n=n: found.append(secret(f"s{n % 3}"))) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 3
    assert set(found) == set(yaml.safe_load((tmp_path / "secrets.yaml").read_text()).values())


INSTALLED = 'printf "one\\t1.0\\tii \\nhalf\\t1.0\\tiU \\n"'
PACKAGES = [{"name": name, "version": "1.0", "file": f"{name}.deb"} for name in ("one", "half", "two")]


def test_only_packages_that_are_missing_are_asked_for(run: Any, programs: Any) -> None:
    programs("dpkg-query", INSTALLED)
    wanted = {"phase": "host", "groups": ["host"], "packages": PACKAGES, "wanted": ["one", "two"]}
    assert run("atoll_packages", **wanted)["needed"] == ["half.deb", "two.deb"]
    rehearsed = run("atoll_packages", check=True, **wanted)
    assert (rehearsed["changed"], rehearsed["needed"]) == (True, [])


def test_a_package_that_is_gone_is_a_difference(run: Any, programs: Any) -> None:
    programs("dpkg-query", INSTALLED)
    assert not run("atoll_packages", phase="host", groups=["host"], packages=PACKAGES[:1], wanted=["one"])["changed"]
    programs("dpkg-query", "true")
    assert run("atoll_probe", objects=False)["drifted"] == {"host": ["package one is not installed"]}


def test_a_kernel_setting_that_cannot_be_written_is_no_fact(plugin: Any) -> None:
    facts = plugin("modules", "atoll_facts")
    assert facts.sysctls(["kernel.ostype", "no.such.setting"]) == {}


def test_images_are_compared_by_digest(run: Any, programs: Any, tmp_path: Path) -> None:
    digest = "sha256:" + "a" * 64
    (tmp_path / "images").write_text(f"REF TYPE DIGEST SIZE\nr/one:1 application/x {digest} 1.0 KiB linux/amd64 -\n")
    programs("ctr", f'[ "$3" = images ] && cat {tmp_path}/images || echo sha256:config')
    descriptor = {"digest": digest, "mediaType": "x", "size": 1}
    image = {"name": "r/one:1", "descriptor": descriptor, "blobs": [digest, "sha256:config"]}
    assert not run("atoll_images", phase="runtime", images=[image])["changed"]
    other = {**descriptor, "digest": "sha256:" + "b" * 64}
    newer = {**image, "descriptor": other, "blobs": ["sha256:b", "sha256:config"]}
    answer = run("atoll_images", phase="runtime", images=[newer])
    assert (answer["ask"], answer["needed"]) == (True, ["sha256:b"])
    swapped = f"REF TYPE DIGEST SIZE\nr/one:1 application/x {other['digest']} 1.0 KiB linux/amd64 -\n"
    (tmp_path / "images").write_text(swapped)
    told = run("atoll_probe", objects=False)["drifted"]
    assert told == {"runtime": ["image r/one:1 is another"]}, "an image under a name that is not its own passes"
    (tmp_path / "images").write_text("REF\n")
    assert run("atoll_probe", objects=False)["drifted"] == {"runtime": ["image r/one:1 is gone"]}
