"""The second wall before secrets: what roles forgot to mark `no_log` is blotted out before it is written anywhere."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

BLOT = "••••••"
SHORTEST = 8  # shorter values would blot out ordinary words; generated secrets are much longer


class Redactor:
    """Replaces every known secret in texts and in nested data."""

    def __init__(self, secrets: Iterable[str] = (), file: Path | None = None) -> None:
        self._file = file
        self._seen: tuple[int, int, int] | None = None
        self._secrets: list[str] = []
        self._know(secrets)

    def _know(self, secrets: Iterable[str]) -> None:
        # What was replaced in the meantime is a secret still: it may be said late.
        found = set(self._secrets)
        for secret in secrets:
            if len(secret) >= SHORTEST:
                found.add(secret)
            # A key of several lines also appears with its newlines escaped, or line by line.
            if "\n" in secret:
                found.update(line for line in secret.splitlines() if len(line) >= 24 and not line.startswith("-----"))
                found.add(secret.replace("\n", "\\n"))
        self._secrets = sorted(found, key=len, reverse=True)

    @classmethod
    def of_file(cls, secrets_file: Path) -> Redactor:
        """Know every value of the cluster's `secrets.yaml`, and those that a run adds: the first makes them all."""
        made = cls(file=secrets_file)
        made._look()
        return made

    def _look(self) -> None:
        if self._file is None:
            return
        try:
            at = self._file.stat()
            seen = (at.st_ino, at.st_size, at.st_mtime_ns)
            if seen != self._seen:
                self._know(_leaves(yaml.safe_load(self._file.read_text("utf-8"))))
                self._seen = seen
        except FileNotFoundError:
            return  # a cluster without one has no secrets yet

    def text(self, text: str) -> str:
        """Return the text without secrets."""
        self._look()
        return self._text(text)

    def _text(self, text: str) -> str:
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, BLOT)
        return text

    def data(self, data: Any) -> Any:
        """Return the data with every text in it (keys too) without secrets."""
        self._look()
        return self._data(data)

    def _data(self, data: Any) -> Any:
        if isinstance(data, str):
            return self._text(data)
        if isinstance(data, dict):
            return {self._data(key): self._data(value) for key, value in data.items()}
        if isinstance(data, list | tuple):
            return [self._data(item) for item in data]
        return data


def _leaves(data: Any) -> Iterable[str]:
    if isinstance(data, dict):
        for value in data.values():
            yield from _leaves(value)
    elif isinstance(data, list):
        for item in data:
            yield from _leaves(item)
    elif isinstance(data, str):
        yield data
