"""What watches the database ends with its pod: each is process 1 there, which no signal ends by itself."""

import subprocess
import time
from pathlib import Path

import pytest

from tests.unit.platform.database.pod import Pod


def inside(process: subprocess.Popen[bytes]) -> int:
    """The script that `unshare` runs as process 1 of a name space."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    deadline = time.monotonic() + 10
    while not (found := children.read_text().split()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return int(found[0])


@pytest.mark.parametrize("script", ["upkeep.sh", "watchdog.sh"])
def test_what_watches_the_database_ends_with_its_pod(pod: Pod, script: str) -> None:
    (pod.folder / "bin/sleep").unlink()  # it takes its time here
    for other in ("have_accounts.sh", "watchdog.sql"):
        pod.put(other)
    argv = ["unshare", "--pid", "--fork", "--kill-child", "sh", str(pod.put(script))]
    process = subprocess.Popen(argv, env=pod.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        there = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'watchdog'"
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if (pod.folder / "asked").exists() if script == "upkeep.sh" else pod.sql(there) != "0":
                break
            time.sleep(0.1)
        else:
            pytest.fail("it did not begin")
        subprocess.run(["kill", "-TERM", str(inside(process))], check=True)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            pytest.fail("the pod would wait for it until its grace is over")
    finally:
        process.kill()
        process.wait()
