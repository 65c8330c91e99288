"""Rounds resampled: the bootstrap, and its approximately unbiased multiscale test."""

from collections.abc import Iterator, Mapping
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
from leaderbayes._numerics.pairs_by_round import round_statistics
from leaderbayes._numerics.places import win_graph
from leaderbayes._numerics.plackett_luce_fit import fit_rankings
from leaderbayes._scores.matches import require_matches
from leaderbayes._types import Floats, Longs
from leaderbayes.likelihood._estimate import require_estimate

Model = Literal["bradley_terry", "plackett_luce"]

# Sizes of the samples of rounds, as shares of the board's.
_SCALES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4)

# On samples of a board with missing scores: drawn in a little, every one of them has a best player.
_PSEUDO_ROUNDS = 0.5


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
    one_of("model", model, "bradley_terry", "plackett_luce")
    replicates = whole("replicates", replicates, at_least=2)
    _require_rounds(matches, "likelihood.bootstrap")
    require_estimate(matches, pseudo_rounds=pseudo_rounds, firth=firth)
    rounds = matches.sizes["round"]
    place = matches["place"].to_numpy()
    epp = np.full((replicates, matches.sizes["player"]), np.nan)
    seed = seed_or_new(seed)
    samples = _samples(matches, rounds, replicates, np.random.default_rng(seed))
    for row, (chosen, points, n) in zip(epp, samples, strict=True):
        if pseudo_rounds == 0.0 and not _exists(matches, chosen, weak=firth):
            continue
        if model == "bradley_terry":
            row[:] = newton(points, n, pseudo_rounds=pseudo_rounds, firth=firth)[0]
        else:
            sampled = np.repeat(place, chosen, axis=0)
            row[:] = fit_rankings(
                sampled, pseudo_rounds=pseudo_rounds, firth=firth, matrix=False
            ).epp
    missing = int(np.isnan(epp[:, 0]).sum())
    if replicates - missing < 2:
        raise LeaderbayesError(
            f"LB010 the estimate exists in {replicates - missing} of {replicates} samples of the "
            "rounds; give pseudo_rounds=1 or firth=True."
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


def _samples(
    matches: xr.Dataset, size: int, replicates: int, rng: np.random.Generator
) -> Iterator[tuple[Longs, Floats, Floats]]:
    """Draw samples of rounds: how often each is chosen, points, and matches of pairs."""
    rounds = matches.sizes["round"]
    place = matches["place"].to_numpy()
    by_round = round_statistics(place, within_round=True, ties="half").points
    present = (place > 0).astype(float)
    complete = present.all()
    met = 1.0 - np.eye(place.shape[1])
    for _ in range(replicates):
        chosen = rng.multinomial(size, np.full(rounds, 1.0 / rounds))
        n = size * met if complete else (present.T * chosen) @ present * met
        yield chosen, chosen @ by_round, n


def _exists(matches: xr.Dataset, chosen: Longs, *, weak: bool) -> bool:
    """Whether the estimate exists on the chosen rounds."""
    place = matches["place"].to_numpy()[chosen > 0]
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
    rounds = matches.sizes["round"]
    sizes = np.unique([max(2, round(scale * rounds)) for scale in _SCALES])
    share = np.zeros((len(sizes), len(member)))
    for row, size in zip(share, sizes, strict=True):
        for _, points, n in _samples(matches, int(size), replicates, rng):
            row += member @ _best(points, n) / replicates
    own = _samples(matches, rounds, replicates, rng)
    bp = sum(member @ _best(points, n) for _, points, n in own) / replicates
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


def _best(points: Floats, n: Floats) -> Floats:
    """Mark who has the highest estimate (player,), in shares where several have."""
    m = len(points)
    if (n + np.eye(m) * n[0, -1] == n[0, -1]).all():
        # Where everybody meets everybody as often, strengths are ordered as points are.
        level = points
    else:
        level = newton(points, n, pseudo_rounds=_PSEUDO_ROUNDS)[0]
    best = level >= level.max() - 1e-9
    return np.asarray(best / best.sum())


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
