"""A company in the database: its users, groups, virtual clusters and what they did, made by a few statements of SQL.

Nothing is drawn by lot: the same numbers make the same people, so that plans and times can be compared.
"""

import re
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

GIVEN = "ada alan barbara claude donald edsger fei-fei grace hedy ivan judea katherine leslie margaret niklaus radia"
FAMILY = (
    "allen bellman codd dijkstra engelbart floyd goldwasser hopper iverson johnson knuth lamport milner newell perlis"
)
FAMILY_ZH, GIVEN_ZH = "王李张刘陈杨赵黄周吴徐孙马朱胡郭", "伟芳娜敏静磊军洋勇艳杰涛明超霞平"


@dataclass(frozen=True)
class Population:
    """How many there are. Users are `u00001` …, groups `g001` …, virtual clusters `c001` … by their ids."""

    users: int = 10_000
    groups: int = 200
    clusters: int = 100
    tasks: int = 20_000
    operations: int = 20_000
    audited: int = 50_000
    signed_in: int = 3_000
    groups_of_user: int = 2
    groups_of_cluster: int = 4
    members_of_cluster: int = 30  # who were added by themselves
    device_types: tuple[str, ...] = ()
    password_hash: str = ""

    @property
    def statements(self) -> tuple[str, ...]:
        """In their order; the placeholders are `values`."""
        return (*_PEOPLE, *_GROUPS, *_CLUSTERS, *_WORK)

    @property
    def values(self) -> dict[str, object]:
        """For all statements together."""
        return {
            **{name: getattr(self, name) for name in _NUMBERS},
            "device_types": list(self.device_types),
            "password_hash": self.password_hash,
            "given": GIVEN.split(),
            "family": FAMILY.split(),
            "family_zh": list(FAMILY_ZH),
            "given_zh": list(GIVEN_ZH),
        }


_PLACEHOLDER = re.compile(r"(?<!:):([a-z_]+)")
_NUMBERS = (
    "users",
    "groups",
    "clusters",
    "tasks",
    "operations",
    "audited",
    "signed_in",
    "groups_of_user",
    "groups_of_cluster",
    "members_of_cluster",
)
# The trigger that gives uids takes a lock and the greatest one for each row.
_PEOPLE = (
    "ALTER TABLE users DISABLE TRIGGER users_uid",
    """
    INSERT INTO users (id, name, nickname, uid, password_hash, must_change_password, phone, email, active, created_at,
                       deleted_at, version)
    SELECT 'u' || to_char(n, 'FM00000'), name, CASE WHEN n % 3 = 0 THEN zh ELSE initcap(given || ' ' || family) END,
           100000 + n, :password_hash, false, '+86 138 ' || to_char(n * 7919 % 100000000, 'FM0000 0000'),
           name || '@example.org', n % 50 <> 0, now() - n * interval '1 hour',
           CASE WHEN n % 100 = 0 THEN now() END, 1
    FROM generate_series(1, CAST(:users AS int)) AS n,
    LATERAL (
        SELECT (CAST(:given AS text[]))[1 + n % cardinality(CAST(:given AS text[]))] AS given,
               (CAST(:family AS text[]))[1 + n / 16 % cardinality(CAST(:family AS text[]))] AS family,
               (CAST(:family_zh AS text[]))[1 + n / 3 % 16] || (CAST(:given_zh AS text[]))[1 + n / 48 % 16]
                   || (CAST(:given_zh AS text[]))[1 + n / 7 % 16] AS zh
    ) AS parts,
    LATERAL (SELECT left(given, 3) || '-' || family || '-' || n AS name) AS called
    """,
    "ALTER TABLE users ENABLE TRIGGER users_uid",
    """
    INSERT INTO user_roles (user_id, role_id)
    SELECT id, 'user' FROM users WHERE id ~ '^u[0-9]' AND deleted_at IS NULL
    UNION ALL SELECT id, 'annotator' FROM users WHERE id ~ '^u[0-9]+7$' AND deleted_at IS NULL
    UNION ALL SELECT id, 'admin' FROM users WHERE id ~ '^u[0-9]+501$' AND deleted_at IS NULL
    """,
    """
    INSERT INTO sessions (token_hash, id, user_id, created_at, expires_at, device, address, last_seen_at)
    SELECT encode(sha256(convert_to('session ' || n, 'UTF8')), 'hex'), 's' || n,
           'u' || to_char(1 + n * 3 % :users, 'FM00000'), now(), now() + interval '8 hours', '', '192.0.2.' || n % 250,
           now()
    FROM generate_series(1, CAST(:signed_in AS int)) AS n
    """,
)
_GROUPS = (
    """
    INSERT INTO groups (id, name, name_key, description, created_at, version)
    SELECT 'g' || to_char(n, 'FM000'), 'Laboratory ' || n, 'laboratory ' || n,
           'Works on subject ' || n % 17 || ' of the house', now(), 1
    FROM generate_series(1, CAST(:groups AS int)) AS n
    """,
    "INSERT INTO group_roles (group_id, role_id) SELECT id, 'user' FROM groups WHERE id ~ '^g[0-9]'",
    """
    INSERT INTO group_members (group_id, user_id)
    SELECT 'g' || to_char(1 + (n + 37 * k) % :groups, 'FM000'), 'u' || to_char(n, 'FM00000')
    FROM generate_series(1, CAST(:users AS int)) AS n, generate_series(1, CAST(:groups_of_user AS int)) AS k
    WHERE n % 100 <> 0
    ON CONFLICT DO NOTHING
    """,
)
_CLUSTERS = (
    """
    INSERT INTO virtual_clusters (id, name, max_hours, borrows, standing, pod_security, egress,
                                  created_at, version)
    SELECT 'c' || to_char(n, 'FM000'), 'laboratory-' || n, CASE WHEN n % 2 = 0 THEN 72 END, n % 10 = 0, 'ready',
           'restricted', '[]', now(), 1
    FROM generate_series(1, CAST(:clusters AS int)) AS n
    """,
    """
    INSERT INTO virtual_cluster_quotas (virtual_cluster_id, device_type, count, max_per_user)
    SELECT id, type, 8, 4 FROM virtual_clusters, unnest(CAST(:device_types AS text[])) AS type WHERE id ~ '^c[0-9]'
    """,
    """
    INSERT INTO virtual_cluster_groups (virtual_cluster_id, group_id)
    SELECT 'c' || to_char(n, 'FM000'), 'g' || to_char(1 + (n * 2 + 53 * k) % :groups, 'FM000')
    FROM generate_series(1, CAST(:clusters AS int)) AS n, generate_series(1, CAST(:groups_of_cluster AS int)) AS k
    ON CONFLICT DO NOTHING
    """,
    """
    INSERT INTO virtual_cluster_members (virtual_cluster_id, user_id)
    SELECT DISTINCT 'c' || to_char(n, 'FM000'), 'u' || to_char(1 + (n * 211 + k * 97) % (:users - 1), 'FM00000')
    FROM generate_series(1, CAST(:clusters AS int)) AS n, generate_series(1, CAST(:members_of_cluster AS int)) AS k
    """,
)
# One in forty has not ended: of them one in three waits.
_WORK = (
    """
    INSERT INTO tasks (id, name, kind, mode, owner_id, virtual_cluster_id, framework, device_type, devices, nodes,
                       definition, specification, state, wanted, last_lines, created_at, state_since, finished_at,
                       version)
    SELECT '01' || to_char(n, 'FM000000000000000000000000'), 'resnet-' || n, 'training', 'batch',
           'u' || to_char(1 + n * 13 % :users, 'FM00000'), 'c' || to_char(1 + n % :clusters, 'FM000'), 'plain',
           (CAST(:device_types AS text[]))[1 + n % greatest(1, cardinality(CAST(:device_types AS text[])))], 1, 1,
           jsonb_build_object('description', 'Run ' || n), '{"requests": {"cpu": "1", "memory": "1Gi"}}',
           CASE WHEN n % 40 <> 0 THEN 'finished' WHEN n % 3 = 0 THEN 'queued' ELSE 'running' END, 'run', '[]',
           now() - (:tasks - n) * interval '1 minute', now(), CASE WHEN n % 40 <> 0 THEN now() END, 1
    FROM generate_series(1, CAST(:tasks AS int)) AS n
    """,
    """
    INSERT INTO attempts (id, task_id, number, created_at, submitted_at)
    SELECT id || '-1', id, 1, now(), now() FROM tasks WHERE state <> 'queued'
    """,
    """
    INSERT INTO operations (id, kind, name, owner_id, parameters, state, progress, cancel_wanted, attempts, created_at,
                            started_at, finished_at)
    SELECT '02' || to_char(n, 'FM000000000000000000000000'), 'home.archive', 'results-' || n,
           'u' || to_char(1 + n * 11 % :users, 'FM00000'), '{}', 'finished', 1, false, 1,
           now() - (:operations - n) * interval '1 minute', now(), now()
    FROM generate_series(1, CAST(:operations AS int)) AS n
    """,
    """
    INSERT INTO audit (id, at, actor_id, actor_name, action, object_kind, object_id, object_name, outcome, address,
                       request_id, details)
    SELECT '00' || to_char(n, 'FM000000000000000000000000'), now() - (:audited - n) * interval '30 seconds',
           'u' || to_char(1 + n * 17 % :users, 'FM00000'), 'somebody', 'task.create', 'task', n::text, 'resnet', 'done',
           '192.0.2.1', n::text, '{}'
    FROM generate_series(1, CAST(:audited AS int)) AS n
    """,
)


async def populate(connection: AsyncConnection, wanted: Population) -> None:
    """Make them all, as the tables' owner; statistics are as they are some time later. Takes seconds."""
    for statement in wanted.statements:
        named = {name: wanted.values[name] for name in _PLACEHOLDER.findall(statement)}
        await connection.execute(text(statement), named)
    await connection.execute(text("ANALYZE"))
