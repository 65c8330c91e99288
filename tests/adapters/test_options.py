"""Options that adapters share."""

import inspect

import pytest

import leaderbayes as lb
from leaderbayes.adapters._tables import check_metric, check_names


@pytest.mark.parametrize("name", lb.adapters.__all__)
def test_every_argument_is_documented_once(name):
    reader = getattr(lb.adapters, name)
    assert "{options}" not in reader.__doc__
    for argument in inspect.signature(reader).parameters:
        assert reader.__doc__.count(f"\n    {argument} : ") == 1


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
