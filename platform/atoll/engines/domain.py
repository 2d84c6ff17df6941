"""Engines: the manifest."""

from atoll.configuration import Configuration
from atoll.database.rights import READS, Rights, TableRights
from atoll.engines import codes
from atoll.engines.live_log import JobsClient
from atoll.engines.machines import keep_machines
from atoll.engines.models import NodeRow
from atoll.engines.reports import Reports, watch
from atoll.web.codes import declared
from atoll.web.domain import Domain, Loop, ProcessPart


def _jobs(configuration: Configuration) -> JobsClient:
    services = configuration.services
    return JobsClient(services.jobs, configuration.secret("internal_token"), services.authority)


DOMAIN = Domain(
    name="engines",
    codes=declared(codes),
    tables={NodeRow: TableRights(api=READS, jobs=Rights(add=True, change=True, remove=True))},
    parts=(ProcessPart(JobsClient, _jobs, JobsClient.close), ProcessPart(Reports, lambda _configuration: Reports())),
    loops=(Loop("watch the engine", watch), Loop("keep what is seen of machines", keep_machines)),
)
