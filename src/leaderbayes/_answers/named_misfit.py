"""Which pairs and triples a fit does not describe."""

import numpy as np
import xarray as xr

from leaderbayes._answers.draws import draws_of
from leaderbayes._answers.record import record, worth_of
from leaderbayes._fits.posterior import drawn, is_of_votes
from leaderbayes._inference.boards import matches_of
from leaderbayes._numerics.bradley_terry import law_of
from leaderbayes._types import Bools, Floats

_CHANCE = 0.05  # that a transitive board has a triple


def has_record(dt: xr.DataTree) -> bool:
    """Say whether pairs of this fit have a record, and expected wins."""
    several = "tournament" in dt["posterior"].dims
    return not several and (is_of_votes(dt) or dt.attrs["model"] == "bradley_terry")


def misfits(dt: xr.DataTree) -> xr.Dataset:
    """Give what pairs won above what was expected, and the triples that go round.

    Returns
    -------
    Dataset
        ``pair_gap`` (player, opponent), ``triple`` (triple, place), ``triple_probability``
        (triple); see `check`.
    """
    names = [str(name) for name in draws_of(dt)[1]]
    own = record(dt, 0.95, names)
    better, met = own["better"].to_numpy(), own["played"].to_numpy() > 0.0
    pairs = max(int(met.sum()) // 2, 1)
    triples, probability = _cycles(better, met, 1.0 - _CHANCE / pairs)
    return xr.Dataset(
        {
            "pair_gap": (("player", "opponent"), _gaps(dt, names)),
            "triple": (("triple", "place"), np.asarray(names, dtype=object)[triples]),
            "triple_probability": ("triple", probability),
        },
        {"player": names, "opponent": names},
    )


def _gaps(dt: xr.DataTree, names: list[str]) -> Floats:
    """Compare wins (player, opponent) with those expected, in standard errors."""
    board = matches_of(dt, names)
    won, n = (board[name].to_numpy().astype(float) for name in ("wins", "n"))
    epp, _ = draws_of(dt)
    mean = epp.mean(axis=0)
    p, variance = _of_a_match(dt, mean)
    variance = n * variance / worth_of(dt, board)
    gap = np.full_like(p, np.nan)
    return np.divide(won - n * p, np.sqrt(variance), out=gap, where=variance > 0.0)


def _of_a_match(dt: xr.DataTree, epp: Floats) -> tuple[Floats, Floats]:
    """Give mean and variance of points (player, opponent), a tie being one half."""
    gap = epp[:, None] - epp
    modelled = is_of_votes(dt) and "tie" in dt["posterior"]
    law = law_of(gap, float(drawn(dt, "tie").mean()) if modelled else -np.inf)
    return law.mean, law.variance


def _cycles(better: Floats, met: Bools, least: float) -> tuple[np.ndarray, Floats]:
    """List a beats b beats c beats a (triple, 3), where all three have this probability."""
    better = np.where(met, better, 0.0)
    sure = better > least
    found = []
    for a in range(len(sure)):
        # Each once: the first of the three comes first among the players.
        beaten = np.flatnonzero(sure[a, a + 1 :]) + a + 1
        by = np.flatnonzero(sure[a + 1 :, a]) + a + 1
        b, c = np.nonzero(sure[np.ix_(beaten, by)])
        found.append(np.column_stack([np.full(len(b), a), beaten[b], by[c]]))
    triples = np.concatenate(found).astype(np.int64)
    a, b, c = triples.T
    all_three = better[a, b] * better[b, c] * better[c, a]
    order = np.argsort(-all_three, kind="stable")
    order = order[all_three[order] >= least]
    return triples[order], np.asarray(all_three[order])
