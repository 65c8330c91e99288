"""Players that make a tournament unlike the others."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import leaderbayes as lb
from conftest import study_of


def table(values):
    """Strengths (tournament, player) by name."""
    rows, columns = np.shape(values)
    return pd.DataFrame(
        values, index=[f"t{t}" for t in range(rows)], columns=[f"p{i}" for i in range(columns)]
    )


def test_reversed_order_is_found(study):
    made = lb.study.unusual(study, prob=0.9)
    assert made.attrs == {"prob": 0.9, "converged": 1, "warnings": "[]"}
    assert list(made["tournament"]) == ["one", "two/2", "three", "reversed"]
    assert float(made["p_reversed"].sel(tournament="reversed")) > 0.99
    assert float(made["p_reversed"].drop_sel(tournament="reversed").max()) < 0.05
    assert float(made["agreement"].sel(tournament="reversed")) < -0.8
    assert (made["agreement_lower"] <= made["agreement"]).all()
    assert (made["agreement"] <= made["agreement_upper"]).all()
    assert np.isnan(made["z"].sel(tournament="three", player="p5"))
    strongest = made["z"].sel(tournament="reversed", player=["p0", "p5"])
    assert float(strongest[0]) < -1.0
    assert float(strongest[1]) > 1.0


def test_values_against_their_definitions(study):
    made = lb.study.unusual(study).sel(tournament="one", player="p1")
    epp = [fit["posterior"]["epp"].sel(player="p1") for fit in study.children.values()]
    assert list(study.children)[2] == "three"
    one, *others = (float(each.mean()) for each in epp)
    assert float(made["difference"]) == pytest.approx(
        one - (sum(others) + _level(study)) / 3.0, abs=1e-4
    )
    one, *others = (float(each.var()) for each in epp)
    # 200 draws know a standard deviation to 5 %.
    assert float(made["difference_sd"]) == pytest.approx(np.sqrt(one + sum(others) / 9.0), rel=0.2)


def _level(study):
    """Two-way least squares, solved at once: players' means and the level of "three"."""
    rows, values = [], []
    names = [f"p{i}" for i in range(6)]
    for name, fit in study.children.items():
        mean = fit["posterior"]["epp"].mean(("chain", "draw"))
        for player in mean["player"].to_numpy():
            row = np.zeros(7)
            row[names.index(player)] = 1.0
            row[6] = -float(name == "three")
            rows.append(row)
            values.append(float(mean.sel(player=player)))
    return float(np.linalg.lstsq(np.array(rows), np.array(values))[0][6])


def test_absent_players_do_not_shift_the_rest():
    strengths = table(np.tile([3.0, 1.0, 0.0, -1.0, -3.0], (4, 1)))
    for t in range(4):
        strengths.iloc[t, t] = np.nan
    made = lb.study.unusual(study_of(strengths, np.random.default_rng(0), sd=1e-3))
    np.testing.assert_allclose(made["difference"].fillna(0.0), 0.0, atol=1e-3)
    assert int(made["z"].isnull().sum()) == 4


@pytest.mark.slow
def test_z_is_standard_normal_where_nothing_is_unusual():
    rng = np.random.default_rng(1)
    mean, sd = 2.0 * rng.normal(size=8), 0.3
    truth = mean + 0.6 * rng.normal(size=(40, 8))
    seen = truth + sd * rng.normal(size=truth.shape)
    made = lb.study.unusual(study_of(table(seen), rng, sd=sd, draws=200))
    z = made["z"].to_numpy()
    assert z.std() == pytest.approx(1.0, abs=0.12)
    assert stats.kstest(z[:, 0], "norm").pvalue > 0.001
    assert np.abs(z).max() < 4.5
    # One player of one tournament moves by eight times that.
    seen[7, 3] += 8.0 * 0.67
    z = lb.study.unusual(study_of(table(seen), rng, sd=sd, draws=200))["z"].to_numpy()
    assert np.unravel_index(np.abs(z).argmax(), z.shape) == (7, 3)
    assert z[7, 3] > 4.5


def test_order_of_names_does_not_matter(study, turned):
    made, again = lb.study.unusual(study), lb.study.unusual(turned)
    xr.testing.assert_allclose(again.sel(tournament=made.tournament, player=made.player), made)


def test_refused(study):
    alone = xr.DataTree.from_dict({"one": study["one"]})
    with pytest.raises(lb.LeaderbayesError, match=r"one tournament \('one'\)"):
        lb.study.unusual(alone)
    with pytest.raises(lb.LeaderbayesError, match=r"prob=1\.5"):
        lb.study.unusual(study, prob=1.5)
