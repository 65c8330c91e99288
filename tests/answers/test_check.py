"""What fits, what does not, and which pairs and triples."""

import itertools

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from answers.conftest import fit
from conftest import board, cycle, simulate
from leaderbayes._answers.check import _cycles, _largest


def test_repeats_by_its_seed(noise):
    result = lb.check(noise, draws=100, seed=3)
    assert 0.01 < float(result["p_value"]) < 0.99
    xr.testing.assert_identical(result, lb.check(noise, draws=100, seed=3))
    assert result.sizes["draw"] == 100
    assert float(result["p_value"]) == float((result["replicated"] >= result["observed"]).mean())


def test_rejects_a_board_that_does_not_fit(circle):
    result = lb.check(circle, seed=1)
    assert float(result["p_value"]) < 0.01
    assert set(result["triple"].to_numpy()[0]) == {"p0", "p1", "p2"}
    # Of three players each is beaten by one and beats one, by the same.
    assert float(result["pair_gap"].sel(player="p0", opponent="p1")) > 3.0


def test_of_rounds_that_share_training_data():
    """Strengths are spread wider than rounds alone leave them: that is no misfit."""
    scores = lb.datasets.load("classifiers", "diabetes")
    assert 0.05 < float(lb.check(fit(scores, test_fraction=0.2), seed=1)["p_value"]) < 0.95
    assert float(lb.check(fit(cycle(), test_fraction=0.1), seed=1)["p_value"]) < 0.01


def test_gaps_are_opposite_and_of_about_one():
    """Rounds of one match each are independent."""
    rng, squares = np.random.default_rng(3), []
    pairs = list(itertools.combinations(range(6), 2))
    for _ in range(3):
        scores = simulate(rng.normal(0.0, 0.7, 6), 600, rng).to_numpy()
        for k, pair in enumerate(itertools.islice(itertools.cycle(pairs), 600)):
            scores[np.setdiff1d(range(6), pair), k] = np.nan
        gap = lb.check(fit(board(scores), weight=1.0), seed=1)["pair_gap"].to_numpy()
        assert gap == pytest.approx(-gap.T, abs=1e-9, nan_ok=True)
        assert np.isnan(np.diag(gap)).all()
        squares.append(np.nanmean(gap**2))
    # 5 of 15 are taken by the strengths.
    assert np.mean(squares) == pytest.approx(2 / 3, abs=0.35)


def test_cycles_are_all_that_there_are():
    rng = np.random.default_rng(4)
    upper = np.triu(rng.random((7, 7)) ** 0.05, 1)
    flip = np.triu(rng.random((7, 7)) < 0.5, 1)
    better = np.where(flip, upper, np.where(upper > 0.0, 1.0 - upper, 0.0))
    better += np.tril((1.0 - better).T, -1)
    triples, probability = _cycles(better, ~np.eye(7, dtype=bool), 0.8)
    expected = {
        (a, b, c)
        for a, b, c in itertools.permutations(range(7), 3)
        if a == min(a, b, c) and better[a, b] * better[b, c] * better[c, a] >= 0.8
    }
    assert expected
    assert {tuple(t) for t in triples.tolist()} == expected
    assert (np.diff(probability) <= 0.0).all()


def predicted(observed, again, parameter="score"):
    """A posterior with these replicates (draw, round, player) of what was observed."""
    names = {"player": [f"p{i}" for i in range(observed.shape[1])]}
    draws = np.random.default_rng(1).normal(size=(1, len(again), observed.shape[1]))
    dims = ("round", "player")
    return xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset({parameter: (("chain", "draw", "player"), draws)}, names),
            "observed_data": xr.Dataset({"round_score": (dims, observed)}, names),
            "posterior_predictive": xr.Dataset(
                {"round_score": (("chain", "draw", *dims), again[None])}, names
            ),
        }
    )


@pytest.mark.parametrize("missing", [False, True])
def test_one_wild_score_does_not_fit(missing):
    rng = np.random.default_rng(2)
    seen, again = rng.normal(size=(12, 5)), rng.normal(size=(60, 12, 5))
    if missing:
        seen[3, 1] = np.nan
        again[:, 3, 1] = np.nan
    assert 0.02 < float(lb.check(predicted(seen, again))["p_value"]) < 0.98
    seen[0, 0] += 9.0
    assert float(lb.check(predicted(seen, again))["p_value"]) == 0.0


def test_residuals_are_of_two_effects():
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(1, 8, 4))
    effects = 7.0 * rng.normal(size=(1, 8, 1)) + 5.0 * rng.normal(size=(1, 1, 4))
    np.testing.assert_allclose(_largest(noise), _largest(noise + effects))
    incomplete = np.where(np.arange(4) + np.arange(8)[:, None] == 5, np.nan, noise[0])[None]
    np.testing.assert_allclose(_largest(incomplete), _largest(incomplete + effects))
    # What is complete goes by either way.
    whole = _largest(np.concatenate([noise, np.where(np.isnan(incomplete), np.nan, noise)]))
    np.testing.assert_allclose(whole[0], _largest(noise)[0])


def test_a_missing_group_is_named(noise):
    posterior = noise["posterior"].to_dataset().rename(epp="score")
    bare = xr.DataTree.from_dict({"posterior": posterior, "observed_data": xr.Dataset()})
    with pytest.raises(lb.LeaderbayesError, match=r"'posterior_predictive'.*sample_posterior_pred"):
        lb.check(bare)
