"""Progress for people and programs. Needs nothing."""

import io
import json
import threading
import time
from pathlib import Path

import pytest
from rich.console import Console

from installer.progress.stages import JsonProgress, PlainProgress, Progress, TerminalProgress, duration
from installer.progress.timings import Timings


def test_plain_lines_name_the_nested_stage_and_its_outcome() -> None:
    out = io.StringIO()
    progress = PlainProgress(out, every_seconds=0)
    progress.begin("bundle")
    progress.begin("kubernetes", total=2)
    progress.advance("compiling")
    progress.end("kubernetes", True)
    progress.end("bundle", False)
    lines = out.getvalue().splitlines()
    assert lines[1] == "bundle > kubernetes ..."
    assert lines[2] == "bundle > kubernetes 1/2: compiling"
    assert lines[3].startswith("bundle > kubernetes done in")
    assert lines[4].startswith("bundle FAILED in")


def test_every_line_of_json_is_an_event() -> None:
    out = io.StringIO()
    progress = JsonProgress(out)
    progress.begin("host", total=1)
    progress.advance("file written")
    progress.end("host", True)
    progress.say("a note")
    progress.event("finished", ok=True)
    events = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [e["event"] for e in events] == ["begin", "advance", "end", "message", "finished"]
    assert events[2]["ok"] is True


def test_ending_a_stage_ends_what_was_left_open_inside_it() -> None:
    out = io.StringIO()
    progress = PlainProgress(out)
    progress.begin("apply")
    progress.begin("host")
    progress.end("apply", True)
    assert progress.stages == []
    assert "apply > host FAILED" in out.getvalue()


def test_stages_of_two_threads_lie_beside_each_other_and_end_each_for_itself() -> None:
    out = io.StringIO()
    progress = PlainProgress(out, every_seconds=0)
    begun, ended = threading.Event(), threading.Event()

    def beside() -> None:
        begun.wait()
        progress.begin("layer")
        progress.advance("unpacking")
        ended.set()

    other = threading.Thread(target=beside)
    other.start()

    def compiling() -> None:
        progress.begin("program")
        begun.set()
        ended.wait()
        progress.advance("compiling")
        progress.end("program")

    compiler = threading.Thread(target=compiling)
    compiler.start()
    compiler.join()
    other.join()
    lines = out.getvalue().splitlines()
    assert lines[:4] == ["program ...", "layer ...", "layer: unpacking", "program: compiling"]
    assert lines[4].startswith("program done in")
    assert [stage.name for stage in progress.stages] == ["layer"]
    progress.end("layer")
    assert out.getvalue().splitlines()[-1].startswith("layer done in")


def test_what_threads_begin_lies_within_what_was_begun_before_them() -> None:
    out = io.StringIO()
    progress = PlainProgress(out, every_seconds=0)
    progress.begin("bundle")
    thread = threading.Thread(target=lambda: progress.begin("program"))
    thread.start()
    thread.join()
    assert out.getvalue().splitlines() == ["bundle ...", "bundle > program ..."]


def test_a_block_that_raises_ends_its_stage_as_failed() -> None:
    out = io.StringIO()
    progress = PlainProgress(out)
    with pytest.raises(ValueError, match="boom"), progress.stage("host"):
        raise ValueError("boom")
    assert "host FAILED" in out.getvalue()


def test_the_estimate_comes_from_the_median_of_earlier_runs(tmp_path: Path) -> None:
    file = tmp_path / "timings.json"
    for seconds in (10.0, 12.0, 300.0):
        Timings(file).record("images", seconds)
    progress = Progress(Timings(file))
    progress.begin("images")
    left = progress.left_seconds()
    assert left is not None
    assert 11 < left <= 12


def test_a_failed_stage_does_not_spoil_the_timings(tmp_path: Path) -> None:
    progress = Progress(Timings(tmp_path / "timings.json"))
    progress.begin("images")
    progress.end("images", False)
    assert progress.timings.expected("images") is None


def test_a_torn_timings_file_costs_only_the_estimate(tmp_path: Path) -> None:
    file = tmp_path / "timings.json"
    file.write_text('{"images": [1')
    assert Timings(file).expected("images") is None


def test_stages_to_come_count_in_the_estimate() -> None:
    timings = Timings()
    timings.record("bundle", 100)
    timings.record("apply", 50)
    progress = Progress(timings)
    progress.expect(["bundle", "apply"])
    progress.begin("bundle")
    left = progress.left_seconds()
    assert left is not None
    assert 149 < left <= 150


def test_a_terminal_keeps_finished_stages_and_shows_the_running_one() -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=140)
    with TerminalProgress(console) as progress:
        progress.begin("apply", total=4)
        progress.advance("Container runtime [bracketed] is installed")
        time.sleep(0.3)
        progress.end("apply", True)
    assert "✓" in out.getvalue()
    assert "[bracketed]" in out.getvalue()


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.44, "0.4 s"), (12.4, "12 s"), (185, "3 min 05 s"), (3725, "1 h 02 min")]
)
def test_durations_read_like_speech(seconds: float, said: str) -> None:
    assert duration(seconds) == said
