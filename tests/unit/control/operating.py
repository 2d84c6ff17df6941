"""A process that does two operations and never ends them: to be killed in the middle. Its argument is the state."""

import sys
import threading
from pathlib import Path

from installer.control.operations import Operations
from installer.services.actions import ActionResult, Say


def endless(say: Say) -> ActionResult:
    say("rendered: 2 changes, with Correct-Horse-77")
    threading.Event().wait()
    raise AssertionError


book = Operations(Path(sys.argv[1]))
done = book.begin("queue", "restart", "platform", lambda say: ActionResult("queue", "restart", True, True, "fine", 0.1))
done.result()
for service in ("api", "monitoring"):
    operation = book.begin(service, "restart", "administrator", endless)
    while operation.to_json()["message"] == "":
        pass
print("ready", flush=True)
threading.Event().wait()
