"""The table of docs/arviz.md: calls do what it says, on a posterior of each kind."""

import re
import warnings
from functools import cache
from pathlib import Path

import arviz as az
import numpy as np
import pytest

import leaderbayes as lb
import votes
from leaderbayes.models._registry import FITTED

PAGE = Path(__file__).parents[2] / "docs" / "arviz.md"
COLUMNS = ("matches", "rankings", "votes", "means", "items", "data sets", "board")
TEXT = PAGE.read_text(encoding="utf-8")
ROW = re.compile(r"^\| `((?:az|lb)\..+?)` " + r"\| (yes|no) " * len(COLUMNS), re.MULTILINE)
EVERYWHERE = [(call, *["yes"] * len(COLUMNS)) for call in re.findall(r"^- `(az\..+?)`", TEXT, re.M)]
# What errors say, where a call does not work.
REASONS = re.findall(r'"([^"]+)"(?=[,:])', "".join(re.findall(r'^- ".*', TEXT, re.M)))
# Column of the table, model, and its options.
KINDS = {
    "bradley_terry": ("matches", "bradley_terry", {}),
    "davidson": ("matches", "davidson", {}),
    "dynamic": ("matches", "dynamic", {}),
    "tournaments": ("matches", "tournaments", {}),
    "plackett_luce": ("rankings", "plackett_luce", {}),
    "round_intercept": ("rankings", "round_intercept", {}),
    "weight 1": ("rankings", "bradley_terry", {"weight": 1.0}),
    "dynamic, weight 1": ("rankings", "dynamic", {"weight": 1.0}),
    "votes": ("votes", "bradley_terry", {}),
    "votes with ties": ("votes", "davidson", {}),
    "mean_score": ("means", "mean_score", {}),
    "rasch": ("means", "rasch", {}),
    "items": ("items", "mean_score", {}),
    "score_tournaments": ("data sets", "score_tournaments", {}),
    "sota": ("board", "", {}),
}
# Outcomes of pairs are no place of one player: said in the row's note.
EXCEPT = {("round_intercept", "az.plot_loo_pit(dt.sel(player=player))")}
QUICK = {"bradley_terry", "votes", "mean_score", "sota"}
TABLE = [
    pytest.param(
        call, kind, cells[COLUMNS.index(column)] == "yes" and (kind, call) not in EXCEPT,
        id=f"{kind}: {call}", marks=[] if kind in QUICK else pytest.mark.slow,
    )
    for calls, *cells in [*EVERYWHERE, *ROW.findall(TEXT)]
    for call in calls.split("`, `")
    for kind, (column, *_) in KINDS.items()
]  # fmt: skip


@pytest.fixture(scope="module")
def posterior(scores, tied_scores, tournaments, mistakes):
    """Fit a small board of a kind, with a replicate for each draw."""
    epp, rng = np.array([0.8, 0.2, 0.0, -1.0]), np.random.default_rng(1)
    items = mistakes.isel(tournament=0, drop=True)
    seasons = scores.assign_coords(period=("round", np.arange(10) // 5))
    boards = {
        "davidson": tied_scores,
        "tournaments": tournaments,
        # Complete: without the missing score, and the tournament without a player.
        "score_tournaments": tournaments.isel(round=slice(4, None), tournament=[0, 2, 3, 4]),
        "mean_score": scores.dropna("round"),
        "items": items,
        "rasch": items,
        "dynamic": seasons,
        "dynamic, weight 1": seasons,
        "votes": votes.draw(epp, 400, rng, judges=12, spread=0.3),
        "votes with ties": votes.draw(epp, 400, rng, judges=12, ties=0.3),
    }

    @cache
    def fit(kind):
        if kind == "sota":
            board = lb.sota.read_board([0.93, 0.92, 0.91, 0.9, 0.88, 0.87], n=200)
            return lb.sota.posterior(board, draws=25, seed=1)
        _, model, options = KINDS[kind]
        return lb.fit(
            boards.get(kind, scores), model, draws=100, replicates=400, seed=1, progressbar=False,
            prior=kind != "items", **options,
        )  # fmt: skip

    def quietly(kind):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            return fit(kind)

    return quietly


def test_no_row_is_passed_over():
    cells = [line.split(" | ")[0] for line in TEXT.splitlines() if line[:3] in ("| `", "- `")]
    calls = sum(len(re.findall(r"`(az|lb)\.", cell)) for cell in cells)
    assert calls * len(KINDS) == len(TABLE) > 200
    assert {model for _, model, _ in KINDS.values()} == {*FITTED, ""}


@pytest.mark.filterwarnings("ignore:LB013")
@pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto")
@pytest.mark.filterwarnings("ignore:Variables (outcome|answer) in")
@pytest.mark.parametrize(("call", "kind", "works"), TABLE)
def test_table(call, kind, works, posterior, monkeypatch):
    monkeypatch.setitem(az.rcParams, "plot.backend", "none")
    dt = posterior(kind)
    name = {"sota": "theta_sota"}.get(kind, "epp" if "epp" in dt["posterior"] else "score")
    player = str(dt["posterior"]["player"][1].item()) if "player" in dt["posterior"] else "p1"
    names = {"az": az, "lb": lb, "dt": dt, "name": name, "player": player}
    if works:
        assert eval(call, names) is not None
    else:
        with pytest.raises(Exception, match="|".join(map(re.escape, REASONS))):
            eval(call, names)
