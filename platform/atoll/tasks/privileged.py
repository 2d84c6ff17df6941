"""Who may run a job that is root of its container, and where. Pure.

All of it has to be so: the installation lets it be, the caller has the right to, the virtual cluster has room for it,
and the caller has switched it on in their settings, which lie a floor above: whoever builds a specification asks there.
"""

from atoll.configuration import Configuration
from atoll.identity.caller import Caller
from atoll.tasks.codes import PrivilegedNotHere, PrivilegedNotYours
from atoll.tasks.policy import TASKS_PRIVILEGED
from atoll.virtual_clusters.codes import PrivilegedJobsOff
from atoll.virtual_clusters.models import PodSecurity, VirtualClusterRow
from atoll.web.codes import FieldCode


def refusal(configuration: Configuration | None, caller: Caller) -> FieldCode | None:
    """What keeps the caller from it in any virtual cluster."""
    if configuration is None or not configuration.engine.privileged_jobs:
        return PrivilegedJobsOff()
    return None if caller.may(TASKS_PRIVILEGED) else PrivilegedNotYours()


def refusal_in(configuration: Configuration | None, caller: Caller, cluster: VirtualClusterRow) -> FieldCode | None:
    """What keeps the caller from it in this virtual cluster."""
    found = refusal(configuration, caller)
    if found is None and cluster.pod_security != PodSecurity.BASELINE:
        return PrivilegedNotHere(name=cluster.name)
    return found
