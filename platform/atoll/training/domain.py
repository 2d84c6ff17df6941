"""Training: the manifest."""

from atoll.training import codes
from atoll.training.routes import router
from atoll.training.service import TRAINING
from atoll.web.codes import declared
from atoll.web.domain import OK, Domain, Elsewhere, MatrixRow

_REQUEST = {
    "name": "a_task",
    "virtual_cluster": "default",
    "framework": "plain",
    "code_directory": "code",
    "start_file": "main.py",
    "device_type": "nvidia_gpu_amd64",
    "devices": 0,
}
DOMAIN = Domain(
    name="training",
    codes=declared(codes),
    routers=(router,),
    task_kinds=(TRAINING,),
    matrix={
        "GET /trainings/options": MatrixRow.everybody(),
        "POST /trainings": MatrixRow(owner=OK, colleague=OK, foreigner=422, admin=OK, body=_REQUEST),
        "POST /trainings/estimate": MatrixRow.everybody(body=_REQUEST),
        # The matrix's task is removed by then.
        "GET /trainings/{task_id}/definition": Elsewhere("test_the_definition_of_a_training_is_its_owners_and_typed"),
    },
    uses=("images", "settings"),
)
