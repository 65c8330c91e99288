"""Matches of a fit, remade: of players in any order, and once a board on a page."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import board
from leaderbayes._inference import boards
from leaderbayes._inference.boards import matches_of
from leaderbayes._scores.matches import matches


@pytest.mark.parametrize("ties", ["half", "drop"])
def test_all_players_in_another_order(ties):
    values = np.random.default_rng(1).integers(0, 4, size=(5, 12)).astype(float)
    values[1, 3] = np.nan
    dt = lb.fit(board(values), ties=ties, sampler="laplace", draws=20, seed=1)
    names = ["p3", "p0", "p4", "p1", "p2"]
    for some in (names, names[:3]):
        scores = dt["constant_data"]["scores"].sel(player=some)
        again = matches(scores, within_round=True, ties=ties)
        xr.testing.assert_equal(matches_of(dt, some), again)


def test_a_page_remakes_matches_once(tmp_path, monkeypatch):
    dt = lb.fit(board(np.random.default_rng(2).normal(size=(5, 12))), sampler="laplace", seed=1)
    made = []

    def counted(*given, **options):
        made.append(options["pairs"])
        return matches(*given, **options)

    monkeypatch.setattr(boards, "matches", counted)
    lb.report.html(dt, tmp_path / "page.html")
    assert made.count(True) == 1
    assert made.count(False) <= 1  # of places alone
