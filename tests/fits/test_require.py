"""What is no fit is refused, and named, by every function of a fit."""

import pytest
import xarray as xr

import leaderbayes as lb


@pytest.mark.parametrize(
    "function",
    [
        lb.leaderboard, lb.win_probability, lb.rank_probability, lb.groups, lb.tied_for_top,
        lb.check, lb.deviance, lb.loo, lb.plan, lb.study.compare, lb.study.average_player,
        lb.study.average_rank,
        lb.report.text, lb.plots.leaderboard, lb.plots.win_rate, lb.plots.deviance,
        lambda given: lb.compare(given, "p0", "p1"), lambda given: lb.p_top(given, 1),
        lambda given: lb.study.select(given, "iris"),
    ],
)  # fmt: skip
def test_what_is_no_fit(function, scores):
    for given, name in (
        (scores, r"scores \(DataArray\)"),
        (lb.matches(scores), r"matches \(Dataset\)"),
        (scores.to_pandas(), "DataFrame"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=f"what leaderbayes.fit returns, not {name}"):
            function(given)
    other = xr.DataTree.from_dict({"posterior": xr.Dataset({"mu": 1.0})})
    with pytest.raises(lb.LeaderbayesError, match=r"no fit of a leaderboard|of model='bradley_te"):
        function(other)
