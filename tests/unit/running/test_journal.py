"""The journal's lock, by which others see whether a run goes on."""

import fcntl
import threading
from pathlib import Path

from installer.redaction import Redactor
from installer.running.journal import FILE_NAME, Journal, is_being_written


def test_a_look_at_the_moment_of_its_beginning_leaves_no_journal_unlocked(tmp_path: Path) -> None:
    with (tmp_path / FILE_NAME).open("w") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        threading.Timer(0.1, fcntl.flock, (looking, fcntl.LOCK_UN)).start()
        with Journal(tmp_path, Redactor()):
            assert is_being_written(tmp_path)
    assert not is_being_written(tmp_path)
