"""Provisioning: the manifest."""

from atoll.provisioning.provision import keep_provisioned
from atoll.web.domain import Domain, Loop

DOMAIN = Domain(name="provisioning", loops=(Loop("keep virtual clusters provisioned", keep_provisioned),))
