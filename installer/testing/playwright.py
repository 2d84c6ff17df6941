"""Runs the end-to-end tests with Playwright and records what they prove.

`cluster`: against the installed cluster, which the suite `system` leaves.
`dev`: each worker starts a `./atoll dev` of its own.

Tags of a test: `@feature-94` or `@feature-30a` names what it proves; `@simulated`, `@protocol` or `@local`
says on what, if not on the real thing. `@long` leaves a test of `dev` to the suite `e2e-dev-long`: it proves nothing.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import ssl
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx
import yaml

from installer import packages
from installer.bundle import building
from installer.progress.stages import progress_for
from installer.testing.marks import proofs
from installer.testing.results import ROOT, TOLD_LINES, Outcome, Result, commit, write

E2E = ROOT / "tests" / "e2e"
SYSTEM = Path("/var/lib/atoll/test")
BROWSERS: tuple[str, ...] = tuple(json.loads((E2E / "browsers.json").read_text("utf-8")))  # the best first


def results(report: dict[str, Any]) -> list[Result]:
    """Return one result per test of a Playwright JSON report; raises KeyError when it is none."""
    found: list[Result] = []

    def walk(suite: dict[str, Any], path: tuple[str, ...]) -> None:
        for spec in suite.get("specs", []):
            runs = [run for test in spec["tests"] for run in test["results"]]
            skipped = all(run["status"] == "skipped" for run in runs)
            outcome: Outcome = "skipped" if skipped else "passed" if spec["ok"] else "failed"
            found.append(
                Result(
                    name=" > ".join([*path, spec["title"]]),
                    outcome=outcome,
                    proofs=proofs(spec.get("tags", [])),
                    seconds=sum(run["duration"] for run in runs) / 1000,
                    said="" if outcome != "failed" else _said(runs),
                    retried=any(len(test["results"]) > 1 for test in spec["tests"]),
                )
            )
        for inner in suite.get("suites", []):
            walk(inner, (*path, inner["title"]))

    for top in report["suites"]:
        walk(top, (top["title"],))
    return found


def _said(runs: list[dict[str, Any]]) -> str:
    """Return the beginning of each error, without a terminal's colours."""
    messages = [error.get("message", "") for run in runs for error in run.get("errors", [])]
    lines = [line for message in messages for line in message.splitlines()[:TOLD_LINES] if line.strip()]
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(lines))


def newcomers(status: dict[str, Any], password: str) -> dict[str, Any]:
    """Make a person and an administrator who have never signed in, and return their credentials.

    `status` is what `./atoll status -o json` says; `password` is the first administrator's. Raises HTTPStatusError.
    """
    url = str(status["portal"]["url"]).rstrip("/")
    headers = {"X-Atoll-Request": "1", "Origin": url}
    trusted = ssl.create_default_context(cafile=status["portal"]["ca_file"])
    with httpx.Client(base_url=f"{url}/api/v1", verify=trusted, headers=headers, timeout=60) as client:
        client.post("/session", json={"name": "admin", "password": password}).raise_for_status()

        def made(role: str) -> dict[str, str]:
            account = {"user": f"e2e-{role}-{secrets.token_hex(3)}", "password": secrets.token_urlsafe(15)}
            body = {
                "name": account["user"],
                "nickname": account["user"],
                "password": account["password"],
                "roles": [role],
                "virtual_clusters": ["default"],
            }
            client.post("/users", json=body).raise_for_status()
            return account

        return {**made("user"), "administrator": made("admin"), "url": url}


def installed_cluster(scratch: Path) -> dict[str, str]:
    """Return what the tests of the installed cluster are told: where it is, who signs in, whom to trust."""
    if "ATOLL_URL" in os.environ:
        return {}
    known = {**os.environ, "ATOLL_STATE": str(SYSTEM / "clusters")}
    command = [str(ROOT / "atoll"), "status", "-f", str(SYSTEM / "cluster.yaml"), "-o", "json"]
    status = json.loads(subprocess.run(command, env=known, stdout=subprocess.PIPE, check=False).stdout)
    credentials = scratch / "credentials.yaml"
    made = newcomers(status, (SYSTEM / "password").read_text("utf-8").strip())
    credentials.write_text(yaml.safe_dump(made), encoding="utf-8")
    return {
        "ATOLL_URL": made["url"],
        "ATOLL_CREDENTIALS": str(credentials),
        "ATOLL_CA": status["portal"]["ca_file"],
        # For what is done on the control host, such as importing an image.
        "ATOLL_STATE": known["ATOLL_STATE"],
        "ATOLL_CLUSTER_FILE": str(SYSTEM / "cluster.yaml"),
    }


def provide_packages(folder: Path = E2E) -> None:
    """Install the pinned packages of the tests. Of suites side by side one does it, and the others wait for that."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        subprocess.run(["npm", "install", "--no-save", "--prefer-offline"], cwd=folder, check=True)
    finally:
        os.close(held)


def provide_browser() -> None:
    """Install the browser; another one that is there (tests/e2e/browser.ts) will do. Raises PackageError."""
    there = any(Path(program).exists() for program in filter(None, (os.environ.get("ATOLL_CHROMIUM"), *BROWSERS)))
    if os.geteuid() != 0 and there:
        return
    try:
        packages.install("browser", print)
    except packages.PackageError:
        if not there:
            raise


def by_itself(command: list[str]) -> list[str]:
    """Return the command in a network of its own, with nothing but loopback, if we may make one.

    Chromium breaks its requests off whenever the machine gets or loses an interface, as a lab beside it does.
    """
    if os.geteuid() != 0:
        return command
    return ["unshare", "--net", "--", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *command]


def main(arguments: list[str]) -> int:
    """Run the tests of `cluster` or `dev` with further arguments for Playwright; return its exit code.

    `packages` installs only what they are made of.
    """
    target, *further = arguments
    begun = commit()
    provide_packages()
    if target == "packages":
        return 0
    provide_browser()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        environment = {**os.environ, "PLAYWRIGHT_JSON_OUTPUT_NAME": str(report), "ATOLL_TEST_PYTHON": sys.executable}
        config = E2E / target / "playwright.config.ts"
        command = ["npx", "--no-install", "playwright", "test", f"--config={config}", "--reporter=list,json", *further]
        if target == "cluster":
            environment |= installed_cluster(Path(folder))
        if target == "dev":
            with progress_for("text") as progress:
                building.part("portal", progress)  # while its packages are in reach
            command = by_itself(command)
        ended = subprocess.run(command, cwd=E2E, env=environment, check=False)
        told = os.environ.get("ATOLL_TEST_RESULTS")
        if told and report.exists():
            write(Path(told), results(json.loads(report.read_text("utf-8"))), begun)
    return ended.returncode


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except packages.PackageError as error:
        sys.exit(f"The browser's tests need Debian's chromium.\n{error}")
