"""Users: the manifest."""

from atoll.identity.rights.policy import USERS_MANAGE, USERS_READ
from atoll.users import codes
from atoll.users.routes import router
from atoll.web.codes import declared
from atoll.web.domain import Domain, MatrixRow

NOBODY = {"user_id": "nobody"}
OWNER = {"name": "owner", "nickname": "Another one", "password": "x" * 12}

DOMAIN = Domain(
    name="users",
    codes=declared(codes),
    routers=(router,),
    uses=("ways_in",),
    permissions=(USERS_READ, USERS_MANAGE),
    matrix={
        "GET /users": MatrixRow.administrators(),
        # What becomes of accounts that exist, tests/unit/platform/users tries.
        "GET /users/{user_id}": MatrixRow.administrators(404, path=NOBODY),
        "POST /users/{user_id}/disable": MatrixRow.administrators(404, path=NOBODY, body={}),
        "POST /users/{user_id}/enable": MatrixRow.administrators(404, path=NOBODY),
        "POST /users/{user_id}/reset-password": MatrixRow.administrators(404, path=NOBODY),
        "POST /users/{user_id}/end-sessions": MatrixRow.administrators(404, path=NOBODY),
        # The name is taken.
        "POST /users": MatrixRow.administrators(409, body={**OWNER, "roles": ["user"]}),
        "POST /users/batch": MatrixRow.administrators(409, body={"users": [OWNER], "roles": ["user"]}),
        "PATCH /users/{user_id}": MatrixRow.administrators(404, path=NOBODY, body={}),
        "PUT /users/{user_id}/roles": MatrixRow.administrators(404, path=NOBODY, body={"roles": ["user"]}),
        "PUT /users/{user_id}/groups": MatrixRow.administrators(404, path=NOBODY, body={"groups": []}),
        "POST /users/{user_id}/delete": MatrixRow.administrators(404, path=NOBODY, body={}),
        "GET /user-management": MatrixRow.administrators(),
    },
)
