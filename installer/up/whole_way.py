"""`./atoll up`: the whole way, from nothing to a portal that answers."""

from __future__ import annotations

import ssl
import time
from pathlib import Path

import httpx

from installer import bundle, lab, packages
from installer.cluster import Cluster, bundle_directory
from installer.preflight.host_keys import prepare
from installer.preflight.machine import check_machine
from installer.preflight.support import check_support
from installer.progress.stages import Progress
from installer.running.apply import Wish, apply
from installer.running.checking import refuse
from installer.running.errors import RunError
from installer.running.run import Outcome
from installer.running.status import Portal, portal_of

ANSWER_SECONDS = 120.0


def up(cluster: Cluster, text: str, progress: Progress) -> Outcome:
    """Do everything that is missing, in order. Raises an error with a remedy; failed tasks are told in the outcome."""
    stages = ["preflight: this machine", "bundle", *(["lab"] if cluster.lab else []), "look", "preflight"]
    progress.expect(stages)
    with progress.stage("preflight: this machine"):
        refuse([*(one for one in check_support(cluster) if one.severity == "error"), *check_machine(cluster)], progress)
        for part in ("nodes", *(["lab"] if cluster.lab else [])):
            packages.install(part, progress.say)
    first = bundle.before_the_portal(bundle_directory())
    with progress.stage("bundle"):
        bundle.ensure(bundle_directory(), first, progress)
    prepare(cluster)
    if cluster.lab:
        lab.up(cluster, progress)
    outcome = apply(cluster, Wish(text, verb="up"), progress)
    if outcome.ok:
        where = portal_of(cluster)
        with progress.stage("the portal answers"):
            wait_for_portal(where)
        if first is not None:
            progress.say(f"{where.url} is ready for use. What it does not wait for is made now and added.")
            with progress.stage("the rest of the bundle"):
                bundle.ensure(bundle_directory(), None, progress)
            outcome = outcome.then(apply(cluster, Wish(text, verb="up"), progress))
    return outcome


def wait_for_portal(where: Portal, seconds: float = ANSWER_SECONDS) -> None:
    """Return when the portal answers over TLS with a certificate of our CA. Raises RunError."""
    deadline = time.monotonic() + seconds
    trusted = _trusting(where.ca_file)
    while True:
        try:
            answer = httpx.get(where.url, verify=trusted, timeout=5, follow_redirects=False, trust_env=False)
            if answer.status_code < 400:
                return
            said = f"it answered {answer.status_code}"
        except httpx.HTTPError as error:
            said = str(error) or type(error).__name__
        if time.monotonic() >= deadline:
            raise RunError(
                f"The portal {where.url} does not answer after {seconds:.0f} s: {said}.",
                "`./atoll status` shows which service is not well.",
            )
        time.sleep(1)


def _trusting(ca_file: Path) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=str(ca_file))
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # the customer's own certificate may be all there is
        return context
    except OSError as error:
        raise RunError(f"{ca_file}: {error}", "Run `./atoll apply --phase certificates --every-phase`.") from None
