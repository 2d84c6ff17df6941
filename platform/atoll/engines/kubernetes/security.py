"""As whom a task runs in its containers, and what it may do there. Pure.

A privileged job is root of its container and of nothing else: no host, no devices but its own, no way to more powers.
It is in its user's own group, so that what it leaves in the home is the user's to change and to remove.
"""

from typing import Any

from atoll.engines.base import Submission

# Of what `baseline` lets root have: to install packages, to own files in the image and to become one of its accounts.
ROOT_POWERS = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID")
ROOT_UMASK = "007"
Manifest = dict[str, Any]


def powerless() -> Manifest:
    """Of a container that needs no powers, whoever it is."""
    return {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def of_pod(submission: Submission) -> Manifest:
    """Who its processes are."""
    privileged = submission.specification.privileged
    return {
        "runAsNonRoot": not privileged,
        "runAsUser": 0 if privileged else submission.uid,
        "runAsGroup": submission.uid,
        # Otherwise the runtime adds the groups that /etc/group of the image has for this uid.
        "supplementalGroupsPolicy": "Strict",
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def of_program(submission: Submission) -> Manifest:
    """What the program may do. No way to more: a file that is set to another user makes nobody that user."""
    found = powerless()
    if submission.specification.privileged:
        found["capabilities"]["add"] = [*ROOT_POWERS]
    return found


def environment(submission: Submission) -> dict[str, str]:
    """Who the program is, as it finds out."""
    if submission.specification.privileged:
        return {"USER": "root", "ATOLL_UMASK": ROOT_UMASK}
    return {"USER": submission.user_name}
