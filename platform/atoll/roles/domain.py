"""Roles: the manifest."""

from atoll.identity.rights.policy import ROLES_MANAGE, ROLES_READ
from atoll.roles import codes
from atoll.roles.routes import router
from atoll.web.codes import declared
from atoll.web.domain import Domain, MatrixRow

NOWHERE = {"role_id": "nothing", "user_id": "nobody", "group_id": "nothing"}

DOMAIN = Domain(
    name="roles",
    codes=declared(codes),
    actions={
        "role.create": "Make a role",
        "role.update": "Change a role",
        "role.delete": "Delete a role",
        "role.give": "Give a role",
        "role.take": "Take a role away",
    },
    routers=(router,),
    permissions=(ROLES_READ, ROLES_MANAGE),
    matrix={
        "GET /permissions": MatrixRow.administrators(),
        "GET /roles": MatrixRow.administrators(),
        # What becomes of roles that exist, tests/unit/platform/roles tries.
        "GET /roles/{role_id}": MatrixRow.administrators(),
        "POST /roles": MatrixRow.administrators(409, body={"name": "user", "grants": ["platform"]}),
        "PATCH /roles/{role_id}": MatrixRow.administrators(404, path=NOWHERE, body={}),
        "DELETE /roles/{role_id}": MatrixRow.administrators(404, path=NOWHERE),
        "GET /roles/{role_id}/users": MatrixRow.administrators(),
        "POST /roles/{role_id}/users": MatrixRow.administrators(404, path=NOWHERE, body={"users": ["nobody"]}),
        "DELETE /roles/{role_id}/users/{user_id}": MatrixRow.administrators(404, path=NOWHERE),
        "GET /roles/{role_id}/groups": MatrixRow.administrators(),
        "POST /roles/{role_id}/groups": MatrixRow.administrators(404, path=NOWHERE, body={"groups": ["nothing"]}),
        "DELETE /roles/{role_id}/groups/{group_id}": MatrixRow.administrators(404, path=NOWHERE),
    },
)
