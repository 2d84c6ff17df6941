"""Roles, groups and who holds what by them."""
