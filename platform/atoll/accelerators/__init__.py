"""Simulated devices: a kubelet device plugin and the metrics of the vendors' exporters, for machines without cards."""
