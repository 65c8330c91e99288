"""Files that commands write: all of them, or none."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def writing(out: Path) -> Iterator[Path]:
    """Give a folder beside ``out`` to write to; in the end each file moves in whole."""
    from leaderbayes._errors import LeaderbayesError

    try:
        if out.exists() and not out.is_dir():
            raise FileExistsError(f"{out} is a file")
        nearest = next(folder for folder in out.absolute().parents if folder.is_dir())
        with tempfile.TemporaryDirectory(dir=nearest, prefix=".leaderbayes-") as folder:
            part = Path(folder) / out.name
            part.mkdir()
            yield part
            names = sorted(path.name for path in part.iterdir())
            for name in names:
                if (out / name).is_dir():
                    raise IsADirectoryError(f"{out / name} is a folder")
            out.mkdir(parents=True, exist_ok=True)
            for name in names:
                os.replace(part / name, out / name)
    except OSError as problem:
        raise LeaderbayesError(f"--out {out}: cannot be written ({problem}).") from problem


def write_run(folder: Path, options: dict[str, Any], result: dict[str, Any]) -> None:
    """Write what was asked and what came out, ``run.json``."""
    asked = {k: str(v) if isinstance(v, Path) else v for k, v in options.items()}
    text = json.dumps({"command": asked, **result}, indent=2)
    (folder / "run.json").write_text(text + "\n", encoding="utf-8")


def draw(folder: Path, figures: dict[str, Any]) -> None:
    """Draw plots, by their names, of what they take."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    import leaderbayes as lb

    for name, shown in figures.items():
        figure = getattr(lb.plots, name)(shown, backend="matplotlib")
        for suffix in ("png", "svg"):
            figure.savefig(folder / f"{name}.{suffix}", bbox_inches="tight")
        plt.close("all")
