"""Rounds resampled: the bootstrap, and its approximately unbiased multiscale test."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtr, ndtri

from leaderbayes._arguments import one_of, seed_or_new, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.newton import Linear
from leaderbayes._numerics.pairs import estimates
from leaderbayes._numerics.pairs_by_round import round_statistics
from leaderbayes._numerics.places import win_graph
from leaderbayes._numerics.plackett_luce_fit import fit_rankings
from leaderbayes._scores.matches import require_matches
from leaderbayes._types import Floats, Ints, Longs
from leaderbayes.likelihood._estimate import require_estimate

Model = Literal["bradley_terry", "plackett_luce"]

# Sizes of the samples of rounds, as shares of the board's.
_SCALES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4)

# On samples of a board with missing scores: shrunk a little, every one of them has a best player.
_PSEUDO_ROUNDS = 0.5
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
    firth: bool = False,
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
    pseudo_rounds, firth
        As for `bradley_terry` and `plackett_luce`.

    Returns
    -------
    DataArray (replicate, player)
        epp, log-odds; NaN in the samples where no estimate exists. attrs: ``missing``, the number
        of those; ``seed``.

    Raises
    ------
    DisconnectedError
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
    _require_rounds(matches, "likelihood.bootstrap")
    require_estimate(matches, pseudo_rounds=pseudo_rounds, firth=firth)
    place = matches["place"].to_numpy()
    seed = seed_or_new(seed)
    chosen = _chosen(len(place), len(place), replicates, np.random.default_rng(seed))
    there = np.ones(replicates, dtype=bool)
    if pseudo_rounds == 0.0:
        there[:] = [_exists(place[each > 0], weak=firth) for each in chosen]
    epp = np.full((replicates, place.shape[1]), np.nan)
    if there.any():
        epp[there] = _ESTIMATES[model](place, chosen[there], pseudo_rounds, firth)
    missing = int(np.isnan(epp[:, 0]).sum())
    if replicates - missing < 2:
        raise LeaderbayesError(
            f"The estimate exists in {replicates - missing} of {replicates} samples of the rounds. "
            "Give pseudo_rounds=1 or firth=True."
        )
    return xr.DataArray(
        epp,
        dims=("replicate", "player"),
        coords={"player": matches["player"].to_numpy()},
        name="epp",
        attrs={"missing": missing, "seed": seed},
    )


def bootstrap_covariance(
    matches: xr.Dataset, linear: Linear | None, *, model: Model, pseudo_rounds: float, firth: bool
) -> Floats:
    """Take the covariance (player, player) of 1000 samples, of those that have an estimate."""
    if linear is not None:
        raise LeaderbayesError("A restricted estimate has no bootstrap covariance here.")
    # An estimate is the same each time it is made.
    samples = bootstrap(matches, model=model, seed=0, pseudo_rounds=pseudo_rounds, firth=firth)
    return np.asarray(np.cov(samples.dropna("replicate").to_numpy().T))


def _require_rounds(matches: xr.Dataset, what: str) -> None:
    """Raise unless these are matches whose rounds can be resampled."""
    require_matches(matches, what, ties=("half",), across=False)
    if matches.sizes["round"] < 2:
        raise LeaderbayesError("One round cannot be resampled; give more rounds.")


def _chosen(rounds: int, size: int, replicates: int, rng: np.random.Generator) -> Longs:
    """Draw how often each round is in each sample (replicate, round)."""
    return rng.multinomial(size, np.full(rounds, 1.0 / rounds), replicates)


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


def _strengths(place: Ints, chosen: Longs, pseudo_rounds: float) -> Floats:
    """Estimate Bradley-Terry's strengths (sample, player), some samples at a time."""
    size = max(_CELLS // place.shape[1] ** 2, 1)
    every, start = [], None
    for begin in range(0, len(chosen), size):
        points, n = _counts(place, chosen[begin : begin + size])
        if start is None:
            start = newton(points.mean(axis=0), n.mean(axis=0), pseudo_rounds=1.0)[0]
        found = estimates(points, n, start=start[None], pseudo_rounds=pseudo_rounds, enough=_ENOUGH)
        every.append(found)
    return np.concatenate(every) if every else np.empty((0, place.shape[1]))


def _exists(place: Ints, *, weak: bool) -> bool:
    """Check whether the estimate exists on these rounds."""
    m = place.shape[1]
    _, label = connected_components(
        win_graph(place), directed=True, connection="weak" if weak else "strong"
    )
    return bool((label[:m] == label[0]).all())


def best_test(
    matches: xr.Dataset,
    *,
    groups: Mapping[str, str] | None = None,
    replicates: int = 1000,
    seed: int | None = None,
) -> pd.DataFrame:
    r"""Test who is the best player, by the approximately unbiased multiscale bootstrap.

    The share BP of samples in which a hypothesis holds depends on the number r' of rounds that a
    sample has of r,

    .. math:: \Phi^{-1}(1 - BP) = v \sqrt{r'/r} + c \sqrt{r/r'},

    v the distance from the hypothesis' boundary and c its curvature. The approximately unbiased
    p-value is :math:`1 - \Phi(v - c)`; BP itself, which ignores the curvature, is
    :math:`1 - \Phi(v + c)`.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, within rounds, ties "half".
    groups : mapping, optional
        Group of each player; the hypothesis is that the best player is of the group. By default
        every player by itself.
    replicates : int
        Samples at each of ten sizes r', from r / 2 to 1.4 r.
    seed : int, optional
        Same seed, same samples. None draws one; it is in attrs.

    Returns
    -------
    DataFrame
        ``hypothesis`` (a player or a group), ``au`` (approximately unbiased p-value; below 0.05
        the best is somebody else), ``au_error`` (Monte Carlo standard error), ``bp`` (share of
        samples of the board's size), ``v``, ``c``; NaN where samples are all alike. attrs:
        ``seed``.

    Raises
    ------
    LeaderbayesError
        If a player has no group, or is unknown.

    References
    ----------
    Shimodaira (2002), An approximately unbiased test of phylogenetic tree selection, Systematic
    Biology 51. Shimodaira (2004), Approximately unbiased tests of regions using
    multistep-multiscale bootstrap resampling, Annals of Statistics 32.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> board = lb.matches(lb.datasets.load("classifiers", "breast_cancer"))
    >>> tests = lb.likelihood.best_test(board, replicates=200, seed=0).set_index("hypothesis")
    >>> tests.loc[["svm C=1", "knn k=1"], "au"].round(1).to_dict()
    {'svm C=1': 0.8, 'knn k=1': 0.0}
    """
    replicates = whole("replicates", replicates, at_least=10)
    _require_rounds(matches, "likelihood.best_test")
    require_estimate(matches, pseudo_rounds=_PSEUDO_ROUNDS)
    players = [str(name) for name in matches["player"].to_numpy()]
    hypotheses, member = _members(players, groups)
    seed = seed_or_new(seed)
    rng = np.random.default_rng(seed)
    place = matches["place"].to_numpy()
    rounds = len(place)
    sizes = np.unique([max(2, round(scale * rounds)) for scale in _SCALES])

    def shares(size: int) -> Floats:
        best = _best(place, _chosen(rounds, size, replicates, rng))
        return np.asarray(member @ best.mean(axis=0))

    share = np.array([shares(int(size)) for size in sizes])
    bp = shares(rounds)
    fits = [_unbiased(column, rounds / sizes, replicates) for column in share.T]
    table = pd.DataFrame(fits, columns=["au", "au_error", "v", "c"])
    table.insert(0, "hypothesis", hypotheses)
    table.insert(3, "bp", bp)
    # Never, or always, best in any sample: no curvature to be seen.
    table["au"] = table["au"].fillna(table["bp"].round())
    table.attrs["seed"] = seed
    return table.sort_values(["au", "bp"], ascending=False, kind="stable", ignore_index=True)


def _members(players: list[str], groups: Mapping[str, str] | None) -> tuple[list[str], Floats]:
    """Name the hypotheses, and who belongs to each (hypothesis, player)."""
    if groups is None:
        return players, np.eye(len(players))
    group_of = {str(player): str(group) for player, group in groups.items()}
    unknown = [player for player in group_of if player not in players]
    if unknown:
        raise LeaderbayesError(
            f"groups: there is no player {unknown[0]!r}; give the group of each player, such as "
            f"{{{players[0]!r}: 'a group'}}."
        )
    absent = [player for player in players if player not in group_of]
    if absent:
        raise LeaderbayesError(f"groups: player {absent[0]!r} has none; give each player one.")
    own = np.array([group_of[player] for player in players])
    names = list(dict.fromkeys(own.tolist()))
    return names, (own == np.array(names)[:, None]).astype(float)


def _best(place: Ints, chosen: Longs) -> Floats:
    """Mark who has the highest estimate (sample, player), in shares where several have."""
    if (place > 0).all():
        # Where everybody meets everybody equally often, strengths are ordered as points are.
        level = _counts(place, chosen)[0]
    else:
        level = _strengths(place, chosen, _PSEUDO_ROUNDS)
    best = level >= level.max(axis=1, keepdims=True) - 1e-9
    return np.asarray(best / best.sum(axis=1, keepdims=True))


def _unbiased(share: Floats, scale: Floats, replicates: int) -> tuple[float, float, float, float]:
    """Estimate the AU p-value, its error, v and c from shares at each r / r'."""
    usable = (share > 0.0) & (share < 1.0)
    if usable.sum() < 2:
        return np.nan, np.nan, np.nan, np.nan
    share, scale = share[usable], scale[usable]
    z = -ndtri(share)
    density = np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
    weight = replicates * density**2 / (share * (1.0 - share))
    design = np.column_stack([1.0 / np.sqrt(scale), np.sqrt(scale)])
    covariance = np.linalg.inv(design.T @ (weight[:, None] * design))
    v, c = covariance @ (design.T @ (weight * z))
    error = np.sqrt(np.array([1.0, -1.0]) @ covariance @ np.array([1.0, -1.0]))
    slope = np.exp(-0.5 * (v - c) ** 2) / np.sqrt(2.0 * np.pi)
    return float(ndtr(c - v)), float(slope * error), float(v), float(c)


def _of_rankings(place: Ints, chosen: Longs, pseudo_rounds: float, firth: bool) -> Floats:
    """Estimate Plackett-Luce of samples, by how often each round is in them (replicate, round)."""
    again = (np.repeat(place, times, axis=0) for times in chosen)
    found = [
        fit_rankings(sampled, pseudo_rounds=pseudo_rounds, firth=firth, matrix=False).epp
        for sampled in again
    ]
    return np.array(found)


def _of_matches(place: Ints, chosen: Longs, pseudo_rounds: float, firth: bool) -> Floats:
    """Estimate Bradley-Terry of the same."""
    if pseudo_rounds == 0.0 and not firth:
        return _strengths(place, chosen, _HARDLY)
    each = (_counts(place, times[None]) for times in chosen)
    found = [
        newton(points[0], n[0], pseudo_rounds=pseudo_rounds, firth=firth)[0] for points, n in each
    ]
    return np.array(found)


_ESTIMATES = {"bradley_terry": _of_matches, "plackett_luce": _of_rankings}
