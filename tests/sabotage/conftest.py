"""Needs what each broken test needs; the entries of kind `fast` need only the virtual environment.

Each entry of table.yaml breaks one promise by a small mutation, and names the test that must turn red under it.
"""
