"""Strengths that walk from period to period: what is read, who improved, what is refused."""

import numpy as np
import pytest

import leaderbayes as lb
import posteriors
from conftest import simulate
from figures import axes
from graphs import AS_IT_STANDS
from leaderbayes._fits.matches import boards_of
from leaderbayes._fits.posterior import Posterior
from votes import votes_of

WAY = [[1.0, 0.5, 0.0, -1.5], [0.2, 1.2, 0.0, -1.4]]


@pytest.fixture(scope="module")
def dt():
    return posteriors.walks(simulate(WAY[0], 8, np.random.default_rng(1)), WAY)


def votes(epp, n, rng):
    """Votes whose time is their period."""
    epp = np.asarray(epp)
    t, i = rng.integers(len(epp), size=n), rng.integers(epp.shape[1], size=n)
    j = (i + rng.integers(1, epp.shape[1], n)) % epp.shape[1]
    won = rng.random(n) < 1.0 / (1.0 + np.exp(epp[t, j] - epp[t, i]))
    made = votes_of(i, j, won.astype(float), epp.shape[1])
    return made.assign_coords(time=("vote", t))


def test_who_improved(dt):
    found = lb.improved(dt).set_index("player")
    change = np.subtract(WAY[1], WAY[0])
    np.testing.assert_allclose(found["change"].sort_index(), change, atol=0.05)
    assert found.index[0] == "p1"
    assert found["p_improved"].sort_index().round().tolist()[:2] == [0.0, 1.0]
    assert (found["change_lower"] < found["change_upper"]).all()
    back = lb.improved(dt, since="s1", until="s0").set_index("player")
    np.testing.assert_allclose(
        back["p_improved"].sort_index(), 1.0 - found["p_improved"].sort_index(), atol=0.05
    )
    assert back.attrs["until"] == "s0"


def test_answers_are_of_the_last_period_and_checks_of_each(dt):
    assert lb.leaderboard(dt)["player"].tolist() == ["p1", "p0", "p2", "p3"]
    boards = boards_of(Posterior(dt))
    assert [board.sizes["round"] for board, _ in boards] == [4, 4]
    for (_, draws), epp in zip(boards, WAY, strict=True):
        np.testing.assert_allclose(draws.mean(axis=0), epp, atol=0.05)
    assert float(lb.deviance(dt)["value"]) > 0.0
    assert lb.loo(dt).n_data_points == 8


def test_trajectories_from_an_anchor(dt):
    ax = axes(lb.plots.trajectories(dt, anchor="p2", scale="elo"))
    lines = {line.get_label(): line.get_ydata() for line in ax.lines}
    assert list(lines["p2"]) == [1000.0, 1000.0]
    points = np.asarray(WAY)[:, 0] - np.asarray(WAY)[:, 2]
    np.testing.assert_allclose(lines["p0"], 1000.0 + 400.0 / np.log(10.0) * points, atol=20.0)
    assert ax.get_ylabel() == "Elo (p2 at 1000), 95% bands"


def test_many_votes_cost_no_more_than_few_that_are_alike():
    """The likelihood of rows that are alike is that of the votes."""
    from leaderbayes.models import _dynamic
    from leaderbayes.models._votes import observe_votes

    some = votes(WAY, 60, np.random.default_rng(2))
    alike = lb.models.dynamic(some)

    def by_vote(found, eta, row):
        return observe_votes(found, {"count": found.rows.votes.n, "weight": found.together.weight},
                             eta[row])  # fmt: skip

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_dynamic, "observe_alike", by_vote)
        each = lb.models.dynamic(some)
    point = alike.initial_point()
    rng = np.random.default_rng(1)
    point = {k: rng.normal(size=np.shape(v)) for k, v in point.items()}
    own, wanted = (
        float(m.compile_logp(m["outcome"], mode=AS_IT_STANDS)(point)) for m in (alike, each)
    )
    assert own == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("period", "message"),
    [
        ("seasons", "coordinate .round,. of the scores, which have 'season'"),
        ({"0": 1}, "lacks the rounds 1, 2"),
        (dict.fromkeys("01234567", 1), "1 periods"),
        ("season", "1 periods"),
    ],
)
def test_refused(period, message):
    matches = lb.matches(simulate(WAY[0], 8, np.random.default_rng(1)))
    matches = matches.assign_coords(round=list("01234567"), season=("round", ["a"] * 8))
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.models.dynamic(matches, period=period)


def test_refused_of_votes_and_of_others(dt):
    some = votes(WAY, 60, np.random.default_rng(2))
    with pytest.raises(lb.LeaderbayesError, match="coordinate of periods"):
        lb.models.dynamic(some.drop_vars("time"))
    with pytest.raises(lb.LeaderbayesError, match="1 periods"):
        lb.models.dynamic(some.assign_coords(time=some["time"] * 0))
    with pytest.raises(lb.LeaderbayesError, match="There is no period '2020'"):
        lb.improved(dt, since="2020")
    with pytest.raises(lb.LeaderbayesError, match="name two periods"):
        lb.improved(dt, since="s1")
    static = posteriors.strengths(simulate(WAY[0], 8, np.random.default_rng(1)), WAY[0])
    for ask in (lb.improved, lb.plots.trajectories):
        with pytest.raises(lb.LeaderbayesError, match="no strengths by period"):
            ask(static)


def test_periods_are_a_column():
    """And 2 comes before 10; a posterior's own scores have them, for another fit."""
    names = ["s10", "s2", "s2", "s10", "s9", "s9", "s2", "s10"]
    table = simulate(WAY[0], 8, np.random.default_rng(1)).to_dataframe("score").reset_index()
    table["season"] = table["round"].map(dict(zip(table["round"].unique(), names, strict=True)))
    scores = lb.read_scores(table, period="season")
    assert scores["period"].to_numpy().tolist() == names
    other = scores.rename(period="when")
    for given, period in ((scores, None), (other, "when"), (other, dict(zip(
        scores["round"].to_numpy(), names, strict=True)))):  # fmt: skip
        model = lb.models.dynamic(lb.matches(given), period=period)
        assert list(model.coords["period"]) == ["s2", "s9", "s10"]
        assert model["period_of_round"].eval().tolist() == [0, 0, 0, 1, 1, 2, 2, 2]
    table = table.pivot(index=["round", "season"], columns="player", values="score").reset_index()
    wide = lb.read_scores(table, round="round", period="season")
    assert wide["period"].to_series().to_dict() == scores["period"].to_series().to_dict()


def test_a_posterior_knows_its_periods(dt):
    assert Posterior(dt).scores["period"].to_numpy().tolist() == ["s0"] * 4 + ["s1"] * 4


@pytest.mark.parametrize("of", ["rounds", "dates", "votes", "judges"])
def test_drift_points_here(of):
    rng = np.random.default_rng(5)
    way = np.linspace([1.5, -1.5, 0.0, 0.0], [-1.5, 1.5, 0.0, 0.0], 24)
    for moves in (True, False):
        epp = way if moves else np.tile(way[12], (24, 1))
        if of in ("votes", "judges"):
            data = votes(epp, 900, rng)
            if of == "judges":
                data = data.assign_coords(judge=("vote", rng.integers(0, 20, 900)))
            dt = lb.fit(data, "bradley_terry", seed=1, draws=200)
        else:
            data = simulate(way[12], 24, rng)
            data = data.copy(data=epp.T + rng.gumbel(size=epp.T.shape))
            if of == "dates":
                data = data.assign_coords(round=[f"2{k:03d}-01-01" for k in range(24)])
            else:
                data = data.assign_coords(period=("round", np.arange(24) // 3))
            dt = lb.fit(data, seed=1, draws=200)
        found = lb.check(dt, draws=20, seed=1)
        assert (float(found["p_drift"]) < 0.01) is moves
        assert found.attrs["note"].endswith("model='dynamic'.") is moves


@pytest.mark.slow
def test_fit():
    way = np.array(WAY)
    fitted = lb.fit(votes(way, 1500, np.random.default_rng(3)), "dynamic", seed=1)
    assert fitted.attrs["converged"]
    np.testing.assert_allclose(
        fitted["posterior"]["epp_period"].mean(("chain", "draw")),
        way - way.mean(axis=1, keepdims=True), atol=0.5,
    )  # fmt: skip
    found = lb.improved(fitted).set_index("player")["p_improved"]
    assert found["m1"] > 0.9 > 0.1 > found["m0"]
    assert "time" in Posterior(fitted).votes.coords
