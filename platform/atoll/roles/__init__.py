"""Roles: what their holders may do."""
