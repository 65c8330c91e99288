"""A new player placed on a posterior, against the refit of the enlarged board."""

import json

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import simulate

DIMS = ("chain", "draw")
BOARDS = {
    "equal": (5, 10, 0.0, 0.0),
    "best": (5, 10, 2.5, 0.0),
    "half absent": (15, 25, -1.0, 0.5),
    "undefeated": (8, 20, 6.0, 0.0),
}  # players, rounds, strength of the new one, share of its scores that is missing


def enlarged(m, r, strength, missing, seed=1):
    """Board whose last player is new."""
    rng = np.random.default_rng([seed, m])
    scores = simulate([*rng.normal(size=m), strength], r, rng)
    scores[-1] = scores[-1].where(rng.random(r) >= missing)
    return scores


def split(scores):
    """Take the last player off a board."""
    new = scores[-1].rename(str(scores["player"].to_numpy()[-1]))
    return scores[:-1], new.drop_vars("player").dropna("round")


def agree(placed, refit):
    """Means within 0.05 standard deviations and ends within 0.1, beside the Monte Carlo error."""
    worth = placed.attrs.get("ess", placed.attrs["min_ess"]), refit.attrs["min_ess"]
    error = 4.0 * np.sqrt(sum(1.0 / each for each in worth))
    ours, theirs = (dt["posterior"]["epp"] for dt in (placed, refit))
    sd = theirs.std(DIMS)
    assert (abs(ours.mean(DIMS) - theirs.mean(DIMS)) < (0.05 + error) * sd).all()
    # Of an undefeated player deviations have no known error: ends have, 2.1 times a mean's.
    for level in (0.05, 0.95):
        gap = abs(ours.quantile(level, DIMS) - theirs.quantile(level, DIMS))
        assert (gap < (0.1 + 2.1 * error) * sd).all()
    np.testing.assert_allclose(ours.sum("player"), 0.0, atol=1e-9)


@pytest.mark.parametrize("options", [{}, {"weight": 0.3, "ties": "drop", "prior_scale": 1.0}])
@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.filterwarnings("ignore:LB010")
def test_agrees_with_the_refit(name, options):
    scores = enlarged(*BOARDS[name])
    old, new = split(scores)
    options = {"sampler": "laplace", "draws": 2000, "seed": 1, "replicates": 40, **options}
    placed = lb.new_player(lb.fit(old, **options), new, seed=2)
    refit = lb.fit(scores, **options)
    assert placed.attrs["converged"]
    agree(placed, refit)
    assert placed.attrs["weight"] == refit.attrs["weight"]
    scale = [float(dt["posterior"]["epp_scale"].mean()) for dt in (placed, refit)]
    assert scale[0] == pytest.approx(scale[1], rel=0.05)


def test_on_nuts(scores, fitted):
    """Laplace's approximation of the refit is within 0.1 standard deviations of NUTS itself."""
    new = scores[0].drop_vars("player").rename("twin") + 0.3
    placed = lb.new_player(fitted, new, seed=1)
    both = xr.concat([scores, new.expand_dims(player=["twin"])], "player")
    refit = lb.fit(both.assign_attrs(scores.attrs), sampler="laplace", seed=1)
    ours, theirs = (dt["posterior"]["epp"] for dt in (placed, refit))
    error = 3.5 * np.sqrt(1.0 / 400 + 1.0 / 4000)
    assert (abs(ours.mean(DIMS) - theirs.mean(DIMS)) < (0.1 + error) * theirs.std(DIMS)).all()
    assert list(lb.leaderboard(placed).player[:1]) == ["twin"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:LB010")
def test_agrees_with_nuts():
    """Where Laplace's approximation would not do to compare with."""
    scores = enlarged(*BOARDS["undefeated"])
    old, new = split(scores)
    options = {"draws": 2000, "progressbar": False, "replicates": 40}
    placed = lb.new_player(lb.fit(old, seed=1, **options), new, seed=2)
    refit = lb.fit(scores, seed=2, **options)
    agree(placed, refit)


@pytest.fixture(scope="module")
def board():
    return enlarged(6, 12, 0.5, 0.2)


@pytest.fixture(scope="module")
def fit(board):
    return lb.fit(board[:-1], sampler="laplace", seed=1, replicates=100)


@pytest.fixture(scope="module")
def placed(board, fit):
    return lb.new_player(fit, split(board)[1], seed=3)


def test_everything_takes_it(board, fit, placed, tmp_path):
    assert placed.attrs["placed"] == "p6"
    assert set(lb.leaderboard(placed)["player"]) == set(board["player"].to_numpy())
    assert 0.0 < lb.compare(placed, "p6", "p0")["p_better"] < 1.0
    assert 0.0 < float(lb.check(placed)["p_round"]) < 1.0
    assert np.isfinite(lb.loo(placed).elpd)
    assert lb.deviance(placed)["df"] == 15
    xr.testing.assert_identical(placed["constant_data"]["scores"], board.rename("scores"))
    sizes = (dt["posterior_predictive"]["place"].sizes["draw"] for dt in (fit, placed))
    assert len(set(sizes)) == 1
    placed.to_netcdf(tmp_path / "placed.nc")
    assert xr.open_datatree(tmp_path / "placed.nc").attrs["placed"] == "p6"


def test_series_and_seed(board, fit, placed):
    again = lb.new_player(fit, split(board)[1].to_series(), seed=3)
    xr.testing.assert_identical(again["posterior"].to_dataset(), placed["posterior"].to_dataset())


def test_a_row_of_many_tournaments(board):
    """Labels of what it was picked from do no harm."""
    many = board.expand_dims(tournament=["x"]).assign_attrs(board.attrs)
    dt = lb.fit(many[:, :-1], sampler="laplace", draws=100, seed=1)
    new = many.sel(tournament="x", player="p6")
    placed = lb.new_player(dt, new.rename("p6"), seed=1)
    assert list(placed["posterior"]["player"].to_numpy()[-1:]) == ["p6"]
    assert set(placed["constant_data"]["scores"].coords) == {"player", "round"}


def test_two_new_players(board, fit, placed):
    """Placing on what was placed."""
    again = lb.new_player(placed, split(board)[1].rename("twin"), seed=4)
    epp = again["posterior"]["epp"].mean(DIMS)
    assert float(epp[-1]) == pytest.approx(float(epp[-2]), abs=0.1)


def test_across_rounds():
    scores = enlarged(4, 6, 0.0, 0.0)
    old, new = split(scores)
    options = {"sampler": "laplace", "within_round": False, "draws": 2000, "seed": 1}
    placed = lb.new_player(lb.fit(old, **options), new, seed=2)
    agree(placed, lb.fit(scores, **options))


def test_lower_is_better():
    scores = enlarged(5, 10, 3.0, 0.0)
    old, new = split(-scores.assign_attrs(scores.attrs))
    old = old.assign_attrs(scores.attrs | {"higher_is_better": 0})
    placed = lb.new_player(lb.fit(old, sampler="laplace", seed=1), new, seed=2)
    assert lb.leaderboard(placed)["player"][0] == "p5"


@pytest.mark.filterwarnings("ignore:LB010")
def test_a_new_player_that_changes_everything_warns():
    """Beaten once in a hundred, with hardly a draw of the fit that expects it."""
    old = simulate([0.0, 0.0, 0.0], 100, np.random.default_rng(1))
    dt = lb.fit(old, sampler="laplace", draws=100, seed=1, weight=1.0)
    new = old[0].drop_vars("player").rename("new") + 100.0
    with pytest.warns(lb.ConvergenceWarning, match="LB001 .* fit the whole board again"):
        placed = lb.new_player(dt, new, seed=1)
    assert not placed.attrs["converged"]
    assert not lb.leaderboard(placed).attrs["converged"]
    said = json.loads(placed.attrs["warnings"])
    assert [w[:5] for w in said] == ["LB010", "LB001"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.rename("p0"), "player 'p0' already"),
        (lambda s: s.rename(None), "no name"),
        (lambda s: s * np.nan, "has no score"),
        (lambda s: s.assign_coords(round=s["round"].str.replace("0", "x")), "'x' is not one of"),
        (lambda s: s.isel(round=[0, 0]), "two scores"),
        (lambda s: s.expand_dims("tournament"), "DataArray"),
        (lambda s: s.where(s != s[0], np.inf), "infinite"),
    ],
)
def test_bad_scores(board, fit, change, message):
    with xr.set_options(keep_attrs=True), pytest.raises(lb.LeaderbayesError, match=message):
        lb.new_player(fit, change(split(board)[1]))


def test_other_fits(board, fit):
    dt = fit.copy()
    dt.attrs = fit.attrs | {"model": "davidson"}
    with pytest.raises(lb.LeaderbayesError, match="'davidson'"):
        lb.new_player(dt, split(board)[1])
