"""Whether a user for whom the platform asks may: asked of the database itself.

The platform's API holds the certificate that names users here, so its word alone is no proof. Whoever took it over
reads and restarts for nobody but users who are enabled and signed in at that moment, or ask by an access token whose
scope has the permission, and hold it by a role of theirs or of a group, unless they change the database, too.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path

from installer.bounded import TimedOut, TooMuch, run
from installer.control.problems import USER_NOT_ALLOWED, USERS_UNAVAILABLE, Problem
from installer.control.trail import Trail

TIMEOUT_S = 20
# What was found is believed for reads: pages ask every few seconds, and each question is a `kubectl`.
BELIEVED_S = 30.0
AT_ONCE = 4  # a `kubectl` holds some 50 MiB
MOST_BYTES = 64 << 10
# As `kubectl exec` does it: the pod's own user needs no password there, and no port of the database is opened.
IN_DATABASE = ("exec", "--stdin", "--namespace=atoll-system", "statefulset/database", "--container=postgresql", "--")
PSQL = ("psql", "--no-psqlrc", "--no-password", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1")
# What roles grant are kinds of permissions and names of single ones (`platform/atoll/identity/permissions.py`).
QUERY = """
SET default_transaction_read_only = on;
SELECT 'may' FROM users
WHERE name = :'name' AND active AND NOT must_change_password
AND (
    EXISTS (SELECT FROM sessions WHERE sessions.user_id = users.id AND sessions.expires_at > now())
    -- A token lives for long: it counts while it is used, which the platform keeps to the minute.
    OR EXISTS (
        SELECT FROM access_tokens WHERE access_tokens.user_id = users.id AND access_tokens.expires_at > now()
        AND last_used_at > now() - interval '5 minutes'
        AND access_tokens.grants && string_to_array(:'grants', ',')::varchar[]
    )
)
AND EXISTS (
    SELECT FROM roles WHERE roles.grants && string_to_array(:'grants', ',')::varchar[] AND roles.id IN (
        SELECT role_id FROM user_roles WHERE user_id = users.id
        UNION ALL
        SELECT role_id FROM group_roles JOIN group_members USING (group_id) WHERE user_id = users.id
    )
);
"""


@dataclass(frozen=True)
class Need:
    """A permission of the platform that a user needs, and the kind by which it is granted, too."""

    permission: str
    kind: str


class Users:
    """The users of the platform, as its database has them."""

    def __init__(self, kubeconfig: Path, trail: Trail) -> None:
        self._kubeconfig = kubeconfig
        self._found: dict[tuple[str, Need], float] = {}
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(AT_ONCE)
        self._trail = trail

    def check(self, user: str, need: Need, *, anew: bool) -> None:
        """Refuse a user who is not enabled and signed in, or does not hold it; not `anew`, as found of late.

        Raises Problem.
        """
        if not anew and self._believed(user, need):
            return
        with self._turns:
            if not anew and self._believed(user, need):  # another one has asked meanwhile
                return
            self._ask(user, need)

    def _believed(self, user: str, need: Need) -> bool:
        found = self._found.get((user, need))
        return found is not None and time.monotonic() - found < BELIEVED_S

    def _ask(self, user: str, need: Need) -> None:
        argv = ["kubectl", f"--kubeconfig={self._kubeconfig}", *IN_DATABASE, *PSQL]
        argv += ["--quiet", "--username=postgres", "--dbname=atoll"]
        argv += [f"--set=name={user}", f"--set=grants={need.permission},{need.kind}"]
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
                self._found[user, need] = now
        if not may:
            text = f"`{user}` is nobody who is enabled, signed in and holds `{need.permission}`."
            self._trail.refuse(f"refused: the platform asks for somebody: {text}")
            remedy = "Sign in to the portal again; `./atoll users list` says who has which roles."
            raise Problem(USER_NOT_ALLOWED, text, remedy, user=user)

    def _unknown(self, user: str, why: str) -> Problem:
        text = f"Whether `{user}` may ask for this cannot be found out: the database does not answer."
        self._trail.refuse(f"refused: {text} {why}")
        remedy = "On a master: `service_ctl status database`; service_ctl needs no user."
        return Problem(USERS_UNAVAILABLE, text, remedy, user=user)
