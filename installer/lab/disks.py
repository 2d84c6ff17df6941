"""The disk of a node: an overlay over the shared base root, and folders of a real file system where that won't do."""

from __future__ import annotations

import shlex
import time
import uuid
from pathlib import Path

from installer.lab.commanding import command
from installer.lab.errors import LabError
from installer.lab.topology import LabNode
from installer.ssh.keys import make_key

# Containers and databases need a real file system below them: overlay on overlay does not work, and fsync must mean it.
REAL = (
    "/var/lib/containerd",
    "/var/lib/kubelet",
    "/var/lib/etcd",
    "/var/lib/atoll",
    "/opt/local-path-provisioner",
    "/srv",
    "/mnt",  # user data on the node's own disk: an overlay has no idmapped mounts
)
_HOST_KEY = "etc/ssh/ssh_host_ed25519_key"


def attach(node: LabNode, base: Path) -> None:
    """Make what the disk lacks, and mount it."""
    upper = node.directory / "upper"
    for path in (node.root, node.directory / "work", upper / "etc/ssh", upper / "root", *binds(node)):
        path.mkdir(parents=True, exist_ok=True)
    node.directory.chmod(0o700)
    (upper / "root").chmod(0o700)
    _write(upper / "etc/hostname", f"{node.name}\n")
    _write(upper / "etc/hosts", f"127.0.0.1 localhost\n{node.address} {node.name}\n", keep=True)
    _write(upper / "etc/machine-id", f"{uuid.uuid4().hex}\n", 0o444, keep=True)
    if not (upper / _HOST_KEY).exists():
        make_key(upper / _HOST_KEY, comment=node.machine)
    layers = f"lowerdir={_base_of(node, base)},upperdir={upper},workdir={node.directory}/work"
    command("mount", "-t", "overlay", "overlay", "-o", layers, node.root)
    _write(node.root / "etc/ssh/sshd_config.d/atoll-port.conf", f"Port {node.port}\n")
    admit(node)


def admit(node: LabNode) -> None:
    """Let the cluster's SSH key in, as the user that cluster.yaml names; works on a running node too."""
    if node.user == "root":
        _authorise(node, node.root / "root/.ssh")
    else:
        _make_user(node)


def detach(directory: Path) -> None:
    """Unmount everything below a folder, the last mounted first."""
    for _ in range(50):
        for path in reversed(_mounts_below(directory)):
            command("umount", path, accept=(0, 32))
        if not _mounts_below(directory):
            return
        time.sleep(0.1)  # a dead node's mount name space lets go a moment later, and says so to nobody
    raise LabError(
        f"{', '.join(_mounts_below(directory))} can't be unmounted",
        f"see who uses it: `fuser -vm {shlex.quote(str(directory))}`",
    )


def binds(node: LabNode) -> dict[Path, str]:
    """Return the folders of this machine that are the node's real disk, each with its place inside the node."""
    return {node.directory / "disk" / path.lstrip("/"): path for path in REAL}


def host_key(node: LabNode) -> str:
    """Return the node's public host key, as it is pinned."""
    return " ".join((node.directory / "upper" / f"{_HOST_KEY}.pub").read_text("utf-8").split()[:2])


def _base_of(node: LabNode, newest: Path) -> Path:
    """Return the base root that this disk was begun on: an overlay over another one would be neither of both."""
    kept = node.directory / "base"
    if not kept.exists():
        _write(kept, f"{newest}\n")
    base = Path(kept.read_text("utf-8").strip())
    if not base.is_dir():
        raise LabError(
            f"the disk of node `{node.name}` stands on {base}, which was removed",
            f"make the node anew: `./atoll lab down {node.name}`, then `./atoll lab up`",
        )
    return base


def _authorise(node: LabNode, directory: Path) -> None:
    directory.mkdir(exist_ok=True)
    directory.chmod(0o700)
    public, authorised = Path(f"{node.key_file}.pub").read_text("utf-8"), directory / "authorized_keys"
    if not authorised.exists() or authorised.read_text("utf-8") != public:
        _write(authorised, public, 0o600)


def _make_user(node: LabNode) -> None:
    """Make the user with whom cluster.yaml signs in, if that is not root; it may use sudo, as on a server."""
    if f"\n{node.user}:" not in (node.root / "etc/passwd").read_text("utf-8"):
        command("useradd", "--root", node.root, "--create-home", "--shell", "/bin/bash", node.user)
    _authorise(node, node.root / "home" / node.user / ".ssh")
    command("chroot", node.root, "chown", "-R", f"{node.user}:{node.user}", f"/home/{node.user}/.ssh")
    _write(node.root / "etc/sudoers.d/atoll-lab", f"{node.user} ALL=(ALL) NOPASSWD: ALL\n", 0o440)


def _write(path: Path, content: str, mode: int = 0o644, keep: bool = False) -> None:
    if keep and path.exists():
        return
    # Moved in complete: a kill or a full disk leaves no empty file, which `keep` would keep for ever.
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    partial.touch(mode)
    partial.write_text(content, encoding="utf-8")
    partial.chmod(mode)
    partial.replace(path)


def _mounts_below(directory: Path) -> list[str]:
    mounts = Path("/proc/self/mounts").read_text("utf-8").splitlines()
    paths = [line.split()[1].encode().decode("unicode_escape") for line in mounts]
    return [path for path in paths if Path(path).is_relative_to(directory)]
