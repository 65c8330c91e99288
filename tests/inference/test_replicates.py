"""Draws are thinned where boards take much memory; boards are the same however they are read."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import simulate
from leaderbayes._inference import replicates as module
from leaderbayes._inference.replicates import (
    MAX_REPLICATED,
    boards_when_read,
    replicates,
    step_of,
)
from leaderbayes._numerics.places import draw_places


@pytest.mark.parametrize(("asked", "step"), [(None, 1), (200, 20), (300, 14), (10_000, 1)])
def test_all_draws_unless_fewer_are_asked_for(asked, step):
    assert step_of((4, 1000), 100, asked) == step


def test_large_boards_get_fewer():
    step = step_of((4, 1000), 100_000, None)
    assert step == 40
    assert 4000 // step * 100_000 <= MAX_REPLICATED
    assert step_of((4, 1000), 100_000, 4000) == 1
    assert step_of((4, 1000), 100_000_000, None) == 4000


@pytest.mark.parametrize("within_round", [True, False])
def test_boards_that_are_read_are_those_that_are_drawn(monkeypatch, within_round):
    """Whichever are read, and however many are drawn at a time."""
    rng = np.random.default_rng(1)
    scores = simulate(np.zeros(5), 6, rng)
    scores[0, :2] = np.nan
    matches = lb.matches(scores, within_round=within_round)
    present = (matches["place"] > 0).to_numpy()
    epp, stream = rng.normal(size=(2, 30, 5)), np.random.SeedSequence(7)
    numbers = np.random.default_rng(stream)
    wanted = np.array(
        [[draw_places(b, present, numbers, within_round=within_round) for b in c] for c in epp]
    )
    drawn = replicates(matches)(epp, np.random.default_rng(stream))
    np.testing.assert_array_equal(drawn, wanted)
    dims = ("chain", "draw", "round", "player")
    for at_a_time in (1, 100, module._AT_A_TIME):
        monkeypatch.setattr(module, "_AT_A_TIME", at_a_time)
        boards = xr.DataArray(xr.Variable(dims, boards_when_read(matches, epp, stream)))
        np.testing.assert_array_equal(boards[1, [3, 4, 29]], wanted[1, [3, 4, 29]])
        np.testing.assert_array_equal(boards[:, 20::-7], wanted[:, 20::-7])
        np.testing.assert_array_equal(boards, wanted)


def test_a_fit_draws_no_board_before_one_is_read(monkeypatch):
    """Nor does it compute the log-likelihood by round; its check has boards of its own."""
    drawn = []
    boards = module._boards

    def counted(*given):
        drawn.append(len(given[-1]))
        return boards(*given)

    monkeypatch.setattr(module, "_boards", counted)
    dt = lb.fit(simulate(np.zeros(5), 6, np.random.default_rng(1)), seed=1)
    assert not drawn
    assert not any(
        dt[group]["place"].variable._in_memory
        for group in ("posterior_predictive", "log_likelihood")
    )
    first = dt["posterior_predictive"]["place"].to_numpy()
    np.testing.assert_array_equal(dt["posterior_predictive"]["place"], first)
    assert drawn == [4000]


def test_what_is_read_later_is_of_the_draws_as_they_were():
    scores = simulate(np.zeros(5), 6, np.random.default_rng(1))
    changed, dt = (lb.fit(scores, seed=1) for _ in range(2))
    changed["posterior"]["epp"].to_numpy()[:] = 0.0
    changed["constant_data"]["weight"].to_numpy()[:] = 0.0
    changed["observed_data"]["place"].to_numpy()[:] = 0
    for group in ("posterior_predictive", "log_likelihood"):
        np.testing.assert_array_equal(changed[group]["place"], dt[group]["place"])
