"""Ways in beside the password: the manifest."""

from atoll.database.rights import Rights, TableRights
from atoll.identity.other_ways import OtherWays
from atoll.ways_in import codes
from atoll.ways_in.models import FlowRow, LinkRow, StrangerRow
from atoll.ways_in.routes import router
from atoll.ways_in.service import end_links
from atoll.ways_in.ways import Ways, made
from atoll.web.codes import declared
from atoll.web.domain import OK, Domain, Elsewhere, MatrixRow, ProcessPart

SOME, NOBODY = {"way": "microsoft"}, {"user_id": "nobody"}

DOMAIN = Domain(
    name="ways_in",
    codes=declared(codes),
    actions={
        "user.link": "Link an account with one at a provider",
        "user.unlink": "End the link of an account with one at a provider",
    },
    routers=(router,),
    tables={
        LinkRow: TableRights(api=Rights(add=True, changes=("subject", "label", "used_at"), remove=True)),
        FlowRow: TableRights(api=Rights(add=True, remove=True)),
        StrangerRow: TableRights(api=Rights(add=True, change=True, remove=True)),
    },
    parts=(
        ProcessPart(Ways, made, Ways.close),
        ProcessPart(OtherWays, lambda _: OtherWays(end_links)),
    ),
    matrix={
        "POST /session/ways/{way}/start": Elsewhere("test_a_way_is_three_requests_of_whoever_comes"),
        "POST /session/ways/{way}": Elsewhere("test_a_way_is_three_requests_of_whoever_comes"),
        "POST /session/ways/{way}/account": Elsewhere("test_a_way_is_three_requests_of_whoever_comes"),
        "GET /session/ways": MatrixRow.everybody(unentitled=OK),
        # Nobody's way is set up there; tests/unit/platform/ways_in links and ends links.
        "POST /session/ways/{way}/link": MatrixRow(
            owner=404, colleague=404, foreigner=404, admin=404, unentitled=404, body={}, path=SOME
        ),
        "POST /session/ways/{way}/prove": MatrixRow(
            owner=404, colleague=404, foreigner=404, admin=404, unentitled=404, path=SOME
        ),
        "GET /session/proof": MatrixRow.everybody(unentitled=OK),
        "DELETE /session/ways/{way}": MatrixRow(
            owner=404, colleague=404, foreigner=404, admin=404, unentitled=404, path=SOME
        ),
        "GET /users/{user_id}/ways": MatrixRow.administrators(),
        "DELETE /users/{user_id}/ways/{way}": MatrixRow.administrators(404, path=NOBODY | SOME),
    },
)
