#!/usr/bin/python3 -IS
"""Stands for `ssh`, `sftp` and `scp` in Ansible's runs: runs the one by whose name it was called, with all arguments.

What a node answers is a stranger's word, and Ansible keeps all of it in memory, several times. So many bytes of it go
through; then the program is ended, and Ansible told why, with the exit code that ssh has for a lost connection. (A
limit on the memory of ansible-playbook would end the run of all nodes for the sake of one, and no one limit fits a
process that forks a worker per node; a pipe through `head` never ends while ssh's shared connection holds it open.)

Started once per task and node, so it imports little. It runs by the machine's own Python, 3.9 or later.
"""

import os
import select
import signal
import sys

# By stream: output has what a module answers, some 5 MiB when all of Kueue's manifests change: its arguments, and
# each object before and after. Of small objects in JSON, Ansible makes sixty times as many bytes, so a run that asks
# for less says so in $ATOLL_ANSWER_MIB. Errors are put into the message of a failure as they are.
MOST_BYTES = {1: int(os.environ.get("ATOLL_ANSWER_MIB", "8")) << 20, 2: 1 << 20}
CHUNK_BYTES = 64 << 10
CONNECTION_FAILED = 255
RUNS = -1
ENDS_WITHIN_MS = 2000
PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Program:
    """A program that runs with this one's input, and whose output and errors come here first."""

    def __init__(self, argv: list[str]) -> None:
        self.signals, into = os.pipe()
        os.set_blocking(into, False)
        for number in (signal.SIGCHLD, *PASSED_ON):
            if number == signal.SIGCHLD or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, lambda *_: None)
        signal.set_wakeup_fd(into)
        output, errors = os.pipe(), os.pipe()
        self.streams = {output[0]: 1, errors[0]: 2}
        self.pid = os.posix_spawnp(
            argv[0],
            argv,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, output[1], 1), (os.POSIX_SPAWN_DUP2, errors[1], 2)],
            setsigdef=[signal.SIGPIPE],  # Python ignores it
        )
        # Our own end of the input stays: Ansible, whose writing fails, looks at once whether ssh has ended, and if not
        # tells of the pipe and not what ssh said.
        for end in (output[1], errors[1]):
            os.close(end)
        self.code = RUNS

    def heed_signals(self) -> None:
        """Pass on what signals came, and learn whether the program ended."""
        for number in os.read(self.signals, CHUNK_BYTES):
            if number != signal.SIGCHLD and self.code == RUNS:
                os.kill(self.pid, number)
        pid, status = os.waitpid(self.pid, os.WNOHANG) if self.code == RUNS else (0, 0)
        if pid:
            self.code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)

    def end(self) -> None:
        """End it, at first so that it can end its own ssh (sftp, scp)."""
        for stream in self.streams:
            os.close(stream)
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.code == RUNS:
                os.kill(self.pid, number)
                if select.select([self.signals], [], [], ENDS_WITHIN_MS / 1000)[0]:
                    self.heed_signals()


def main(argv: list[str]) -> int:
    """Run the program, and return its exit code."""
    argv = [os.path.basename(argv[0]), *argv[1:]]
    try:
        program = Program(argv)
    except OSError as error:
        return _failed(f"`{argv[0]}` cannot be run: {error.strerror}")
    try:
        too_much = _listen(program)
    except BrokenPipeError:  # nobody listens any more
        program.end()
        return CONNECTION_FAILED
    if too_much:
        program.end()
        return _failed(f"the answer of the node is not believed: it has more than {too_much >> 20} MiB")
    return program.code


def _listen(program: Program) -> int:
    """Forward what the program says until it ends; return how much was too much, or 0."""
    left = dict(MOST_BYTES)
    poll = select.poll()
    for stream in (program.signals, *program.streams):
        poll.register(stream, select.POLLIN)
    while True:
        # Not until the streams end: the shared connection that ssh leaves behind (ControlPersist) has them, too.
        ready = [stream for stream, _ in poll.poll(None if program.code == RUNS else 0)]
        if program.signals in ready:
            program.heed_signals()
        elif program.code != RUNS and not ready:
            return 0
        for stream in ready:
            if stream not in program.streams:
                continue
            to = program.streams[stream]
            chunk = os.read(stream, CHUNK_BYTES)
            if not chunk:
                poll.unregister(stream)
            left[to] -= len(chunk)
            if left[to] < 0:
                return MOST_BYTES[to]
            while chunk:
                chunk = chunk[os.write(to, chunk) :]


def _failed(why: str) -> int:
    os.write(2, f"\natoll: {why}\n".encode())
    return CONNECTION_FAILED


if __name__ == "__main__":
    os._exit(main(sys.argv))  # nothing to tidy up, so no time for it
