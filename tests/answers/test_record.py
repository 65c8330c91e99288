"""A pair's own record: Beta of its own matches, and what it covers where the model does not."""

import numpy as np
import pytest
import xarray as xr
from scipy.special import ndtr
from scipy.stats import beta

import leaderbayes as lb
from conftest import board


def pair(dt, **options):
    return lb.win_probability(dt, by="record", **options).sel(player="p0", opponent="p1")


def test_is_the_beta_of_its_own_matches():
    scores = board([[1, 2, 3, 0.5, 5, np.nan], [0, 1, 3, 1, 4, 3], [9, 0, 9, 0, 9, 9]])
    dt = lb.fit(scores, seed=1)
    found, law = pair(dt, prob=0.9), beta(3.5 + 0.5, 1.5 + 0.5)
    assert (float(found["won"]), float(found["played"])) == (3.5, 5.0)
    assert float(found["mean"]) == pytest.approx(law.mean())
    assert [float(found[end]) for end in ("lower", "upper")] == pytest.approx(law.ppf([0.05, 0.95]))
    assert float(found["better"]) == pytest.approx(law.sf(0.5))
    whole = lb.win_probability(dt, by="record")["mean"].to_numpy()
    np.testing.assert_allclose(whole, 1.0 - whole.T)
    compared = lb.compare(dt, "p0", "p1", prob=0.9)
    assert float(found["tied"]) == 1.0
    for name in ("lower", "upper", "better", "won", "played", "tied"):
        assert float(compared[f"record_{name}"]) == pytest.approx(float(found[name]))
    assert float(compared["record"]) == pytest.approx(float(found["mean"]))


def test_ties_as_in_the_fit():
    tied = board([[1, 2, 2, 0.5], [0, 2, 2, 1.0]])
    dropped = lb.fit(tied, ties="drop", seed=1)
    assert (float(pair(dropped)["won"]), float(pair(dropped)["played"])) == (1.0, 2.0)
    assert float(pair(lb.fit(tied, seed=1))["played"]) == 4.0


def test_a_test_fraction_takes_of_the_matches():
    scores = board(np.stack([np.arange(20.0), np.r_[np.arange(15.0) - 1, np.arange(15, 20) + 1]]))
    dt = lb.fit(scores, test_fraction=0.2, seed=1)
    rho = 2.0 / np.pi * np.arcsin(0.2)
    worth = 1.0 / (1.0 + 20.0 * rho / (1.0 - rho))
    law = beta(15 * worth + 0.5, 5 * worth + 0.5)
    assert float(pair(dt)["lower"]) == pytest.approx(law.ppf(0.025))


def test_across_rounds_varies_as_a_mann_whitney_count():
    rng, size = np.random.default_rng(1), 12
    means = []
    for _ in range(400):
        dt = xr.DataArray(rng.normal(size=(2, size)), dims=("player", "round"))
        means.append(float((dt[0].to_numpy()[:, None] > dt[1].to_numpy()).mean()))
    scores = board(rng.normal(size=(2, size)))
    dt = lb.fit(scores, within_round=False, seed=1)
    found = pair(dt)
    worth = 3.0 / (2 * size + 1.0)
    law = beta(worth * found["won"] + 0.5, worth * (size**2 - found["won"]) + 0.5)
    assert float(found["upper"]) == pytest.approx(float(law.ppf(0.975)))
    # A binomial share of worth * size^2 matches has the standard deviation of the counts' shares.
    sd = 0.5 / np.sqrt(worth * size**2)
    assert np.std(means) == pytest.approx(sd, rel=4.0 / np.sqrt(2 * len(means)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
def test_covers_where_bradley_terry_does_not():
    """Players that each vary as much as they like: by the record 95 % of pairs are covered."""
    rng, m, rounds, boards = np.random.default_rng(3), 10, 40, 12
    covered = {"model": [], "record": []}
    upper = np.triu_indices(m, 1)
    for seed in range(boards):
        scale, epp = np.exp(rng.uniform(-0.8, 0.8, size=m)), rng.normal(size=m)
        scores = board(epp[:, None] + scale[:, None] * rng.normal(size=(m, rounds)))
        true = ndtr((epp[:, None] - epp) / np.hypot(scale[:, None], scale))
        dt = lb.fit(scores, seed=seed, draws=250, replicates=1)
        for by, shares in covered.items():
            win = lb.win_probability(dt, by=by)
            inside = (win["lower"] <= true) & (true <= win["upper"])
            shares.append(inside.to_numpy()[upper].mean())
    by_record = np.array(covered["record"])
    error = by_record.std() / np.sqrt(boards)
    assert 0.95 - 3 * error - 0.01 < by_record.mean() < 0.97 + 3 * error
    assert np.mean(covered["model"]) < 0.9


def test_of_many_tournaments_one_is_asked_for(dt):
    spread = dt["posterior"]["epp"].isel(player=0, drop=True) ** 2
    many = dt.copy()
    many["posterior"] = xr.DataTree(dt["posterior"].to_dataset().assign(epp_spread=spread))
    with pytest.raises(lb.LeaderbayesError, match="select"):
        lb.win_probability(many, by="record")


def test_an_estimate_has_no_record(scores):
    estimate = lb.likelihood.bradley_terry(lb.matches(scores))
    with pytest.raises(lb.LeaderbayesError, match="stores no matches"):
        lb.win_probability(estimate, by="record")
