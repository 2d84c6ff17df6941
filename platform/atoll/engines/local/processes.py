"""What a replica's process is started with. Pure but for what it takes from this process's environment."""

import os
import sys
from collections.abc import Mapping

from atoll import quantities
from atoll.engines.base import Submission
from atoll.engines.entry import GIVEN

_PYTHON = frozenset({"python", "python3"})


def command(submission: Submission) -> list[str]:
    """The program; there is no image, so its Python is this one."""
    first, *rest = submission.specification.program.command
    return [sys.executable if first in _PYTHON else first, *rest]


def environment(submission: Submission, rank: int, visible: Mapping[str, str], master_port: str) -> dict[str, str]:
    """What the entry point is started with; the specification's own variables it hands on to the program alone."""
    specification, home = submission.specification, submission.home
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        **{f"{GIVEN}{name}": value for name, value in specification.variables.items()},
        **{f"{GIVEN}{name}": value for name, value in specification.secret_values().items()},
        "HOME": home,
        "USER": submission.user_name,
        "ATOLL_TASK_ID": submission.task_id,
        "ATOLL_ATTEMPT": str(submission.number),
        "ATOLL_CODE_DIR": specification.program.working_directory,
        "ATOLL_START_FILE": specification.program.needs_file or "",
        "ATOLL_OUTPUT_DIR": submission.output,
        "ATOLL_METRICS_FILE": f"{home}/{submission.task_directory}/metrics.jsonl",
        "ATOLL_MEMORY_LIMIT_BYTES": str(int(quantities.parse(specification.limits.memory))),
        "RANK": str(rank),
        "WORLD_SIZE": str(specification.devices.nodes),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": master_port,
        **visible,
    }
