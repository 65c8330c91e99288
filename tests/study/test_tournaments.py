"""Tournaments of a study, by their names."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
import posteriors
from conftest import TRUTH, tree
from leaderbayes.study._tournaments import fits_of, tournaments_of


def test_fits_of_a_study(study):
    fits = dict(fits_of(study))
    assert list(fits) == ["one", "two/2", "three", "reversed"]
    assert fits["two/2"].identical(lb.study.select(study, "two/2"))
    assert list(lb.leaderboard(fits["three"])["player"]) == ["p0", "p1", "p2", "p3", "p4"]
    # Without the attribute, by the name of the node.
    plain = xr.DataTree.from_dict({"x": tree(np.zeros((1, 2, 3)))})
    assert list(dict(fits_of(plain))) == ["x"]
    with pytest.raises(lb.LeaderbayesError, match="no tournament 'won'; did you mean 'one'"):
        lb.study.select(study, "won")


def test_a_name_that_is_there_twice_is_refused(study):
    twice = study.copy()
    twice["three"].attrs = study["three"].attrs | {"tournament": "one"}
    with pytest.raises(lb.LeaderbayesError, match="tournament 'one' twice"):
        tournaments_of(twice)


def test_what_is_no_study(study):
    with pytest.raises(lb.LeaderbayesError, match="no tournaments: use one"):
        tournaments_of(xr.DataTree())
    with pytest.raises(lb.LeaderbayesError, match="'x' in the study is not a fit"):
        tournaments_of(xr.DataTree.from_dict({"x": xr.Dataset({"y": 1.0})}))
    with pytest.raises(lb.LeaderbayesError, match="'one' is about one tournament: use a study"):
        tournaments_of(study["one"])


@pytest.fixture(scope="module")
def several(tournaments):
    """A posterior of several tournaments, whose rounds weigh differently by tournament."""
    made = posteriors.tournaments(tournaments, TRUTH)
    made["constant_data"]["weight"][:] = np.repeat(np.linspace(0.3, 0.5, 6), 12)
    return made


def test_one_of_a_fit_of_several(several, tournaments):
    fits = dict(fits_of(several))
    assert list(fits) == [f"data {t}" for t in range(6)]
    fit = fits["data 1"]
    assert fit["posterior"]["player"].to_numpy().tolist() == ["p0", "p1", "p2", "p3"]
    drawn = several["posterior"]["epp_tournament"].sel(tournament="data 1")
    np.testing.assert_array_equal(fit["posterior"]["epp"], drawn[..., :4])
    own = lb.matches(tournaments.sel(tournament="data 1", drop=True).dropna("player", how="all"))
    assert fit["observed_data"]["round"].to_numpy().tolist() == own["round"].to_numpy().tolist()
    xr.testing.assert_equal(
        fit["observed_data"]["place"].drop_vars(("player", "round")),
        own["place"].transpose("round", "player").drop_vars(("player", "round")),
    )
    np.testing.assert_allclose(fit["constant_data"]["weight"], 0.34)
    # Any answer takes it as a fit of one board.
    assert len(lb.leaderboard(fit)) == 4
    assert int(lb.deviance(fit)["df"]) == 3
    assert 0.0 <= float(lb.check(fit, draws=20, seed=1)["p_value"]) <= 1.0
    assert lb.study.compare(several, draws=5)["players"].tolist() == [5, 4, 5, 5, 5, 5]
    assert lb.study.average(several, of="rank").sizes == {"tournament": 6, "player": 5}
