"""Where compiled code is kept: Numba's beside its source or in a cache, PyTensor's at home.

Where these can write to neither (a container that is read only, an account without a home) they
refuse to compile at all, or to be imported: there it is kept with temporary files.
"""

import os
import sys
from pathlib import Path

_NUMBA, _PYTENSOR = "NUMBA_CACHE_DIR", "PYTENSOR_FLAGS"


def keep() -> None:
    """Give a folder to each that has none of its own, and that nobody has given one."""
    home = os.path.expanduser("~")
    beside = Path(__file__).parent / "__pycache__"
    numba = _NUMBA in os.environ or _writable(beside)
    numba = numba or _writable(os.environ.get("XDG_CACHE_HOME") or home)
    flags = os.environ.get(_PYTENSOR, "")
    pytensor = "compiledir" in flags or _writable(home)
    if numba and pytensor:
        return
    try:
        place = _temporary()
    except OSError:  # nowhere: they say so themselves
        return
    if not numba:
        os.environ[_NUMBA] = place
        if "numba" in sys.modules:  # it has read its environment
            sys.modules["numba"].config.CACHE_DIR = place
    if not pytensor:
        given = f"base_compiledir={place}"
        os.environ[_PYTENSOR] = f"{flags},{given}" if flags else given


def _writable(place: str | Path) -> bool:
    """Say whether a folder can be written to, or made."""
    path = Path(place)
    there = next((each for each in (path, *path.parents) if each.exists()), None)
    # A home that is not known is "~", which would be made in the working directory.
    return path.is_absolute() and there is not None and os.access(there, os.W_OK | os.X_OK)


def _temporary() -> str:
    """Give a folder that lasts and that nobody else can write to: what is compiled is run."""
    import tempfile

    user = os.getuid() if hasattr(os, "getuid") else ""
    path = Path(tempfile.gettempdir()) / f"leaderbayes-compiled-{user}"
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    own = user in ("", found.st_uid) and not path.is_symlink()
    if own and (user == "" or not found.st_mode & 0o077):
        return str(path)
    return tempfile.mkdtemp(prefix="leaderbayes-compiled-")
