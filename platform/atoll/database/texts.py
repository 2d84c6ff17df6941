"""Text from outside, as the database keeps it."""


def keepable(text: str) -> str:
    """The text with a sign in place of what neither JSON nor the database takes: lone surrogates and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")
