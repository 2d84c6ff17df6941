"""Users: the manifest."""

from atoll.users import codes, policy
from atoll.users.routes import router
from atoll.web.codes import declared
from atoll.web.domain import Domain, MatrixRow

DOMAIN = Domain(
    name="users",
    codes=declared(codes),
    routers=(router,),
    permissions=policy.PERMISSIONS,
    matrix={
        "GET /users": MatrixRow.administrators(),
        # The name is taken.
        "POST /users": MatrixRow.administrators(409, body={"name": "owner", "password": "x" * 12}),
    },
)
