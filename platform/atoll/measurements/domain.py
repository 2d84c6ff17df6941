"""Measurements: the manifest."""

from atoll.configuration import Configuration
from atoll.measurements.prometheus import Prometheus
from atoll.web.domain import Domain, ProcessPart


def _prometheus(configuration: Configuration) -> Prometheus | None:
    return Prometheus(configuration.prometheus.url) if configuration.prometheus else None


DOMAIN = Domain(name="measurements", parts=(ProcessPart(Prometheus, _prometheus, Prometheus.close),))
