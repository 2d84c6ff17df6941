"""Charts from the Prometheus HTTP API."""
