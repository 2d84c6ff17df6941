"""Names of images: which registry, repository and tag a text means."""

import re
from dataclasses import dataclass

# As registries read them (OCI distribution); `installer/images/names.py` goes by the same for what it imports.
_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_REFERENCE = re.compile(
    rf"(?P<repository>{_COMPONENT}(?:/{_COMPONENT})*)(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9._-]{{0,127}}))?"
)


@dataclass(frozen=True)
class Reference:
    """An image of the cluster's registry."""

    registry: str
    repository: str
    tag: str

    @property
    def short(self) -> str:
        """Without the registry, which is the same for all."""
        return f"{self.repository}:{self.tag}"

    def pinned(self, digest: str) -> str:
        """The name that means exactly this content, whatever the tag will mean later."""
        return f"{self.registry}/{self.short}@{digest}"


def parse(text: str, registry: str) -> Reference | None:
    """The image of `registry` that `text` means; None when it is not of that registry or no name at all."""
    host, _, rest = text.partition("/")
    match = _REFERENCE.fullmatch(rest) if host == registry else None
    return Reference(registry, match["repository"], match["tag"] or "latest") if match else None
