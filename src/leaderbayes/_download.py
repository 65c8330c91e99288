"""Download public files once, check them against their hash, keep them in a cache."""

import os
from importlib.resources import files
from pathlib import Path

from leaderbayes._errors import LeaderbayesError

# Lines of name, SHA-256 and URL, the latter of one commit, so that a file never changes.
REGISTRY = Path(str(files("leaderbayes") / "data" / "registry.txt"))
CACHE = "LEADERBAYES_CACHE"  # environment variable that names another folder


def names() -> list[str]:
    """Names of all files that can be downloaded."""
    return [line.split()[0] for line in REGISTRY.read_text(encoding="utf-8").splitlines()]


def download(name: str) -> Path:
    """Give the path of a file in the cache, which it is downloaded to where it is not yet there.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    Path
        A file whose hash is the registered one. It is written under another name, checked, and
        only then renamed.

    Raises
    ------
    LeaderbayesError
        If it cannot be downloaded, is not the file that is meant, or cannot be kept: names the
        URL and the path.
    """
    import pooch

    store = pooch.create(path=os.environ.get(CACHE) or pooch.os_cache("leaderbayes"), base_url="")
    store.load_registry(REGISTRY)
    path, url, known = store.abspath / name, store.urls[name], store.registry[name]
    try:
        return Path(store.fetch(name))
    except ValueError as problem:  # pooch's only word for another hash
        raise LeaderbayesError(
            f"{url} is not the file that it was (its hash is not {known}), and was not kept; try "
            f"again, or put the right file at {path}."
        ) from problem
    except OSError as problem:  # of requests, too
        raise LeaderbayesError(
            f"{url} could not be downloaded to {path} ({type(problem).__name__}: {problem}); "
            "connect to the network, or put the file there by hand. Another folder is "
            f"taken from the environment variable {CACHE}."
        ) from problem
