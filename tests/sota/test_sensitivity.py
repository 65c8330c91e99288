"""How the answer of a board moves with what one may take for granted."""

import numpy as np
import pytest

import leaderbayes as lb

SMALL = {"draws": 200, "chains": 2, "seed": 1}


@pytest.fixture(scope="module")
def edge():
    """Many teams as good as can be, and a long tail of worse ones: nothing like a beta law."""
    rng = np.random.default_rng(4)
    theta = np.r_[np.full(60, 0.88), 0.88 - rng.exponential(0.06, 60).clip(max=0.3)]
    return lb.sota.read_board(rng.binomial(2000, theta) / 2000, n=2000)


def test_a_law_that_does_not_describe_the_board_is_named(edge):
    with pytest.warns(lb.BoardWarning, match="LB033 the answer moves by more") as said:
        table = lb.sota.sensitivity(edge, laws=["flexible", "beta"], rhos=[], sizes=[], **SMALL)
    assert len(said) == 1  # what the beta law's own posterior says stands in the table
    assert list(table["what"]) == ["base", "law", "rule", "rule"]
    base, beta, shrunk, free = table.to_dict("records")
    assert base["theta_sota"] == pytest.approx(0.88, abs=0.01)
    assert beta["theta_sota"] > base["theta_sota_upper"]
    assert beta["moves"] > 0.5
    assert "LB021" in beta["warnings"]
    assert base["warnings"] == ""
    assert "with law beta the best is" in table.attrs["message"]
    assert "The board speaks against that (LB021)" in table.attrs["message"]
    best = lb.sota.shrink(edge)
    assert shrunk["theta_sota"] == float(best["theta_sota"])
    assert np.isnan([free["theta_sota"], free["moves"], free["teams_above"]]).all()
    assert free["theta_sota_lower"] == float(lb.sota.winner(edge)["theta_sota_lower"])


@pytest.mark.slow
def test_rows_are_what_posterior_says(edge):
    """Another dependence, another n: the same numbers as by hand; and little moves here."""
    with pytest.warns(lb.BoardWarning, match="LB021"):  # of the base
        table = lb.sota.sensitivity(edge, laws=["beta"], rhos=[0.6], sizes=[1000], **SMALL)
    assert table.attrs["seed"] == 1
    by_hand = (
        (edge, {}), (edge, {"rho": 0.6}), (edge.assign_attrs(n=1000), {}),
    )  # fmt: skip
    with pytest.warns(lb.LeaderbayesWarning):
        found = [
            lb.sota.summary(lb.sota.posterior(board, law="beta", **SMALL, **given))
            for board, given in by_hand
        ]
    for name in ("theta_sota", "theta_sota_lower", "theta_sota_upper"):
        assert list(table[name][:3]) == [float(one[name]) for one in found]


@pytest.mark.slow
def test_what_is_asked_by_itself():
    """The lattice names n; else half and twice as many; of standard errors there is no n."""
    score = np.random.default_rng(1).binomial(11_072, 0.9, 30) / 11_072
    board = lb.sota.read_board(np.floor(score * 1e5) / 1e5, n=11_072)
    few = {"draws": 50, "chains": 2, "seed": 1, "laws": ["beta"]}

    def asked(board, **given):
        table = lb.sota.sensitivity(board, **few, **given)
        return [f"{row.what} {row.value}" for row in table.itertuples() if row.what != "rule"]

    assert asked(board) == ["base beta", "rho 0.3", "rho 0.6"]
    assert asked(board.assign_attrs(n=13_840, rho=0.3), rhos=[]) == ["base beta", "n 11072"]
    short = lb.sota.read_board([0.9, 0.88, 0.87], n=100)
    assert asked(short, rhos=[]) == ["base beta", "n 50", "n 200"]
    errors = lb.sota.read_board([0.9, 0.88, 0.87], se=0.01)
    assert asked(errors, rhos=[]) == ["base beta", "se x 1.41", "se x 0.71"]
    table = lb.sota.sensitivity(errors, rhos=[], **few)
    assert list(table["value"][-2:]) == ["x 0.71", "no law"]  # without chance nothing is shrunk


def test_refused():
    short = lb.sota.read_board([0.9, 0.88, 0.87, 0.8, 0.75], n=100)
    for given, message in (
        ({"laws": []}, "laws: give one or more"),
        ({"laws": ["gamma"]}, "law='gamma'"),
        ({"rhos": [1.0]}, "rhos=1.0"),
        ({"sizes": [3]}, "sizes=3"),
        ({"prob": 1.0}, "prob=1.0"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=message):
            lb.sota.sensitivity(short, **{"laws": ["beta"], **given}, draws=10, seed=1)
    with pytest.raises(lb.LeaderbayesError, match="this board has standard errors"):
        lb.sota.sensitivity(
            lb.sota.read_board([0.9, 0.8], se=0.1), sizes=[100], laws=["beta"], seed=1
        )
