"""Debian's archive through apt in a private root: the machine's own package state is neither used nor changed.

Where the archive is, which proxy leads there: all from the machine's own apt settings. What may be installed is
decided by `debian.lock` (see debian_lock.py); apt is asked only when that file is made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from installer.bundle.errors import BundleError
from installer.bundle.execution import Report, output_of, run
from installer.bundle.outputs import file_digest

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
HELPER = "/usr/lib/apt/apt-helper"
SUFFIXES = ("", "-updates", "-security")
BATCH = 60
INSTALL = re.compile(r"^Inst (?P<name>\S+) (?:\[[^]]*\] )?\((?P<version>\S+) ")


@dataclass(frozen=True, order=True)
class Package:
    """A package file of the archive, pinned by its digest."""

    name: str
    version: str
    architecture: str
    bytes: int
    sha256: str
    suite: str
    path: str

    @property
    def file_name(self) -> str:
        """The file's name in a repository of ours; a plus stands for the epoch's colon, which URLs do not like."""
        return f"{self.name}_{self.version.replace(':', '+')}_{self.architecture}.deb"


class Gone(BundleError):
    """The archive no longer has a locked version."""


@dataclass(frozen=True)
class Archive:
    """One release of Debian for one architecture."""

    cache: Path
    release: str
    architecture: str

    @property
    def root(self) -> Path:
        """The private state of apt."""
        return self.cache / "debian" / f"{self.release}-{self.architecture}"

    @property
    def pool(self) -> Path:
        """Package files by their digest."""
        return self.cache / "debian" / "pool"

    @cached_property
    def addresses(self) -> dict[str, str]:
        """The base address of each suite of the release, from the machine's own apt sources."""
        return suite_addresses(self.release)

    def refresh(self, report: Report) -> None:
        """Fetch the signed indexes."""
        for folder in ("state/lists/partial", "cache/archives/partial"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        (self.root / "status").write_text("")
        lines = [f"deb [signed-by={KEYRING}] {uri} {suite} main\n" for suite, uri in sorted(self.addresses.items())]
        (self.root / "sources.list").write_text("".join(lines))
        remedy = "Check that `apt-get update` works on this machine; the bundle uses the same archive and proxy."
        run(["apt-get", *self._options, "-q", "-o", "APT::Update::Error-Mode=any", "update"], report, remedy=remedy)

    def index(self) -> dict[tuple[str, str], dict[str, str]]:
        """Return the fields of every package of the release by name and version."""
        found: dict[tuple[str, str], dict[str, str]] = {}
        query = ["indextargets", "--format", "$(SUITE) $(FILENAME)", "Created-By: Packages"]
        targets = output_of(["apt-get", *self._options, *query])
        for line in targets.splitlines():
            suite, file = line.split(" ", 1)
            for fields in stanzas(output_of([HELPER, *self._options, "cat-file", file])):
                fields["Suite"] = self._suite_of(suite, file)
                found[fields["Package"], fields["Version"]] = fields
        if not found:
            raise BundleError(f"Debian's archive has no packages for {self.release} on {self.architecture}")
        return found

    def closure(self, names: Collection[str], installed: Iterable[dict[str, str]] = ()) -> list[tuple[str, str]]:
        """Return name and version of all that apt would install for `names` on a system that has `installed`."""
        status = self.root / "status"
        state = "Status: install ok installed\n"
        status.write_text("".join(as_stanza(fields) + state + "\n" for fields in installed))
        argv = ["apt-get", *self._options, "-s", "-o", "APT::Install-Recommends=false", "install", *sorted(names)]
        found = [
            match.group("name", "version") for line in output_of(argv).splitlines() if (match := INSTALL.match(line))
        ]
        status.write_text("")
        return sorted((name.split(":")[0], version) for name, version in found)

    def fetch(self, packages: Collection[Package], report: Report) -> dict[Package, Path]:
        """Return where each package file lies, fetched where it is missing; raises Gone if the archive dropped one."""
        self.pool.mkdir(parents=True, exist_ok=True)
        places = {package: self.pool / f"{package.sha256}.deb" for package in packages}
        missing = [package for package, place in sorted(places.items()) if not place.exists()]
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            report(f"fetching {len(missing) - start} Debian packages")
            self._download(batch, places, report)
        return places

    def _download(self, batch: list[Package], places: dict[Package, Path], report: Report) -> None:
        words: list[str] = []
        for package in batch:
            uri = f"{self.addresses[package.suite].rstrip('/')}/{package.path}"
            words += [uri, f"{places[package]}.part", f"SHA256:{package.sha256}"]
        try:
            run([HELPER, *self._options, "-q", "download-file", *words], report)
        except BundleError as error:
            gone = [p for p in batch if not _complete(Path(f"{places[p]}.part"), p)]
            if "Hash Sum mismatch" in error.message:
                names = ", ".join(f"{p.name} {p.version}" for p in gone[:8])
                raise BundleError(
                    f"the archive's files do not have the locked digests, among them: {names}",
                    "The bundle does not take them. Check the mirror or proxy that apt uses on this machine.",
                ) from error
            if re.search(r"\b404 +Not Found", error.message):
                names = ", ".join(f"{p.name} {p.version}" for p in gone[:8])
                raise Gone(
                    f"Debian's archive no longer has locked packages, among them: {names}",
                    "Run `./atoll bundle relock` to lock the versions that the archive has now, and commit the file.",
                ) from error
            raise
        for package in batch:
            Path(f"{places[package]}.part").rename(places[package])

    @property
    def _options(self) -> list[str]:
        settings = {
            "APT::Architecture": self.architecture,
            "APT::Architectures": self.architecture,
            "APT::Sandbox::User": "root",
            "Acquire::Languages": "none",
            "Dir::State": f"{self.root}/state",
            "Dir::State::status": f"{self.root}/status",
            "Dir::Cache": f"{self.root}/cache",
            "Dir::Etc::sourcelist": f"{self.root}/sources.list",
            "Dir::Etc::sourceparts": "-",
            "Dir::Etc::preferences": "-",
            "Dir::Etc::preferencesparts": "-",
        }
        return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]

    def _suite_of(self, suite: str, file: str) -> str:
        # The archive calls bookworm "oldstable" or "stable" as time goes by; the file's name keeps what we asked for.
        names = [name for name in self.addresses if f"_dists_{name}_" in file or name == suite]
        return max(names, key=len)


def _complete(path: Path, package: Package) -> bool:
    return path.exists() and path.stat().st_size == package.bytes and file_digest(path) == package.sha256


def stanzas(text: str) -> Iterator[dict[str, str]]:
    """Yield the fields of each paragraph of a Debian control file."""
    for paragraph in text.split("\n\n"):
        fields: dict[str, str] = {}
        name = ""
        for line in paragraph.splitlines():
            if line[:1] in (" ", "\t"):
                fields[name] += "\n" + line
            elif ":" in line:
                name, value = line.split(":", 1)
                fields[name] = value.strip()
        if fields:
            yield fields


def as_stanza(fields: dict[str, str]) -> str:
    """Return a paragraph of a control file, without the empty line at its end."""
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def suite_addresses(release: str, etc: Path = Path("/etc")) -> dict[str, str]:
    """Find each suite of `release` in the machine's apt sources.

    On another release of Debian these are its own sources with the name of the release changed.
    """
    own = {}
    for fields in stanzas((etc / "os-release").read_text().replace("=", ": ").replace('"', "")):
        own = fields
    codename = own.get("VERSION_CODENAME", release)
    found: dict[str, str] = {}
    for uri, suite in _sources(etc / "apt"):
        wanted = suite.replace(codename, release, 1) if suite.startswith(codename) else suite
        if wanted in {release + suffix for suffix in SUFFIXES} and "debian" in uri:
            found.setdefault(wanted, uri)
    if release not in found:
        raise BundleError(
            f"the apt sources of this machine do not lead to Debian ({release})",
            f"Build the bundle on Debian, or add a source for `{release}` `main` below /etc/apt/sources.list.d.",
        )
    return found


def _sources(apt: Path) -> Iterator[tuple[str, str]]:
    for path in [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*"))]:
        if not path.is_file():
            continue
        text = path.read_text()
        if path.suffix == ".sources":
            plain = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
            for fields in stanzas(plain):
                if "deb" in fields.get("Types", "").split() and fields.get("Enabled", "yes") != "no":
                    yield from ((uri, suite) for uri in fields["URIs"].split() for suite in fields["Suites"].split())
        elif path.suffix == ".list":
            for line in text.splitlines():
                words = re.sub(r"\[[^]]*\]", "", line).split()
                if len(words) >= 4 and words[0] == "deb" and "main" in words[3:]:
                    yield words[1], words[2]
