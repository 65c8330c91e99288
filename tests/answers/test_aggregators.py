"""Other ways to sum a board up, by hand."""

import warnings

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._answers.aggregators import aggregators, said_of


def board(values, **attrs):
    m, r = values.shape
    names = {"player": [f"p{i}" for i in range(m)], "round": [f"r{k}" for k in range(r)]}
    return xr.DataArray(
        values, names, dims=("player", "round"), attrs={"higher_is_better": 1, **attrs}
    )


def fit(data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        return lb.fit(data, sampler="laplace", seed=1, progressbar=False, **options)


@pytest.fixture(scope="module")
def values():
    return np.random.default_rng(1).gumbel(size=(5, 12)) + 3.0 + np.arange(5)[:, None] * 0.3


def by_player(table, name):
    names = [f"p{i}" for i in range(table.sizes["player"])]
    return table["value"].sel(aggregator=name, player=names).to_numpy()


def test_each_by_hand(values):
    table = aggregators(fit(board(values)))
    np.testing.assert_allclose(by_player(table, "mean"), values.mean(axis=1))
    np.testing.assert_allclose(by_player(table, "median"), np.median(values, axis=1))
    beaten = (values[:, None] > values).sum(axis=1)
    np.testing.assert_allclose(by_player(table, "Borda"), beaten.sum(axis=1))
    np.testing.assert_allclose(by_player(table, "win rate"), beaten.mean(axis=1) / 4)
    np.testing.assert_allclose(by_player(table, "mean rank"), 5 - beaten.mean(axis=1))
    shown = by_player(table, "geometric mean")
    np.testing.assert_allclose(shown, np.exp(np.log(values).mean(axis=1)))
    places = lb.matches(board(values), pairs=False)
    again = lb.likelihood.plackett_luce(places, pseudo_rounds=1)["epp"]
    np.testing.assert_allclose(by_player(table, "Plackett-Luce"), again, atol=1e-6)
    ranks = table["rank"].to_series().unstack("player")
    assert (ranks.loc["Borda"] == ranks.loc["win rate"]).all()
    assert (ranks.loc["Borda"] == ranks.loc["mean rank"]).all()


def test_losses_are_turned(values):
    one, other = (
        aggregators(fit(board(values))),
        aggregators(fit(board(1.0 / values, higher_is_better=0))),
    )
    names = ["win rate", "Borda", "mean rank", "EPP", "geometric mean"]
    for name in names:
        ranks = (each["rank"].sel(aggregator=name, player=one["player"]) for each in (one, other))
        np.testing.assert_array_equal(*ranks)
    np.testing.assert_allclose(by_player(other, "mean"), (1.0 / values).mean(axis=1))


def test_missing_scores_and_borda():
    values = np.tile([[3.0], [2.0], [1.0]], (1, 12)) + np.zeros((3, 12))
    values[1, :2] = 4.0
    values[0, 4:] = np.nan
    values[1, 3] = 2.5
    table = aggregators(fit(board(values)))
    why = table["why"].sel(aggregator="Borda").item()
    if table["same_leader"].sel(aggregator="Borda") == 0:
        assert "Borda gives p0 nothing for 8 rounds without a score" in why
    beaten = np.nansum([[1.0, 1.0, 2.0, 2.0]]), 4.0
    assert by_player(table, "Borda")[0] == beaten[0]


def test_level_leaders_are_no_disagreement():
    values = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [-1.0, -1.0, -1.0, 2.0]])
    table = aggregators(fit(board(values)))
    assert (table["same_leader"].sel(aggregator=["mean", "median"]) == 1).all()


def test_the_sentence(values):
    said = said_of(aggregators(fit(board(values))))
    assert "p4 leads" in said
    far = values.copy()
    far[4] += 20.0
    said = said_of(aggregators(fit(board(far))))
    assert said.startswith("p4 leads by every one of 8 aggregators (mean, median, mean rank,")


def test_leaders_that_never_met():
    """p1 wins all of its rounds and leads; p3 played hard and easy ones, and has the median."""
    apart = np.full((4, 8), np.nan)
    apart[0, :] = [0.1, 0.2, 0.1, 0.2, 4.0, 5.0, 4.0, 0.1]
    apart[1, :4] = 0.3
    apart[2, :] = [0.2, 0.1, 0.2, 0.1, 5.0, 4.0, 5.0, 0.2]
    apart[3, 4:] = [6.0, 6.0, 3.0, 0.0]
    table = aggregators(fit(board(apart)))
    assert table.attrs["leader"] == "p1"
    said = said_of(table)
    assert "By median another does: p3" in said
    assert "0 of their 0 rounds" not in said
    assert "p1 and it share no round" in said
