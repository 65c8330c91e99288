"""Public files: from a folder of the user's, or downloaded once; always checked by their hash."""

import os
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from leaderbayes._errors import LeaderbayesError
from leaderbayes._extras import extra

# Lines of name, SHA-256 and URL, the latter of one commit, so that a file never changes. Those
# of tables/ have no URL: scores of files above them, put into one table (`local` finds them).
REGISTRY = Path(str(files("leaderbayes") / "data" / "registry.txt"))
CACHE = "LEADERBAYES_CACHE"  # environment variable that names another folder for downloads
DATA = "LEADERBAYES_DATA"  # and one that names a folder to look into first


def names() -> list[str]:
    """List all files that can be downloaded."""
    return [name for name, (_, url) in _registry().items() if url]


def _registry() -> dict[str, tuple[str, str]]:
    """Read SHA-256 and URL of every name; the URL is empty where there is none."""
    lines = REGISTRY.read_text(encoding="utf-8").splitlines()
    parts = [(*line.split(), "")[:3] for line in lines]
    return {name: (known.removeprefix("sha256:"), url) for name, known, url in parts}


def local(name: str) -> Path | None:
    """Return the path of a registered file below the folder ``LEADERBAYES_DATA``, if any."""
    folder = os.environ.get(DATA)
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise LeaderbayesError(
            f"{DATA}={folder} is not a folder; set it to a folder with the files, or unset it."
        )
    known, _ = _registry()[name]
    named = Path(folder, name)
    if named.is_file():
        if _hash(named) != known:
            raise LeaderbayesError(
                f"{named} is not the expected file (its hash is not {known}); replace it, or "
                f"remove it from the folder that {DATA} names."
            )
        return named
    return next((p for p in sorted(Path(folder).rglob("*.csv*")) if _hash(p) == known), None)


def _hash(path: Path) -> str | None:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def download(name: str) -> Path:
    """Return the path of a file, in the user's folder or the cache, where it is downloaded to."""
    if (own := local(name)) is not None:
        return own
    with extra("data", f"Fetching {name}"):
        import pooch

    known, url = _registry()[name]
    store = pooch.create(
        path=os.environ.get(CACHE) or pooch.os_cache("leaderbayes"), base_url="",
        registry={name: known}, urls={name: url},
    )  # fmt: skip
    path = store.abspath / name
    try:
        return Path(store.fetch(name))
    except ValueError as problem:  # pooch's only word for another hash
        raise LeaderbayesError(
            f"{url} has changed (its hash is not {known}) and was not kept; try again, or put the "
            f"right file at {path}."
        ) from problem
    except OSError as problem:  # of requests, too
        raise LeaderbayesError(
            f"{url} could not be downloaded to {path} ({type(problem).__name__}: {problem}); "
            "connect to the network, or put the file there, or into the folder that the "
            f"environment variable {DATA} names ({CACHE} names one for downloads)."
        ) from problem
