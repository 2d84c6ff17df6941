"""Groups: the manifest."""

from atoll.groups import codes
from atoll.groups.routes import router
from atoll.identity.rights.policy import GROUPS_MANAGE, GROUPS_READ
from atoll.web.codes import declared
from atoll.web.domain import Domain, MatrixRow

NOWHERE = {"group_id": "nothing", "user_id": "nobody"}

DOMAIN = Domain(
    name="groups",
    codes=declared(codes),
    actions={
        "group.create": "Make a group",
        "group.update": "Change a group",
        "group.roles": "Set roles of a group",
        "group.delete": "Delete a group",
        "group.add": "Add users to a group",
        "group.remove": "Take users out of a group",
    },
    routers=(router,),
    permissions=(GROUPS_READ, GROUPS_MANAGE),
    matrix={
        "GET /groups": MatrixRow.administrators(),
        # What becomes of groups that exist, tests/unit/platform/groups tries.
        "GET /groups/{group_id}": MatrixRow.administrators(),
        "POST /groups": MatrixRow.administrators(
            422, body={"name": "nobody's", "description": "Of no role", "roles": ["nothing"]}
        ),
        "PATCH /groups/{group_id}": MatrixRow.administrators(404, path=NOWHERE, body={}),
        "PUT /groups/{group_id}/roles": MatrixRow.administrators(404, path=NOWHERE, body={"roles": ["user"]}),
        "DELETE /groups/{group_id}": MatrixRow.administrators(404, path=NOWHERE),
        "GET /groups/{group_id}/users": MatrixRow.administrators(),
        "POST /groups/{group_id}/users": MatrixRow.administrators(404, path=NOWHERE, body={"users": ["nobody"]}),
        "DELETE /groups/{group_id}/users/{user_id}": MatrixRow.administrators(404, path=NOWHERE),
    },
)
