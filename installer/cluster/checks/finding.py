"""What a check finds, and what it must know beside the cluster.yaml itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from installer.cluster.schema import Cluster
from installer.cluster.source import Where


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with values that are each fine."""

    where: Where
    message: str
    remedy: str


@dataclass(frozen=True)
class Circumstances:
    """What a check must know beside the cluster.yaml itself."""

    installed: bool = False
    complete: bool = True  # false: some nodes could not be read, so that nothing can be said about their number


Check = Callable[[Cluster, Circumstances], Iterator[Finding]]
