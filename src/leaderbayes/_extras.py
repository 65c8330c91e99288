"""Optional packages: what each extra brings, and the error that names it where it is missing."""

from collections.abc import Iterator
from contextlib import contextmanager

from leaderbayes._errors import MissingExtraError

# As in pyproject.toml; by the names that are imported.
MODULES = {
    "data": ("pooch",),
    "distributed": ("distributed",),
    "excel": ("openpyxl",),
    "parquet": ("pyarrow",),
    "plots": ("matplotlib",),
    "report": ("jinja2", "latex2mathml", "markdown_it", "markupsafe", "mdit_py_plugins"),
    "study": ("zarr",),
    "tuning": ("joblib", "optuna", "sklearn"),
}


def install(name: str) -> str:
    """Return the command that installs an extra."""
    return f'pip install "leaderbayes[{name}]"'


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """Import what an extra, a key of `MODULES`, brings; or raise what to install."""
    try:
        yield
    except ModuleNotFoundError as missing:
        module = str(missing.name).partition(".")[0]
        if module not in MODULES[name]:
            raise
        raise MissingExtraError(
            f"{what} needs {module}: {install(name)}.", name=module
        ) from missing
