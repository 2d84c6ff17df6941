"""Provisioning: the manifest."""

from atoll.provisioning.models import ProvisionerRow
from atoll.provisioning.provision import keep_provisioned
from atoll.web.domain import Domain, Loop

DOMAIN = Domain(
    name="provisioning",
    tables=(ProvisionerRow,),
    loops=(Loop("keep virtual clusters provisioned", keep_provisioned),),
)
