"""Whether a user for whom the platform asks may: asked of the database itself.

The platform's API holds the certificate that names users here, so its word alone is no proof. Whoever took it over
reads and restarts for nobody but users who are enabled and signed in at that moment, and have the role for it, unless
they change the database, too.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

from installer.bounded import TimedOut, TooMuch, run
from installer.control.problems import USER_NOT_ALLOWED, USERS_UNAVAILABLE, Problem
from installer.control.trail import Trail

# Roles of the platform, of which a user needs one (`platform/atoll/identity/permissions.py`).
ADMINISTRATORS = frozenset({"admin"})
EVERYBODY = frozenset({"admin", "user"})
TIMEOUT_S = 20
# What was found is believed for reads: pages ask every few seconds, and each question is a `kubectl`.
BELIEVED_S = 30.0
AT_ONCE = 4  # a `kubectl` holds some 50 MiB
MOST_BYTES = 64 << 10
# As `kubectl exec` does it: the pod's own user needs no password there, and no port of the database is opened.
IN_DATABASE = ("exec", "--stdin", "--namespace=atoll-system", "statefulset/database", "--container=postgresql", "--")
PSQL = ("psql", "--no-psqlrc", "--no-password", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1")
QUERY = """
SET default_transaction_read_only = on;
SELECT 'may' FROM users
WHERE name = :'name' AND active AND NOT must_change_password AND roles && string_to_array(:'roles', ',')::varchar[]
AND EXISTS (SELECT FROM sessions WHERE sessions.user_id = users.id AND sessions.expires_at > now());
"""


class Users:
    """The users of the platform, as its database has them."""

    def __init__(self, kubeconfig: Path, trail: Trail) -> None:
        self._kubeconfig = kubeconfig
        self._found: dict[tuple[str, frozenset[str]], float] = {}
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(AT_ONCE)
        self._trail = trail

    def check(self, user: str, roles: frozenset[str], *, anew: bool) -> None:
        """Refuse a user who is not enabled, signed in and of one of the roles; not `anew`, as found of late.

        Raises Problem.
        """
        if not anew and self._believed(user, roles):
            return
        with self._turns:
            if not anew and self._believed(user, roles):  # another one has asked meanwhile
                return
            self._ask(user, roles)

    def _believed(self, user: str, roles: frozenset[str]) -> bool:
        found = self._found.get((user, roles))
        return found is not None and time.monotonic() - found < BELIEVED_S

    def _ask(self, user: str, roles: frozenset[str]) -> None:
        argv = ["kubectl", f"--kubeconfig={self._kubeconfig}", *IN_DATABASE, *PSQL]
        argv += ["--quiet", "--username=postgres", "--dbname=atoll"]
        argv += [f"--set=name={user}", f"--set=roles={','.join(sorted(roles))}"]
        try:
            code, said, errors = run(argv, QUERY.encode(), TIMEOUT_S, MOST_BYTES)
        except (OSError, TimedOut, TooMuch) as error:
            raise self._unknown(user, type(error).__name__) from error
        if code != 0:
            raise self._unknown(user, errors.strip()[-300:])
        may, now = said.strip() == "may", time.monotonic()
        with self._lock:
            self._found = {one: at for one, at in self._found.items() if now - at < BELIEVED_S and one[0] != user}
            if may:
                self._found[user, roles] = now
        if not may:
            what = "administrator" if roles == ADMINISTRATORS else "user"
            text = f"`{user}` is no {what} of the platform who is enabled and signed in."
            self._trail.refuse(f"refused: the platform asks for somebody: {text}")
            remedy = "Sign in to the portal again; `./atoll users list` says who is an administrator."
            raise Problem(USER_NOT_ALLOWED, text, remedy, user=user)

    def _unknown(self, user: str, why: str) -> Problem:
        text = f"Whether `{user}` may ask for this cannot be found out: the database does not answer."
        self._trail.refuse(f"refused: {text} {why}")
        remedy = "On a master: `service_ctl status database`; service_ctl needs no user."
        return Problem(USERS_UNAVAILABLE, text, remedy, user=user)
