"""Measurements: the manifest."""

from atoll.configuration import Configuration
from atoll.measurements import codes
from atoll.measurements.prometheus import Prometheus
from atoll.web.codes import declared
from atoll.web.domain import Domain, ProcessPart


def _prometheus(configuration: Configuration) -> Prometheus | None:
    place = configuration.prometheus
    return Prometheus(place.url, authority=place.authority) if place else None


DOMAIN = Domain(
    name="measurements",
    codes=declared(codes),
    parts=(ProcessPart(Prometheus, _prometheus, Prometheus.close),),
)
