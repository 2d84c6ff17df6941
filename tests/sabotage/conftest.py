"""Needs what each broken test needs; the entries of kind `fast` need only the virtual environment.

Each entry of table.yaml is a small patch that breaks one promise, and the test that must turn red under it.
"""
