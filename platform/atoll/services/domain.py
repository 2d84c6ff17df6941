"""Services and runs: the manifest."""

from atoll.services import policy
from atoll.services.routes import router
from atoll.web.domain import ABSENT, Domain, MatrixRow

_SERVICE = {"name": "api"}
_RUN = {"run_id": "r1"}
DOMAIN = Domain(
    name="services",
    actions={
        "service.restart": "Restart a service",
    },
    routers=(router,),
    permissions=policy.PERMISSIONS,
    # The control service is not there: who may ask is told so, who may not is not.
    matrix={
        "GET /services": MatrixRow.administrators(ABSENT),
        "GET /ports": MatrixRow.administrators(ABSENT),
        "POST /services/{name}/restart": MatrixRow.administrators(ABSENT, path=_SERVICE),
        "GET /services/{name}/logs": MatrixRow.administrators(ABSENT, path=_SERVICE),
        "GET /runs": MatrixRow.administrators(ABSENT),
        "GET /runs/{run_id}": MatrixRow.administrators(ABSENT, path=_RUN),
        "GET /runs/{run_id}/events": MatrixRow.administrators(ABSENT, path=_RUN),
    },
)
