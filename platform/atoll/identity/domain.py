"""Identity: the manifest."""

from atoll.database.notifications import SESSIONS_ENDED
from atoll.database.rights import READS, Rights, TableRights
from atoll.identity import codes
from atoll.identity.access_tokens.routes import router as access_tokens
from atoll.identity.access_tokens.wrong import WrongTokens
from atoll.identity.models import (
    AccessTokenRow,
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
from atoll.web.domain import HIDDEN, OK, Domain, Elsewhere, Example, MatrixRow, ProcessPart

# Of what everybody holds who may do anything at all.
TOKEN = {"name": "a program", "grants": ["settings:read"], "days": 1}

DOMAIN = Domain(
    name="identity",
    codes=declared(codes),
    actions={
        "session.create": "Sign in",
        "session.delete": "Sign out",
        "session.prove": "Prove by the password who one is",
        "session.end": "End another session of one's own",
        "session.end_others": "End all other sessions of one's own",
        "access_token.create": "Make an access token",
        "access_token.delete": "Delete an access token",
        "user.register": "Register an account",
        "user.change_password": "Change one's own password",
        "request.denied": "Request refused",
    },
    routers=(router, access_tokens),
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
        SessionRow: TableRights(api=Rights(add=True, changes=("address", "last_seen_at", "proven_at"), remove=True)),
        # Whose a token is, what it opens and when it ends is settled when it is made.
        AccessTokenRow: TableRights(api=Rights(add=True, changes=("last_used_at", "last_used_address"), remove=True)),
        KnownDeviceRow: TableRights(api=Rights(add=True, change=True, remove=True)),
        SignInAttemptRow: TableRights(api=Rights(add=True, remove=True)),
    },
    channels=(SESSIONS_ENDED,),
    parts=(ProcessPart(WrongTokens, lambda _configuration: WrongTokens()),),
    examples={"token_id": Example("/access-tokens", TOKEN)},
    matrix={
        "POST /session": Elsewhere("test_a_wrong_password_and_an_unknown_name_are_told_alike"),
        "GET /session": MatrixRow.everybody(unentitled=OK),
        "DELETE /session": Elsewhere("test_signing_out_ends_the_session_on_the_server"),
        "POST /session/password": MatrixRow(
            owner=422, colleague=422, foreigner=422, admin=422, unentitled=422, body={}
        ),
        "POST /session/proof": MatrixRow(owner=422, colleague=422, foreigner=422, admin=422, unentitled=422, body={}),
        "GET /sessions": MatrixRow.everybody(unentitled=OK),
        "POST /sessions/end-others": MatrixRow.everybody(unentitled=OK),
        # Own ones, test_sessions.py ends.
        "DELETE /sessions/{session_id}": MatrixRow(
            owner=HIDDEN,
            colleague=HIDDEN,
            foreigner=HIDDEN,
            admin=HIDDEN,
            unentitled=HIDDEN,
            path={"session_id": "nobodys"},
        ),
        "GET /access-tokens": MatrixRow.everybody(unentitled=OK),
        "GET /access-tokens/options": MatrixRow.everybody(unentitled=OK),
        # Nobody gives a token what they do not hold.
        "POST /access-tokens": MatrixRow.everybody(annotator=OK, body=TOKEN),
        "DELETE /access-tokens/{token_id}": MatrixRow.owned(admin=HIDDEN, unentitled=HIDDEN),
        "POST /registrations": Elsewhere("test_who_registers_may_do_nothing_but_see_their_session"),
    },
)
