"""What a running API process holds: configuration, database and the siblings that it talks to."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from atoll.configuration import Configuration
from atoll.database.connection import Sessions
from atoll.database.notifications import Listener
from atoll.files.client import FilesClient
from atoll.jobs.client import JobsClient
from atoll.monitoring.prometheus import Prometheus
from atoll.services.control import ControlClient


@dataclass(slots=True)
class Platform:
    """One per process; kept in `app.state.platform`."""

    configuration: Configuration
    database: AsyncEngine
    sessions: Sessions
    listener: Listener
    files: FilesClient
    jobs: JobsClient
    prometheus: Prometheus | None
    control: ControlClient | None
