"""Remake the paper's figures, in paper/figures: `uv run --group evidence python paper/figures.py`.

One is of a shipped board; the other of a table of docs/boardbench.md.
"""

import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import leaderbayes as lb

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "boardbench.md"
OURS, THEIRS = "#0072B2", "#555555"
PANELS = {
    "distinguished": "share of different pairs\nthat are distinguished",
    "a wrong one": "boards with at least one wrong claim\n(dashed: 0.05)",
}


def table(text):
    """Return the rows of the table against the truth, by tool: names of columns to numbers."""
    lines = [
        line
        for line in text.split("\n## Against the truth")[1].split("\n### ")[0].splitlines()
        if line.startswith("|")
    ]
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}


def groups():
    """Draw who cannot be told apart on a shipped board."""
    scores = lb.datasets.load("classifiers", "breast_cancer")
    dt = lb.fit(scores, test_fraction=0.2, seed=1)
    lb.plots.groups(dt, backend="matplotlib").savefig(HERE / "figures" / "groups.png", dpi=200)


def boardbench():
    """Draw what tools claim and how often a claim is wrong, a row a tool."""
    rows = table(PAGE.read_text(encoding="utf-8"))
    figure, panels = plt.subplots(1, 2, figsize=(7.5, 3.6), sharey=True, layout="constrained")
    heights = range(len(rows) - 1, -1, -1)
    for axes, (column, label) in zip(panels, PANELS.items(), strict=True):
        for height, (tool, row) in zip(heights, rows.items(), strict=True):
            value, *error = (float(x) for x in re.findall(r"[\d.]+", row[column]))
            colour = OURS if tool.startswith("leaderbayes") else THEIRS
            axes.errorbar(value, height, xerr=error or None, marker="o", color=colour)
        axes.set(xlabel=label, xlim=(-0.03, 1.0))
        axes.grid(axis="x", color="0.9")
    panels[1].axvline(0.05, color="0.5", linewidth=0.8, linestyle="--")
    panels[0].set_yticks(list(heights), list(rows), fontsize=8)
    figure.savefig(HERE / "figures" / "boardbench.png", dpi=200)


if __name__ == "__main__":
    (HERE / "figures").mkdir(exist_ok=True)
    groups()
    boardbench()
