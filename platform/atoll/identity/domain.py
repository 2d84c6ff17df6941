"""Identity: the manifest."""

from atoll.database.notifications import SESSIONS_ENDED
from atoll.database.rights import Rights, TableRights
from atoll.identity import codes
from atoll.identity.models import KnownDeviceRow, SessionRow, SignInAttemptRow, UserRow
from atoll.identity.routes import router
from atoll.web.codes import declared
from atoll.web.domain import Domain, Elsewhere, MatrixRow

DOMAIN = Domain(
    name="identity",
    codes=declared(codes),
    routers=(router,),
    tables={
        # A uid is the database's to give: an account with another one would be somebody else on nodes and storage.
        UserRow: TableRights(
            api=Rights(add=True, filled=("uid",), change=True), jobs=Rights(hidden=("password_hash",))
        ),
        SessionRow: TableRights(api=Rights(add=True, remove=True)),
        KnownDeviceRow: TableRights(api=Rights(add=True, change=True, remove=True)),
        SignInAttemptRow: TableRights(api=Rights(add=True, remove=True)),
    },
    channels=(SESSIONS_ENDED,),
    matrix={
        "POST /session": Elsewhere("test_a_wrong_password_and_an_unknown_name_are_told_alike"),
        "GET /session": MatrixRow.everybody(),
        "DELETE /session": Elsewhere("test_signing_out_ends_the_session_on_the_server"),
        "POST /session/password": MatrixRow(owner=422, colleague=422, foreigner=422, admin=422, body={}),
    },
)
