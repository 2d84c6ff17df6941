"""A user whose files take all that they may, or are as many as they may, is told so, and nobody else notices."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator

import httpx
import pytest

from tests.system.harness import TIGHT, TIGHT_FILES, Atoll, Portal, Ran, wait_for

MIB = 1 << 20


@contextlib.contextmanager
def signed_in(portal: Portal, name: str) -> Iterator[httpx.Client]:
    """An account with a home, in a browser of its own."""
    first, password = (f"{secrets.token_hex(8)}-Aa1" for _ in range(2))
    account = {"name": name, "nickname": name, "password": first, "roles": ["user"]}
    made = portal.client.post("/users", json=account)
    if made.status_code == 409:  # this test ran before on the same cluster
        (known,) = portal.client.get("/users", params={"words": name}).json()["items"]
        made = portal.client.post(f"/users/{known['id']}/reset-password")
        first = made.json()["password"]
    assert made.is_success, made.text
    with httpx.Client(
        base_url=portal.client.base_url,
        verify=portal.verify,
        headers={"X-Atoll-Request": "1", "Origin": portal.url},
        timeout=60,
    ) as theirs:
        assert theirs.post("/session", json={"name": name, "password": first}).status_code == 201
        changed = theirs.post("/session/password", json={"current_password": first, "new_password": password})
        assert changed.is_success, changed.text
        assert theirs.get("/home/files").is_success, "a first look makes the home"
        yield theirs


def size(atoll: Atoll, place: str) -> int:
    """What programs see as the size of the disk there."""
    blocks, of = atoll.node("worker1", "stat", "--file-system", "--format", "%b %S", place).out.split()
    return int(blocks) * int(of)


def as_owner(atoll: Atoll, name: str, *words: str) -> Ran:
    """Run a program as the owner of a home, as a task would."""
    owner = atoll.node("worker1", "stat", "--format", "%u", f"/mnt/atoll/home/{name}").out.strip()
    become = ("setpriv", "--reuid", owner, "--regid", owner, "--clear-groups")
    return atoll.node("worker1", *become, *words, ok=(0, 1, 123))


def write(atoll: Atoll, name: str, mib: int) -> Ran:
    """Append to a file of a home."""
    into = f"of=/mnt/atoll/home/{name}/fill"
    return as_owner(
        atoll, name, "dd", "if=/dev/zero", into, "bs=1M", f"count={mib}", "oflag=append", "conv=notrunc,fsync"
    )


def make_files(atoll: Atoll, name: str, count: int) -> Ran:
    """Make empty files in a new folder of a home."""
    folder = f"mktemp --directory /mnt/atoll/home/{name}/many.XXXXXX"
    return as_owner(atoll, name, "sh", "-c", f'folder="$({folder})" && cd "$folder" && seq {count} | xargs touch')


def files_in(atoll: Atoll, name: str) -> int:
    """How many files and folders a home has, itself among them: what GlusterFS counts."""
    return len(atoll.node("worker1", "find", f"/mnt/atoll/home/{name}").out.splitlines())


@pytest.mark.timeout(180)
def test_a_user_beyond_the_limit_is_refused_in_words_and_another_is_not_touched(atoll: Atoll, portal: Portal) -> None:
    roomy = f"roomy-{secrets.token_hex(3)}"
    tight_home, roomy_home = f"/mnt/atoll/home/{TIGHT}", f"/mnt/atoll/home/{roomy}"
    with signed_in(portal, TIGHT) as tight, signed_in(portal, roomy):
        try:
            wait_for("the limit of one user", lambda: size(atoll, tight_home) == 64 * MIB, 30)
            whole = size(atoll, "/mnt/atoll/home")
            wait_for("the share that everybody has", lambda: 0.45 < size(atoll, roomy_home) / whole < 0.55, 30)

            def refused() -> bool:
                return "quota exceeded" in write(atoll, TIGHT, 24).err

            # A limit is compared with a size that may be two seconds old.
            wait_for("a refusal", refused, 20)
            started = tight.post("/home/archives", json={"path": "examples"})
            assert started.status_code == 202, started.text
            operation = f"/operations/{started.json()['id']}"
            told = wait_for("its end", lambda: (o := tight.get(operation).json())["finished_at"] and o, 60)
            assert (told["state"], told["reason"]["params"]["cause"]) == ("failed", "storage_full"), told
            names = {item["name"] for item in tight.get("/home/files").json()["items"]}
            assert names == {"examples", "fill"}, "nothing half made is left"

            assert write(atoll, roomy, 80).code == 0
            atoll.node("storage1", "/opt/atoll/bin/home_quotas", "--check")
            # Who makes room may write again.
            atoll.node("worker1", "rm", f"{tight_home}/fill")
            wait_for("room again", lambda: write(atoll, TIGHT, 1).code == 0, 20)
        finally:
            atoll.node("worker1", "rm", "-f", f"{tight_home}/fill", f"{roomy_home}/fill")


@pytest.mark.timeout(240)
def test_a_user_with_as_many_files_as_one_may_have_is_refused_in_words_and_another_is_not_touched(
    atoll: Atoll, portal: Portal
) -> None:
    roomy = f"roomy-{secrets.token_hex(3)}"
    with signed_in(portal, TIGHT) as tight, signed_in(portal, roomy):

        def as_wanted() -> bool:
            return atoll.node("storage1", "/opt/atoll/bin/home_quotas", "--check", ok=(0, 1)).code == 0

        try:
            wait_for("both homes have their number of files", as_wanted, 60)
            assert files_in(atoll, TIGHT) < TIGHT_FILES / 2, "the home has room for files"
            assert make_files(atoll, TIGHT, 10).code == 0

            def refused() -> bool:
                return "quota exceeded" in make_files(atoll, TIGHT, TIGHT_FILES // 4).err

            # A limit is compared with a number that may be two seconds old.
            wait_for("a refusal", refused, 60)
            full = files_in(atoll, TIGHT)
            assert full > 0.9 * TIGHT_FILES, "the limit is another one"
            assert refused()
            assert files_in(atoll, TIGHT) == full, "files are made beyond the limit"
            started = tight.post("/home/archives", json={"path": "examples"})
            assert started.status_code == 202, started.text
            operation = f"/operations/{started.json()['id']}"
            told = wait_for("its end", lambda: (o := tight.get(operation).json())["finished_at"] and o, 60)
            assert (told["state"], told["reason"]["params"]["cause"]) == ("failed", "storage_full"), told

            assert make_files(atoll, roomy, 2 * TIGHT_FILES).code == 0
            # Who makes room may have new files again.
            atoll.node("worker1", "sh", "-c", f"rm -rf /mnt/atoll/home/{TIGHT}/many.*")
            wait_for("room again", lambda: make_files(atoll, TIGHT, 1).code == 0, 30)
        finally:
            atoll.node("worker1", "sh", "-c", f"rm -rf /mnt/atoll/home/{TIGHT}/many.* /mnt/atoll/home/{roomy}/many.*")
