"""Mean human scores from a judge's scores of all items and people's of some."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._numerics.items import corrected, pseudo_scores

NAMES = ["a", "b", "c"]


def table(values):
    rounds = [f"q{k}" for k in range(values.shape[1])]
    return xr.DataArray(values, {"player": NAMES, "round": rounds}, ("player", "round"))


@pytest.fixture(scope="module")
def both():
    """Right-or-wrong items, a judge that errs and likes the first player, and 50 labels."""
    rng = np.random.default_rng(3)
    right = rng.random((3, 250)) < np.array([[0.5], [0.65], [0.8]])
    says = np.where(rng.random((3, 250)) < 0.9, right, ~right)
    says[0] |= rng.random(250) < 0.5
    people, judge = table(right.astype(float)), table(says.astype(float))
    return people.isel(round=np.sort(rng.choice(250, 50, replace=False))), judge


def test_means_are_the_judges_and_what_is_left(both):
    people, judge = both
    dt = lb.fit(people, "mean_score", judge=judge, prior_scale=np.inf, seed=1)
    y, f = people.transpose("round", "player"), judge.sel(round=people["round"]).T
    slope = ((f - f.mean("round")) * y).sum() / ((f - f.mean("round")) ** 2).sum()
    wanted = slope * judge.mean("round") + (y - slope * f).mean("round")
    found = dt["posterior"]["score"].mean(("chain", "draw"))
    np.testing.assert_allclose(found, wanted, atol=0.01)
    power = dt["constant_data"]["power"].item()
    assert power == pytest.approx(float(slope))
    human = people.reindex(round=judge["round"]).T.to_numpy()
    pseudo = pseudo_scores(human, judge.T.to_numpy(), power)
    np.testing.assert_allclose(pseudo.mean(axis=0), wanted)
    # As wide as the standard error of double sampling, and narrower than people's scores alone.
    left = (y - slope * f).var("round", ddof=1) / 50 + slope**2 * judge.var("round") / 250
    spread = dt["posterior"]["score"].std(("chain", "draw"))
    assert (abs(spread / np.sqrt(left) - 1.0) < 0.2).all()
    assert (spread < np.sqrt(y.var("round", ddof=1) / 50)).all()


def test_answers_and_words(both):
    people, judge = both
    dt = lb.fit(people, judge=judge, seed=1)
    assert dt.attrs["model"] == "mean_score"
    again = lb.fit(people.reindex(round=judge["round"]), "mean_score", judge=judge, seed=1)
    np.testing.assert_array_equal(dt["posterior"]["score"], again["posterior"]["score"])
    board = lb.leaderboard(dt)
    assert board["player"][0] == "c"
    assert board.attrs["estimand"].startswith("Means of human scores: people scored 50 of 250")
    np.testing.assert_allclose(
        board.set_index("player")["observed"][NAMES], people.mean("round"), atol=1e-12
    )
    assert lb.groups(dt).attrs["estimand"] == board.attrs["estimand"]
    assert len(lb.influence(dt)) > 0
    said = " ".join(str(lb.report.text(dt)).split())
    assert "A mean is the judge's over all items" in said
    assert "Angelopoulos" in said
    assert "missing" not in said


def test_a_judge_that_knows_nothing_counts_for_nothing():
    rng = np.random.default_rng(5)
    y = np.where(rng.random((400, 1)) < 0.5, rng.normal(size=(400, 3)), np.nan)
    drawn, power = corrected(y, rng.normal(7.0, 3.0, (400, 3)), 4000, rng)
    assert power < 0.02
    labelled = np.isfinite(y).sum(axis=0)
    np.testing.assert_allclose(drawn.mean(axis=0), np.nanmean(y, axis=0), atol=0.03)
    wanted = np.sqrt(np.nanvar(y, axis=0, ddof=1) / labelled)
    np.testing.assert_allclose(drawn.std(axis=0), wanted, rtol=0.1)


def test_one_that_is_always_right_still_leaves_doubt():
    y = (np.random.default_rng(6).random((200, 2)) < 0.7).astype(float)
    human = np.where(np.arange(200)[:, None] < 20, y, np.nan)
    drawn, power = corrected(human, y, 4000, np.random.default_rng(1))
    assert power == pytest.approx(1.0)
    np.testing.assert_allclose(drawn.mean(axis=0), y.mean(axis=0), atol=0.01)
    assert (drawn.std(axis=0) > np.sqrt(y.var(axis=0) / 200 + 0.3 / 20**2)).all()


def test_bad_input_is_listed(both):
    people, judge = both
    fit = lambda human, other, **more: lb.fit(human, "mean_score", judge=other, **more)  # noqa: E731
    for other, said in [
        (judge.isel(player=[0, 1]), "player 'c' has no judge's score"),
        (judge.isel(round=slice(9)), (r"round 'q\d+' has no judge's score; .*, and \d+ more")),
        (judge.where(judge["round"] != "q7"), "the judge has no score in round 'q7'"),
        (judge.to_numpy(), "judge is not one"),
    ]:
        with pytest.raises(lb.LeaderbayesError, match=said):
            fit(people, other)
    with pytest.raises(lb.LeaderbayesError, match="fewer than 5 scores of player 'a'; fewer"):
        fit(people.isel(round=[0, 1]), judge)
    with pytest.raises(lb.LeaderbayesError, match="only once: label more"):
        fit(people.where(people.isnull(), 1.0), judge)
    with pytest.raises(
        lb.LeaderbayesError, match="test_fraction, of cannot be combined with judge="
    ):
        fit(people, judge, test_fraction=0.2, options={"of": "share"})
    with pytest.raises(lb.LeaderbayesError, match="has no scores of a judge: use model='mean"):
        lb.fit(people, "bradley_terry", judge=judge)
