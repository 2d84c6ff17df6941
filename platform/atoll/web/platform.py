"""What a running API process holds: configuration, database and the siblings that it talks to."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from atoll.configuration import Configuration
from atoll.control.client import ControlClient
from atoll.database.connection import Sessions
from atoll.database.notifications import Listener
from atoll.engines.live_log import JobsClient
from atoll.homes.client import FilesClient
from atoll.measurements.prometheus import Prometheus


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
