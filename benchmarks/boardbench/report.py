"""docs/boardbench.md and tables.md, from texts.md and the rows that run.py scored."""

import re
from collections import defaultdict
from pathlib import Path

import boards
import numpy as np
import pandas as pd
from scoring import calibration_error, mean_error

# Not in the table of all simulated kinds: no truth to be found, or not taken by most.
APART = ("equal players", "missing scores")
SAID = (
    "rounds", "leader", "best", "cover95", "cover80", "width", "reliability", "differences",
    "ranks", "rank_width", "told", "claims", "wrong", "log_score", "wins", "wins_width", "refused",
)  # fmt: skip
DEFAULT = "leaderbayes bradley_terry"  # others' log scores stand beside its own
TEXTS = dict(
    re.findall(
        r"<!-- (\w+) -->\n(.*?)(?=<!-- |\Z)",
        Path(__file__).with_name("texts.md").read_text(encoding="utf-8"), re.DOTALL,
    )
)  # fmt: skip
WHAT = {
    "gumbel": "strengths with Gumbel noise, as Bradley-Terry and Plackett-Luce assume",
    "gumbel, 20 players": "the same",
    "normal": "normal noise, the same for all players",
    "t3": "noise with heavy tails",
    "own scales": "noise on a different scale for each player (log-normal, 0.7)",
    "families": "four families that share half of the variance of their noise",
    "equal players": "all players are equal",
    "ties": "Gumbel scores rounded: 18 of 100 matches tie",
    "missing scores": "normal noise, three of ten scores missing at random",
    "folds": "folds that share training data (test fraction 0.2); the truth is about fresh data. "
    "The dependence is that of Nadeau and Bengio's correction, which favours tools that use it",
    "items": "right or wrong, by ability and difficulty",
    "items in clusters": "the same, in clusters of ten items that share luck",
    "breast_cancer": "shipped: classifiers, ROC AUC in 5 x 5 folds",
    "diabetes": "shipped, the same", "digits": "shipped, accuracy", "wine": "shipped, accuracy",
    "regressors": "shipped: minus the root mean squared error",
    "answers": "shipped: every tenth of 115 classifiers, right or wrong",
    "vtab": "image representations on 19 tasks (Zhai et al.)",
    "pmra": "models of mortgage default in 10 folds (Gajda, Chlebus)",
    "bbtcomp": "classifiers on 131 data sets, means of 4 folds (Wainer)",
    "tasks": "classifiers of time series on 112 data sets, means of 30 resamples (tsml-eval)",
    "amlb_4h": "AutoML frameworks, 10 folds of each task (Gijsbers et al.)",
    "tsml_univariate": "classifiers of time series, 30 resamples of each data set (tsml-eval)",
    "tsml_multivariate": "the same of several variables",
}  # fmt: skip


def _number(value, error=np.nan, digits=2):
    if np.isnan(value):
        return ""
    shown = f"{value:.{digits}f}"
    return shown if np.isnan(error) else f"{shown} ({error:.{digits}f})"


def _table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def _of(frame, **where):
    for column, value in where.items():
        frame = frame[frame[column] == value]
    return frame


def _values(frame, column):
    return frame[column].to_numpy(float)


def _truth(frame, tools):
    rows = []
    for tool in tools:
        own = _of(frame, tool=tool)
        if not np.isfinite(_values(own, "claims")).any():
            continue
        usual = own[~own["board"].isin(APART)]
        equal = _values(_of(own, board="equal players"), "claims")
        claims, wrong = (_values(usual, name) for name in ("claims", "wrong"))
        any_wrong = np.where(np.isnan(claims), np.nan, wrong > 0)
        share = np.nansum(wrong) / np.nansum(claims) if np.nansum(claims) else np.nan
        names = "differences", "ranks", "rank_width", "told", "log_score"
        gap, ranks, width, told, log_score = (mean_error(_values(usual, name)) for name in names)
        equal = mean_error(np.where(np.isnan(equal), np.nan, equal > 0))
        row = [
            _number(*gap), _number(*ranks), _number(width[0], digits=1), _number(told[0]),
            _number(share, digits=3), _number(*mean_error(any_wrong)),
            _number(*log_score, digits=3), _number(equal[0]),
        ]  # fmt: skip
        cpu = f"{np.median(_values(own, 'cpu')):.2g}"
        rows.append([tool, str(usual["claims"].notna().sum()), *row, cpu])
    head = (
        "tool", "boards", "differences", "ranks", "wide", "distinguished", "wrong", "a wrong one",
        "log score", "equal", "CPU s",
    )  # fmt: skip
    return _table(head, rows)


def _kinds(frame, tools):
    kinds, rows = list(boards.SIMULATED), []
    for tool in tools:
        row = [tool]
        for kind in kinds:
            of = _of(frame, tool=tool, board=kind)
            (one, _), (other, _) = (mean_error(_values(of, n)) for n in ("differences", "ranks"))
            row.append(_number(one) or (f"*{other:.2f}*" if not np.isnan(other) else ""))
        rows += [row] if any(row[1:]) else []
    return _table(["tool", *kinds], rows)


def _by_board(frame, column):
    """Average a column over cuts: a Series by tool and board."""
    return frame.groupby(["tool", "board"], sort=False)[column].mean().dropna()


def _real(frame, tools):
    """Make the table of halves, and the lines that say where another tool is better than ours."""
    scores = {name: _by_board(frame, name) for name in ("rounds", "leader", "best")}
    covers = {name: _by_board(frame, name) for name in ("cover95", "cover80", "width", "cpu")}
    rows, off = [], {}
    for tool in tools:
        row = [tool]
        for of in scores.values():
            own = of.get(tool, pd.Series(dtype=float))
            more = own - of.get(DEFAULT, own * np.nan) if tool != DEFAULT else []
            row += [_number(own.mean(), digits=4), _number(*mean_error(more), digits=4)]
        for name, of in covers.items():
            own = mean_error(of.get(tool, []))
            row.append(_number(own[0], own[1] if "cover" in name else np.nan, digits=3))
        parts = [x for x in _of(frame, tool=tool)["reliability"] if isinstance(x, np.ndarray)]
        off[tool] = calibration_error(parts)
        row.insert(-1, _number(*off[tool], digits=4))
        if any(row[1:-1]):  # it answers something
            rows.append([tool, str(len(covers["cpu"].get(tool, []))), *row[1:]])
    head = "tool, boards, rounds, +, leader, +, first, +, 95 %, 80 %, wide, off, CPU s".split(", ")
    return _table(head, rows) + "\n" + _behind(scores, covers, off)


def _behind(scores, covers, off):
    """Say in which columns another tool is better than our best, and by how much."""
    far = {
        f"{100 * share:.0f} %": {
            tool: (abs(of.mean() - share), mean_error(of)[1])
            for tool, of in covers[name].groupby("tool")
        }
        for name, share in (("cover95", 0.95), ("cover80", 0.80))
    }
    far["off"] = {tool: each for tool, each in off.items() if not np.isnan(each[0])}
    lines = []
    for column, of in zip(("rounds", "leader", "first"), scores.values(), strict=True):
        wide = of.unstack("tool") if len(of) else pd.DataFrame()
        ours = [tool for tool in wide if tool.startswith("leaderbayes")]
        for peer in sorted(set(wide) - set(ours)):
            common = wide[[*ours, peer]].dropna()
            best = common[ours].mean().idxmin() if ours and len(common) else peer
            gap, error = mean_error(common[best] - common[peer])
            if gap > 0.0:
                lines.append(f"- *{column}*: {peer} is ahead of {best} by {gap:.4f} ({error:.4f}).")
    for column, of in far.items():
        ours = [tool for tool in of if tool.startswith("leaderbayes")]
        best = min(ours, key=lambda tool: of[tool][0], default=None)
        for peer in of if ours else ():
            gap, error = of[best][0] - of[peer][0], np.hypot(of[best][1], of[peer][1])
            if gap > 0.0:
                by = f"{gap:.4f} ({error:.4f})"
                lines.append(f"- *{column}*: {peer} is nearer to it than {best} by {by}.")
    if not any(tool.startswith("leaderbayes") for tool in off):
        return ""
    said = "Columns in which another tool is ahead of each of ours:\n\n" + "\n".join(lines)
    first = "A model of leaderbayes leads every column except *wide* and *CPU s*."
    return (said if lines else first) + "\n"


def _cells(frame, tools):
    """Make the table of coverages of true win probabilities."""
    tools = [tool for tool in tools if _of(frame, tool=tool)["wins"].notna().any()]
    rows, far = [], {tool: [] for tool in tools}
    for cell in boards.CELLS:
        row = [cell]
        for tool in tools:
            own = _of(frame, tool=tool, board=cell)
            (mean, error), width = mean_error(own["wins"]), own["wins_width"].mean()
            row.append("" if np.isnan(mean) else f"{_number(mean, error, 3)}, {width:.2f}")
            far[tool] += [] if np.isnan(mean) or cell.startswith("equal") else [abs(mean - 0.95)]
        rows.append(row)
    distances = [f"{np.mean(x):.3f}" if x else "" for x in far.values()]
    rows.append(["mean distance, without *equal*", *distances])
    return _table(["cell", *tools], rows) if tools else ""


def _refused(frame, about):
    lines = []
    for (tool, part), of in frame.dropna(subset="refused").groupby(["tool", "for"], sort=False):
        what = f"{len(of)} real boards" if part == "half" else f"{len(of)} of a {part} kind"
        board, why = of.iloc[0][["board", "refused"]]
        lines.append(f"- {tool}, {what}; the first ({board}): {why}")
    lines += [f"- {name} did not run to its end: {why}" for name, why in about["failed"].items()]
    lines += [f"- {name}: could neither be read nor fetched" for name in about["absent"]]
    return "\n## Refused, or not run\n\n" + ("\n".join(lines) or "Nothing.") + "\n"


def _listed(about):
    simulated = [
        f"| {kind} | {players} x {rounds} | {WHAT[kind]} |"
        for kind, (_, players, rounds, _) in boards.SIMULATED.items()
    ]
    real = [f"| {name} | {about['sources'][name]} | {WHAT[name]} |" for name in boards.SOURCES]
    return TEXTS["boards"].format(simulated="\n".join(simulated), real="\n".join(real))


def page(rows, tools, about):
    """Return the page and all other tables as Markdown, of a row for each tool and board."""
    frame = pd.DataFrame(rows)
    frame = frame.reindex(columns=frame.columns.union(SAID, sort=False))
    simulated, half, cell = (_of(frame, **{"for": x}) for x in ("simulated", "half", "cell"))
    held = half["board"].map(boards.held_out).astype(bool)
    options = ("real", "boards", "splits", "cells", "limit")
    options = " ".join(f"--{x} {about[x]:.0f}" for x in options)
    truth = _truth(simulated, tools)
    cells = (re.sub(r" \(.*?\)", "", row)[2:-2].split(" | ") for row in truth.splitlines())
    told = about | {
        "of": defaultdict(lambda: ["?"] * 11) | {each[0]: each for each in cells},
        "boards_real": half["board"].nunique(), "default": DEFAULT,
        "quick": "**A quick run, too small to judge by.** " if about["quick"] else "",
        "options": " --quick" if about["quick"] else f" {options}",
    }  # fmt: skip
    real = [
        f"\n{level} {name} ({of['board'].nunique()})\n\n" + _real(of, tools)
        for level, name, of in (
            ("###", "Held-out boards", half[held]), ("##", "Other real boards", half[~held])
        )
    ]  # fmt: skip
    ahead = "\n### The other boards\n\n" + "".join(real[1].rpartition("Columns in which")[1:])
    texts = TEXTS | {name: TEXTS[name].format(**told) for name in ("head", "real", "truth")}
    first = [texts["head"], texts["real"], real[0], ahead, texts["truth"], truth]
    others = [
        texts["tables"], real[1], texts["cells"], _cells(cell, tools), texts["kinds"],
        _kinds(simulated, tools), _refused(frame, about), _listed(about),
    ]  # fmt: skip
    return tuple("\n".join(part.rstrip("\n") + "\n" for part in parts) for parts in (first, others))
