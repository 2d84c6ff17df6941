"""About: the manifest, also of what all parts have in common."""

from datetime import timedelta

from atoll.about.routes import router
from atoll.database.rights import Rights, TableRights
from atoll.web import told
from atoll.web.codes import declared
from atoll.web.domain import Domain, Elsewhere, PeriodicWork
from atoll.web.idempotency import forget
from atoll.web.models import IdempotencyRow

DOMAIN = Domain(
    name="about",
    codes=declared(told),
    tables={
        IdempotencyRow: TableRights(api=Rights(add=True, changes=("object_id",)), jobs=Rights(remove=True)),
    },
    periodic=(PeriodicWork("forget idempotency keys", timedelta(hours=1), forget),),
    routers=(router,),
    matrix={"GET /about": Elsewhere("test_only_sign_in_registration_and_about_are_public")},
)
