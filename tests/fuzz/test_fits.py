"""Damaged fits, files and stores get errors of ours, or the answer that they had."""

import random

import pytest

import leaderbayes as lb
from fuzz import fits

FITS = fits.fits()


@pytest.mark.parametrize("kind", FITS)
def test_surgery(kind):
    answers = fits.answers_of(kind, FITS[kind])
    verdicts = [
        fits.attempt_surgery(kind, FITS[kind], answers, random.Random(f"{kind}-{k}"))
        for k in range(60)
    ]
    assert set(verdicts) == {"answered", "refused"}


@pytest.mark.slow
def test_bytes(tmp_path):
    dt = FITS["leaderboard"]
    content = lb.write_fit(dt, tmp_path / "fit.nc").read_bytes()
    board, damaged = lb.leaderboard(dt), tmp_path / "damaged.nc"
    for k in range(60):
        fits.attempt_file(content, board, damaged, random.Random(f"file-{k}"))
    store = fits.study_in(tmp_path)
    boards = fits.boards_of(store)
    for k in range(40):
        fits.attempt_store(store, boards, random.Random(f"store-{k}"))
