"""Rasch's model: players who answered different items."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import check_grad
from scipy.special import expit
from scipy.stats import norm

import leaderbayes as lb
from conftest import board
from graphs import AS_IT_STANDS
from leaderbayes.models import _rasch

FOLDER = Path(__file__).parents[2] / "models" / "rasch"


def simulate(rng, players, items, missing, tilt=0.0):
    """Probabilities and answers (player, item); with a tilt the weak get the easy items."""
    a, d = np.sort(rng.normal(0.5, 0.8, players)), rng.normal(0.0, 1.2, items)
    p = expit(a[:, None] - d)
    answers = (rng.random(p.shape) < p).astype(float)
    gone = expit(
        np.log(missing / (1.0 - missing)) + tilt * d * np.linspace(1, -1, players)[:, None]
    )
    return p, np.where(rng.random(p.shape) < gone, np.nan, answers)


@pytest.fixture(scope="module")
def few():
    """Three players and five items, two answers missing."""
    values = [[1.0, 0, 1, np.nan, 1], [0, 0, 1, 1, 1], [np.nan, 1, 1, 1, 0]]
    return board(np.array(values))


def test_the_model_equals_the_specification(few):
    fast = lb.models.rasch(few)
    slow = runpy.run_path(str(FOLDER / "model.py"))["model"](few.to_numpy())
    logp = [m.compile_logp(mode=AS_IT_STANDS) for m in (slow, fast)]
    rng, gaps = np.random.default_rng(0), []
    for _ in range(5):
        point = {k: rng.normal(size=np.shape(v)) for k, v in fast.initial_point().items()}
        other, (scale, spread) = (
            dict(point),
            (np.exp(point[f"{name}_scale_log__"]) for name in ("ability", "difficulty")),
        )
        other["ability"] = scale * other.pop("ability_unit")
        asked = np.isfinite(few.T.to_numpy())
        level = point["difficulty_level"] + (asked - asked.mean(axis=0)) @ point["selection"]
        other["difficulty"] = level + spread * other.pop("difficulty_unit")
        jacobian = 3 * np.log(scale) + 5 * np.log(spread)
        gaps.append(logp[0](other) + jacobian - logp[1](point))
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-8)


def test_difficulties_are_integrated_out(few):
    problem, rng = _rasch.problem(few), np.random.default_rng(1)
    y = few.transpose("round", "player").to_numpy()
    for _ in range(3):
        a, extra = rng.normal(size=3), rng.normal(size=5)
        level, s = 2.0 * extra[0], 2.0 * _rasch.half_normal_of(extra[1:2], 1.0)[0][0]
        asked = np.isfinite(y)
        levels = level + 2.0 * (asked - asked.mean(axis=0)) @ extra[2:]

        def of(item, level, s=s, a=a):
            there = np.isfinite(item)
            sign = 2.0 * item[there] - 1.0
            return quad(
                lambda d: norm.pdf(d, level, s) * expit(sign * (a[there] - d)).prod(),
                level - 9 * s, level + 9 * s, epsabs=1e-12,
            )[0]  # fmt: skip

        wanted = np.log([of(*each) for each in zip(y, levels, strict=True)])
        found, *_ = problem.target.log_likelihood(a[None], extra[None], True)
        np.testing.assert_allclose(found, wanted.sum(), atol=1e-5)
        drawn = {"ability": a[None], "difficulty_level": [level], "difficulty_scale": [s]}
        drawn |= {"selection": 2.0 * extra[None, 2:], "score": a[None]}
        drawn = {name: np.asarray(value) for name, value in drawn.items()}
        np.testing.assert_allclose(problem.log_likelihood(drawn)[0], wanted, atol=1e-5)

        def value(x):
            return problem.target.log_likelihood(x[None, :3], x[None, 3:], False)[0][0]

        def slope(x):
            _, by_a, by_extra = problem.target.log_likelihood(x[None, :3], x[None, 3:], True)
            return np.append(by_a, by_extra)

        assert check_grad(value, slope, np.append(a, extra)) < 1e-4


def test_difficulties_are_drawn_from_their_posterior():
    """Of one item: by the mean over a fine grid."""
    problem = _rasch.problem(board(np.array([[1.0, 0], [1, 1], [0, 0]])))
    a, x = np.tile([0.3, -0.2, 0.9], (20_000, 1)), np.zeros((20_000, 5))
    drawn = problem.expand(a, x, np.ones(20_000), np.random.default_rng(2))
    s, d = float(drawn["difficulty_scale"][0]), np.linspace(-12.0, 12.0, 4001)
    weight = norm.pdf(d, 0.0, s) * expit(a[0, 0] - d) * expit(a[0, 1] - d) * expit(d - a[0, 2])
    mean = (weight @ d) / weight.sum()
    sd = np.sqrt(weight @ (d - mean) ** 2 / weight.sum())
    assert drawn["difficulty"][:, 0].mean() == pytest.approx(mean, abs=0.03)
    assert drawn["difficulty"][:, 0].std() == pytest.approx(sd, rel=0.03)
    shares = expit(a[:, None] - drawn["difficulty"][:, :, None]).mean(axis=1)
    np.testing.assert_allclose(drawn["score"], shares)


def test_answers_take_it_and_it_finds_what_was_hidden():
    """Two fifths are missing, of the strong easy items and of the weak hard ones."""
    p, answers = simulate(np.random.default_rng(7), 5, 200, 0.4, tilt=1.5)
    scores = board(100.0 * answers)
    dt = lb.fit(scores, "rasch", seed=1, replicates=50)
    assert dt.attrs["converged"]
    shown = lb.leaderboard(dt).set_index("player").loc[scores["player"]]
    seen = np.isfinite(answers).any(axis=0)
    truth = 100.0 * p[:, seen].mean(axis=1)
    assert ((shown["score_lower"] < truth) & (truth < shown["score_upper"])).sum() >= 4
    gap, own = lb.compare(dt, "p4", "p0"), np.nanmean(scores, axis=1)
    low, high = (float(gap[f"difference_{end}"]) for end in ("lower", "upper"))
    assert own[4] - own[0] < low < truth[4] - truth[0] < high
    assert shown.attrs["estimand"].startswith(f"Scores are of all {seen.sum()} items")
    assert lb.tied_for_top(dt)[0] == shown["score"].idxmax()
    assert "abilities of players" in " ".join(str(lb.report.text(dt)).split())
    assert float(lb.check(dt, seed=1)["p_value"]) > 0.01
    assert lb.loo(dt).n_data_points == seen.sum()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda s: s + 0.1 * np.arange(5), "for right or wrong answers, but these have"),
        (lambda s: s * 0.0, "have 1 value, 0 to 0: use"),
        (lambda s: s.where(np.eye(3, 5)[::1] > 0), "share no round|no score"),
        (lambda s: s.assign_coords(round_weight=("round", np.ones(5))), "has no weights"),
    ],
)
def test_bad_input(few, change, said):
    with pytest.raises(lb.LeaderbayesError, match=said):
        lb.fit(change(few), "rasch")


def test_weak_players_with_easy_items_need_no_moves():
    """Newton's method began so far from the mode that it gave up, and moves took minutes."""
    rng = np.random.default_rng(0)
    ability, difficulty = np.array([0.0, 0.5, 1.0, 1.5])[:, None], rng.normal(size=150)
    right = rng.random((4, 150)) < expit(ability - difficulty)
    asked = rng.random((4, 150)) < expit(2.0 * (ability - difficulty - 0.7))
    answers = board(np.where(asked, right, np.nan)).dropna("round", how="all")
    dt = lb.fit(answers, "rasch", seed=1)
    assert (dt.attrs["sampler"], dt.attrs["converged"]) == ("metropolis", 1)
