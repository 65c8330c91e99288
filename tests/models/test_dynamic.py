"""Strengths that walk from period to period: what is read, who improved, what is refused."""

import numpy as np
import pytest

import leaderbayes as lb
import posteriors
from conftest import simulate
from figures import axes
from graphs import AS_IT_STANDS
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
    boards = Posterior(dt).boards()
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
        ({"0": 1}, "no period of the rounds 1, 2"),
        (dict.fromkeys("01234567", 1), "1 periods"),
        ("season", "the period of each round"),
    ],
)
def test_refused(period, message):
    matches = lb.matches(simulate(WAY[0], 8, np.random.default_rng(1)))
    matches = matches.assign_coords(round=list("01234567"))
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.models.dynamic(matches, period=period)


def test_refused_of_votes_and_of_others(dt):
    some = votes(WAY, 60, np.random.default_rng(2))
    with pytest.raises(lb.LeaderbayesError, match="coordinate with each one's period"):
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
