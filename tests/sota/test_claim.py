"""What a published score is worth, if it is the best of k."""

import re

import numpy as np
import pytest
from scipy import stats

import leaderbayes as lb


def test_one_variant_is_a_binomial():
    found = lb.sota.claim(0.93, n=200)
    exact = stats.beta(186 + 1, 14 + 1)  # flat prior
    assert float(found["theta"]) == pytest.approx(exact.mean(), abs=1e-5)
    ends = [float(found[f"theta_{end}"]) for end in ("lower", "upper")]
    np.testing.assert_allclose(ends, exact.ppf([0.025, 0.975]), atol=2e-4)
    assert float(found["alone"]) == pytest.approx(float(found["theta"]))
    normal = lb.sota.claim(-1.5, se=0.1)
    assert float(normal["theta"]) == pytest.approx(-1.5, abs=1e-4)
    assert float(normal["theta_upper"]) == pytest.approx(-1.304, abs=2e-3)


def test_more_variants_are_worth_less():
    worth = [float(lb.sota.claim(0.931, n=2000, k=k)["theta"]) for k in (1, 3, 27, 1000)]
    assert worth == sorted(worth, reverse=True)
    between = float(lb.sota.claim(0.931, n=2000, k=stats.randint(1, 28))["theta"])
    assert worth[2] < between < worth[0]


def test_all_right_and_all_wrong():
    found = lb.sota.claim(1.0, n=50, k=5)
    assert 0.9 < found["theta_lower"] < found["theta"] < found["theta_upper"] <= 1.0
    assert lb.sota.claim(0.0, n=50, k=5)["theta"] < 0.02


@pytest.mark.parametrize("se", [None, 0.03])
def test_against_simulated_choices(se):
    """By rejection: draw equal variants, keep those whose best scored what was published."""
    rng, n, draws, k = np.random.default_rng(1), 100, 200_000, 9
    theta = rng.random(draws) * 0.3 + 0.7
    if se is None:
        best = rng.binomial(n, theta[:, None], (draws, k)).max(axis=1)
        kept, given = theta[best == 95], {"n": n}
    else:
        best = (theta[:, None] + se * rng.standard_normal((draws, k))).max(axis=1)
        kept, given = theta[abs(best - 0.95) < 0.005], {"se": se}
    found = lb.sota.claim(0.95, k=k, **given)
    error = kept.std() / np.sqrt(len(kept))
    assert float(found["theta"]) == pytest.approx(kept.mean(), abs=4 * error)
    held = [(kept < float(found[f"theta_{end}"])).mean() for end in ("lower", "upper")]
    np.testing.assert_allclose(held, [0.025, 0.975], atol=4 * 0.16 / np.sqrt(len(kept)))


def test_whatever_the_variants_are():
    found = lb.sota.claim(0.93, n=1000, k=20)
    lower, upper = (float(found[f"law_free_{end}"]) for end in ("lower", "upper"))
    # The best of 20 equal ones is as good as that with a 40th; one is as bad with a 40th.
    assert stats.binom.cdf(929, 1000, lower) ** 20 == pytest.approx(0.975, abs=0.003)
    assert stats.binom.cdf(930, 1000, upper) == pytest.approx(0.025, abs=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Give n"),
        ({"n": 100, "se": 0.1}, "Give n"),
        ({"n": 100, "k": 0}, "k=0"),
        ({"n": 100, "k": stats.norm(10, 1)}, "whole number"),
        ({"n": 100, "k": stats.randint(-5, 1)}, "k: its prior must lie from 1"),
        ({"n": 100, "prob": 1.0}, "prob"),
    ],
)
def test_refused(options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.sota.claim(0.93, **options)


def test_small_numbers_have_the_digits_that_their_interval_needs():
    """Four would say that an error of 0.0031 is worth itself, from itself to itself."""
    message = lb.sota.claim(-0.0031, k=5, se=1e-5).attrs["message"]
    lower, upper = map(float, re.search(r"interval (\S+) to (\S+)\)", message).groups())
    assert lower < upper < -0.003


@pytest.mark.parametrize(
    ("k", "said"), [(1, "best of 1 variant,"), (2, "best of 2 variants,"),
                    (stats.randint(1, 51), "best of about 26 variants,")],
)  # fmt: skip
def test_so_many_variants(k, said):
    assert said in lb.sota.claim(0.931, k=k, n=2000).attrs["message"]
