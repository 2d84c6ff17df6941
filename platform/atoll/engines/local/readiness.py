"""Whether replicas are ready: asked beside the engine's loop, so that a silent program holds nobody up."""

import asyncio
import contextlib
from pathlib import Path

import httpx

from atoll.engines.base import Submission
from atoll.engines.entry import program_environment
from atoll.engines.local import ports, processes
from atoll.engines.specification import CommandReadiness, HttpReadiness, Readiness, TcpReadiness
from atoll.web import siblings

EVERY_S = 0.3
PATIENCE_S = 5.0


class Readinesses:
    """The newest answer of each replica that has a readiness."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._answers: dict[tuple[str, int], bool] = {}
        self._asking: dict[tuple[str, int], asyncio.Task[None]] = {}

    def holds(self, submission: Submission, rank: int) -> bool | None:
        """None when its specification has no readiness."""
        if submission.specification.readiness is None:
            return None
        return self._answers.get((submission.attempt_id, rank), False)

    def ask(self, submission: Submission) -> None:
        """See to it that every replica is asked, one question at a time."""
        readiness = submission.specification.readiness
        if readiness is None:
            return
        for rank in range(submission.specification.devices.nodes):
            key = (submission.attempt_id, rank)
            running = self._asking.get(key)
            if running is None or running.done():
                self._asking[key] = asyncio.create_task(self._ask(key, submission, readiness))

    def forget(self, attempt_id: str) -> None:
        """Ask no more."""
        for key in [key for key in self._asking if key[0] == attempt_id]:
            self._asking.pop(key).cancel()
            self._answers.pop(key, None)

    def close(self) -> None:
        """Ask nobody any more."""
        for running in self._asking.values():
            running.cancel()

    async def _ask(self, key: tuple[str, int], submission: Submission, readiness: Readiness) -> None:
        _, rank = key
        answer = False
        with contextlib.suppress(OSError, TimeoutError, httpx.HTTPError, KeyError):
            async with asyncio.timeout(PATIENCE_S):
                answer = await _is_ready(
                    readiness, submission, rank, ports.of(self._state / submission.attempt_id, rank)
                )
        self._answers[key] = answer
        await asyncio.sleep(EVERY_S)


async def _is_ready(readiness: Readiness, submission: Submission, rank: int, numbers: dict[str, int]) -> bool:
    match readiness:
        case CommandReadiness(command=command):
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=submission.specification.program.working_directory,
                env=program_environment(
                    {**processes.environment(submission, rank, {}, ""), **ports.variables(numbers)}
                ),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
            )
            try:
                return await process.wait() == 0
            finally:
                if process.returncode is None:
                    process.kill()
        case HttpReadiness(port=port, path=path):
            async with siblings.client() as client:
                answer = await client.get(f"http://127.0.0.1:{numbers[port]}{path}")
            return answer.status_code < httpx.codes.BAD_REQUEST
        case TcpReadiness(port=port):
            _, writer = await asyncio.open_connection("127.0.0.1", numbers[port])
            writer.close()
            return True
