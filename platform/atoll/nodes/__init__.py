"""The machines of the cluster and the devices in them."""
