"""Running the tools that build: each line is reported as it comes, the last ones are in the error if it fails."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from installer.bundle.errors import BundleError

Report = Callable[[str], None]

# What a tool may see of the caller's environment: where to find things and how to reach the registries, nothing else
# that could change what it builds.
PASSED = ("HOME", "USER", "LANG", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "NETRC")
PASSED_PREFIXES = ("PIP_", "UV_", "npm_config_", "NPM_CONFIG_", "GOPROXY", "GONOPROXY", "GOAUTH", "GOINSECURE")
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "all_proxy")
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def environment(extra: Mapping[str, str] | None = None, path: Sequence[Path] = ()) -> dict[str, str]:
    """Return a small environment: the caller's ways to the registries, a plain locale, and `extra`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in PASSED or name.startswith(PASSED_PREFIXES) or name.lower() in PROXIES
    }
    kept |= {"LC_ALL": "C.UTF-8", "PATH": ":".join([*map(str, path), SYSTEM_PATH]), "SOURCE_DATE_EPOCH": "0"}
    return kept | dict(extra or {})


def run(
    argv: Sequence[str | Path],
    report: Report,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    remedy: str = "",
    limit_s: float | None = None,
) -> None:
    """Run a tool to its end; raises BundleError with its last lines when it fails, or takes longer than `limit_s`.

    With a limit it has a process group of its own, so that whatever it started ends with it.
    """
    last: deque[str] = deque(maxlen=60)
    command = [str(word) for word in argv]
    late = threading.Event()

    def end() -> None:
        with contextlib.suppress(ProcessLookupError):
            if limit_s is None:
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)

    def end_late() -> None:
        late.set()
        end()

    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(env) if env is not None else environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=limit_s is not None,
        )
    except FileNotFoundError as error:
        raise BundleError(f"the program `{command[0]}` is not installed on this machine", remedy) from error
    clock = threading.Timer(limit_s or 0, end_late)
    with process:
        if limit_s is not None:
            clock.start()
        try:
            for line in process.stdout or ():
                if line.strip():
                    last.append(line.rstrip())
                    report(line.strip())
            process.wait()
        except BaseException:
            end()
            raise
        finally:
            clock.cancel()
    if process.returncode != 0:
        shown = "\n    ".join(last)
        where = f" in {cwd}" if cwd else ""
        how = f"was not done after {limit_s:.0f} s" if late.is_set() else f"failed with exit code {process.returncode}"
        raise BundleError(f"`{' '.join(command)[:300]}`{where} {how}:\n    {shown}", remedy)


def output_of(argv: Sequence[str | Path], env: Mapping[str, str] | None = None, cwd: Path | None = None) -> str:
    """Run a tool and return what it printed; raises BundleError with its errors when it fails."""
    command = [str(word) for word in argv]
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=dict(env) if env is not None else environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise BundleError(f"the program `{command[0]}` is not installed on this machine") from error
    if done.returncode != 0:
        raise BundleError(
            f"`{' '.join(command)[:300]}` failed with exit code {done.returncode}:\n    {done.stderr.strip()[-2000:]}"
        )
    return done.stdout
