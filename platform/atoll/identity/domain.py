"""Identity: the manifest."""

from atoll.database.notifications import SESSIONS_ENDED
from atoll.database.rights import READS, Rights, TableRights
from atoll.identity import codes
from atoll.identity.models import (
    GroupMemberRow,
    GroupRoleRow,
    GroupRow,
    KnownDeviceRow,
    RoleRow,
    SessionRow,
    SignInAttemptRow,
    UserRoleRow,
    UserRow,
)
from atoll.identity.routes import router
from atoll.web.codes import declared
from atoll.web.domain import OK, Domain, Elsewhere, MatrixRow

DOMAIN = Domain(
    name="identity",
    codes=declared(codes),
    actions={
        "session.create": "Sign in",
        "session.delete": "Sign out",
        "user.register": "Register an account",
        "user.change_password": "Change one's own password",
        "request.denied": "Request refused",
    },
    routers=(router,),
    tables={
        # A uid is the database's to give: an account with another one would be somebody else on nodes and storage.
        UserRow: TableRights(
            api=Rights(add=True, filled=("uid",), change=True),
            jobs=Rights(hidden=("password_hash", "phone", "email")),
        ),
        # Who may what is none of the business of `jobs`; who is in a group says who is in a virtual cluster.
        RoleRow: TableRights(
            api=Rights(add=True, changes=("name", "name_key", "description", "grants", "version"), remove=True)
        ),
        UserRoleRow: TableRights(api=Rights(add=True, remove=True)),
        GroupRow: TableRights(api=Rights(add=True, change=True, remove=True)),
        GroupMemberRow: TableRights(api=Rights(add=True, remove=True), jobs=READS),
        GroupRoleRow: TableRights(api=Rights(add=True, remove=True)),
        SessionRow: TableRights(api=Rights(add=True, remove=True)),
        KnownDeviceRow: TableRights(api=Rights(add=True, change=True, remove=True)),
        SignInAttemptRow: TableRights(api=Rights(add=True, remove=True)),
    },
    channels=(SESSIONS_ENDED,),
    matrix={
        "POST /session": Elsewhere("test_a_wrong_password_and_an_unknown_name_are_told_alike"),
        "GET /session": MatrixRow.everybody(unentitled=OK),
        "DELETE /session": Elsewhere("test_signing_out_ends_the_session_on_the_server"),
        "POST /session/password": MatrixRow(
            owner=422, colleague=422, foreigner=422, admin=422, unentitled=422, body={}
        ),
        "POST /registrations": Elsewhere("test_who_registers_may_do_nothing_but_see_their_session"),
    },
)
