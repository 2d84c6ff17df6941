"""The one table of test suites: what each is called, needs, runs and how long it may take."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from installer.testing import marks

Set = Literal["fast", "ci", "all"]


@dataclass(frozen=True)
class Command:
    """One command of a suite: a title for people and the argument vector, run from the root of the tree."""

    title: str
    argv: tuple[str, ...]


@dataclass(frozen=True)
class Skip:
    """Tests that may be skipped, and why: a test with all its parameters, or all tests of a file.

    `without_root`: only where root does not run them. A skip that no row of the table names fails its suite.
    """

    test: str
    reason: str
    without_root: bool = False

    def names(self, test: str) -> bool:
        """Whether a test is this one, with whatever parameters, or one of this file."""
        return test == self.test or test.startswith((f"{self.test}[", f"{self.test}::"))


@dataclass(frozen=True)
class Suite:
    """A group of commands that pass or fail together.

    `belongs_to` is the smallest set that runs it: `fast` needs no lab, `ci` needs lab nodes on this machine,
    `all` is too long for every commit. `time_limit_s` ends a hanging suite. Suites run side by side, two at a time, but
    wait for those of `after` that run at all; one that is `alone` has the machine to itself. One that is `patient` runs
    as a third, one at a time, with what the others leave of the cores: nothing in it may depend on time.
    """

    name: str
    title: str
    needs: str
    belongs_to: Set
    commands: tuple[Command, ...]
    time_limit_s: int
    after: tuple[str, ...] = field(default=())
    alone: bool = False
    patient: bool = False
    may_skip: tuple[Skip, ...] = field(default=())

    def unexplained(self, skipped: list[str], root: bool) -> list[str]:
        """Return those of the skipped tests for whose skip the table has no reason; `root`: whether root ran them."""
        allowed = [skip for skip in self.may_skip if not (root and skip.without_root)]
        return [test for test in skipped if not any(skip.names(test) for skip in allowed)]


CHANGED_S = 300  # for mutants of changed lines, in every run
NO_SUCH_CAPABILITY = "the local engine declares that it cannot; `engines-cluster` runs it on the one that can"
PYTEST = ("{python}", "-m", "pytest", "-p", "installer.testing.recorder", "--durations=15", "--durations-min=10")
SHORT = (*PYTEST, "-m", "not long")  # what every commit runs; the rest is for `--all`
LONG = (*PYTEST, "-m", "long")
NPM = ("{node}/npm", "--prefix", "platform/portal")
E2E_NPM = ("{node}/npm", "--prefix", "tests/e2e")
ONLY_LONG = ("--grep", marks.LONG)  # the same again in another look, width or role
NOT_LONG = ("--grep-invert", marks.LONG)

SUITES: tuple[Suite, ...] = (
    Suite(
        "lint",
        "Style, types and generated files",
        "nothing but the virtual environment",
        "fast",
        (
            Command("ruff", ("{bin}/ruff", "check", ".")),
            Command("ruff format", ("{bin}/ruff", "format", "--check", ".")),
            Command("mypy", ("{bin}/mypy",)),
            Command("floors of the installer", ("{bin}/lint-imports", "--config", "tests/contracts/installer.ini")),
            Command(
                "floors of the platform",
                ("env", "PYTHONPATH=platform", "{bin}/lint-imports", "--config", "tests/contracts/platform.ini"),
            ),
            Command("yamllint", ("{bin}/yamllint", "--strict", ".")),
            Command(
                "ansible-lint",
                ("env", "ANSIBLE_INVENTORY=cluster.example.yaml", "{bin}/ansible-lint", "--offline", "--strict", "-q"),
            ),
        ),
        1800,
        patient=True,
    ),
    Suite(
        "unit",
        "Unit tests of the installer, roles and plugins on real files, processes, sockets",
        "the virtual environment",
        "fast",
        (Command("pytest", (*SHORT, "tests/unit", "--ignore=tests/unit/platform")),),
        2400,
        may_skip=(
            Skip(
                "tests/unit/workloads/test_shapes.py::test_kubeadm_reads_its_configuration",
                "asks the bundle's kubeadm; in the first run from nothing the suite `roles` or `system` makes it later",
            ),
            Skip("tests/unit/bundle/test_layer_archive.py", "makes device nodes and mounts", without_root=True),
            Skip(
                "tests/unit/dev/test_dev.py::test_a_folder_of_another_user_is_refused",
                "only root may give a folder away",
                without_root=True,
            ),
            Skip("tests/unit/storage/test_user_data.py", "mounts file systems", without_root=True),
            Skip("tests/unit/testing/test_mutation_gate.py", "builds a wall of name spaces", without_root=True),
        ),
    ),
    Suite(
        "unit-platform",
        "Unit tests of the platform on real PostgreSQL, files, processes, sockets",
        "the virtual environment",
        "fast",
        # Two processes (`-n 2 --dist loadfile`) take 24 minutes beside the lab, not 38; but then browsers begin while
        # the lab still works, and the whole takes longer.
        (Command("pytest", (*SHORT, "tests/unit/platform")),),
        3600,
        may_skip=(
            Skip("tests/unit/platform/files/test_files.py", "workers become users", without_root=True),
            Skip("tests/unit/platform/files/test_mount.py", "it mounts", without_root=True),
        ),
    ),
    Suite(
        "unit-long",
        "Unit tests that take long: floods, and what needs many repetitions",
        "the virtual environment",
        "all",
        (Command("pytest", (*LONG, "tests/unit")),),
        1800,
        after=("unit", "unit-platform"),
    ),
    Suite(
        "engines",
        "What every engine has to do, done by the local one",
        "the virtual environment",
        "fast",
        (Command("pytest", (*PYTEST, "tests/engines")),),
        600,
        may_skip=tuple(
            Skip(f"tests/engines/test_specification.py::{name}", NO_SUCH_CAPABILITY)
            for name in (
                "test_by_an_interpreter_that_is_not_its_images_it_starts_once_one_in_front_of_it_has_held",
                "test_a_mount_may_have_any_target",
                "test_what_is_read_only_is_not_written",
                "test_more_cpu_than_the_limit_is_not_had",
                "test_an_image_that_cannot_be_had_is_named",
            )
        ),
    ),
    Suite(
        "portal",
        "The portal: types, style, unit tests, the size of what a first page loads",
        "Node from the pinned toolchain",
        "fast",
        (
            # Not `npm ci`: it refuses a lock that lacks packages for other platforms, which a mirror need not carry.
            Command("npm install", (*NPM, "install", "--no-save", "--prefer-offline")),
            Command("lint", (*NPM, "run", "lint")),
            Command("vitest", (*NPM, "test")),
            Command("build", (*NPM, "run", "build")),  # is red for a page above its budget
        ),
        1800,
        patient=True,
    ),
    Suite(
        "e2e-dev",
        "Pages and forms of the portal in Chromium, on `./atoll dev`: two side by side",
        "Debian's chromium-headless-shell or chromium (installed by root), Node from the pinned toolchain",
        "fast",
        (
            Command("npm install", ("{python}", "-m", "installer.testing.playwright", "packages")),
            Command("types", (*E2E_NPM, "run", "types")),
            Command("playwright", ("{python}", "-m", "installer.testing.playwright", "dev", *NOT_LONG)),
        ),
        2400,  # a quarter of an hour on a machine of its own
    ),
    Suite(
        "mutation-changed",
        "A few mutants of the lines that changed last are noticed by the tests of their rooms",
        "the virtual environment; root for a wall around what is broken",
        "fast",
        (
            Command(
                "mutants",
                ("{python}", "-m", "installer.testing.mutation", "--changed", "--part-s", f"{CHANGED_S}"),
            ),
        ),
        CHANGED_S + 300,
        patient=True,
    ),
    Suite(
        "roles",
        "Each role that needs no cluster, by molecule on a lab node of its own",
        "root, the bundle (built or in the cache)",
        "ci",
        (Command("pytest", (*PYTEST, "tests/roles")),),
        3600,  # minutes with a bundle in the cache
    ),
    Suite(
        "api-server",
        "What the cluster admits, answers and writes down, asked of the bundle's servers as plain processes",
        "the bundle (built or in the cache); root for containers of the bundle's runc",
        "ci",
        (Command("pytest", (*PYTEST, "tests/apiserver", "tests/registry", "tests/runtime")),),
        2700,  # minutes with a bundle in the cache, twenty beside browsers and a lab
        after=("system",),  # which makes the bundle where there is none
        patient=True,
    ),
    Suite(
        "quota",
        "500 random tasks in real Kueue while quotas, members and borrowing are edited: nobody holds more than a share",
        "the bundle (built or in the cache); root for Kueue's own root directory",
        "all",
        (Command("pytest", (*PYTEST, "tests/apiserver/test_quota.py", "--submissions", "500")),),
        1800,  # three minutes beside others
        after=("api-server",),
        patient=True,
    ),
    Suite(
        "system",
        "The reference cluster, installed by ./atoll up on lab nodes, and what an administrator does with it",
        "root, the bundle (built or in the cache), 12 GiB of memory",
        "ci",
        (Command("pytest", (*SHORT, "tests/system")),),
        4500,  # three quarters of an hour by itself, an hour beside what is busy
        after=("roles",),
        may_skip=(
            Skip(
                "tests/system/test_05_lab.py::test_a_node_with_a_frozen_process_loses_its_power_too",
                "where the machine has cgroup v2, frozen processes die like others: there is nothing to try",
            ),
        ),
    ),
    Suite(
        "engines-cluster",
        "What every engine has to do, done by Kubernetes",
        "the cluster that the suite `system` leaves running",
        "ci",
        (Command("pytest", (*SHORT, "tests/engines", "--engine=kubernetes", "-n", "3")),),
        900,
        after=("system",),
    ),
    Suite(
        "e2e",
        "The portal of the installed cluster in Chromium",
        "the cluster that the suite `system` leaves running",
        "ci",
        (Command("playwright", ("{python}", "-m", "installer.testing.playwright", "cluster")),),
        1200,
        after=("engines-cluster",),
    ),
    Suite(
        "engines-cluster-long",
        "What an engine has to do in rarer cases, done by Kubernetes",
        "the cluster that the suite `system` leaves running",
        "all",
        (Command("pytest", (*LONG, "tests/engines", "--engine=kubernetes", "-n", "3")),),
        900,
        after=("e2e",),
    ),
    Suite(
        "system-long",
        "What takes long of what an administrator does with the cluster",
        "the cluster that the suite `system` leaves running",
        "all",
        (Command("pytest", (*LONG, "tests/system")),),
        3600,
        after=("engines-cluster-long",),
    ),
    Suite(
        "load",
        "One user asks for all there is, ten clients at a time; what somebody else gets meanwhile",
        "the cluster that the suite `system` leaves running",
        "all",
        (Command("pytest", (*PYTEST, "tests/load")),),
        900,
        after=("e2e", "system-long"),
        alone=True,
    ),
    Suite(
        "sabotage-lab",
        "The same for promises about the installed cluster; run again, it goes on where it was",
        "the cluster that the suite `system` leaves running",
        "all",
        (Command("pytest", (*PYTEST, "tests/sabotage/test_lab.py")),),
        3600,
        after=("load",),
        alone=True,
    ),
    Suite(
        "farewell",
        "The lab is taken down and leaves nothing behind",
        "the cluster that the suite `system` leaves running",
        "ci",
        (Command("pytest", (*PYTEST, "tests/farewell")),),
        300,
        after=("sabotage-lab", "engines-cluster-long", "system-long"),
    ),
    Suite(
        "dev",
        "`./atoll dev` of two users without root side by side, from a fresh clone to the trained example in Chromium",
        "root (to make the users), Debian's chromium, Python packages in reach",
        "all",
        (Command("pytest", (*PYTEST, "tests/dev")),),
        1200,
        after=("farewell",),  # its browser would hear of each interface that a lab gets
    ),
    Suite(
        "e2e-dev-long",
        "Pages of the portal in the looks, widths and roles that `e2e-dev` leaves out",
        "as `e2e-dev`",
        "all",
        (Command("playwright", ("{python}", "-m", "installer.testing.playwright", "dev", *ONLY_LONG)),),
        2400,
        after=("farewell",),
    ),
    Suite(
        "bench",
        "The figures of this commit against their baseline: those of the suite `system`, and those that need no lab",
        "the suite `system` of this commit; a machine that does nothing else",
        "all",
        (Command("figures", ("{python}", "-m", "installer", "bench", "--complete")),),
        600,
        after=("farewell",),
        alone=True,
    ),
    Suite(
        "bundle",
        "Programs of the bundle, built from a fresh clone with an empty cache, are those of this machine bit by bit",
        "the bundle's toolchain and sources in reach of the package registries",
        "all",
        (Command("pytest", (*PYTEST, "tests/bundle")),),
        3600,
        after=("farewell",),
    ),
    Suite(
        "shapes",
        "Clusters of other shapes, each installed on lab nodes: one node with all roles, one without accelerators",
        "root, the bundle (built or in the cache), 8 GiB of memory",
        "all",
        (Command("pytest", (*PYTEST, "tests/shapes")),),
        3600,
        after=("farewell", "dev"),
    ),
    Suite(
        "resume",
        "An install that is killed in every phase is compared with one that was never killed",
        "root, the bundle (built or in the cache), 12 GiB of memory",
        "all",
        (Command("pytest", (*PYTEST, "tests/resume")),),
        3600,
        after=("farewell",),
        alone=True,
    ),
    Suite(
        "sabotage",
        "Each promise has a test that turns red when its code is broken: those that need no lab; run again, it goes on",
        "the virtual environment",
        "all",
        (Command("pytest", (*PYTEST, "tests/sabotage/test_fast.py")),),
        3600,
    ),
    Suite(
        "mutation",
        "Rooms with rules are broken in one place at a time: their tests notice nine of ten; run again, it goes on",
        "the virtual environment; root for a wall around what is broken",
        "all",
        (Command("mutants", ("{python}", "-m", "installer.testing.mutation")),),
        3600,
        alone=True,
    ),
)


def chosen(names: tuple[str, ...], wanted: Set) -> tuple[Suite, ...]:
    """Return the suites to run, in order: the named ones, or those of the set. Raises KeyError for an unknown name."""
    if names:
        known = {suite.name: suite for suite in SUITES}
        for name in names:
            if name not in known:
                raise KeyError(name)
        return tuple(suite for suite in SUITES if suite.name in names)
    ranks: dict[Set, int] = {"fast": 0, "ci": 1, "all": 2}
    return tuple(suite for suite in SUITES if ranks[suite.belongs_to] <= ranks[wanted])
