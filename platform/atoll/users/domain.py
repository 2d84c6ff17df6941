"""Users: the manifest."""

from atoll.users import policy
from atoll.users.routes import router
from atoll.web.domain import Domain, MatrixRow

DOMAIN = Domain(
    name="users",
    routers=(router,),
    permissions=policy.PERMISSIONS,
    matrix={
        "GET /users": MatrixRow.administrators(),
        # The name is taken.
        "POST /users": MatrixRow.administrators(409, body={"name": "owner", "password": "x" * 12}),
    },
)
