"""Processes on this machine: development and a first look."""
