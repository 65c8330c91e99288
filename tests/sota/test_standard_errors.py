"""Standard errors of the scores of a board."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import leaderbayes as lb

SOTA = lb.sota


def test_instances_of_each_team():
    """Accuracies on test sets of their own are estimates with binomial errors, and say so."""
    table = pd.DataFrame({"team": list("abc"), "acc": [0.9, 0.8, 0.85], "size": [400, 100, 900]})
    board = SOTA.read_board(table, n="size")
    np.testing.assert_allclose(board["se"], [0.015, 0.04, np.sqrt(0.85 * 0.15 / 900)])
    assert board.attrs["se"] == "sqrt(p (1 - p) / n), n from column 'size'"
    assert "n" not in board.attrs
    # On one test set's size, normal estimates are shrunk almost as counts are.
    rng = np.random.default_rng(5)
    scores = rng.binomial(2000, 0.8, size=100) / 2000
    whole = SOTA.shrink(SOTA.read_board(scores, n=2000))
    same = pd.DataFrame({"score": scores, "size": 2000})
    normal = SOTA.shrink(SOTA.read_board(same, n="size", classes=2))
    sd = np.sqrt(0.8 * 0.2 / 2000)
    assert float(normal["theta_sota"]) == pytest.approx(float(whole["theta_sota"]), abs=0.1 * sd)


def test_variance_of_an_auc():
    """Against binormal scores."""
    rng, draws, a = np.random.default_rng(2), 20_000, 0.8
    high = np.sqrt(2.0) * stats.norm.ppf(a) + rng.normal(size=(draws, 12))
    low = rng.normal(size=(draws, 28))
    won = (high[:, :, None] > low[:, None]).mean(axis=(1, 2))
    table = pd.DataFrame({"score": [a], "size": [40]})
    board = SOTA.read_board(table, n="size", metric="auc", positive_rate=0.3)
    variance = float(board["se"][0]) ** 2
    # The error of a sample variance, by the fourth moment.
    fourth = ((won - won.mean()) ** 4).mean()
    assert won.var() == pytest.approx(variance, abs=4 * np.sqrt((fourth - variance**2) / draws))


ERRORS = pd.DataFrame(
    {"score": [0.5, 1.0, np.nan], "se": [0.1, np.nan, np.nan], "size": [10.0, 10.5, np.nan]}
)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"Give n .--n., the instances .*, or se .--se., .*: a number, or a column"),
        ({"n": 10, "se": 0.1}, "not both"),
        ({"se": 0.0}, "se=0.0"),
        ({"se": "se"}, "column 'se' is empty; a score needs a standard error"),
        ({"n": "size"}, "row 1 .from 0.: column 'size' holds 10.5"),
        ({"n": "sd"}, "no column 'sd'"),
        (
            {"se": 0.1, "metric": "auc", "positive_rate": 0.2},
            "metric='auc' is for AUCs on test sets of n",
        ),
    ],
)
def test_bad_errors(options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        SOTA.read_board(ERRORS, **options)


def test_certain_scores():
    with pytest.raises(lb.LeaderbayesError, match=r"row 1 .*the score 1 has the binomial"):
        SOTA.read_board(ERRORS.assign(size=10), n="size")
