"""Each part of a specification, as the program finds it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from atoll.engines.base import Capability, EngineError, Phase

from tests.engines.bench import END, Bench, Started, eventually

SECRET = "hunter2-of-the-suite"
DATASET = "datasets/conformance/1"


def shows(expression: str) -> str:
    """A program that prints a value as JSON and goes on."""
    return f"import json, os, time; print(json.dumps({expression})); print('{END}'); time.sleep(600)"


async def said(start: Started, expression: str, **changes: Any) -> Any:
    """The value as the program sees it."""
    attempt = await start(shows(expression), **changes)
    found = json.loads(await attempt.output())
    await attempt.stop()
    return found


async def test_variables_are_what_was_typed(start: Started) -> None:
    typed = {"PLAIN": "5$ $(HOME) $$ 'x' \"y\"", "EMPTY": ""}
    found = await said(start, "{n: os.environ[n] for n in ('PLAIN', 'EMPTY')}", variables=typed)
    assert found == typed


RUNS_FIRST = """
import os, sys
place = os.environ['HOME'] + '/tasks/' + os.environ['ATOLL_TASK_ID']
os.makedirs(place, exist_ok=True)
open(place + '/ran', 'a').write(sys.argv[0] + ' ')
"""


async def test_variables_of_interpreters_and_loaders_act_on_the_program_alone(bench: Bench, start: Started) -> None:
    place = f"home/{bench.user}/first"
    await bench.put(place, "sitecustomize.py", RUNS_FIRST.replace("'", '"'))
    typed = {"PYTHONPATH": bench.place(place), "LD_LIBRARY_PATH": bench.place(place), "PYTHONUNBUFFERED": ""}
    ran = "open(os.environ['HOME'] + '/tasks/' + os.environ['ATOLL_TASK_ID'] + '/ran').read()"
    found = await said(start, f"[{ran}, {{n: os.environ[n] for n in {tuple(typed)}}}]", variables=typed)
    assert found == ["-c ", typed], "in the program, and not in what starts it"


@pytest.mark.needs(Capability.IMAGES)
async def test_by_an_interpreter_that_is_not_its_images_it_starts_once_one_in_front_of_it_has_held(
    bench: Bench, start: Started
) -> None:
    assert bench.runtime is not None
    assert await said(start, "os.environ['PLAIN']", variables={"PLAIN": "a b"}, runtime=bench.runtime) == "a b"


@pytest.mark.long
async def test_a_readiness_by_command_sees_what_the_program_sees(start: Started) -> None:
    sees = ("sh", "-c", 'test "$PLAIN$TOKEN" = "a bhunter2" && test "$PWD" = "$HOME"')
    attempt = await start(
        "import time; time.sleep(600)",
        mode="service",
        readiness={"by": "command", "command": sees},
        variables={"PLAIN": "a b"},
        secrets={"TOKEN": "hunter2"},
    )
    await attempt.until(Phase.RUNNING)


async def test_without_a_device_type_it_runs_on_any_machine(start: Started) -> None:
    assert await said(start, "os.environ['WORLD_SIZE']", device_type=None, resource=None, architecture=None) == "1"


async def test_secret_variables_reach_the_program_and_nobody_else(bench: Bench, start: Started) -> None:
    attempt = await start(shows("os.environ['TOKEN'][::-1]"), secrets={"TOKEN": SECRET})
    assert json.loads(await attempt.output()) == SECRET[::-1]
    assert SECRET not in await bench.written()
    assert all(SECRET not in seen.model_dump_json() for seen in attempt.seen)
    assert SECRET not in repr(attempt.submission)


async def test_an_attempt_with_secrets_that_waited_through_a_restart_still_has_them(
    bench: Bench, start: Started
) -> None:
    holder = await start("import time; time.sleep(600)", devices=4)
    await holder.until(Phase.RUNNING)
    waiting = await start(shows("os.environ['TOKEN']"), secrets={"TOKEN": SECRET}, devices=1)
    await waiting.until(Phase.WAITING)
    await bench.restart()
    await bench.engine.provision(bench.provision())
    await holder.stop()
    assert json.loads(await waiting.output()) == SECRET


@pytest.mark.long
async def test_it_starts_in_its_working_directory_with_its_home_and_its_output(bench: Bench, start: Started) -> None:
    found = await said(
        start, "[os.getcwd(), os.environ['HOME'], os.path.isdir(os.environ['ATOLL_OUTPUT_DIR']), os.environ['USER']]"
    )
    assert found == [bench.place(f"home/{bench.user}"), bench.place(f"home/{bench.user}"), True, bench.user]


@pytest.mark.long
async def test_without_the_file_that_it_needs_nothing_is_started(start: Started) -> None:
    seen = await (await start("print('started')", needs_file="nowhere.py")).until(Phase.FAILED)
    assert seen.reason is not None
    assert seen.reason.code == "start_file_missing"


@pytest.mark.long
async def test_a_data_set_is_read_where_it_was_asked_for(bench: Bench, start: Started) -> None:
    await bench.put(DATASET, "labels", "cats")
    target = bench.place(DATASET)
    mount = {"kind": "dataset", "source": DATASET, "target": target, "read_only": True}
    assert await said(start, f"open('{target}/labels').read()", mounts=[mount]) == "cats"


@pytest.mark.needs(Capability.MOUNTS)
async def test_a_mount_may_have_any_target(bench: Bench, start: Started) -> None:
    await bench.put(DATASET, "labels", "cats")
    mount = {"kind": "dataset", "source": DATASET, "target": "/somewhere/else", "read_only": True}
    assert await said(start, "open('/somewhere/else/labels').read()", mounts=[mount]) == "cats"


@pytest.mark.long
async def test_an_engine_that_cannot_mount_says_so_for_good(bench: Bench, start: Started) -> None:
    if Capability.MOUNTS in bench.engine.capabilities:
        mount = {"kind": "dataset", "source": "elsewhere/1", "target": "/data"}  # no part of the tree of user data
    else:
        mount = {"kind": "dataset", "source": DATASET, "target": "/data"}
    attempt = start.prepare("", mounts=[mount])
    with pytest.raises(EngineError) as refused:
        await bench.engine.submit(attempt.submission)
    assert refused.value.permanent
    assert attempt.observe().phase is Phase.GONE


@pytest.mark.needs(Capability.READ_ONLY)
async def test_what_is_read_only_is_not_written(bench: Bench, start: Started) -> None:
    await bench.put(DATASET, "labels", "cats")
    target = bench.place(DATASET)
    source = f"""
import errno, json
try:
    open('{target}/new', 'w')
    print(json.dumps('written'))
except OSError as error:
    print(json.dumps(errno.errorcode[error.errno]))
print('{END}')
import time; time.sleep(600)
"""
    mount = {"kind": "dataset", "source": DATASET, "target": target, "read_only": True}
    attempt = await start(source, mounts=[mount])
    assert json.loads(await attempt.output()) == "EROFS"


async def test_more_memory_than_the_limit_ends_it_and_says_so(start: Started) -> None:
    seen = await (await start("import time; x = b'x' * (1 << 29); time.sleep(30)")).until(Phase.FAILED)
    assert seen.reason is not None
    assert (seen.reason.code, seen.reason.params) == ("memory_limit_exceeded", {"limit": "128Mi"})


@pytest.mark.needs(Capability.CPU_LIMITS)
async def test_more_cpu_than_the_limit_is_not_had(start: Started) -> None:
    burns = "(lambda t: [sum(range(1000)) for _ in iter(lambda: time.time() - t < 5, False)] and time.process_time())"
    used = await said(start, f"{burns}(time.time())", limits={"cpu": "200m", "memory": "256Mi"})
    assert used < 2.5, "half a core for five seconds at the most"


@pytest.mark.needs(Capability.IMAGES)
async def test_an_image_that_cannot_be_had_is_named(bench: Bench, start: Started) -> None:
    attempt = await start("", image=f"{bench.image.rpartition(':')[0]}:no-such-tag")
    await attempt.until(Phase.STARTING)

    def named() -> bool:
        reason = attempt.observe().reason
        return reason is not None and reason.code == "image_not_pulled"

    await eventually(named, bench.patience_s)
