"""Directories of a home become archives."""
