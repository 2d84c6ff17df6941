"""Needs root and the cluster that tests/system installed; takes it down."""
