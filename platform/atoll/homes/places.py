"""Where a user's home is for a program in a task."""

from atoll.configuration import Configuration


def homes_as_seen(configuration: Configuration) -> str:
    """The directory of all homes: a mount in pods, the storage itself for processes on this machine."""
    return "/home" if configuration.engine.kind == "kubernetes" else str(configuration.storage.root / "home")


def home_as_seen(configuration: Configuration, user: str) -> str:
    """The home of `user`."""
    return f"{homes_as_seen(configuration)}/{user}"
