"""What is measured in the cluster, as Prometheus tells it."""
