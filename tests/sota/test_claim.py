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
    np.testing.assert_allclose(ends, exact.ppf([0.025, 0.975]), atol=1e-4)
    assert float(found["alone"]) == float(found["theta"])
    law = stats.beta(90, 10)
    given = lb.sota.claim(0.93, n=200, prior=law)
    assert float(given["theta"]) == pytest.approx((186 + 90) / 300, abs=1e-4)
    normal = lb.sota.claim(-1.5, se=0.1)
    assert float(normal["theta"]) == pytest.approx(-1.5, abs=1e-4)
    assert float(normal["theta_upper"]) == pytest.approx(-1.304, abs=2e-3)


def test_more_variants_are_worth_less():
    worth = [float(lb.sota.claim(0.931, n=2000, k=k)["theta"]) for k in (1, 3, 27, 1000)]
    assert worth == sorted(worth, reverse=True)
    found = lb.sota.claim(0.931, n=2000, k=27)
    assert float(found["optimism"]) == pytest.approx(0.931 - float(found["theta"]))
    # Of a prior between its ends; and where variants share their luck, or differ, worth more.
    between = float(lb.sota.claim(0.931, n=2000, k=stats.randint(1, 28))["theta"])
    assert worth[2] < between < worth[0]
    assert lb.sota.claim(0.931, n=2000, k=27, rho=0.9)["theta"] > worth[2]
    assert lb.sota.claim(0.931, n=2000, k=27, spread=0.01)["theta"] > worth[2]
    wide = float(lb.sota.claim(0.931, n=2000, k=27, spread=0.05)["theta"])
    assert wide == pytest.approx(worth[0], abs=2e-3)
    assert "the best of about 14 variants" in lb.sota.claim(
        0.931, n=2000, k=stats.randint(1, 28)
    ).attrs["message"]  # fmt: skip


def test_all_right():
    found = lb.sota.claim(1.0, n=50, k=5)
    assert 0.9 < found["theta_lower"] < found["theta"] < found["theta_upper"] <= 1.0
    assert lb.sota.claim(0.0, n=50, k=5)["theta"] < 0.02


@pytest.mark.parametrize(("k", "rho", "spread"), [(27, 0.0, 0.0), (9, 0.8, 0.02)])
def test_against_simulated_choices(k, rho, spread):
    """By rejection: draw variants, keep those whose best scored what was published."""
    rng = np.random.default_rng(1)
    n, draws, law = 100, 60_000, stats.beta(90, 10)
    centre = law.rvs(draws, random_state=rng)[:, None]
    theta = np.clip(centre + spread * rng.standard_normal((draws, k)), 0.0, 1.0)
    normal = rho * rng.standard_normal((draws, 1))
    normal = normal + np.sqrt(1.0 - rho**2) * rng.standard_normal((draws, k))
    right = stats.binom.ppf(stats.norm.cdf(normal), n, theta)
    shown = (right + rng.random(right.shape)).argmax(axis=1)
    rows = np.arange(draws)
    kept = theta[rows, shown][right[rows, shown] == 95]
    found = lb.sota.claim(0.95, n=n, k=k, rho=rho, spread=spread, prior=law)
    error = kept.std() / np.sqrt(len(kept))
    assert float(found["theta"]) == pytest.approx(kept.mean(), abs=4 * error)
    ends = [float(found[f"theta_{end}"]) for end in ("lower", "upper")]
    held = [(kept < end).mean() for end in ends]
    np.testing.assert_allclose(held, [0.025, 0.975], atol=4 * 0.16 / np.sqrt(len(kept)))


def test_free_of_laws():
    found = lb.sota.claim(0.93, n=1000, k=20)
    lower, upper = (float(found[f"law_free_{end}"]) for end in ("lower", "upper"))
    # The best of 20 equal ones is as good as that with a 40th; one is as bad with a 40th.
    assert stats.binom.cdf(929, 1000, lower) ** 20 == pytest.approx(0.975, abs=0.003)
    assert stats.binom.cdf(930, 1000, upper) == pytest.approx(0.025, abs=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Give n"),
        ({"n": 100, "se": 0.1}, "Give n"),
        ({"n": 100, "k": 0}, "k=0"),
        ({"n": 100, "k": stats.norm(10, 1)}, "whole numbers"),
        ({"n": 100, "k": stats.randint(-5, 1)}, "k: its prior must lie from 1"),
        ({"n": 100, "rho": 1.0}, r"rho=1\.0"),
        ({"n": 100, "spread": -1.0}, "spread=-1"),
        ({"n": 100, "prior": 0.9}, "frozen from"),
        ({"n": 100, "prior": stats.uniform(2.0, 1.0)}, "prior: it excludes"),
        ({"n": 100, "prob": 1.0}, "prob"),
    ],
)
def test_refuses(options, message):
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
