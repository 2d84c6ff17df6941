"""Services and runs of the installer, by way of the control service."""
