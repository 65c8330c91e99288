"""Draw the figures of the docs that no example makes: `python docs/figures.py`, in docs/_static."""

from itertools import combinations, pairwise
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.patches import FancyArrowPatch, Rectangle

STATIC = Path(__file__).parent / "_static"
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#555555"
SCHEMES = (
    ("", "Model/CV", "Model/Task", "Data set/Model"),
    ("player", "model", "model", "data set"),
    ("round", "fold of a data set", "task: a data set\nand its metric", "model"),
    ("score", "one metric", "each task's metric", "one metric"),
    ("tournament", "data set", "all tasks", "set of models"),
    ("leaderboard", "models, for each\ndata set", "models", "data sets, by how\nhigh models score"),
    ("asks for", "test_fraction", "", "a metric that is\ncomparable"),
)

ORDERS = {"mean": "mean score", "epp": "mean rank, EPP", "pl": "Plackett-Luce", "pmra": "PMRA"}
LEADERS = ORDERS | {"best": "P(best), EPP", "best_mean": "P(best), mean score"}
FACTS = {
    "players": "players", "rounds": "rounds in a half", "ties": "tied matches (%)",
    "own_scales": "how far players' noise differs",
    "round_scales": "how far rounds' spreads differ",
    "lead": "lead of the first (standard errors)",
}  # fmt: skip


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


def column(table, a, b, what):
    """Return a column of two methods, whichever comes first in its name."""
    name = f"{a}-{b} {what}"
    return table[name] if name in table else table[f"{b}-{a} {what}"]


def ratio(part, whole):
    """Return a ratio of sums over boards, and its standard error by leaving boards out."""
    known = part.notna() & whole.notna()
    part, whole = part[known], whole[known]
    left = (part.sum() - part) / np.maximum(whole.sum() - whole, 1e-12)
    return part.sum() / max(whole.sum(), 1e-12), np.sqrt((len(left) - 1) * left.var(ddof=0))


def disagreement(table):
    """Draw how often two methods disagree, and which of them the other half supports."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(6.8, 3.3), width_ratios=(1.0, 1.0))
    names = list(LEADERS)
    shares = np.full((len(names), len(names)), np.nan)
    for i, j in combinations(range(len(names)), 2):
        shares[j, i] = 100.0 * column(table, names[i], names[j], "leader").mean()
        if {names[i], names[j]} <= set(ORDERS):
            shares[i, j] = 100.0 * column(table, names[i], names[j], "top").mean()
    left.imshow(shares, cmap="Blues", vmin=0.0, vmax=45.0)
    for (i, j), value in np.ndenumerate(shares):
        if np.isfinite(value):
            left.text(j, i, f"{value:.0f}", ha="center", va="center", fontsize=8)
    left.set_xticks(range(len(names)), LEADERS.values(), rotation=40, ha="right", fontsize=7)
    left.set_yticks(range(len(names)), LEADERS.values(), fontsize=7)
    left.set_title(
        "Boards on which two methods differ (%)\nbelow: leader; above: top three", fontsize=8
    )
    left.tick_params(length=0)
    left.spines[:].set_visible(False)
    pairs = list(combinations(ORDERS, 2))
    for k, (a, b) in enumerate(pairs):
        for shift, judge, colour in ((-0.13, "mean", BLUE), (0.13, "wins", ORANGE)):
            part, whole = column(table, a, b, f"order {judge}"), column(table, a, b, "order")
            share, error = ratio(part, whole)
            right.errorbar(share, k + shift, xerr=1.96 * error, fmt="o", ms=3, color=colour, lw=1)
    right.axvline(0.5, color=GREY, lw=0.8, ls=":")
    labels = [f"{ORDERS[a]}\nnot {ORDERS[b]}" for a, b in pairs]
    right.set_yticks(range(len(pairs)), labels, fontsize=7)
    right.set(ylim=(len(pairs) - 0.4, -0.6))
    right.set_xlabel("share of reversed pairs in which it is right", fontsize=8)
    right.tick_params(axis="x", labelsize=7)
    right.set_title(
        "Who is right in the half kept back, by\nmean score (blue) and by wins (orange)", fontsize=8
    )
    return figure


def conditions(table):
    """Draw how often two methods name another leader, by what the board is like."""
    figure, axes = plt.subplots(2, 3, figsize=(6.8, 3.9), sharey=True)
    lines = (("mean", "epp", BLUE, "o"), ("epp", "pl", ORANGE, "s"), ("epp", "pmra", GREEN, "^"))
    for panel, (name, label) in zip(axes.flat, FACTS.items(), strict=True):
        x = table[name] * {"rounds": 0.5, "ties": 100.0}.get(name, 1.0)
        ends = np.unique(np.quantile(x, (0.0, 0.25, 0.5, 0.75, 1.0)))
        part = np.clip(np.searchsorted(ends, x, side="right") - 1, 0, len(ends) - 2)
        for shift, (a, b, colour, mark) in enumerate(lines):
            differs = column(table, a, b, "leader")
            groups = [differs[part == k] for k in range(len(ends) - 1)]
            at = [k + 0.12 * (shift - 1) for k in range(len(groups))]
            error = [1.96 * one.std() / max(len(one), 1) ** 0.5 for one in groups]
            panel.errorbar(at, [one.mean() for one in groups], yerr=error, fmt=f"{mark}-", ms=3,
                           lw=1, color=colour, label=f"{ORDERS[a]} / {ORDERS[b]}")  # fmt: skip
        texts = [f"{a:.2g}–{b:.2g}" for a, b in pairwise(ends)]
        panel.set_xticks(range(len(texts)), texts, fontsize=6)
        panel.tick_params(axis="y", labelsize=7)
        panel.set_title(label, fontsize=8)
    axes[0, 0].set_ylim(0.0, None)
    for panel in axes[:, 0]:
        panel.set_ylabel("other leader (share)", fontsize=8)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), ncol=3, fontsize=7, frameon=False,
                  loc="lower center")  # fmt: skip
    return figure


def rows(table):
    """Return the rows of the table of docs/disagreement.md."""
    found = []
    for a, b in combinations(LEADERS, 2):
        differs, ordered = column(table, a, b, "leader"), {a, b} <= set(ORDERS)
        if not ordered and {a, b} not in ({"mean", "best_mean"}, {"epp", "best"}):
            continue
        row = [f"{LEADERS[a]} / {LEADERS[b]}", f"{100 * differs.mean():.0f} %"]
        row += [right(table, a, b, "leader", judge) for judge in ("mean", "wins")]
        if ordered:
            row.append(f"{100 * column(table, a, b, 'top').mean():.0f} %")
            row.append(f"{100 * column(table, a, b, 'order').mean():.1f} %")
            row += [right(table, a, b, "order", judge) for judge in ("mean", "wins")]
        found.append("| " + " | ".join(row + [""] * (8 - len(row))) + " |")
    return found


def right(table, a, b, what, judge):
    """Return how often the first of two methods is right where they differ."""
    whole = column(table, a, b, what)
    return "{:.2f} ({:.2f})".format(*ratio(column(table, a, b, f"{what} {judge}"), whole))


def main():
    """Write the figures."""
    mpl.use("Agg")
    mpl.rcParams |= {"svg.hashsalt": "leaderbayes", "svg.fonttype": "none"}
    figure = schemes()
    figure.tight_layout(pad=0.3)
    figure.savefig(STATIC / "schemes.svg", metadata={"Date": None})
    table = pd.read_csv(STATIC / "disagreement.csv")  # of benchmarks/disagreement.py
    for name, draw in {"who_is_right": disagreement, "when": conditions}.items():
        figure = draw(table)
        figure.tight_layout(pad=0.4, rect=(0, 0.06, 1, 1) if name == "when" else None)
        figure.savefig(STATIC / f"disagreement_{name}.svg", metadata={"Date": None})
    print(f"{len(table)} boards of {table['source'].nunique()} sources")
    print("EPP in the order of mean ranks:", table["epp_same"].mean())
    print("blend with their leader:", table["blend_same"].mean())
    print("\n".join(rows(table)))


if __name__ == "__main__":
    main()
