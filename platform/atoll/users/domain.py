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
    actions={
        "user.import": "Import users",
        "user.export": "Export users",
        "user.create": "Make an account",
        "user.update": "Change a profile",
        "user.roles": "Set roles of a user",
        "user.groups": "Set groups of a user",
        "user.disable": "Disable an account",
        "user.enable": "Enable an account",
        "user.delete": "Delete an account",
        "user.reset_password": "Reset a password",
        "user.end_sessions": "End sessions of a user",
    },
    routers=(router,),
    uses=("ways_in",),
    permissions=(USERS_READ, USERS_MANAGE),
    matrix={
        "GET /users": MatrixRow.administrators(),
        # What becomes of accounts that exist, tests/unit/platform/users tries.
        "GET /users/{user_id}": MatrixRow.administrators(),
        "POST /users/{user_id}/disable": MatrixRow.administrators(404, path=NOBODY, body={}),
        "POST /users/{user_id}/enable": MatrixRow.administrators(404, path=NOBODY),
        "POST /users/{user_id}/reset-password": MatrixRow.administrators(404, path=NOBODY),
        "POST /users/{user_id}/end-sessions": MatrixRow.administrators(404, path=NOBODY),
        "GET /users/{user_id}/access-tokens": MatrixRow.administrators(),
        "DELETE /users/{user_id}/access-tokens/{token_id}": MatrixRow.administrators(404, path=NOBODY),
        # The name is taken.
        "POST /users": MatrixRow.administrators(409, body={**OWNER, "roles": ["user"]}),
        "POST /users/batch": MatrixRow.administrators(409, body={"users": [OWNER], "roles": ["user"]}),
        "POST /users/export": MatrixRow.administrators(),
        "GET /users/import/template": MatrixRow.administrators(),
        # There is no user in the file.
        "POST /users/import": MatrixRow.administrators(422),
        "PATCH /users/{user_id}": MatrixRow.administrators(404, path=NOBODY, body={}),
        "PUT /users/{user_id}/roles": MatrixRow.administrators(404, path=NOBODY, body={"roles": ["user"]}),
        "PUT /users/{user_id}/groups": MatrixRow.administrators(404, path=NOBODY, body={"groups": []}),
        "POST /users/{user_id}/delete": MatrixRow.administrators(404, path=NOBODY, body={}),
        "GET /user-management": MatrixRow.administrators(),
    },
)
