"""Settings: the manifest."""

from atoll.database.rights import Rights, TableRights
from atoll.settings import codes, policy
from atoll.settings.models import UserSettingsRow
from atoll.settings.routes import router
from atoll.web.codes import declared
from atoll.web.domain import OK, Domain, MatrixRow

DOMAIN = Domain(
    name="settings",
    codes=declared(codes),
    actions={
        "settings.change": "Change own settings",
    },
    routers=(router,),
    tables={UserSettingsRow: TableRights(api=Rights(add=True, change=True))},
    permissions=policy.PERMISSIONS,
    matrix={
        "GET /settings": MatrixRow.everybody(annotator=OK),
        "PUT /settings": MatrixRow.everybody(annotator=OK, body={"refresh_seconds": 30}),
    },
)
