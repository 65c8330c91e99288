"""Win probabilities between the model's and a pair's own record."""

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import minimize
from scipy.special import expit, ndtr

import leaderbayes as lb
from answers.conftest import fit
from conftest import board, cycle, simulate
from leaderbayes._answers.blend import _MASSES, Blend, _left_out, blends
from leaderbayes._answers.parts import pseudo_rounds
from leaderbayes._answers.record import results
from leaderbayes._fits.posterior import Posterior
from votes import draw as draw_votes
from votes import votes_of


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(1)
    return fit(simulate(np.array([1.0, 0.4, 0.0, -1.4]), 6, rng))


def naive_losses(post):
    """Minus the log scores of rounds that are left out, one by one and without any library."""
    board, penalty = post.matches(), pseudo_rounds(post)
    place, weight = board["place"].to_numpy(), np.minimum(post.constant["weight"].to_numpy(), 1.0)
    m, covariance, loss = place.shape[1], np.cov(post.draws.T), np.zeros(len(_MASSES))
    pairs = [(i, j) for i in range(m) for j in range(i + 1, m)]

    def points(row, i, j):
        return 0.5 * (1.0 + np.sign(row[j] - row[i]))

    for k, left in enumerate(place):
        kept = np.arange(len(place)) != k
        others = list(zip(place[kept], weight[kept], strict=True))

        def minus(epp, others=others):
            value = -penalty * np.log(expit(epp) * expit(-epp)).sum() / 2.0
            for row, w in others:
                for i, j in pairs:
                    x, p = points(row, i, j), expit(epp[i] - epp[j])
                    value -= w * (x * np.log(p) + (1.0 - x) * np.log(1.0 - p))
            return value

        epp = minimize(minus, np.zeros(m), tol=1e-10).x
        for i, j in pairs:
            variance = covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j]
            q = expit((epp[i] - epp[j]) / np.sqrt(1.0 + np.pi / 8.0 * variance))
            won = sum(points(row, i, j) for row, _ in others)
            n, x = len(others), points(left, i, j)
            kappa = _MASSES + 2.0 * n / (_MASSES + n)
            p = (kappa * q + won) / (kappa + n)
            loss -= weight[k] * (x * np.log(p) + (1.0 - x) * np.log(1.0 - p))
    return loss


def test_masses_are_as_probable_as_they_predict_rounds_that_are_left_out(made):
    post = Posterior(made)
    np.testing.assert_allclose(_left_out(post), naive_losses(post), rtol=1e-3)
    blend = Blend(post)
    assert blend.weights.sum() == pytest.approx(1.0)
    assert blend.mass == pytest.approx(np.exp(blend.weights @ np.log(_MASSES)))


@pytest.mark.parametrize("players", [3, 4])
def test_is_the_mixture_of_betas(players):
    """With three players, whose results would count twice, of a third less mass where they do."""
    rng = np.random.default_rng(1)
    made = fit(simulate(np.array([1.0, 0.4, 0.0, -1.4][:players]), 6, rng))
    post, found = Posterior(made), lb.win_probability(made, prob=0.8)
    blend, table = Blend(post), results(post)
    share = expit(post.draws[:, 0] - post.draws[:, 2])
    kappa = rng.choice(_MASSES, p=blend.weights, size=(50, len(share)))
    won, lost = table.a[0, 2], table.b[0, 2]
    own = (won + lost) / (kappa + won + lost)
    more = 1.0 + (1.0 - own) / 3.0 if players == 3 else 1.0
    drawn = rng.beta((kappa * share + won + 0.5 * own) / more,
                     (kappa * (1.0 - share) + lost + 0.5 * own) / more)  # fmt: skip
    pair = found.sel(player="p0", opponent="p2")
    assert float(pair["mean"]) == pytest.approx(drawn.mean(), abs=0.002)
    low, high = np.quantile(drawn, [0.1, 0.9])
    assert float(pair["lower"]) == pytest.approx(low, abs=0.02)
    assert float(pair["upper"]) == pytest.approx(high, abs=0.02)
    assert float(pair["better"]) == pytest.approx((drawn > 0.5).mean(), abs=0.02)
    back = found.sel(player="p2", opponent="p0")
    assert float(back["mean"]) == pytest.approx(1.0 - float(pair["mean"]))
    assert float(back["lower"]) == pytest.approx(1.0 - float(pair["upper"]))
    compared = lb.compare(made, "p0", "p2", prob=0.8)
    assert float(compared["win_probability"]) == pytest.approx(float(pair["mean"]))
    assert compared.attrs["note"] == found.attrs["note"]


def test_who_has_no_blend(made):
    two = fit(board([[1, 2, 0, 4.0], [0, 3, 1, 3]]))
    assert lb.win_probability(two).attrs["by"] == "model"
    alone = xr.DataTree.from_dict({"posterior": made["posterior"].to_dataset()})
    assert lb.win_probability(alone).attrs["by"] == "model"
    own = alone.copy()  # somebody's own model, with data that only it knows
    own["observed_data"] = xr.DataTree(xr.Dataset({"y": ("game", np.ones(9))}))
    assert lb.win_probability(own).attrs["by"] == "model"
    assert "note" not in lb.compare(own, "p0", "p1").attrs
    for dt in (two, alone, own):
        with pytest.raises(lb.LeaderbayesError, match="by='model'"):
            lb.win_probability(dt, by="blend")
    assert not blends(
        Posterior(fit(simulate(np.zeros(3), 5, np.random.default_rng(6)), model="round_intercept"))
    )


@pytest.mark.parametrize(
    "options",
    [
        {"model": "plackett_luce"}, {"model": "davidson"}, {"ties": "drop"},
        {"within_round": False}, {"test_fraction": 0.2},
    ],
    ids=lambda options: "-".join(options),
)  # fmt: skip
def test_every_board_has_one(options):
    """With ties, a missing score, and a ring of which no strengths know."""
    scores = cycle().copy()
    scores[0, 0] = np.nan
    scores[:2, 1] = 0.5
    ring = lb.win_probability(fit(scores, **options))
    assert ring.attrs["by"] == "blend"
    assert ((ring["lower"] <= ring["mean"]) & (ring["mean"] <= ring["upper"])).all()
    if options.get("within_round", True):  # across rounds there is no ring
        plain = lb.win_probability(fit(scores, **options), by="model")
        names = {"player": "p0", "opponent": "p1"}
        assert float(ring["mean"].sel(names)) > float(plain["mean"].sel(names)) + 0.15


@pytest.mark.slow
def test_of_one_round_and_of_many_players():
    rng = np.random.default_rng(3)
    one = lb.win_probability(fit(simulate(rng.normal(size=5), 1, rng)))
    assert np.isfinite(one["mean"]).all()
    many = lb.win_probability(fit(simulate(rng.normal(size=160), 12, rng)))
    assert many.attrs["by"] == "blend"
    assert ((many["lower"] <= many["mean"]) & (many["mean"] <= many["upper"])).all()


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
@pytest.mark.parametrize("by", ["record", "auto"])
def test_votes_are_freed_of_who_is_shown_first(by):
    """Players that are alike, one of whom is shown first in nine of ten votes."""
    rng, n = np.random.default_rng(4), 4000
    first = np.where(rng.random(n) < 0.9, 0, rng.integers(1, 4, n))
    second = np.where(first == 0, rng.integers(1, 4, n), 0)
    outcome = (rng.random(n) < expit(0.8)).astype(float)
    votes = votes_of(first, second, outcome, 4)
    found = lb.win_probability(lb.fit(votes, order_effect=True, seed=1), by=by)
    pair = found.sel(player="m0", opponent=["m1", "m2", "m3"])
    assert (abs(pair["mean"] - 0.5) < 0.06).all()
    assert ((pair["lower"] < 0.5) & (pair["upper"] > 0.5)).sum() >= 2


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
def test_votes_of_judges_are_left_out_by_judge():
    rng = np.random.default_rng(2)
    votes = draw_votes(np.linspace(1.0, -1.0, 5), 600, rng, judges=12, spread=0.5)
    found = lb.win_probability(lb.fit(votes, seed=1))
    assert "votes of a pair's head-to-head results" in found.attrs["note"]
    whole = lb.win_probability(lb.fit(votes, seed=1), by="model")
    assert float(abs(found["mean"] - whole["mean"]).max()) < 0.2


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
def test_votes_that_are_counted_blend_as_single_ones():
    """Three players in a ring: a row that stands for many votes is not left out at once."""
    first, second = np.array([0, 1, 2]), np.array([1, 2, 0])
    rows = votes_of(np.r_[first, first], np.r_[second, second], [1, 1, 1, 0, 0, 0], 3)
    rows = rows.assign(weight=("vote", [80.0] * 3 + [20.0] * 3))
    each = np.r_[np.tile([1.0] * 4 + [0.0], 20)]
    single = votes_of(np.repeat(first, 100), np.repeat(second, 100), np.tile(each, 3), 3)
    found = [lb.win_probability(lb.fit(votes, seed=1)) for votes in (rows, single)]
    means = [float(each["mean"].sel(player="m0", opponent="m1")) for each in found]
    assert min(means) > 0.7
    assert means[0] == pytest.approx(means[1], abs=0.03)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
def test_covers_whatever_made_the_board():
    """Gumbel noise, where the model is right, and noise of each player's own scale."""
    rng, m, rounds, boards = np.random.default_rng(5), 10, 40, 12
    covered = {True: [], False: []}
    upper = np.triu_indices(m, 1)
    for seed in range(boards):
        for gumbel, shares in covered.items():
            epp, scale = rng.normal(size=m), np.exp(rng.uniform(-0.8, 0.8, size=m))
            gap, noise = epp[:, None] - epp, rng.gumbel(size=(m, rounds))
            if not gumbel:
                noise = scale[:, None] * rng.normal(size=(m, rounds))
            true = expit(gap) if gumbel else ndtr(gap / np.hypot(scale[:, None], scale))
            win = lb.win_probability(fit(board(epp[:, None] + noise), seed=seed, replicates=1))
            inside = (win["lower"] <= true) & (true <= win["upper"])
            shares.append(inside.to_numpy()[upper].mean())
    for shares in covered.values():
        error = np.std(shares) / np.sqrt(boards)
        assert 0.95 - 3 * error - 0.01 < np.mean(shares) < 0.97 + 3 * error
