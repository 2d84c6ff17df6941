"""What measurements say."""

from atoll.web.codes import ProblemCode, ReasonCode


class MonitoringUnavailable(
    ProblemCode,
    title="Monitoring does not answer",
    detail="Prometheus: {why}.",
    remedy="Try again in some seconds; an administrator sees the state under Services.",
):
    why: str


class NoMonitoring(
    ProblemCode,
    title="Measurements are not collected here",
    remedy="They are collected on an installed cluster, not by ./atoll dev.",
):
    pass


class NoMonitoringReason(ReasonCode, code="no_monitoring", words="Measurements are not collected here."):
    pass


class MonitoringUnavailableReason(ReasonCode, code="monitoring_unavailable", words="Monitoring does not answer."):
    pass
