"""What parts of a board say, beside estimates of the same parts."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._answers.parts import answered, halves, left_out, not_asked
from leaderbayes._answers.standing import standing_by


@pytest.fixture(scope="module")
def dt():
    values = np.random.default_rng(2).gumbel(size=(6, 12))
    names = {"player": [f"p{i}" for i in range(6)], "round": [f"r{k}" for k in range(12)]}
    scores = xr.DataArray(values, names, attrs={"higher_is_better": 1})
    return lb.fit(scores, seed=1, progressbar=False)


@pytest.mark.parametrize("k", [0, 3, 11])
def test_left_out_is_an_estimate_without_the_round(dt, k):
    standing = standing_by(dt, "round")
    first = str(lb.leaderboard(dt)["player"].iloc[0])
    out = left_out(standing, [str(name) for name in standing.players].index(first), 300)
    penalty = 4.0 / float((dt["posterior"]["epp"] ** 2).mean())
    weight = dt["constant_data"]["weight"]
    some = lb.matches(dt["constant_data"]["scores"].drop_isel(round=k))
    own = lb.likelihood.bradley_terry(some, pseudo_rounds=penalty / float(weight.mean()))
    own = own["epp"].to_series()
    # Who leads by the estimate of all: nobody else is left out of the lead.
    leader = str(standing.players[int(np.argmax(standing.strengths(np.ones(12, dtype=bool))))])
    assert out["lead"].to_numpy()[k] == pytest.approx(
        own[leader] - own.drop(leader).max(), abs=1e-5
    )
    # Of two who are level either may lead.
    assert own[out["leader"].to_numpy()[k]] == pytest.approx(own.max(), abs=1e-5)


def test_of_many_the_largest_are_left_out(dt):
    standing = standing_by(dt, "round")
    out = left_out(standing, 0, 4)
    assert out.sizes["unit"] == 4
    assert "any one of the 4 largest of 12 rounds" in out.attrs["message"] or out.attrs["changed"]


def test_halves_have_no_unit_in_common(dt):
    standing = standing_by(dt, "round")
    seen = []

    def strengths(units):
        seen.append(units.copy())
        return standing.strengths(units)

    made = halves(standing._replace(strengths=strengths), np.random.default_rng(1))
    assert made.sizes["split"] == len(seen) // 2 == 100
    for one, other in zip(seen[::2], seen[1::2], strict=True):
        assert one.sum() == 6
        assert not (one & other).any()
        assert (one | other).all()
    assert made.attrs["p_same_leader"] == float(made["same_leader"].mean())


@pytest.mark.parametrize(("number", "said"), [(1, "there is 1 round"), (2, "there are 2 rounds")])
def test_too_few_units_are_counted_in_words(dt, number, said):
    standing = standing_by(dt, "round")
    few = standing._replace(names=standing.names[:number])
    assert f"Not asked: {said}." in left_out(few, 0, 300).attrs["message"]
    assert f"Not asked: {said}, too few" in halves(few, np.random.default_rng(1)).attrs["message"]


def test_what_is_not_asked_is_no_finding():
    assert not_asked("there are 2 rounds.").attrs == {
        "message": "Not asked: there are 2 rounds.", "found": 0, "applies": 0,
    }  # fmt: skip
    assert answered("So.", True, top=5).attrs == {
        "message": "So.", "found": 1, "applies": 1, "top": 5,
    }  # fmt: skip
