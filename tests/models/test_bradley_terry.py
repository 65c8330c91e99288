"""Bradley-Terry's model: rules for ties, centring and replicates."""

from itertools import combinations

import numpy as np
import pytest
from scipy.special import log_expit
from scipy.stats import ks_2samp

import leaderbayes as lb
from graphs import AS_IT_STANDS


def likelihood(model):
    """Log-likelihood by round, of strengths."""
    observed = model.observed_RVs[0]
    epp = model["epp"]
    (graph,) = model.logp(vars=[observed], sum=False)
    (value,) = model.replace_rvs_by_values([epp])
    function = model.compile_fn(
        [value, graph], inputs=model.value_vars, point_fn=True, mode=AS_IT_STANDS
    )
    rng = np.random.default_rng(0)
    point = {k: rng.normal(size=np.shape(v)) for k, v in model.initial_point().items()}
    return function(point)


@pytest.mark.filterwarnings("ignore:LB010")  # without its ties the board falls into groups
@pytest.mark.parametrize("ties", ["half", "drop"])
def test_a_round_is_the_sum_of_its_matches(ties, tied_scores):
    made = lb.models.bradley_terry(lb.matches(tied_scores, ties=ties), weight=0.5)
    b, found = likelihood(made)
    assert b.sum() == pytest.approx(0.0)
    for row, seen in zip(tied_scores.transpose("round", "player").to_numpy(), found, strict=True):
        expected = 0.0
        for i, j in combinations(np.flatnonzero(~np.isnan(row)), 2):
            gap = b[i] - b[j]
            if row[i] == row[j]:
                expected += 0.0 if ties == "drop" else (log_expit(gap) + log_expit(-gap)) / 2.0
            else:
                expected += log_expit(np.sign(row[i] - row[j]) * gap)
        assert seen == pytest.approx(0.5 * expected)


def test_across_rounds_all_matches_count_once(scores):
    matches = lb.matches(scores, within_round=False)
    b, found = likelihood(lb.models.bradley_terry(matches, weight=1.0))
    wins = matches["wins"].to_numpy()
    assert found.sum() == pytest.approx((wins * log_expit(b[:, None] - b)).sum())


@pytest.mark.parametrize("centring", [0.0, 0.4, 1.0])
def test_centring_changes_coordinates_and_not_strengths(centring, scores):
    """Strengths over their scale have one law, whatever is sampled: Student's less its mean."""
    import pymc as pm

    model = lb.models.bradley_terry(lb.matches(scores), weight=1.0, centring=centring)
    with model:
        scale, epp = pm.draw([model["epp_scale"], model["epp"]], 2000, random_seed=2)
    np.testing.assert_allclose(epp.sum(axis=1), 0.0, atol=1e-9)
    law = np.random.default_rng(3).standard_t(4.0, (20_000, 6))
    law -= law.mean(axis=1, keepdims=True)
    for found, expected in zip((epp / scale[:, None]).T, law.T, strict=True):
        assert ks_2samp(found, expected).pvalue > 1e-4


def test_replicates_have_the_boards_players(scores):
    import pymc as pm

    model = lb.models.bradley_terry(lb.matches(scores))
    with model:
        place = pm.draw(model["place"], 3, random_seed=1, mode=AS_IT_STANDS)
    absent = np.isnan(scores.transpose("round", "player").to_numpy())
    for board in place:
        np.testing.assert_array_equal(board == 0, absent)
        np.testing.assert_array_equal(np.sort(board[0]), np.arange(1, 7))
