"""What commands write into their folders: what was asked, and figures."""

import json
from pathlib import Path
from typing import Any


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
