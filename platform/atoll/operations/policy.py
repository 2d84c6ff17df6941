"""Who may do what to which operation."""

from atoll.identity.caller import Caller
from atoll.identity.permissions import ADMINISTRATION, PLATFORM
from atoll.operations.models import ENDED, OperationRow, OperationState
from atoll.operations.schemas import OperationAction
from atoll.web.domain import Permission

OPERATIONS_READ = Permission("operations:read", PLATFORM)
OPERATIONS_CANCEL = Permission("operations:cancel", PLATFORM)
OPERATIONS_READ_ALL = Permission("operations:read_all", ADMINISTRATION)
OPERATIONS_CANCEL_ALL = Permission("operations:cancel_all", ADMINISTRATION)
PERMISSIONS = (OPERATIONS_READ, OPERATIONS_CANCEL, OPERATIONS_READ_ALL, OPERATIONS_CANCEL_ALL)


def reads_all(caller: Caller) -> bool:
    """Whether the caller sees the operations of others."""
    return caller.may(OPERATIONS_READ_ALL)


def cancels(caller: Caller, operation: OperationRow) -> bool:
    """Whether the caller may cancel this operation."""
    if operation.owner_id == caller.id:
        return caller.may(OPERATIONS_CANCEL)
    return caller.may(OPERATIONS_CANCEL_ALL)


def actions(caller: Caller, operation: OperationRow) -> list[OperationAction]:
    """What the caller may do to the operation as it is now."""
    ending = OperationState(operation.state) in ENDED or operation.ending is not None or operation.cancel_wanted
    return ["cancel"] if not ending and cancels(caller, operation) else []
