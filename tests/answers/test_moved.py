"""What moves, counted by hand."""

import numpy as np
import xarray as xr

from leaderbayes._answers.moved import moved, said_of
from leaderbayes._answers.settings import WHAT, Setting


def test_pairs_are_counted_once():
    base = Setting("bradley_terry", "half", 1.0, "", 1.0, "", -1)
    every = [base, base._replace(ties="drop"), base._replace(prior=2.0), base._replace(prior=0.5),
             base._replace(ties="drop", prior=2.0)]  # fmt: skip
    verdict = np.zeros((5, 3, 3), dtype=np.int8)

    def say(k, i, j, what):
        verdict[k, i, j], verdict[k, j, i] = what, -what

    for k in range(5):
        say(k, 0, 2, 1)
    say(1, 0, 2, -1)  # the opposite
    say(2, 0, 1, 1)  # another
    say(3, 0, 1, 1)  # the same again
    say(4, 1, 2, 1)  # by two choices at once
    table = xr.Dataset(
        {
            "leader": ("fit", ["a", "b", "a", "a", "a"]),
            "in_top": (("fit", "player"), [[1, 1, 0], [0, 1, 1], [1, 1, 0], [1, 1, 0], [1, 1, 0]]),
            "verdict": (("fit", "player", "opponent"), verdict),
            "converged": ("fit", [1, 1, 1, 1, 1]),
        }
    )
    counts = moved(table, every, WHAT)
    assert counts["fits"].to_numpy().tolist() == [0, 1, 0, 2, 0]
    assert counts["other_leader"].to_numpy().tolist() == [0, 1, 0, 0, 0]
    assert counts["other_top"].to_numpy().tolist() == [0, 1, 0, 0, 0]
    assert counts["pairs_moved"].to_numpy().tolist() == [0, 1, 0, 1, 0]
    assert counts["pairs_reversed"].to_numpy().tolist() == [0, 1, 0, 0, 0]
    said = said_of(table.assign(counts.data_vars).assign_coords(what=list(WHAT)), every, "a", 2)
    assert said.startswith("a leads in 4 of 5 fits, b in 1. Of 3 pairs 3 get another verdict")
    assert "The top 2 is the same in 4." in said


def test_what_did_not_converge_counts_nowhere():
    base = Setting("bradley_terry", "half", 1.0, "", 1.0, "", -1)
    every = [base, base._replace(ties="drop")]
    verdict = np.zeros((2, 2, 2), dtype=np.int8)
    verdict[1] = [[0, -1], [1, 0]]
    table = xr.Dataset(
        {
            "leader": ("fit", ["a", "b"]),
            "in_top": (("fit", "player"), [[1, 0], [0, 1]]),
            "verdict": (("fit", "player", "opponent"), verdict),
            "converged": ("fit", [1, 0]),
        }
    )
    assert moved(table, every, WHAT)["pairs_moved"].sum() == 0
