"""Who may do what to which task."""

from atoll.identity.caller import Caller
from atoll.identity.permissions import ADMINISTRATION, PLATFORM
from atoll.tasks.life_cycle import ENDED, State, Wanted, may_stop
from atoll.tasks.models import TaskRow
from atoll.tasks.schemas import TaskAction
from atoll.web.domain import Permission

TASKS_CREATE = Permission("tasks:create", PLATFORM)
TASKS_READ = Permission("tasks:read", PLATFORM)
TASKS_STOP = Permission("tasks:stop", PLATFORM)
TASKS_DELETE = Permission("tasks:delete", PLATFORM)
TASKS_READ_ALL = Permission("tasks:read_all", ADMINISTRATION)
TASKS_STOP_ALL = Permission("tasks:stop_all", ADMINISTRATION)
# Root in a container may do more by a fault of the kernel than others: not for everybody who may run tasks, but for
# administrators and whom they give a role that names it.
TASKS_PRIVILEGED = Permission("tasks:privileged", ADMINISTRATION)
PERMISSIONS = (
    TASKS_CREATE,
    TASKS_READ,
    TASKS_STOP,
    TASKS_DELETE,
    TASKS_READ_ALL,
    TASKS_STOP_ALL,
    TASKS_PRIVILEGED,
)


def reads_all(caller: Caller) -> bool:
    """Whether the caller sees the tasks of others."""
    return caller.may(TASKS_READ_ALL)


def stops(caller: Caller, task: TaskRow) -> bool:
    """Whether the caller may ask for a stop of this task."""
    if task.owner_id == caller.id:
        return caller.may(TASKS_STOP)
    return caller.may(TASKS_STOP_ALL)


def deletes(caller: Caller, task: TaskRow) -> bool:
    """Whether the caller may remove this task from the lists: only its owner."""
    return task.owner_id == caller.id and caller.may(TASKS_DELETE)


def actions(caller: Caller, task: TaskRow) -> list[TaskAction]:
    """What the caller may do to the task as it is now."""
    state = State(task.state)
    offered: list[TaskAction] = []
    if may_stop(state, Wanted(task.wanted)) and stops(caller, task):
        offered.append("stop")
    if state in ENDED and deletes(caller, task):
        offered.append("delete")
    if caller.may(TASKS_CREATE) and task.owner_id == caller.id:
        offered.append("copy")
    return offered
