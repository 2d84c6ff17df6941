"""Homes: the manifest."""

from atoll.configuration import Configuration
from atoll.homes import codes, policy
from atoll.homes.client import FilesClient
from atoll.homes.places import homes_as_seen
from atoll.homes.routes import router
from atoll.web.codes import declared
from atoll.web.domain import Domain, MatrixRow, ProcessPart


def _files(configuration: Configuration) -> FilesClient:
    token = configuration.secret("internal_token")
    services = configuration.services
    return FilesClient(services.files, token, homes_as_seen(configuration), services.authority)


DOMAIN = Domain(
    name="homes",
    codes=declared(codes),
    routers=(router,),
    permissions=policy.PERMISSIONS,
    parts=(ProcessPart(FilesClient, _files, FilesClient.close),),
    matrix={
        "GET /home/files": MatrixRow.everybody(),
        "GET /home/files/content": MatrixRow.owned(admin=404, params={"path": "code/main.py"}),
    },
)
