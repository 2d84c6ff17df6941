"""Images that people brought into the cluster's registry."""
