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
        "POST /session": Elsewhere("test_sign_in"),
        "GET /session": MatrixRow.everybody(),
        "DELETE /session": Elsewhere("test_sign_in"),  # ends the caller's session
        "POST /session/password": MatrixRow(owner=422, colleague=422, foreigner=422, admin=422, body={}),
    },
)
