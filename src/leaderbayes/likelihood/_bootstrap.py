"""Rounds resampled: the bootstrap."""

from typing import Literal

import numpy as np
import xarray as xr
from scipy.sparse.csgraph import connected_components

from leaderbayes._arguments import one_of, seed_or_new, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.pairs import estimates
from leaderbayes._numerics.pairs_by_round import round_statistics
from leaderbayes._numerics.places import win_graph
from leaderbayes._numerics.plackett_luce_fit import fit_rankings
from leaderbayes._scores.matches import require_matches
from leaderbayes._types import Floats, Ints, Longs
from leaderbayes.likelihood._estimate import require_estimate

Model = Literal["bradley_terry", "plackett_luce"]

_HARDLY = 1e-9  # pseudo-rounds of an estimate that exists without
_ENOUGH = 1e-18  # Newton's decrement before the last step
_CELLS = 2_000_000  # of tables of matches that are held at once


def bootstrap(
    matches: xr.Dataset,
    *,
    model: Model = "bradley_terry",
    replicates: int = 1000,
    seed: int | None = None,
    pseudo_rounds: float = 0.0,
) -> xr.DataArray:
    """Estimate strengths on resampled rounds.

    Percentile intervals (property 3.6) are ``.quantile([0.025, 0.975], "replicate")``.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, within rounds, ties "half".
    model : {"bradley_terry", "plackett_luce"}
        What is estimated on each sample.
    replicates : int
        Samples of as many rounds as the board has, with replacement.
    seed : int, optional
        Same seed, same samples. None draws one; it is in attrs.
    pseudo_rounds
        As for `bradley_terry` and `plackett_luce`.

    Returns
    -------
    DataArray (replicate, player)
        epp, log-odds; NaN in the samples where no estimate exists. attrs: ``missing``, the number
        of those; ``seed``.

    Raises
    ------
    NotConvergedError
        If the estimate does not exist on the board itself.
    LeaderbayesError
        If there are fewer than 2 rounds, or hardly any sample has an estimate.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), property 3.6.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> board = lb.matches(lb.datasets.load("classifiers", "breast_cancer"))
    >>> sample = lb.likelihood.bootstrap(board, replicates=100, seed=0)
    >>> dict(sample.sizes)
    {'replicate': 100, 'player': 15}
    >>> sample.sel(player="svm C=1").quantile([0.025, 0.975], "replicate").round(1).values.tolist()
    [3.4, 4.7]
    """
    one_of("model", model, *_ESTIMATES)
    replicates = whole("replicates", replicates, at_least=2)
    require_matches(matches, "likelihood.bootstrap", ties=("half",), across=False)
    if (rounds := matches.sizes["round"]) < 2:
        raise LeaderbayesError("A single round cannot be resampled; add rounds.")
    require_estimate(matches, pseudo_rounds=pseudo_rounds)
    place = matches["place"].to_numpy()
    seed = seed_or_new(seed)
    # How often each round is in each sample (replicate, round).
    chosen = np.random.default_rng(seed).multinomial(
        rounds, np.full(rounds, 1 / rounds), replicates
    )
    there = np.ones(replicates, dtype=bool)
    if pseudo_rounds == 0.0:
        there[:] = [_exists(place[each > 0]) for each in chosen]
    epp = np.full((replicates, place.shape[1]), np.nan)
    if there.any():
        epp[there] = _ESTIMATES[model](place, chosen[there], pseudo_rounds)
    missing = int(np.isnan(epp[:, 0]).sum())
    if replicates - missing < 2:
        raise LeaderbayesError(
            f"The estimate exists in {replicates - missing} of {replicates} samples of the rounds. "
            "Use pseudo_rounds=1."
        )
    return xr.DataArray(
        epp,
        dims=("replicate", "player"),
        coords={"player": matches["player"].to_numpy()},
        name="epp",
        attrs={"missing": missing, "seed": seed},
    )


def _counts(place: Ints, chosen: Longs) -> tuple[Floats, Floats]:
    """Count points (sample, player), and matches of pairs: one table where all have the same."""
    points = chosen @ round_statistics(place, within_round=True, ties="half").points
    present = (place > 0).astype(float)
    if present.all():
        met = np.full((place.shape[1],) * 2, float(chosen[0].sum()))
        return points, (met - np.diag(np.diag(met)))[None]
    n = np.einsum("kr,ri,rj->kij", chosen.astype(float), present, present, optimize=True)
    n[:, np.arange(n.shape[1]), np.arange(n.shape[1])] = 0.0
    return points, n


def _strengths(place: Ints, chosen: Longs) -> Floats:
    """Estimate Bradley-Terry's strengths (sample, player), some samples at a time."""
    size = max(_CELLS // place.shape[1] ** 2, 1)
    every, start = [], None
    for begin in range(0, len(chosen), size):
        points, n = _counts(place, chosen[begin : begin + size])
        if start is None:
            start = newton(points.mean(axis=0), n.mean(axis=0), pseudo_rounds=1.0)[0]
        found = estimates(points, n, start=start[None], pseudo_rounds=_HARDLY, enough=_ENOUGH)
        every.append(found)
    return np.concatenate(every) if every else np.empty((0, place.shape[1]))


def _exists(place: Ints) -> bool:
    """Check whether the estimate exists on these rounds."""
    m = place.shape[1]
    _, label = connected_components(win_graph(place), directed=True, connection="strong")
    return bool((label[:m] == label[0]).all())


def _of_rankings(place: Ints, chosen: Longs, pseudo_rounds: float) -> Floats:
    """Estimate Plackett-Luce of samples, by how often each round is in them (replicate, round)."""
    again = (np.repeat(place, times, axis=0) for times in chosen)
    fits = (fit_rankings(one, pseudo_rounds=pseudo_rounds, matrix=False) for one in again)
    return np.array([found.epp for found in fits])


def _of_matches(place: Ints, chosen: Longs, pseudo_rounds: float) -> Floats:
    """Estimate Bradley-Terry of the same."""
    if pseudo_rounds == 0.0:
        return _strengths(place, chosen)
    each = (_counts(place, times[None]) for times in chosen)
    return np.array([newton(points[0], n[0], pseudo_rounds=pseudo_rounds)[0] for points, n in each])


_ESTIMATES = {"bradley_terry": _of_matches, "plackett_luce": _of_rankings}
