"""Whether an entry is better than all others."""

import json

import numpy as np
import pytest
import xarray as xr
from scipy.stats import binom, norm

import leaderbayes as lb
import posteriors
from command import call
from leaderbayes.models._sota_completed import luck_of


@pytest.fixture(scope="module")
def few():
    """Twelve teams, the first of which scored highest."""
    right = np.array([465, 452, 450, 447, 440, 438, 437, 436, 430, 425, 420, 410])
    board = lb.sota.read_board(right / 500, n=500)
    return lb.sota.posterior(board, draws=200, seed=1)


def test_draws_are_counted(few):
    theta = few["posterior"]["theta"].to_numpy().reshape(-1, 12)
    found = lb.sota.certify(few, ["0", "4"], prob=0.8)
    other = np.delete(theta, [0, 4], axis=1).max(axis=1)
    assert found.attrs["ours"] == "0"  # which scored higher than the other of ours
    better = (theta[:, 0] > other) + 0.5 * (theta[:, 0] == other)
    assert float(found["p_better"]) == better.mean()
    assert float(found["gain"]) == pytest.approx((theta[:, 0] - other).mean())
    assert float(found["gain_lower"]) == pytest.approx(np.quantile(theta[:, 0] - other, 0.1))
    assert float(found["observed_gain"]) == pytest.approx(13 / 500)
    assert int(found["others"]) == 10
    assert bool(found["claim"]) == (float(found["p_better"]) >= 0.8)


def test_tries_are_weighed_by_the_distribution_of_their_best():
    """Against the posterior on a grid, of one team whose distribution is known."""
    rng, n, x, k = np.random.default_rng(1), 200, 180, 8
    # Uniform thetas: the posterior of one score is a beta distribution.
    theta = np.stack([rng.beta(x + 1, n - x + 1, 20_000), np.full(20_000, 0.88)], axis=1)
    dt = posteriors.teams(n)
    names = {"team": ["ours", "old"]}
    posterior = xr.Dataset(
        {"theta": (("chain", "draw", "team"), theta.reshape(4, 5000, 2)),
         "theta_sota": (("chain", "draw"), theta.max(axis=1).reshape(4, 5000))}, names
    )  # fmt: skip
    constant = dt["constant_data"].to_dataset().isel(team=slice(2)).assign_coords(names)
    constant["score"] = ("team", [x / n, 0.88])
    again = xr.Dataset({"score": posterior["theta"]})
    made = xr.DataTree.from_dict(
        {"posterior": posterior, "constant_data": constant, "posterior_predictive": again}
    )
    grid = np.linspace(0.7, 0.999, 3000)
    best = binom.cdf(x, n, grid) ** k - binom.cdf(x - 1, n, grid) ** k
    expected = best[grid > 0.88].sum() / best.sum()
    found = lb.sota.certify(made, "ours", variants=k)
    assert float(found["p_better"]) == pytest.approx(expected, abs=0.01)
    assert float(found["theta_ours"]) == pytest.approx((grid * best).sum() / best.sum(), abs=5e-4)


@pytest.mark.parametrize("rho", [0.0, 0.5])
def test_distributions_of_a_score(rho, simulated):
    """Given the luck, of counts and of estimates."""
    rng = np.random.default_rng(2)
    _, board = simulated(85.0, 15.0, 6, 400, rho, 0.9, rng)
    dt = lb.sota.posterior(board, rho=rho, theta_0=0.9, draws=40, seed=1)
    scale, given, shared, ease = luck_of(dt)
    below, up_to = scale.up_to(2, given["theta"][:, 2], shared, ease)
    assert ((0.0 <= below) & (below < up_to) & (up_to <= 1.0)).all()
    x = round(float(board[2]) * 400)
    if rho == 0.0:
        np.testing.assert_allclose(up_to, binom.cdf(x, 400, given["theta"][:, 2]), atol=1e-9)
        np.testing.assert_allclose(below, binom.cdf(x - 1, 400, given["theta"][:, 2]), atol=1e-9)
    normal = lb.sota.read_board([0.3, 0.1, 0.2], se=0.05)
    dt = lb.sota.posterior(normal, rho=rho, draws=40, seed=1)
    scale, given, shared, ease = luck_of(dt)
    at = given["theta"][:, 0] + shared * ease * 0.05
    up_to = scale.up_to(0, given["theta"][:, 0], shared, ease)[1]
    expected = norm.cdf(0.3, at, 0.05 * np.sqrt(1.0 - shared**2))
    np.testing.assert_allclose(up_to, expected, atol=1e-9)


def test_more_tries_are_worth_less(few):
    p = [float(lb.sota.certify(few, "0", variants=k)["p_better"]) for k in (1, 3, 10)]
    assert p[0] > p[1] > p[2]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ours": "nobody"}, "no team 'nobody'"),
        ({"ours": [str(k) for k in range(12)]}, "but not all"),
        ({"ours": []}, "name at least one"),
        ({"ours": "0", "variants": 0}, "variants=0"),
        ({"ours": "0", "variants": 10**6}, "variants=1000000 leaves draws worth"),
    ],
)
def test_refused(few, given, words):
    with pytest.raises(lb.LeaderbayesError, match=words):
        lb.sota.certify(few, **given)


def test_other_posteriors_have_no_record(laplace):
    with pytest.raises(lb.LeaderbayesError, match="not a posterior of a board"):
        lb.sota.certify(laplace, "p0")


def test_command(tmp_path):
    rows = "".join(f"t{k},{0.9 - 0.01 * k}\n" for k in range(9))
    (tmp_path / "board.csv").write_text(f"team,score\n{rows}")
    asked = ("sota", "board.csv", "--n", 500, "--ours", "t0", "--variants", 5)
    done = call(*asked, "--sampler", "exact", "--seed", 1, "--draws", 100, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "'t0', the best of 5 tries, is better than the best of 8 others" in done.stdout
    json_ = ("--sampler", "exact", "--seed", 1, "--draws", 100, "--json")
    made = json.loads(call(*asked, *json_, cwd=tmp_path).stdout)
    assert made["certify"]["message"] in done.stdout
    refused = call(*asked, cwd=tmp_path)
    assert refused.returncode == 2
    assert "--ours needs --sampler exact" in refused.stderr
