"""The API alone, where nothing that is tried needs what is behind it."""

from tests.unit.platform.people import portal

__all__ = ["portal"]
