"""What settings gain, by group and tournament."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import leaderbayes as lb
from conftest import study_of

GROUPS = {"p0": "a", "p1": "a", "p2": "a", "p3": "b", "p4": "b", "p5": "c"}


def draws(study, tournament):
    return lb.study.select(study, tournament)["posterior"]["epp"].stack(sample=("chain", "draw"))


def test_against_the_definitions(study, tmp_path):
    made = lb.study.tunability(study, GROUPS, default={"a": "p1"}, prob=0.9)
    assert list(made["group"]) == ["a", "b", "c"]
    # Two in the middle of b: the better one.
    assert list(made["default"]) == ["p1", "p3", "p5"]
    assert list(made["player_group"]) == list(GROUPS.values())
    epp = draws(study, "reversed")
    cell = made.sel(tournament="reversed", group="a")
    assert cell["best"] == "p2"
    own = epp.sel(player=["p0", "p1", "p2"])
    beats = {
        player: expit(epp.sel(player=player) - epp.drop_sel(player=player)).mean("player")
        for player in GROUPS
    }
    assert float(cell["best_p_win"]) == pytest.approx(float(beats["p2"].mean()))
    assert float(cell["best_upper"]) == pytest.approx(float(beats["p2"].quantile(0.95)))
    first = (own.argmax("player") == 2).mean()
    assert float(cell["p_best_in_class"]) == pytest.approx(float(first))
    # Of up to 200 of the draws.
    for player, each in beats.items():
        p_win = made["p_win"].sel(tournament="reversed", player=player)
        error = float(each.std()) / np.sqrt(200)
        assert float(p_win) == pytest.approx(float(each.mean()), abs=4.0 * error)
    means = made["p_win"].sel(tournament="reversed", player=["p0", "p1", "p2"])
    assert float(cell["median_p_win"]) == pytest.approx(float(means.median()))
    assert float(cell["spread"]) == pytest.approx(float(np.subtract(*means.quantile([0.75, 0.25]))))
    gap = epp.sel(player="p2") - epp.sel(player="p1")
    assert float(cell["gain"]) == pytest.approx(float(expit(gap).mean()))
    assert float(cell["gain_lower"]) == pytest.approx(float(expit(gap).quantile(0.05)))
    each = expit(own.max("player") - epp.sel(player="p1")).mean()
    assert float(cell["gain_each_draw"]) == pytest.approx(float(each))
    assert (made["gain_each_draw"] >= made["gain"]).sum() == 11
    # A group that took no part.
    absent = made.sel(tournament="three", group="c")
    assert absent["best"] == ""
    assert np.isnan([absent[name] for name in ("best_p_win", "spread", "gain")]).all()
    made.to_netcdf(tmp_path / "made.nc")


def test_default_is_absent_from_a_tournament(study):
    cell = lb.study.tunability(study, dict.fromkeys(GROUPS, "all"), default={"all": "p5"})
    assert np.isnan(cell["gain"].sel(tournament="three", group="all"))
    assert float(cell["best_p_win"].sel(tournament="three", group="all")) > 0.5


def test_choosing_flatters():
    """Thirty equal settings: the chosen one seems to gain, and by draw still more."""
    names = [f"p{i}" for i in range(30)]
    rng = np.random.default_rng(0)
    seen = pd.DataFrame(0.5 * rng.normal(size=(20, 30)), columns=names).rename("t{}".format)
    made = lb.study.tunability(study_of(seen, rng, sd=0.5), dict.fromkeys(names, "all"))
    assert 0.6 < float(made["gain"].mean()) < float(made["gain_each_draw"].mean())


def test_refused(study):
    with pytest.raises(lb.LeaderbayesError, match="player 'p5' has none"):
        lb.study.tunability(study, {k: v for k, v in GROUPS.items() if k != "p5"})
    with pytest.raises(lb.LeaderbayesError, match="no group 'z'; there are a, b, c"):
        lb.study.tunability(study, GROUPS, default={"z": "p0"})
    with pytest.raises(lb.LeaderbayesError, match="'p0' is not in group 'b'"):
        lb.study.tunability(study, GROUPS, default={"b": "p0"})
