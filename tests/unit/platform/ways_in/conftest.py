"""A portal where people may sign in by others, which are servers of ours."""

from tests.unit.platform.browsers import different, provider, wechat
from tests.unit.platform.people import portal

__all__ = ["different", "portal", "provider", "wechat"]
