"""Provisioning: the manifest."""

from atoll.database.rights import Rights, TableRights
from atoll.provisioning.models import ProvisionerRow
from atoll.provisioning.provision import keep_provisioned
from atoll.web.domain import Domain, Loop

DOMAIN = Domain(
    name="provisioning",
    tables={ProvisionerRow: TableRights(jobs=Rights(change=True))},
    loops=(Loop("keep virtual clusters provisioned", keep_provisioned),),
)
