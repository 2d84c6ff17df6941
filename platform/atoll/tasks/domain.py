"""Tasks: the manifest."""

from datetime import timedelta

from atoll.database.notifications import TASKS
from atoll.database.rights import READS, Rights, TableRights
from atoll.tasks import codes, policy
from atoll.tasks.forgetting import forget
from atoll.tasks.live import TaskAudience
from atoll.tasks.models import AttemptRow, EventRow, ReplicaRow, TaskRow
from atoll.tasks.routes import router
from atoll.tasks.schemas import LogEnd, LogLines, StateChanged
from atoll.tasks.streams import router as streams
from atoll.tasks.usage import CLUSTER_TASKS, READER
from atoll.tasks.working import work
from atoll.virtual_clusters.usage import ClusterTasks, UsageReader
from atoll.web.codes import declared
from atoll.web.domain import OK, Domain, Elsewhere, Loop, MatrixRow, PeriodicWork, ProcessPart

DOMAIN = Domain(
    name="tasks",
    codes=declared(codes),
    actions={
        "task.create": "Submit a task",
        "task.stop": "Stop a task",
        "task.delete": "Delete a task",
    },
    routers=(streams, router),  # `/tasks/stream` is not the task of that id
    tables={
        # Secret variables are for the engine: the API writes them and does not get them back. A row changes hands: the
        # API says what is wanted, `jobs` all else.
        TaskRow: TableRights(
            api=Rights(
                hidden=("secrets",), add=True, changes=("wanted", "stop_reason", "deleted_at", "due_at", "version")
            ),
            jobs=Rights(change=True, remove=True),
        ),
        AttemptRow: TableRights(api=READS, jobs=Rights(add=True, change=True)),
        ReplicaRow: TableRights(api=READS, jobs=Rights(add=True, change=True)),
        EventRow: TableRights(api=Rights(add=True), jobs=Rights(add=True)),
    },
    permissions=policy.PERMISSIONS,
    channels=(TASKS,),
    events=(LogLines, LogEnd, StateChanged),
    parts=(
        ProcessPart(UsageReader, lambda _configuration: READER),
        ProcessPart(ClusterTasks, lambda _configuration: CLUSTER_TASKS),
        ProcessPart(TaskAudience, lambda _configuration: TaskAudience()),
    ),
    loops=(Loop("work on tasks", work),),
    periodic=(PeriodicWork("forget tasks", timedelta(minutes=10), forget),),
    matrix={
        "GET /tasks/stream": Elsewhere("test_the_tasks_of_others_are_listed_for_administrators_only"),  # endless
        "GET /tasks/{task_id}/log": MatrixRow.owned(admin=OK, params={"follow": "false"}),
        "GET /tasks/{task_id}/log/content": MatrixRow.owned(admin=OK),
        "GET /tasks/{task_id}/files": MatrixRow.owned(admin=OK),
        "GET /tasks/{task_id}/files/content": MatrixRow.owned(admin=OK, params={"path": "result"}),
        "GET /tasks": MatrixRow.everybody(),
        "GET /task-counts": MatrixRow.everybody(),
        "GET /tasks/{task_id}": MatrixRow.owned(admin=OK),
        # It has ended: who may stop it is told so.
        "POST /tasks/{task_id}/stop": MatrixRow.owned(owner=409, admin=409),
        "GET /tasks/{task_id}/events": MatrixRow.owned(admin=OK),
        "GET /tasks/{task_id}/metrics": MatrixRow.owned(admin=OK),
        # An administrator stops tasks but does not remove them from others' lists.
        "DELETE /tasks/{task_id}": MatrixRow.owned(admin=403),
    },
)
