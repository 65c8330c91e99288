"""Rounds that count by weights, or by categories that count equally."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._numerics.composite_weight import board_weight
from leaderbayes._numerics.mean_score import draw_filled, noise_of
from leaderbayes._numerics.rounds import equal, weighing_of
from leaderbayes._numerics.shrinkage import Prior
from leaderbayes.models._mean_score import _of_items
from leaderbayes.models._scores import prior_of

KINDS = np.repeat(["a", "b", "c"], [12, 5, 3]).astype(object)
SHARES = np.repeat([1 / 36, 1 / 15, 1 / 9], [12, 5, 3])


def scores_of(y, labels=None):
    coords = {"player": [f"p{i}" for i in range(y.shape[1])], "round": [*map(str, range(len(y)))]}
    scores = xr.DataArray(y.T, coords, ("player", "round"))
    return scores if labels is None else scores.assign_coords(round_weight=("round", labels))


@pytest.fixture(scope="module")
def y():
    rng = np.random.default_rng(4)
    lead = rng.normal(size=(3, 4))[np.repeat(np.arange(3), [12, 5, 3])]
    return lead + rng.normal(size=(20, 4)) + rng.normal(size=(20, 1))


def test_scatter_is_the_stratified_variance(y):
    found = weighing_of(KINDS)
    np.testing.assert_allclose(found.weight / found.worth, SHARES)
    assert found.worth == pytest.approx(1.0 / (SHARES**2).sum())
    rows = found.scatter(y) / found.worth
    parts = [y[KINDS == kind] for kind in "abc"]
    wanted = sum(np.cov(part.T) / len(part) for part in parts) / 9.0
    np.testing.assert_allclose(rows.T @ rows, wanted)
    np.testing.assert_allclose(found.means(y)[[0, 13, 19]], [part.mean(0) for part in parts])
    own = np.array([1 / 12, 1 / 5, 1 / 3])  # Satterthwaite, of equal variances
    assert found.df == pytest.approx(own.sum() ** 2 / (own**2 / [11, 4, 2]).sum())


def test_rounds_of_one_weight_are_rounds_without(y):
    for labels in (np.full(20, 7.0), KINDS.copy()):
        labels[:] = labels[0]
        found = weighing_of(labels)
        assert (found.worth, found.df) == (pytest.approx(20.0), pytest.approx(19.0))
        noise, plain = (noise_of(y, weighing=w) for w in (found, None))
        np.testing.assert_allclose(noise.covariance, plain.covariance)
        np.testing.assert_allclose(found.scatter(y), equal(20).scatter(y))


def test_a_category_of_one_round_varies_as_the_others_do(y):
    labels = np.array([*"aaaabbbbc"], object)
    found, others = weighing_of(labels), weighing_of(labels[:8])
    z, w = found.scatter(y[:9]), found.weight
    assert not z[8].any()
    factor = (w**2).sum() / (w[:8] ** 2).sum() * (w[0] / others.weight[0]) ** 2
    wanted = 4.0 * factor * (np.cov(y[:4].T) + np.cov(y[4:8].T))
    np.testing.assert_allclose(z[:8].T @ z[:8], wanted)
    assert found.df == pytest.approx(6.0)
    assert weighing_of(np.array([*"abcd"], object)).df == pytest.approx(3.0)


def test_means_are_of_categories(y):
    kinds = {str(k): kind for k, kind in enumerate(KINDS)}
    dt = lb.fit(scores_of(y), "mean_score", round_weight=kinds, prior_scale=np.inf, seed=1)
    table = lb.leaderboard(dt).set_index("player")
    wanted = pd.Series(SHARES @ y, [f"p{i}" for i in range(4)])
    pd.testing.assert_series_equal(table["observed"].sort_index(), wanted, check_names=False)
    np.testing.assert_allclose(table["score"].sort_index(), wanted, atol=0.03)
    said = "3 categories of rounds count equally: 20 rounds are worth 14.6 equal ones."
    assert table.attrs["estimand"] == lb.groups(dt).attrs["estimand"] == said
    assert said in lb.leaderboard(dt, columns="publish").attrs["note"]
    assert "log_likelihood" not in dt.children
    assert " ".join(str(lb.report.text(dt)).split()).count(said) == 2
    assert said in lb.report.latex(dt)
    assert lb.influence(dt)["round"][0] in ("17", "18", "19")  # the three that weigh most


@pytest.mark.parametrize("model", ["bradley_terry", "davidson", "plackett_luce"])
def test_matches_are_weighed_and_so_is_the_blend(model, y):
    scores = scores_of(y, KINDS)
    dt = lb.fit(scores, model, seed=1)
    weighing, plain = weighing_of(KINDS), lb.fit(scores.drop_vars("round_weight"), model, seed=1)
    weight = dt["constant_data"]["weight"].to_numpy()
    each = weight / weighing.weight
    np.testing.assert_allclose(each, each[0])
    gap, before = (fit["posterior"]["epp"].std(("chain", "draw")).mean() for fit in (dt, plain))
    assert 1.0 < gap / before < 1.6  # 20 rounds are worth 14.6
    built = getattr(lb.models, model)(lb.matches(scores))
    np.testing.assert_allclose(built["weight"].eval(), weight)
    np.testing.assert_allclose(built["round_weight"].eval(), weighing.weight)
    pair = lb.win_probability(dt, by="record").sel(player="p0", opponent="p1")
    won = (y[:, 0] > y[:, 1]) @ weighing.weight
    assert float(pair["won"]) == pytest.approx(won)
    assert float(pair["worth"] * pair["played"]) == pytest.approx(weighing.worth)
    assert np.isfinite(lb.win_probability(dt)["mean"]).all()


def test_composite_weights_of_equal_rounds(y):
    place = lb.matches(scores_of(y))["place"].to_numpy()
    rules = {"within_round": True, "ties": "half"}
    same = board_weight(place, **rules, weighing=weighing_of(np.full(20, 0.3)))
    np.testing.assert_allclose(same, board_weight(place, **rules))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"x": 1.0}, "no round 'x'"),
        ({"3": -1.0, "4": np.inf}, "of '3', '4' must be numbers above 0"),
        ({"3": "a"}, "of '3' must be numbers"),
        ({"3": 1e9}, "nearly all weight is on one round"),
    ],
)
def test_bad_weights_are_listed(change, said, y):
    given = {str(k): 1.0 for k in range(20)} | change
    with pytest.raises(lb.LeaderbayesError, match=said):
        lb.fit(scores_of(y), "mean_score", round_weight=given)


def test_what_has_no_weights(y):
    scores = scores_of(y, KINDS)
    with pytest.raises(lb.LeaderbayesError, match=r"'0', '1', .* without a weight; no round 'x'"):
        lb.fit(scores_of(y), "mean_score", round_weight={"x": 1.0})
    with pytest.raises(lb.LeaderbayesError, match=r"not a coordinate .* have 'round'"):
        lb.fit(scores_of(y), "mean_score", round_weight="family")
    with pytest.raises(lb.LeaderbayesError, match="has no weights of rounds: use model='bradley"):
        lb.fit(scores, "round_intercept")
    with pytest.raises(lb.LeaderbayesError, match="within_round=True"):
        lb.models.bradley_terry(lb.matches(scores, within_round=False))
    with pytest.raises(lb.LeaderbayesError, match="for means, not for statistic='median'"):
        lb.fit(scores, "mean_score", options={"statistic": "median"})
    with pytest.raises(lb.LeaderbayesError, match="no weights of rounds"):
        lb.fit(scores, "mean_score", sampler="nutpie")
    with pytest.raises(lb.LeaderbayesError, match="votes have no rounds"):
        lb.fit(xr.Dataset(), round_weight="w")


def test_the_reader_and_the_command_read_a_column(y):
    long = scores_of(y, KINDS).to_dataframe("score").reset_index()
    found = lb.read_scores(long.rename(columns={"round_weight": "family"}), round_weight="family")
    assert found["round_weight"].to_numpy().tolist() == KINDS.tolist()
    numbers = lb.read_scores(long.assign(w=long["round"].astype(int) + 0.5), round_weight="w")
    assert lb.fit(numbers, "mean_score", seed=1)["constant_data"]["round_weight"].dtype == float


def covered(drawn, truth):
    i, j = np.triu_indices(len(truth), 1)
    low, high = np.quantile(drawn[:, i] - drawn[:, j], [0.025, 0.975], axis=0)
    return ((low <= truth[i] - truth[j]) & (truth[i] - truth[j] <= high)).mean()


@pytest.mark.slow
@pytest.mark.parametrize("items", [False, True])
def test_intervals_of_weighted_means_hold(items):
    """Three categories of 30, 8 and 5 rounds, whose players and noise differ."""
    rng, found, boards = np.random.default_rng(8), [], 200
    kind = np.repeat([0, 1, 2], [30, 8, 5])
    for _ in range(boards):
        lead = rng.normal(0.0, 0.7, 5) + rng.normal(0.0, 0.7, (3, 5))
        if items:
            p = 1.0 / (1.0 + np.exp(-1.0 - lead))
            y, truth = (rng.random((43, 5)) < p[kind]).astype(float), p.mean(axis=0)
            scores = scores_of(y, np.array([*"abc"], object)[kind])
            drawn = _of_items(scores, 1000, 0.0, prior_of(1.0), rng)["score"][1]
        else:
            y = lead[kind] + rng.normal(size=(43, 5)) * np.array([0.7, 1.0, 1.4])[kind, None]
            truth, weighing = lead.mean(axis=0), weighing_of(kind.astype(str).astype(object))
            drawn = draw_filled(y, 1000, 0.0, Prior(3.0, 0.1), rng, weighing)[0].mean
        found.append(covered(drawn, truth))
    assert 0.925 < np.mean(found) < 0.975
