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

PAGE = Path(__file__).parents[2] / "docs" / "arviz.md"
COLUMNS = ("matches", "rankings", "votes", "means", "items", "data sets", "board")
ROW = re.compile(r"^\| `((?:az|lb)\..+?)` " + r"\| (yes|no) " * len(COLUMNS), re.MULTILINE)
# Column of the table, model, and its options.
KINDS = {
    "bradley_terry": ("matches", "bradley_terry", {}),
    "davidson": ("matches", "davidson", {}),
    "tournaments": ("matches", "tournaments", {}),
    "plackett_luce": ("rankings", "plackett_luce", {}),
    "round_intercept": ("rankings", "round_intercept", {}),
    "weight 1": ("rankings", "bradley_terry", {"weight": 1.0}),
    "votes": ("votes", "bradley_terry", {}),
    "votes with ties": ("votes", "davidson", {}),
    "mean_score": ("means", "mean_score", {}),
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
    for call, *cells in ROW.findall(PAGE.read_text(encoding="utf-8"))
    for kind, (column, *_) in KINDS.items()
]  # fmt: skip


@pytest.fixture(scope="module")
def posterior(scores, tied_scores, tournaments, mistakes):
    """Fit a small board of a kind, with a replicate for each draw."""
    epp, rng = np.array([0.8, 0.2, 0.0, -1.0]), np.random.default_rng(1)
    boards = {
        "davidson": tied_scores,
        "tournaments": tournaments,
        "score_tournaments": tournaments.isel(round=slice(4, None)),  # without the missing score
        "mean_score": scores.dropna("round"),
        "items": mistakes.isel(tournament=0, drop=True),
        "votes": votes.draw(epp, 400, rng, judges=12, spread=0.3),
        "votes with ties": votes.draw(epp, 400, rng, judges=12, ties=0.3),
    }

    @cache
    def fit(kind):
        if kind == "sota":
            board = lb.sota.read_board([0.93, 0.92, 0.91, 0.9, 0.88, 0.87], n=200)
            return lb.sota.posterior(board, draws=25, seed=1)
        _, model, options = KINDS[kind]
        dt = lb.fit(
            boards.get(kind, scores), model, draws=100, replicates=400, seed=1, progressbar=False,
            **options,
        )  # fmt: skip
        dt["prior"] = dt["posterior"].copy()  # stands in for what `prior=True` adds
        return dt

    def quietly(kind):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            return fit(kind)

    return quietly


def test_no_row_is_passed_over():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = sum(line.startswith(("| `az.", "| `lb.")) for line in lines)
    assert rows * len(KINDS) == len(TABLE) > 200


@pytest.mark.filterwarnings("ignore:LB013")
@pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto")
@pytest.mark.filterwarnings("ignore:Variables outcome in")
@pytest.mark.parametrize(("call", "kind", "works"), TABLE)
def test_table(call, kind, works, posterior, monkeypatch):
    monkeypatch.setitem(az.rcParams, "plot.backend", "none")
    dt = posterior(kind)
    name = {"sota": "theta_sota"}.get(kind, "epp" if "epp" in dt["posterior"] else "score")
    names = {"az": az, "lb": lb, "dt": dt, "name": name, "player": "p1"}
    if works:
        assert eval(call, names) is not None
    else:
        # No slip of the page.
        with pytest.raises((TypeError, ValueError, LookupError, AttributeError)):
            eval(call, names)
