"""Options that adapters share."""

import inspect

import pytest

import leaderbayes as lb
from leaderbayes._adapters.read import PROGRAMS
from leaderbayes._adapters.tables import check_metric, check_names


def test_options_of_other_programs_are_refused():
    for options, program in (({"splits": ["test"]}, "helm"), ({"clusters": True}, "mteb")):
        with pytest.raises(lb.ScoresError, match=f"Results of {program} have no {min(options)}="):
            lb.read_results("results", program, **options)
    with pytest.raises(lb.LeaderbayesError, match="program='HELM': choose 'amlb'"):
        lb.read_results("results", "HELM")
    options = {name for of in PROGRAMS.values() for name in of.options}
    others = {"source", "program", "max_mb"}
    assert options == {*inspect.signature(lb.read_results).parameters} - others


@pytest.mark.parametrize("given", ["quiz", [], [3], 3, b"x"])
def test_lists_of_names(given):
    with pytest.raises(lb.ScoresError, match=r"tasks=.*must be a list of names; omit it"):
        check_names("tasks", given)
    assert check_names("tasks", None) is None
    assert check_names("tasks", ("a", "b")) == ["a", "b"]


def test_a_metric_is_one_name():
    check_metric(None)
    with pytest.raises(lb.ScoresError, match=r"metric=.* must be a name"):
        check_metric(["acc"])
