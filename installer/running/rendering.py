"""Renders the configuration of one service from cluster.yaml again: the phases of that service and nothing else."""

from __future__ import annotations

import os

from installer.cluster import bundle_directory, load, loads, state_directory, version
from installer.planning import BY_NAME, Observations, acting_master, collect, plan
from installer.planning.standing import leaving
from installer.progress.stages import Progress
from installer.running import accepted
from installer.running.apply import carry_out
from installer.running.errors import RunError
from installer.running.run import writing
from installer.services.actions import ActionFailed, Say
from installer.services.table import Service


def render_service(cluster_name: str, service: Service, revision: str | None, say: Say) -> int:
    """Run the phases of a service; return how many tasks changed something.

    `revision` is the text of a new cluster.yaml; without it the accepted file counts, also if somebody edited it there:
    it becomes the accepted revision. Raises ClusterError, ActionFailed, RunError.
    """
    state = state_directory(cluster_name)
    file = state / accepted.FILE
    text = revision if revision is not None else file.read_text("utf-8")
    cluster = loads(text, str(file), installed=True) if revision is not None else load(file, installed=True)
    if cluster.name != cluster_name:
        raise ActionFailed(f"This is cluster `{cluster_name}`; the file is that of `{cluster.name}`.")
    node, acting = os.environ.get("ATOLL_NODE"), acting_master(cluster).name
    if node is not None and node != acting:
        raise ActionFailed(
            f"Only the control service on `{acting}` changes the cluster, this is `{node}`. If `{acting}` is down for "
            "long, set `maintenance: true` for it and apply."
        )
    if not (bundle_directory() / "index.json").exists():
        raise ActionFailed(
            f"{bundle_directory()}/index.json is missing; `./atoll apply` on the control host brings it."
        )
    before = accepted.accepted(state)
    accepted.refuse_unreadable(state)
    gone = leaving(cluster, accepted.standing(state))
    if gone:
        names = ", ".join(f"`{node.name}`" for node in gone)
        raise ActionFailed(f"{file} has no {names} any more, which stands. Put it back; `./atoll plan` says more.")
    with writing(state, f"restart {service.name}", version(), Narrator(say)) as writer:
        now = accepted.accept(state, text)
        if before is None or now.digest != before.digest:
            say(f"cluster.yaml: revision {now.number} is accepted")
        known = {name for name in service.phases if name in BY_NAME}
        made = plan(cluster, None, Observations(), collect(cluster), every_phase=True).only(known)
        say(f"rendering the configuration from cluster.yaml (phases {', '.join(service.phases)})")
        try:
            outcome = carry_out(
                cluster,
                made,
                writer,
                Narrator(say),
                playbook="services.yml",
                remote=False,
                environment={"ATOLL_SERVICE": service.name},
            )
        except RunError as error:
            raise ActionFailed(str(error)) from None
    if not outcome.ok:
        raise ActionFailed("; ".join(str(failure) for failure in outcome.failures))
    say(f"rendered: {outcome.changed} changes" if outcome.changed else "rendered: nothing differs")
    return outcome.changed


class Narrator(Progress):
    """Passes on what a person should know, and leaves the rest to the journal."""

    def __init__(self, say: Say) -> None:
        super().__init__()
        self._tell = say

    def _say(self, text: str) -> None:
        self._tell(text)
