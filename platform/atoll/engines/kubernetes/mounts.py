"""How a specification's mounts become volumes of a pod. Pure."""

from collections.abc import Sequence
from typing import Any

from atoll.engines.base import EngineError, Submission
from atoll.engines.kubernetes import names
from atoll.engines.specification import Mount

Manifest = dict[str, Any]
_CLAIM_OF = {directory: claim for claim, directory in names.VOLUME_CLAIMS.items()}


def volumes(wanted: Sequence[Mount]) -> list[Manifest]:
    """A volume for each claim that is needed."""
    directories = dict.fromkeys(_directory(mount) for mount in _uncovered(wanted))
    return [{"name": name, "persistentVolumeClaim": {"claimName": _CLAIM_OF[name]}} for name in directories]


def mounts(wanted: Sequence[Mount]) -> list[Manifest]:
    """Where the container sees them."""
    return [_mount(mount) for mount in _uncovered(wanted)]


def identity_volume(submission: Submission) -> list[Manifest]:
    """The user's entries in passwd and group; none for root, whom every image knows, and who makes accounts there."""
    if submission.specification.privileged:
        return []
    return [{"name": "identity", "configMap": {"name": names.identity(submission.user_name), "defaultMode": 0o444}}]


def identity_mounts(submission: Submission) -> list[Manifest]:
    """Where the container sees them."""
    return [
        {"name": "identity", "mountPath": f"/etc/{file}", "subPath": file, "readOnly": True}
        for file in ("passwd", "group")
        if not submission.specification.privileged
    ]


def _uncovered(wanted: Sequence[Mount]) -> list[Mount]:
    """Without those that are seen through another: the runtime would make a place for them in the other as root."""
    return [mount for mount in wanted if not any(other.covers(mount) for other in wanted)]


def _mount(mount: Mount) -> Manifest:
    made: Manifest = {
        "name": _directory(mount),
        "mountPath": mount.target,
        # The kubelet makes what is missing of it, as root: whoever builds a specification looks that it is there.
        "subPath": mount.source.partition("/")[2],
    }
    return {**made, "readOnly": True} if mount.read_only else made


def _directory(mount: Mount) -> str:
    directory, _, rest = mount.source.partition("/")
    if directory not in _CLAIM_OF or not rest:
        raise EngineError(f"nothing below `{mount.source}` can be mounted", permanent=True)
    return directory
