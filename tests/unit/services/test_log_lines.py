"""The end of a log fits, however long its lines are."""

import tracemalloc
from collections.abc import Iterator

from installer.services.log_lines import CUT, LINE_BYTES, last, lines_in


def test_lines_are_put_together_from_chunks() -> None:
    assert list(lines_in([b"one\ntw", b"o\n", b"three"])) == ["one", "two", "three"]
    assert list(lines_in([])) == []


def test_of_a_long_line_the_beginning_is_told_and_what_follows_is_whole() -> None:
    chunks = [b"a\n", *[b"x" * 4096] * 100, b"y\nlast\n", b"z" * (LINE_BYTES + 1)]
    found = list(lines_in(chunks))
    assert [line[:10] for line in found] == ["a", "x" * 10, "last", "z" * 10]
    assert all(len(line) <= LINE_BYTES + 4096 + len(CUT) for line in found)
    assert found[1].endswith(CUT)


def test_a_line_without_an_end_is_not_held() -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(1000):
            yield b"x" * LINE_BYTES * 2

    tracemalloc.start()
    assert len(list(lines_in(chunks()))) == 1
    assert tracemalloc.get_traced_memory()[1] < 20 * LINE_BYTES
    tracemalloc.stop()


def test_the_last_lines_that_fit_are_kept_and_the_others_are_counted() -> None:
    lines = [f"{number:09}" for number in range(100)]
    assert last(lines, 900) == lines
    note, *kept = last(lines, 90)
    assert kept == lines[-10:]
    assert note.startswith("[90 lines before these are left out")
    assert last(["é" * 50], 60)[0].startswith("[1 lines")
