"""Public and private board of one competition."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb

NAMES = [f"team {k}" for k in range(400)]


def boards(theta, gain, sizes, rng, se=None):
    """The same teams on two test sets; on the first they are better by what they gained."""
    made = []
    for probability, n in zip((theta + gain, theta), sizes, strict=True):
        names = NAMES[: len(theta)]
        if se is not None:
            score = pd.Series(probability + n * rng.standard_normal(len(theta)), names)
            made.append(lb.sota.read_board(score, se=n))
        else:
            made.append(lb.sota.read_board(pd.Series(rng.binomial(n, probability) / n, names), n=n))
    return made


CASES = list(product(("narrow", "edge", "estimates"), (0.0, 0.015), (None, 0.0)))
QUICK = {("narrow", 0.0, None), ("edge", 0.015, None), ("estimates", 0.015, None)}


@pytest.mark.parametrize(
    ("kind", "size", "rho"),
    [pytest.param(*case, marks=[pytest.mark.slow] * (case not in QUICK)) for case in CASES],
)
def test_overfitting_is_found_where_it_is(kind, size, rho):
    rng = np.random.default_rng(1)
    held, gap = [], []
    for number in range(30):
        theta = rng.beta(850, 150, 400)
        if kind == "edge":
            theta = 0.9 - 0.05 * np.minimum(rng.gamma(0.5, 1.0, 400), 10.0)
        gain = size * rng.exponential(size=400)
        options = {"se": 1} if kind == "estimates" else {}
        sizes = (0.012, 0.006) if kind == "estimates" else (600, 2400)
        public, private = boards(theta, np.minimum(gain, 0.99 - theta), sizes, rng, **options)
        found = lb.sota.two_looks(public, private, rho=rho, replicates=60, seed=number)
        best = np.argsort(-public.to_numpy(), kind="stable")[: int(found["top"])]
        truth = gain[best].mean() - gain.mean()
        held.append(found["overfitting_lower"] <= truth <= found["overfitting_upper"])
        gap.append(float(found["overfitting"]) - truth)
        assert float(found["drop"]) == pytest.approx(
            float(found["luck"]) + float(found["overfitting"])
        )
    assert np.mean(held) >= 0.8
    assert abs(np.mean(gap)) < 0.002 + 4.0 * np.std(gap) / np.sqrt(30)


def test_what_it_says():
    rng = np.random.default_rng(2)
    theta = rng.beta(850, 150, 400)
    public, private = boards(theta, 0.0, (600, 2400), rng)
    found = lb.sota.two_looks(public, private[::-1][5:], top=20, seed=3, replicates=50)
    again = lb.sota.two_looks(public, private[::-1][5:], top=20, seed=3, replicates=50)
    assert found.identical(again)
    assert (int(found["m"]), int(found["top"])) == (395, 20)
    assert found["promised"] > found["kept"]
    assert found.attrs["winner"] == str(public["team"].to_numpy()[int(np.argmax(public.values))])
    assert "no sign of overfitting" in found.attrs["message"]
    worse, _ = boards(
        theta, np.minimum(0.03 * rng.exponential(size=400), 0.99 - theta), (600, 2400), rng
    )
    said = lb.sota.two_looks(worse, private, seed=1, replicates=50).attrs["message"]
    assert "they overfitted the public test set" in said
    # The other way round those who are best on the private board are worse on the public one.
    back = lb.sota.two_looks(private, worse, seed=1, rho=0.0, replicates=50)
    assert back["overfitting"] < 0.01


def test_refuses():
    scores = pd.Series(0.9 - 0.01 * np.arange(20), NAMES[:20])
    board = lb.sota.read_board(scores, n=1000)
    aucs = lb.sota.read_board(scores, n=1000, metric="auc", positive_rate=0.2)
    estimates = lb.sota.read_board(scores, se=0.01)
    few = lb.sota.read_board(scores[:5], n=1000)
    ranked = lb.sota.read_board(
        pd.Series(scores.to_numpy(), [str(k + 1) for k in range(20)]), n=100
    )
    for pair, message in (
        ((board, estimates), "two boards of accuracies"),
        ((aucs, aucs), "two boards of accuracies"),
        ((board, few), "5 teams are on both boards, such as 'team 0', but at least 10"),
        ((ranked, ranked), "named by their ranks"),
        ((board, scores), "not a board: pass a result of sota.read_board"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=message):
            lb.sota.two_looks(*pair)
    with pytest.raises(lb.LeaderbayesError, match="top=20"):
        lb.sota.two_looks(board, board, top=20)
