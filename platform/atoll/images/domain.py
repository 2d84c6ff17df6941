"""Images: the manifest."""

from atoll.images import codes, policy
from atoll.images.routes import router
from atoll.web.codes import declared
from atoll.web.domain import ABSENT, Domain, MatrixRow

DOMAIN = Domain(
    name="images",
    codes=declared(codes),
    routers=(router,),
    permissions=policy.PERMISSIONS,
    matrix={"GET /images": MatrixRow(owner=ABSENT, colleague=ABSENT, foreigner=ABSENT, admin=ABSENT)},
)
