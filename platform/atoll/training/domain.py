"""Training: the manifest."""

from atoll.tasks.life_cycle import Kind
from atoll.training.routes import router
from atoll.web.domain import Domain, MatrixRow, TaskKind

DOMAIN = Domain(
    name="training",
    routers=(router,),
    task_kinds=(TaskKind(Kind.TRAINING),),
    matrix={"GET /training/options": MatrixRow.everybody()},
    uses=("images",),
)
