"""Opening files beneath a root, whatever links or races a user sets up: Linux's openat2. Standard library only.

Used by the worker that runs under a user's uid. `RESOLVE_BENEATH` lets the kernel refuse every path that leaves the
root (`..`, absolute links, links to outside); checking a path before opening it could always be raced.
"""

import ctypes
import errno
import os

_OPENAT2 = 437  # the same number on every architecture of Linux
_NO_MAGICLINKS = 0x02
_BENEATH = 0x08


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


_LIBC = ctypes.CDLL(None, use_errno=True)


def open_beneath(root: int, path: str, flags: int) -> int:
    """Open `path` below the directory `root`. Raises OSError; EXDEV means that the path leads out."""
    how = _How(flags=flags | os.O_CLOEXEC, mode=0, resolve=_BENEATH | _NO_MAGICLINKS)
    target = os.fsencode(path.strip("/") or ".")
    for _ in range(16):  # EAGAIN: a rename raced with a `..`; the kernel asks to try again
        descriptor = _LIBC.syscall(_OPENAT2, root, target, ctypes.byref(how), ctypes.sizeof(how))
        if descriptor >= 0:
            return int(descriptor)
        if ctypes.get_errno() != errno.EAGAIN:
            break
    code = ctypes.get_errno()
    raise OSError(code, os.strerror(code), path)
