"""The control service: services, nodes and runs of a cluster over HTTPS, on its masters."""
