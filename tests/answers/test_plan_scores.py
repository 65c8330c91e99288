"""Plans of mean scores: widths as Student has them, decisions, and what more runs would do."""

import json

import numpy as np
import pytest
from scipy import stats

import leaderbayes as lb
from conftest import board

PAIR = ("p0", "p1")


def fit(scores, **options):
    return lb.fit(scores, "mean_score", seed=1, progressbar=False, **options)


@pytest.fixture(scope="module")
def values():
    rng = np.random.default_rng(4)
    mean = np.array([0.82, 0.8, 0.7, 0.6])
    return mean[:, None] + 0.05 * rng.normal(size=(4, 12)) + 0.1 * rng.normal(size=12)


@pytest.fixture(scope="module")
def flat(values):
    return fit(board(values), prior_scale=np.inf)


@pytest.fixture(scope="module")
def items():
    rng = np.random.default_rng(5)
    ease = rng.normal(size=200)
    ability = np.array([0.6, 0.4, 0.0, -1.0])
    return board(ability[:, None] + ease > rng.logistic(size=(4, 200)))


@pytest.fixture(scope="module")
def answers(items):
    return fit(items)


def test_flat_is_students(values, flat):
    """Rounds of both players as they come: the t-test of all of them."""
    made = lb.plan(flat, PAIR, rounds=(6,), simulations=2000, seed=1)
    rng = np.random.default_rng(6)
    d = values[0] - values[1]
    v = d.var(ddof=1) * 11 / rng.chisquare(11, 20_000)
    truth = d.mean() + np.sqrt(v / 12) * rng.normal(size=20_000)
    new = truth + np.sqrt(v) * rng.normal(size=(6, 20_000))
    every = np.concatenate([np.tile(d[:, None], 20_000), new])
    t = every.mean(axis=0) / (every.std(axis=0, ddof=1) / np.sqrt(18))
    decided = abs(t) > stats.t.ppf(0.95, 17)
    right = decided & ((t > 0) == (truth > 0))
    for name, happened in (("p_decided", decided), ("p_correct", right)):
        p = happened.mean()
        error = np.sqrt(p * (1 - p) * (1 / 2000 + 1 / 20_000))
        assert float(made[name].sel(who="all")[0]) == pytest.approx(p, abs=4.0 * error)
    width = 2.0 * stats.t.ppf(0.975, 17) * every.std(axis=0, ddof=1) / np.sqrt(18)
    np.testing.assert_allclose(made["width"], width.mean(), rtol=0.01)
    assert float(made["width_now"]) == pytest.approx(
        2.0 * stats.t.ppf(0.975, 11) * stats.sem(d), rel=0.1
    )


def test_dataset(flat):
    made = lb.plan(flat, PAIR, rounds=(20, 5), simulations=30, seed=1, width=0.02)
    assert list(made["rounds"].to_numpy()) == [5, 20]
    np.testing.assert_array_equal(made["runs"], [[20, 80], [10, 40]])
    # A difference goes by the two players' scores, whoever else plays.
    np.testing.assert_array_equal(*made["p_decided"].to_numpy())
    now = lb.compare(flat, *PAIR)
    assert float(made["p_now"]) == pytest.approx(max(float(now["p_better"]), float(now["p_worse"])))
    assert made.attrs["unit"] == "round"
    needed = float(made["rounds_for_width"])
    around = lb.plan(flat, PAIR, rounds=(int(needed) - 1, int(needed)), simulations=1, seed=1)
    before, there = around["width"].sel(who="all").to_numpy()
    assert there <= 0.02 < before
    assert f"An interval 0.02 wide takes {needed:.0f} more rounds." in made.attrs["message"]
    assert lb.plan(flat, PAIR, rounds=(5, 20), simulations=30, seed=1, width=0.02).identical(made)


def test_wide_enough_already(flat):
    made = lb.plan(flat, PAIR, rounds=(), simulations=1, seed=1, width=3.0)
    assert float(made["rounds_for_width"]) == 0.0
    assert "narrower than 3 already" in made.attrs["message"]


def test_leader(flat):
    made = lb.plan(flat, rounds=(5, 200), simulations=50, seed=1)
    assert made.attrs["question"] == "p0, the leader, against everybody"
    assert json.loads(made.attrs["contested"]) == ["p0", "p1"]
    all_players, contested = made["p_decided"].to_numpy()
    # Whoever is told apart from everybody is from the contested ones.
    assert (all_players <= contested).all()


@pytest.mark.parametrize("options", [{"prior_scale": np.inf}, {}])
def test_a_loss_is_planned_as_a_gain(items, options):
    other = board(1.0 - items.to_numpy(), higher_is_better=False)
    made, turned = (
        lb.plan(fit(s, **options), PAIR, rounds=(200,), simulations=400, seed=1)
        for s in (items, other)
    )
    np.testing.assert_allclose(made["width"], turned["width"], rtol=0.05)
    for name in ("p_decided", "p_correct"):
        np.testing.assert_allclose(made[name], turned[name], atol=0.14)  # 4 errors


def test_hierarchical_with_missing_scores(values):
    scores = board(values.copy())
    scores[1, :3] = np.nan
    dt = fit(scores, draws=500, replicates=1)
    made = lb.plan(dt, PAIR, rounds=(10, 400), simulations=100, seed=1)
    assert (made["width"].diff("rounds") < 0).all()
    assert float(made["width"][0, 0]) < float(made["width_now"])
    assert float(made["p_correct"][0, 1]) > 0.7
    # With many rounds nothing else counts: the noise of their difference, over all rounds.
    noise = np.std(values[0] - values[1], ddof=1)
    assert float(made["width"][0, 1]) == pytest.approx(2 * 1.96 * noise / 20.4, rel=0.1)


def test_items(items, answers):
    made = lb.plan(answers, PAIR, simulations=50, seed=1, width=0.05)
    assert list(made["rounds"].to_numpy()) == [50, 100, 200, 400, 800]
    assert made.attrs["unit"] == "item"
    d = (items[0] - items[1]).to_numpy()
    # After 800 more: normal, of the discordant ones.
    assert float(made["width"][0, -1]) == pytest.approx(
        2 * 1.96 * d.std() / np.sqrt(1000), rel=0.03
    )
    assert "more items" in made.attrs["message"]
    assert "run_share" not in made


def test_identical_players_have_some_width(items):
    same = board(np.stack([items[0], items[0], items[1]]))
    made = lb.plan(fit(same, prior_scale=np.inf), PAIR, rounds=(200,), simulations=50, seed=1)
    assert 0.0 < float(made["width"][0, 0]) < float(made["width_now"])
    assert float(made["p_decided"][0, 0]) < 0.3


def test_clusters_are_the_unit(items):
    cluster = np.arange(200) // 5
    alike = board(items.to_numpy()[:, cluster]).assign_coords(cluster=("round", cluster))
    dt = fit(alike, prior_scale=np.inf)
    made = lb.plan(dt, PAIR, rounds=(20,), simulations=20, seed=1)
    assert made.attrs["unit"] == "cluster"
    assert int(made["runs"].sel(who="contested")[0]) == 2 * 20 * 5
    d = (items[0] - items[1]).to_numpy()[:40]
    # All items of a cluster say the same: as 60 single ones.
    assert float(made["width"][0, 0]) == pytest.approx(2 * 1.96 * d.std() / np.sqrt(61), rel=0.1)


def test_more_runs_take_away_their_part():
    """Simulated: the width after four times as many runs of the same items."""
    rng = np.random.default_rng(8)
    ease = 2.0 * rng.normal(size=2000)
    p = 1 / (1 + np.exp(-np.array([0.4, 0.0, 0.2])[:, None] - ease - rng.normal(size=(3, 2000))))

    def repeated(runs):
        right = rng.random((runs, *p.shape)) < p
        variance = right.var(axis=0, ddof=1).mean(axis=1)
        scores = board(right.mean(axis=0)).assign_coords(run_variance=("player", variance))
        return scores.assign_attrs(scores.attrs | {"runs": float(runs), "answers": 1})

    few, many = (fit(repeated(k), prior_scale=np.inf) for k in (2, 8))
    made = lb.plan(few, PAIR, rounds=(300,), more_runs=(1, 6), simulations=5, seed=1, width=0.03)
    after = lb.plan(many, PAIR, rounds=(), simulations=5, seed=1)
    now, then = float(made["width_now"]), float(made["width_runs"].sel(more_runs=6))
    assert then < now
    assert then == pytest.approx(float(after["width_now"]), rel=0.12)
    assert float(made["width_any_runs"]) < then
    # Of the difference's variance in an item, which is known to 4 %.
    between = p[0] - p[1]
    noise = (p[:2] * (1 - p[:2])).sum(axis=0).mean() / 2
    share = noise / (noise + between.var())
    assert float(made["run_share"]) == pytest.approx(share, abs=0.1)
    assert int(made["runs"].sel(who="contested")[0]) == 2 * 300 * 2
    assert "is of runs" in made.attrs["message"]
    narrow = lb.plan(few, PAIR, rounds=(), simulations=1, seed=1, width=1e-4)
    assert np.isnan(narrow["runs_for_width"])
    assert np.isfinite(narrow["rounds_for_width"])
    with pytest.raises(lb.LeaderbayesError, match="from 1"):
        lb.plan(few, PAIR, more_runs=(0,))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"width": 0.0}, "above 0"),
        ({"more_runs": (1, 2)}, "run more than once"),
        ({"rounds": (0,)}, "from 1"),
        ({"pair": ("p0", "q")}, "no player 'q'"),
        ({"prob": 0.4}, "above 0.5"),
    ],
)
def test_bad_arguments(flat, arguments, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.plan(flat, **arguments)


def test_refusals(values):
    shared = fit(board(values), prior_scale=np.inf, test_fraction=0.2)
    with pytest.raises(lb.LeaderbayesError, match="test_fraction"):
        lb.plan(shared, PAIR)
    two = fit(board(values[:, :2]), prior_scale=np.inf)
    with pytest.raises(lb.LeaderbayesError, match="Fewer than 3 rounds"):
        lb.plan(two, PAIR)


def test_width_is_of_mean_scores(laplace):
    with pytest.raises(lb.LeaderbayesError, match="metric's unit"):
        lb.plan(laplace, width=0.1)


def test_figure(flat):
    made = lb.plan(flat, PAIR, rounds=(5, 20), simulations=20, seed=1, width=0.03)
    assert lb.plots.plan(made, backend="none") is not None


@pytest.mark.parametrize(
    "options", [{"statistic": "iqm"}, {"statistic": "median"}, {"of": "standardised"}]
)
@pytest.mark.slow
def test_other_functionals_are_planned(options):
    """Widths after further rounds are those of fits of so many, on the mean of some boards."""

    def fitted(rounds, seed):
        rng = np.random.default_rng(seed)
        values = np.array([[0.0], [0.5], [0.9]]) + rng.normal(size=rounds)
        values = values + rng.normal(size=(3, rounds))
        return lb.fit(board(values), "mean_score", seed=1, draws=500, **options)

    planned, found = [], []
    for seed in range(5):
        plan = lb.plan(fitted(20, seed), pair=("p2", "p1"), rounds=[60], simulations=50, seed=1)
        planned.append(float(plan["width"].sel(who="all").squeeze()))
        pair = lb.compare(fitted(80, 100 + seed), "p2", "p1")
        found.append(float(pair["difference_upper"] - pair["difference_lower"]))
    # Of medians an interval's width varies by a third between boards.
    wrong = 0.3 if options.get("statistic") == "median" else 0.15
    assert np.mean(planned) == pytest.approx(np.mean(found), rel=wrong)


def test_a_functional_of_three_rounds_is_not_planned():
    scores = board(np.random.default_rng(1).normal(size=(3, 3)))
    dt = lb.fit(scores, "mean_score", of="standardised", prior_scale=np.inf, seed=1, draws=200)
    with pytest.raises(lb.LeaderbayesError, match="Fewer than 4 rounds"):
        lb.plan(dt)


def test_a_median_of_few_rounds_says_that_its_plan_is_rough():
    values = np.random.default_rng(1).normal(size=(3, 12))

    def said(rounds, statistic):
        dt = lb.fit(
            board(values[:, :rounds]), "mean_score", statistic=statistic, prior_scale=np.inf,
            seed=1, draws=200,
        )  # fmt: skip
        return lb.plan(dt, PAIR, rounds=[5], simulations=2, seed=1).attrs["message"]

    assert "5 rounds say little of how a median varies" in said(5, "median")
    assert "more often wider" in said(5, "median")
    assert "more often wider" not in said(8, "median")
    assert "how an interquartile mean varies" in said(8, "iqm")
    assert "rough" not in said(12, "median")
