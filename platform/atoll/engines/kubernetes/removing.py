"""What is taken away of a virtual cluster: the queues of members who left, or all of it.

Whoever is killed in between finds the rest again: what is not found by the name of the virtual cluster is found by the
queues of its members, which go last and are made first (`provisioning`). Each step may be done again.
"""

from atoll.engines.base import ClusterProvision
from atoll.engines.kubernetes import names
from atoll.engines.kubernetes.client import (
    CLUSTER_QUEUE,
    COHORT,
    CONFIG_MAP,
    LOCAL_QUEUE,
    NAMESPACE,
    NETWORK_POLICY,
    VOLUME,
    KubernetesClient,
)


async def former_members(client: KubernetesClient, wanted: ClusterProvision) -> bool:
    """Remove what there is of those who are not in `wanted`; whether there was none. Raises EngineError."""
    stay = {member.name for member in wanted.members}
    gone = [user for user in await _users(client, wanted.name) if user not in stay]
    for user in gone:
        for privileged in (False, True):
            namespace = names.namespace(wanted.name, privileged=privileged)
            await client.delete(LOCAL_QUEUE, namespace, names.local_queue(user))
            await client.delete(CONFIG_MAP, namespace, names.identity(user))
        await client.delete(CLUSTER_QUEUE, None, names.cluster_queue(wanted.name, user))
    return not gone


async def openings(client: KubernetesClient, cluster: str) -> None:
    """Close what was opened to its tasks. Raises EngineError."""
    for privileged in (False, True):
        await client.delete(NETWORK_POLICY, names.namespace(cluster, privileged=privileged), names.ALLOW_LIST)


async def room(client: KubernetesClient, cluster: str, *, privileged: bool) -> bool:
    """Remove the name space of all tasks, or of privileged jobs, with its volumes; whether there was none.

    Raises EngineError.
    """
    namespace = names.namespace(cluster, privileged=privileged)
    gone = [await client.delete(NAMESPACE, None, namespace)]
    for claim in names.VOLUME_CLAIMS:
        # Its claim goes with the name space. One that stayed would never be bound to a claim of that name again.
        gone.append(await client.delete(VOLUME, None, names.volume(namespace, claim)))
    return all(gone)


async def everything(client: KubernetesClient, cluster: str) -> bool:
    """Remove all of it; whether nothing is left. Raises EngineError."""
    gone = [await room(client, cluster, privileged=privileged) for privileged in (False, True)]
    users = await _users(client, cluster)
    for user in users:
        await client.delete(CLUSTER_QUEUE, None, names.cluster_queue(cluster, user))
    if users:
        return False  # what they borrow from goes after them
    gone.append(await client.delete(COHORT, None, names.cohort(cluster)))
    return all(gone)


async def _users(client: KubernetesClient, cluster: str) -> list[str]:
    """Whose queues there are, also of those that are going."""
    prefix = names.cluster_queue(cluster, "")
    listed = await client.list(CLUSTER_QUEUE, selector=f"{names.CLUSTER_NAME}={cluster}")
    found = [str(item["metadata"]["name"]) for item in listed["items"]]
    return sorted(name.removeprefix(prefix) for name in found if name.startswith(prefix))
