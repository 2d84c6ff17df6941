"""Asking the platform about accounts: its own program, run by the cluster's administrator in a pod of the platform.

The way is that of `kubectl exec`: TLS and identity are the administrator's of Kubernetes, whose API server keeps who
did it. It needs the API server, the database and a pod of `api`; no sign-in, no answer of the portal.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any

from installer.cluster import Cluster
from installer.running.kubectl import administrator_configuration, program, reachable
from installer.services.access import api_servers
from installer.users.errors import PlatformUnavailable, UsersError

NAMESPACE = "atoll-system"
# Of the services it alone may read and write accounts.
PLACE = "deployment/api"
MODULE = ("python3", "-m", "atoll.users")
TIMEOUT_S = 60
TALK_TIMEOUT_S = 300
MOST_ANSWER_BYTES = 32 << 20


def asked(cluster: Cluster, arguments: Sequence[str]) -> dict[str, Any]:
    """Return what the platform answers to a verb. Raises UsersError."""
    ran = subprocess.run(
        _command(cluster, arguments),
        executable=program(),
        env=_environment(cluster),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    if (answer := answer_in(ran.stdout)) is not None:
        if ran.returncode != 0:
            raise refused(answer)
        return answer
    raise _unavailable(ran.stderr, ran.returncode)


class Talk:
    """A program in the pod that is told something, and answers a line at a time."""

    def __init__(self, process: subprocess.Popen[bytes], said: IO[bytes]) -> None:
        self._process = process
        self._said = said

    def tell(self, words: bytes) -> None:
        """Say something; who does not listen any more is asked nevertheless."""
        stdin = self._process.stdin
        if stdin is not None:
            try:
                stdin.write(words)
                stdin.flush()
            except BrokenPipeError:
                return

    def hear(self) -> dict[str, Any]:
        """Return the next answer. Raises PlatformUnavailable when none comes."""
        stdout = self._process.stdout
        line = stdout.readline(MOST_ANSWER_BYTES) if stdout is not None else b""
        if (answer := answer_in(line.decode(errors="replace"))) is not None:
            return answer
        self._process.kill()
        code = self._process.wait()
        self._said.seek(0)
        raise _unavailable(self._said.read(MOST_ANSWER_BYTES).decode(errors="replace"), code)


@contextmanager
def talking(cluster: Cluster, arguments: Sequence[str]) -> Iterator[Talk]:
    """Talk to the platform's program; it has ended afterwards. Raises RunError."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            _command(cluster, arguments, "-i"),
            executable=program(),
            env=_environment(cluster),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        ends = threading.Timer(TALK_TIMEOUT_S, process.kill)
        ends.start()
        try:
            yield Talk(process, errors)
        finally:
            ends.cancel()
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(BrokenPipeError):
                        pipe.close()
            process.wait()


def refused(answer: Mapping[str, Any]) -> UsersError:
    """Return what is told of a refusal."""
    return UsersError(str(answer.get("detail")), str(answer.get("remedy", "")))


def _command(cluster: Cluster, arguments: Sequence[str], *options: str) -> list[str]:
    server = f"--server={reachable(api_servers(cluster))}"
    return ["kubectl", server, "exec", *options, "-n", NAMESPACE, PLACE, "--", *MODULE, *arguments]


def _environment(cluster: Cluster) -> dict[str, str]:
    return {**os.environ, "KUBECONFIG": str(administrator_configuration(cluster))}


def _unavailable(said: str, code: int) -> PlatformUnavailable:
    return PlatformUnavailable(
        f"the platform cannot be asked: {PLACE}: {said.strip()[-300:] or f'exit code {code}'}",
        "See `./atoll status`; on a master: `service_ctl status api`, `service_ctl status database`.",
    )


def answer_in(text: str) -> dict[str, Any] | None:
    """The answer among what a program wrote, None when it was not asked at all."""
    try:
        answer = json.loads(text)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None
