"""Who cannot be told apart."""

import numpy as np

import leaderbayes as lb
from conftest import tree


def test_groups_and_tied_for_top():
    # Spread 0.1: told apart from a distance of about 0.25 on.
    rng = np.random.default_rng(2)
    dt = tree(rng.normal(size=(1, 4000, 4)) * 0.1 + [3.0, 2.9, 2.72, 0.0])
    assert lb.tied_for_top(dt) == ["p0", "p1"]
    table = lb.groups(dt)
    sets = table.groupby("group")["player"].agg(list).to_list()
    assert sets == [["p0", "p1"], ["p1", "p2"], ["p3"]]
    assert lb.tied_for_top(dt, prob=0.999999)[:3] == ["p0", "p1", "p2"]
