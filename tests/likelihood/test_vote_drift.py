"""LB049: what is said of strengths that move, and of which times."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import leaderbayes as lb
from leaderbayes.likelihood._votes import weigh
from votes import votes_of

DATES = pd.date_range("2026-01-01", periods=1500, freq="h").to_numpy()


def moving(move=2.0, n=1500):
    rng = np.random.default_rng(1)
    i = rng.integers(0, 5, n)
    j = (i + rng.integers(1, 5, n)) % 5
    later = np.arange(n) >= n // 2
    eta = 0.3 * (j - i) + move * later * ((i == 3) * 1.0 - (j == 3))
    return votes_of(i, j, rng.random(n) < expit(eta), 5)


def said(votes, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        weigh(votes, **options)
    return [str(each.message) for each in caught if "LB049" in str(each.message)]


@pytest.mark.parametrize(
    ("time", "since"),
    [
        (DATES, "2026-02-01T06:00"),
        (np.arange(1500.0), "750"),
        (DATES.astype("datetime64[D]").astype("datetime64[ns]"), "2026-02-01T00:00"),
        (np.where(np.arange(1500) % 7 == 0, np.datetime64("NaT", "ns"), DATES), "2026-02-01T0"),
    ],
)
def test_times_of_every_kind(time, since):
    (text,) = said(moving().assign_coords(time=("vote", time)))
    assert f"votes before {since}" in text
    assert "most of 'm3', whose log-odds went up by" in text


def test_nothing_is_said():
    assert not said(moving())  # without a time
    assert not said(moving(0.0).assign_coords(time=("vote", DATES)))
    assert not said(moving().assign_coords(time=("vote", np.full(1500, np.nan))))
    assert not said(moving().assign_coords(time=("vote", np.zeros(1500))))


def test_it_is_said_of_estimates_and_fits():
    votes = moving().assign_coords(time=("vote", DATES))
    with pytest.warns(lb.HintWarning, match="LB049 strengths move over time"):
        estimate = lb.likelihood.bradley_terry(votes)
    assert "LB049" in estimate.attrs["warnings"]
    # Half of the rows tell it as well.
    thinned = said(votes.isel(vote=slice(None, None, 2)))
    assert "m3" in thinned[0]
