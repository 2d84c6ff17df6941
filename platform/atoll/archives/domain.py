"""The manifest of archives."""

from atoll.archives import codes, policy
from atoll.archives.handler import ARCHIVE
from atoll.archives.routes import router
from atoll.web.codes import declared
from atoll.web.domain import Domain, MatrixRow

DOMAIN = Domain(
    name="archives",
    routers=(router,),
    permissions=policy.PERMISSIONS,
    codes=declared(codes),
    operations=(ARCHIVE,),
    matrix={"POST /home/archives": MatrixRow.everybody(body={"path": "examples"})},
)
