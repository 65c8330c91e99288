"""Boards on which fits are tried have the win probabilities that they are said to have."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def fits(script):
    return script("fits")


@pytest.mark.parametrize(
    "kind", ["Gumbel", "skewed", "own scales", "families", "varying signal", "30 % ties"]
)
def test_win_probabilities_are_true(fits, kind):
    rounds = 4000
    scores, won, tied = fits.simulate(kind, 4, rounds, np.random.default_rng(1))
    gap = scores[:, None] - scores
    off = ~np.eye(4, dtype=bool)
    error = 4.5 * np.sqrt(0.25 / rounds)
    assert (np.abs((gap > 0).mean(axis=-1) - won)[off] < error).all()
    assert (np.abs((gap == 0).mean(axis=-1) - tied)[off] < error).all()
    np.testing.assert_allclose(won + won.T + tied, 1.0, atol=5e-3)


def test_three_tenths_of_equal_players_matches_tie(fits):
    _, _, tied = fits.simulate("30 % ties", 2, 3, np.random.default_rng(1))
    assert tied[0, 0] == pytest.approx(0.3, abs=0.01)


def test_a_cell(fits, monkeypatch):
    monkeypatch.setattr(fits, "BOARDS", {3: 3})
    made = fits.cell("bradley_terry", "Gumbel", 3, 5)
    (row,) = made["fits"]
    assert all(0.0 <= row[name] <= 1.0 for name in fits.COVERAGES)
    # Of 3 boards the first, and of all 9 players; probabilities of the best sum to 1.
    for who, cases, total in (("first", 3, None), ("every player", 9, 3.0)):
        classes = [part for part in made["fits_best"] if part["who"] == who]
        assert sum(part["cases"] for part in classes) == cases
        if total is not None:
            for name in ("said", "happened"):
                found = sum(part["cases"] * part[name] for part in classes)
                assert found == pytest.approx(total, abs=2e-3)
    assert fits.cell("bradley_terry", "equal", 3, 5)["fits_best"] == []


def test_tables_that_are_shown(fits, script, tmp_path):
    """P(best) in classes is weighted by cases."""
    key = dict(zip(fits.KEYS, ("bradley_terry", "Gumbel", 8, 10), strict=True))
    names = ["pairs", "record", "wider", "each player", "best player", "misfit", "converged"]
    rows = [key | {"model": model} | dict.fromkeys(names, 0.5) for model in ("bradley_terry", "x")]
    script("tables").write(tmp_path / "fits.csv", rows)
    part = {"who": "first", "class": 3}
    parts = [
        key | part | {"cases": cases, "said": said, "happened": said / 2.0}
        for cases, said in ((30, 0.32), (10, 0.36))
    ]
    script("tables").write(tmp_path / "fits_best.csv", parts)
    shown = fits.shown(tmp_path)
    (row,) = shown["fits_best"].to_dict("records")
    assert row == pytest.approx({"who": "first", "cases": 40, "said": 0.33, "happened": 0.165})
    assert list(shown["fits"]["size"]) == ["8 x 10"]
    assert list(shown["fits_sizes"].columns) == ["players", "10 rounds"]
    assert list(shown["fits_models"]["model"]) == ["x"]
