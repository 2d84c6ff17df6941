"""Actions on services: one at a time, each goes on to its end even when the one who asked has gone."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator

from installer.running.errors import Busy
from installer.services.actions import ActionResult, Say

log = logging.getLogger("atoll.control")
Work = Callable[[Say], ActionResult]


class Operation:
    """One action, with what it says while it goes on."""

    def __init__(self, service: str, action: str, caller: str) -> None:
        self.service = service
        self.action = action
        self.caller = caller
        self._said: list[str] = []
        self._result: ActionResult | None = None
        self._changed = threading.Condition()

    def say(self, text: str) -> None:
        """Tell something to whoever follows."""
        with self._changed:
            self._said.append(text)
            self._changed.notify_all()

    def finish(self, result: ActionResult) -> None:
        """It is over."""
        with self._changed:
            self._result = result
            self._changed.notify_all()

    def messages(self) -> Iterator[str]:
        """Return everything that is said, from the beginning, until it is over."""
        told = 0
        while True:
            with self._changed:
                while len(self._said) == told and self._result is None:
                    self._changed.wait()
                new, over = self._said[told:], self._result is not None
            yield from new
            told += len(new)
            if over:
                return

    def result(self) -> ActionResult:
        """Wait for the end and return how it was."""
        with self._changed:
            self._changed.wait_for(lambda: self._result is not None)
            if self._result is None:
                raise RuntimeError("waited for a result and there is none")
            return self._result


class Operations:
    """The one place where actions begin."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._current: Operation | None = None

    def begin(self, service: str, action: str, caller: str, work: Work) -> Operation:
        """Begin an action. Raises Busy while another one goes on."""
        with self._lock:
            if (current := self._current) is not None:
                raise Busy(
                    f"`{current.action} {current.service}`, asked for by {current.caller}, goes on.",
                    "Wait until it is done, then try again.",
                )
            operation = self._current = Operation(service, action, caller)
        log.info("begins: %s %s, asked for by %s", action, service, caller)
        threading.Thread(target=self._run, args=(operation, work), name=f"{action} {service}").start()
        return operation

    def _run(self, operation: Operation, work: Work) -> None:
        began = time.monotonic()
        try:
            result = work(operation.say)
        except Exception as error:
            # Whatever it is, whoever waits must learn of it; a defect of ours also goes to the log with its traceback.
            log.exception("%s %s failed", operation.action, operation.service)
            seconds = time.monotonic() - began
            result = ActionResult(operation.service, operation.action, False, False, str(error), seconds)
        log.info(
            "ends: %s %s, asked for by %s: %s (%s)",
            operation.action,
            operation.service,
            operation.caller,
            "ok" if result.ok else "FAILED",
            result.message,
        )
        with self._lock:
            self._current = None
        operation.finish(result)
