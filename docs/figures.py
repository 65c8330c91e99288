"""Draw the figures of the docs that no example makes: `python docs/figures.py`, in docs/_static."""

from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.patches import FancyArrowPatch, Rectangle

STATIC = Path(__file__).parent / "_static"
BLUE, GREY = "#0072b2", "#555555"
SCHEMES = (
    ("", "Model/CV", "Model/Task", "Data set/Model"),
    ("player", "model", "model", "data set"),
    ("round", "fold of a data set", "task: a data set\nand its metric", "model"),
    ("score", "one metric", "each task's metric", "one metric"),
    ("tournament", "data set", "all tasks", "set of models"),
    ("leaderboard", "models, for each\ndata set", "models", "data sets, by how\nhigh models score"),
    ("asks for", "test_fraction", "", "a metric that is\ncomparable"),
)


def schemes():
    """Draw the parts of a benchmark, after figure 1 of Gosiewska et al. (2022), and its schemes."""
    figure, (top, table) = plt.subplots(2, 1, figsize=(6.8, 4.6), height_ratios=(1.0, 1.25))
    for axes in (top, table):
        axes.set_axis_off()
    top.set(xlim=(0, 100), ylim=(0, 36))
    for k in (2, 1, 0):  # data sets behind each other
        x, y = 14 + 1.5 * k, 6 + 1.5 * k
        top.add_patch(Rectangle((x, y), 28, 18, fc="white", ec=GREY, lw=0.8))
    for i in range(4):
        for j in range(6):
            shade = 0.25 + 0.6 * ((7 * i + 5 * j) % 11) / 11
            top.add_patch(Rectangle((15 + 4.4 * j, 7 + 4.1 * i), 4, 3.7, fc=BLUE, alpha=shade))
    names = dict(fontsize=8, color="black", ha="center", va="center")
    top.text(11.5, 15, "players", rotation=90, **names)
    top.text(28, 4, "rounds", **names)
    top.text(31, 29.5, "scores, in tournaments", **names)
    for x, text in ((62, "strengths\n(meta-scores)"), (89, "leaderboard")):
        top.add_patch(Rectangle((x - 8, 8), 16, 14, fc="white", ec=GREY, lw=0.8))
        top.text(x, 15, text, **names)
    for start, end in ((46, 53.7), (70.3, 80.7)):
        arrow = dict(arrowstyle="-|>", mutation_scale=12, color=GREY, shrinkA=0, shrinkB=0)
        top.add_patch(FancyArrowPatch((start, 15), (end, 15), **arrow))
    top.text(50, 18, "model", **names)
    table.set(xlim=(0, 100), ylim=(0, 9.4))
    y = 9.0
    for k, row in enumerate(SCHEMES):
        high = 1 + 0.65 * max(text.count("\n") for text in row)
        for x, text in zip((1, 18, 46, 73), row, strict=True):
            weight = "bold" if k == 0 else "normal"
            family = "monospace" if text == "test_fraction" else None
            table.text(x, y, text, fontsize=8, weight=weight, family=family, va="top")
        y -= high
        table.plot([0, 100], [y + 0.15] * 2, color=GREY, lw=0.8 if k == 0 else 0.2)
    return figure


def main():
    """Write the figures."""
    mpl.use("Agg")
    mpl.rcParams |= {"svg.hashsalt": "leaderbayes", "svg.fonttype": "none"}
    figure = schemes()
    figure.tight_layout(pad=0.3)
    figure.savefig(STATIC / "schemes.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
