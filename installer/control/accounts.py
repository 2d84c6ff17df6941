"""Whether a user for whom the platform acts may: asked of the database itself.

The platform's API holds the certificate that names users here, so its word alone is no proof. Whoever took it over acts
for nobody but administrators who are enabled and signed in at that moment, unless they change the database, too.
"""

from __future__ import annotations

import logging
import subprocess
from pathlib import Path

from installer.control.problems import USER_NOT_ALLOWED, USERS_UNAVAILABLE, Problem

TIMEOUT_S = 20
# As `kubectl exec` does it: the pod's own user needs no password there, and no port of the database is opened.
IN_DATABASE = ("exec", "--stdin", "--namespace=atoll-system", "statefulset/database", "--container=postgresql", "--")
PSQL = ("psql", "--no-psqlrc", "--no-password", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1")
QUERY = """
SET default_transaction_read_only = on;
SELECT 'may' FROM users
WHERE name = :'name' AND active AND NOT must_change_password AND 'admin' = ANY (roles)
AND EXISTS (SELECT FROM sessions WHERE sessions.user_id = users.id AND sessions.expires_at > now());
"""
_log = logging.getLogger(__name__)


def check_administrator(kubeconfig: Path, user: str) -> None:
    """Refuse a user who is no enabled administrator with a session. Raises Problem."""
    argv = ["kubectl", f"--kubeconfig={kubeconfig}", *IN_DATABASE, *PSQL]
    argv += ["--quiet", "--username=postgres", "--dbname=atoll", f"--set=name={user}"]
    try:
        ran = subprocess.run(argv, input=QUERY, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _unknown(user, type(error).__name__) from error
    if ran.returncode != 0:
        raise _unknown(user, ran.stderr.strip()[-300:])
    if ran.stdout.strip() != "may":
        _log.warning("refused: the platform acts for `%s`, who is no administrator that is enabled and signed in", user)
        raise Problem(
            USER_NOT_ALLOWED,
            f"`{user}` is no administrator of the platform who is enabled and signed in.",
            "Sign in to the portal again; `./atoll users list` says who is an administrator.",
        )


def _unknown(user: str, why: str) -> Problem:
    _log.warning("refused: whether `%s` is an administrator cannot be asked: %s", user, why)
    return Problem(
        USERS_UNAVAILABLE,
        f"Whether `{user}` is an administrator cannot be asked: the database does not answer.",
        "On a master: `service_ctl status database`; service_ctl needs no user.",
    )
