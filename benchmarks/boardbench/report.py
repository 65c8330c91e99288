"""The tables of docs/boardbench.md, from the rows that run.py scored."""

# ruff: noqa: E501 (its texts are a page's)

import itertools
import json
from pathlib import Path

import boards
import numpy as np
import pandas as pd
from scoring import BINS, mean_error

REFERENCE = Path(__file__).parent / "reference.json"
# What draws the posterior of a model of reference.json.
SAME_MODEL = {
    "leaderbayes bradley_terry": "bradley_terry",
}
# Not in the first table: no truth to be found, or not taken by most.
APART = ("equal players", "missing scores")

HEAD = """\
# Boardbench

Which tools that rank players say how sure one can be, and are right?

This page is written by one command, and anybody can [add a tool](#add-a-tool).

{quick}`uv run --extra data python benchmarks/boardbench/run.py{options}`, {date}: twenty frozen boards, {boards} of each of the twelve simulated kinds (numbers
0 to {last}, seeds with them), {splits} cuts of each of the eight real ones into halves; every tool with at most {limit:.0f} s of CPU, {workers} at a time on
{cores} cores, {minutes:.0f} minutes in all. Other work was on the machine (load {load:.1f}): seconds are of CPU, and no more than a hint.
In brackets: Monte Carlo errors of what stands before, over boards. A blank: the tool does not say it.
"""

TRUTH = """\

## Against the truth

Simulated boards, without *equal players* and *missing scores* (most tools take none). A tool that ran out of its time has fewer boards, the first ones of each kind. All intervals are of 95 %.

- *differences*: intervals of the difference of a pair that hold the true one, in the unit that the tool answers in (mean scores, log-odds of winning a round, mean ranks).
- *ranks*: intervals of ranks that hold the true rank; *wide*: how many ranks they have. A tool without has them from the pairs that it tells apart.
- *told apart*: pairs of different players of which it says who is better (its test; else P(better) of 0.975 or more); *wrong*: of these claims, those that are false; *a wrong
  one*: boards with at least one. Tools that control this for all pairs together promise 0.05 there, others do not.
- *log score* of P(better) for who is truly better: less is better, 0.693 is a coin's.
- *equal*: boards of equal players on which somebody is told apart.
"""

KINDS = """\

### By kind of board

Share of intervals of differences (where a tool has none: of ranks, in italics) that hold the truth.
"""

RELIABLE = """\

### Said and happened

P(better) of the likelier of a pair, in classes, over all simulated boards with an answer but *equal players*: what was said on average, and how often it was so (pairs).
"""

HALVES = """\

## Half against half

Real boards have no truth, but a half of the rounds that was not seen. Log score, less is better: for *rounds*, of the probability of winning, for each pair and round kept back, a tie half a win (a coin: 0.693; ties keep it from 0); for
*leaders*, for who of a pair has the higher mean score in the kept half, of P(better) as a prediction (weakened by the luck of the kept half, in the same way for all tools: `of_half` in `scoring.py`). Means over {splits} cuts. The mean column is over the boards
that a tool answered.
"""

AGAINST = """\

## Against long NUTS

`reference.json` has posteriors of Bradley-Terry by 20 000 draws of NUTS (`reference.py`). The largest disagreement of a tool that draws the same posterior: of P(better), and of the ends of 95 % intervals of differences in
posterior standard deviations. 4000 draws that are worth 1500
independent ones differ by 0.03 and 0.2 by chance, where the largest of all pairs is looked for.
"""

BOARDS = """\

## Boards

Simulated by uniforms of PCG64 through inverse distribution functions, so that they are the same everywhere; `frozen.json` has the hash of the first of each and of the real ones, and `run.py` stops where one is another.

| kind | players x rounds | what |
|---|---|---|
{simulated}

| real board | players x rounds | what |
|---|---|---|
{real}
"""

WHAT = {
    "gumbel": "Bradley-Terry's and Plackett-Luce's own world: strengths with Gumbel noise",
    "gumbel, 20 players": "the same",
    "normal": "normal noise, the same for all",
    "t3": "noise with heavy tails",
    "own scales": "each player with noise of its own scale (log-normal, 0.7)",
    "families": "four families that share half of the variance of their noise",
    "equal players": "nobody is better",
    "ties": "Gumbel scores rounded: 18 of 100 matches tie",
    "missing scores": "normal, three scores of ten missing at random",
    "folds": "folds that share training data (test fraction 0.2): the truth is of fresh data. "
    "The dependence is that of Nadeau and Bengio's correction, to the favour of those who use it",
    "items": "right or wrong, by ability and difficulty",
    "items in clusters": "the same, ten items a cluster, on which a player has luck of its own",
    "breast_cancer": "shipped: classifiers, ROC AUC in 5 x 5 folds",
    "diabetes": "shipped, the same", "digits": "shipped, accuracy", "wine": "shipped, accuracy",
    "regressors": "shipped: minus the root mean squared error",
    "answers": "shipped: every tenth of 115 classifiers, right or wrong",
    "vtab": "fetched: Zhai et al., 19 tasks",
    "time series": "fetched: tsml-eval, means of 30 resamples on the first 40 data sets",
}  # fmt: skip

TAIL = """\

## Add a tool

A tool is a function in a file of `benchmarks/boardbench/tools/`, whose first lines name its packages (PEP 723), and `uv` makes its environment:

```text
# /// script
# requires-python = ">=3.12"
# dependencies = ["your-package==1.0"]
# ///
from _serve import from_draws, serve

def your_tool(scores, facts, seed):
    return {"p_better": ...}

TOOLS = {"your tool": your_tool}
if __name__ == "__main__":
    serve(TOOLS)
```

`scores` is a DataFrame (round, player), higher is better, NaN where a score is missing. `facts` has `kind` ("rounds", "folds", "items"), `test_fraction` (of folds, else None) and `clusters` (of items, a name for each, else None). What it returns has any of these
entries, and a tool that raises has refused the board:

| entry | of shape | says |
|---|---|---|
| `p_better` | (player, player) | probability that row is better than column |
| `p_wins` | (player, player) | probability that row beats column in a new round, a tie half a win |
| `apart` | (player, player) | 1 where row is told apart as better, at 95 % |
| `rank_lower`, `rank_upper` | (player,) | 95 % interval of the rank, 1 the best |
| `difference_lower`, `difference_upper` | (player, player) | 95 % interval of row less column |
| `unit` | a word | of differences: "score", "log_odds" or "mean_rank" (more is better) |

`from_draws(draws, unit)` makes most of these from draws (draw, player) of a posterior or a bootstrap. `run.py --tools "your tool" --quick` prints its rows.
"""


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
    return frame[column].to_numpy(float) if column in frame else np.full(len(frame), np.nan)


def _truth(frame, tools):
    rows = []
    for tool in tools:
        own = _of(frame, tool=tool)
        usual = own[~own["board"].isin(APART)]
        equal = _values(_of(own, board="equal players"), "claims")
        claims, wrong = (_values(usual, name) for name in ("claims", "wrong"))
        any_wrong = np.where(np.isnan(claims), np.nan, wrong > 0)
        share = np.nansum(wrong) / np.nansum(claims) if np.nansum(claims) else np.nan
        of = {
            name: mean_error(_values(usual, name))
            for name in ("differences", "ranks", "rank_width", "told", "log_score")
        }
        rows.append(
            [
                tool, str(int(usual["claims"].notna().sum()) if "claims" in usual else 0),
                _number(*of["differences"]), _number(*of["ranks"]),
                _number(of["rank_width"][0], digits=1), _number(of["told"][0]),
                _number(share, digits=3), _number(*mean_error(any_wrong)),
                _number(*of["log_score"], digits=3),
                _number(mean_error(np.where(np.isnan(equal), np.nan, equal > 0))[0]),
                f"{np.median(_values(own, 'cpu')):.2g}" if len(own) else "",
            ]
        )  # fmt: skip
    head = (
        "tool", "boards", "differences", "ranks", "wide", "told apart", "wrong", "a wrong one",
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
        rows.append(row)
    return _table(["tool", *kinds], rows)


def _reliability(frame, tools):
    rows = []
    for tool in tools:
        own = _of(frame, tool=tool)
        own = own[own["board"] != "equal players"]
        parts = [x for x in own.get("reliability", []) if isinstance(x, np.ndarray)]
        if not parts:
            continue
        sums = np.sum(parts, axis=0)
        rows.append(
            [
                tool,
                *(f"{said / n:.2f}, {was / n:.2f} ({n:.0f})" if n else "" for n, said, was in sums),
            ]
        )
    classes = [f"{a:g} to {b:g}" for a, b in itertools.pairwise(BINS)]
    return _table(["tool", *classes], rows)


def _halves(frame, tools, what):
    names = [name for name in boards.REAL if name in set(frame["board"])]
    rows = []
    for tool in tools:
        means = [mean_error(_values(_of(frame, tool=tool, board=n), what))[0] for n in names]
        if np.isnan(means).all():
            continue
        rows.append([tool, *(_number(x, digits=3) for x in [*means, np.nanmean(means)])])
    return _table([what, *names, "mean"], rows)


def _against(frame):
    rows = []
    for one in json.loads(REFERENCE.read_text(encoding="utf-8")):
        for tool, model in SAME_MODEL.items():
            own = _of(frame, tool=tool, board=one["board"], number=0)
            if model != one["model"] or not len(own) or own.iloc[0]["for"] != "simulated":
                continue
            said = own.iloc[0]["answer"]
            low, high = (np.array(one[f"difference_{end}"]) for end in ("lower", "upper"))
            i, j = np.triu_indices(len(low), 1)
            sd = (high - low)[i, j] / 3.92
            ends = [
                np.abs(said[f"difference_{end}"] - np.array(one[f"difference_{end}"]))[i, j] / sd
                for end in ("lower", "upper")
            ]
            p = np.abs(said["p_better"] - np.array(one["p_better"]))[i, j].max()
            rows.append(
                [tool, one["board"], f"{one['max_rhat']:.4f}", f"{one['min_ess']}",
                 _number(p, digits=3), _number(np.max(ends), digits=2)]
            )  # fmt: skip
    head = ("tool", "board", "NUTS: R-hat", "ESS", "P(better)", "ends, sd")
    return _table(head, rows)


def _refused(frame, about):
    lines = []
    if "refused" in frame:
        for tool, of in frame.dropna(subset="refused").groupby("tool", sort=False):
            kinds = ", ".join(f"{n} of {kind}" for kind, n in of["board"].value_counts().items())
            lines.append(f"- {tool}, {kinds}; the first: {of['refused'].iloc[0]}")
    lines += [f"- {name} did not run to its end: {why}" for name, why in about["failed"].items()]
    lines += [f"- {name}: could neither be read nor fetched" for name in about["absent"]]
    return "\n## Refused, or not run\n\n" + ("\n".join(lines) or "Nothing.") + "\n"


def _listed():
    simulated = [
        f"| {kind} | {players} x {rounds} | {WHAT[kind]} |"
        for kind, (_, players, rounds, _) in boards.SIMULATED.items()
    ]
    real = []
    for name in boards.REAL:
        board = boards.real(name)
        size = " x ".join(map(str, board.scores.shape[::-1])) if board else ""
        real.append(f"| {name} | {size} | {WHAT[name]} |")
    return BOARDS.format(simulated="\n".join(simulated), real="\n".join(real))


def page(rows, tools, about):
    """Give the page as Markdown.

    Parameters
    ----------
    rows : list of dict
        One for each tool and board, as run.py scores them.
    tools : list of str
        In the order of the tables.
    about : dict
        How it was run.

    Returns
    -------
    str
        Markdown.
    """
    frame = pd.DataFrame(rows)
    simulated, half = (_of(frame, **{"for": what}) for what in ("simulated", "half"))
    told = about | {
        "last": about["boards"] - 1,
        "quick": "**A quick run, too small to judge by.** " if about["quick"] else "",
        "options": " --quick"
        if about["quick"]
        else f" --boards {about['boards']} --splits {about['splits']} --limit {about['limit']:.0f}",
    }
    parts = [
        HEAD.format(**told), TRUTH, _truth(simulated, tools), KINDS, _kinds(simulated, tools),
        RELIABLE, _reliability(simulated, tools), HALVES.format(**told),
        _halves(half, tools, "rounds"), _halves(half, tools, "leader"), AGAINST, _against(frame),
        _refused(frame, about), _listed(), TAIL,
    ]  # fmt: skip
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)
