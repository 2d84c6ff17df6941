"""Identity: the manifest."""

from atoll.database.notifications import SESSIONS_ENDED
from atoll.identity import codes
from atoll.identity.models import KnownDeviceRow, SessionRow, SignInAttemptRow, UserRow
from atoll.identity.routes import router
from atoll.web.codes import declared
from atoll.web.domain import Domain, Elsewhere, MatrixRow

DOMAIN = Domain(
    name="identity",
    codes=declared(codes),
    routers=(router,),
    tables=(UserRow, SessionRow, KnownDeviceRow, SignInAttemptRow),
    channels=(SESSIONS_ENDED,),
    matrix={
        "POST /session": Elsewhere("test_a_wrong_password_and_an_unknown_name_are_told_alike"),
        "GET /session": MatrixRow.everybody(),
        "DELETE /session": Elsewhere("test_signing_out_ends_the_session_on_the_server"),
        "POST /session/password": MatrixRow(owner=422, colleague=422, foreigner=422, admin=422, body={}),
    },
)
