"""Users: the manifest."""

from atoll.users import codes, policy
from atoll.users.routes import router
from atoll.web.codes import declared
from atoll.web.domain import Domain, MatrixRow

NOBODY = {"user_id": "nobody"}

DOMAIN = Domain(
    name="users",
    codes=declared(codes),
    routers=(router,),
    permissions=policy.PERMISSIONS,
    matrix={
        "GET /users": MatrixRow.administrators(),
        # What becomes of accounts that exist, tests/unit/platform/users tries.
        "GET /users/{user_id}": MatrixRow.administrators(404, path=NOBODY),
        "POST /users/{user_id}/disable": MatrixRow.administrators(404, path=NOBODY, body={}),
        "POST /users/{user_id}/enable": MatrixRow.administrators(404, path=NOBODY),
        "POST /users/{user_id}/reset-password": MatrixRow.administrators(404, path=NOBODY),
        "POST /users/{user_id}/end-sessions": MatrixRow.administrators(404, path=NOBODY),
        # The name is taken.
        "POST /users": MatrixRow.administrators(409, body={"name": "owner", "password": "x" * 12}),
    },
)
