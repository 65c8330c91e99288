"""Posterior of a leaderboard to tables: ranks, win probabilities, groups. No sampling."""

import json
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import expit

from leaderbayes._arguments import share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import drawn, fitted
from leaderbayes._fits.require import require_tree
from leaderbayes._numerics.logistic_normal import expit_mean
from leaderbayes.likelihood._hypothesis import Convention
from leaderbayes.likelihood._tables import probabilities, table

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

# Quantiles of all pairs on every draw would take hours at thousands of players.
_PAIR_VALUES = 2_000_000_000
_BLOCK_VALUES = 20_000_000


def draws_of(dt: xr.DataTree) -> tuple[Floats, pd.Index]:
    """Posterior draws of epp, (sample, player), and the players.

    Raises
    ------
    LeaderbayesError
        If it is no fit, or a draw is no finite number.
    """
    fitted(dt)
    epp = drawn(dt, "epp").transpose("chain", "draw", "player")
    players = pd.Index(epp["player"].to_numpy(), name="player")
    return epp.to_numpy().reshape(-1, len(players)), players


def spread_of(dt: xr.DataTree) -> Floats | None:
    """Posterior draws (sample,) of the spread between tournaments, if the model has one."""
    if "epp_spread" not in dt["posterior"]:
        return None
    return drawn(dt, "epp_spread").to_numpy().reshape(-1)


def select_tournament(dt: xr.DataTree, tournament: str) -> xr.DataTree:
    """Take one tournament out of a study, or out of a fit of many as if it had been fitted alone.

    Parameters
    ----------
    dt : DataTree
        A study, a fit for each tournament; or from ``leaderbayes.fit(scores, "tournaments")``.
    tournament : str
        Its name.

    Returns
    -------
    DataTree
        ``posterior`` (``epp`` (chain, draw, player) in this tournament, of the players that it
        has), ``posterior_predictive`` and ``observed_data`` (``place``), ``constant_data``
        (``scores`` (player, round), ``weight``); attrs as they were. Tables, checks and plots
        take it as any fit; `loo` does not. Of a study, the tournament's own fit.

    Raises
    ------
    LeaderbayesError
        If it is not of many tournaments, or has none of this name.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load_classifiers().sel(tournament=["iris", "wine"])
    >>> study = lb.fit_tournaments(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> dt = lb.select_tournament(study, "iris")
    >>> lb.leaderboard(dt)["player"].head(3).tolist()
    ['logistic C=100', 'svm C=1', 'forest trees=5']
    """
    names = tournaments_of(dt)
    if tournament not in names:
        near = get_close_matches(str(tournament), names, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}?" if near else f"the first is {names[0]!r}."
        raise LeaderbayesError(f"There is no tournament {tournament!r}; {hint}")
    if "posterior" not in dt.children:
        return list(dt.children.values())[names.index(tournament)]
    fitted(dt, "constant_data", "observed_data", "posterior_predictive")
    scores = dt["constant_data"]["scores"]
    board = scores.sel(tournament=tournament, drop=True)
    board = board.dropna("player", how="all").dropna("round", how="all")
    # Its rounds stand together, in the order of the scores.
    rows = (scores.transpose("tournament", "round", "player").notnull()).any("player").to_numpy()
    first = rows[: names.index(tournament)].sum()
    own = slice(int(first), int(first) + board.sizes["round"])
    who = {"player": board["player"].to_numpy()}

    def rounds_of(group: str) -> xr.Dataset:
        place = dt[group].to_dataset().isel(tournament_round=own).sel(who)
        place = place.rename(tournament_round="round")
        return place.assign_coords(round=board["round"].to_numpy())

    epp = drawn(dt, "epp_tournament").sel(tournament=tournament, drop=True).sel(who)
    weight = drawn(dt, "weight", "constant_data").sel(tournament=tournament, drop=True)
    tree = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset({"epp": epp}),
            "posterior_predictive": rounds_of("posterior_predictive"),
            "observed_data": rounds_of("observed_data"),
            "constant_data": xr.Dataset({"scores": board, "weight": weight}),
        }
    )
    tree.attrs = dt.attrs | {"weight": float(weight), "tournament": tournament}
    return tree


def tournaments_of(study: xr.DataTree) -> list[str]:
    """Names of the tournaments of a study, or of a fit of the model "tournaments".

    Raises
    ------
    LeaderbayesError
        If it is neither, has none, or has one twice.
    """
    require_tree(study)
    if "posterior" in study.children:
        fitted(study, "constant_data")
        if "epp_tournament" not in study["posterior"]:
            raise LeaderbayesError(
                f"This is a fit of one tournament ({study.attrs['model']}): give a study, with a "
                "fit for each tournament, or a fit of the model 'tournaments'."
            )
        return [str(name) for name in study["constant_data"]["scores"]["tournament"].to_numpy()]
    if not study.children:
        raise LeaderbayesError("The study has no tournament: give one with a fit for each.")
    for name, fit in study.children.items():
        if "posterior" not in fit.children:
            raise LeaderbayesError(f"{name!r} in the study is no fit: it has no group posterior.")
        fitted(fit)
    # A name with a slash cannot be a node's: the attribute holds the real one.
    names = [str(fit.attrs.get("tournament", name)) for name, fit in study.children.items()]
    again = pd.Index(names).duplicated()
    if again.any():
        raise LeaderbayesError(
            f"The study has tournament {names[again.argmax()]!r} twice: give one of its fits "
            "another name, in its attribute 'tournament'."
        )
    return names


def fits_of(study: xr.DataTree) -> Iterator[tuple[str, xr.DataTree]]:
    """Give each tournament's name and fit, of a study or of a fit of the model "tournaments".

    Raises
    ------
    LeaderbayesError
        If it is neither, or has no tournament.
    """
    names = tournaments_of(study)
    fits = (
        (select_tournament(study, name) for name in names)
        if "posterior" in study.children
        else study.children.values()
    )
    yield from zip(names, fits, strict=True)


def trust_of(study: xr.DataTree) -> dict[str, Any]:
    """Whether all of a study's fits converged, and their warnings with the tournament's name."""
    if "posterior" in study.children:
        return trust(study)
    every = {name: trust(fit) for name, fit in fits_of(study)}
    return {
        "converged": all(one["converged"] for one in every.values()),
        "warnings": [
            f"tournament {name!r}: {text}"
            for name, one in every.items()
            for text in one["warnings"]
        ],
    }


def plain(trusted: dict[str, Any]) -> dict[str, Any]:
    """Write what `trust` or `trust_of` gives as attrs that netCDF takes."""
    return {
        "converged": int(trusted["converged"]),
        "warnings": json.dumps(trusted["warnings"]),
    }


def trust(dt: xr.DataTree) -> dict[str, Any]:
    """Whether the posterior converged, and the warnings that go with whatever is made from it."""
    return {
        "converged": bool(dt.attrs["converged"]),
        "warnings": json.loads(dt.attrs["warnings"]),
    }


def leaderboard(dt: xr.DataTree | xr.Dataset, *, prob: float = 0.95) -> pd.DataFrame:
    """Rank the players, with intervals.

    Of a fit of many tournaments: by their mean strength, and beating the average player in a new
    tournament. `select_tournament` gives one of them.

    Parameters
    ----------
    dt : DataTree or Dataset
        From `leaderbayes.fit`; or an estimate from `leaderbayes.likelihood`.
    prob : float
        Posterior probability of the (equal-tailed) intervals; of an estimate, coverage of the
        normal ones.

    Returns
    -------
    DataFrame
        A row a player, highest posterior mean (or estimate) first: ``player``; ``epp``,
        ``epp_lower``, ``epp_upper`` (log-odds of beating the average player); ``p_average``
        (probability of beating the average player); ``p_best`` (of having the highest epp);
        ``rank`` in this table, ``rank_lower``, ``rank_upper`` of the posterior rank. An estimate
        has no ``p_best`` and no range of ranks, and one with ``covariance="none"`` no interval:
        they are NaN. attrs: ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If it is no fit, or ``prob`` is not between 0 and 1.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, properties
    3.2 and 3.4.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load_classifiers("breast_cancer"), sampler="laplace", seed=1)
    >>> board = lb.leaderboard(dt)
    >>> board[["rank", "player", "epp"]].round(0).head(3)
       rank        player  epp
    0     1       svm C=1  3.0
    1     2  logistic C=1  3.0
    2     3      svm C=10  3.0
    >>> bool((board["epp_lower"] < board["epp_upper"]).all())
    True
    """
    prob = share("prob", prob)
    if isinstance(dt, xr.Dataset):
        return table(dt, prob)
    epp, players = draws_of(dt)
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    ranks = _ranks(epp)
    low, high = np.quantile(epp, tails, axis=0)
    rank_low, rank_high = np.quantile(ranks, tails, axis=0, method="inverted_cdf")
    board = pd.DataFrame(
        {
            "player": players,
            "epp": epp.mean(axis=0),
            "epp_lower": low,
            "epp_upper": high,
            "p_average": _p_average(epp, spread_of(dt)),
            "p_best": (ranks == 1).mean(axis=0),
        }
    ).assign(rank_lower=rank_low.astype(int), rank_upper=rank_high.astype(int))
    board = board.sort_values("epp", ascending=False, kind="stable", ignore_index=True)
    board.insert(6, "rank", np.arange(1, len(board) + 1))
    board.attrs.update(trust(dt))
    return board


def _p_average(epp: Floats, spread: Floats | None) -> Floats:
    """Posterior mean probability of beating the average player, (player,)."""
    if spread is None:
        return np.asarray(expit(epp).mean(axis=0))
    # A player's deviation in a new tournament, less the average of all players' there.
    scale = spread[:, None] * np.sqrt(1.0 - 1.0 / epp.shape[1])
    return np.asarray(expit_mean(epp, scale).mean(axis=0))


def _ranks(epp: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """Rank of each player in each draw (sample, player), 1 is best."""
    order = np.argsort(-epp, axis=1)
    ranks = np.empty(order.shape, dtype=np.int32)
    np.put_along_axis(ranks, order, np.arange(1, epp.shape[1] + 1, dtype=np.int32)[None], axis=1)
    return ranks


def win_probability(
    dt: xr.DataTree | xr.Dataset, *, prob: float = 0.95, convention: Convention = "correct"
) -> xr.Dataset:
    """Probability that the row beats the column in a new round.

    Under Davidson's model: given that the match is not tied. Under PMRA: without the effect of
    who is listed first. Of a fit of many tournaments: in a new tournament.

    Parameters
    ----------
    dt : DataTree or Dataset
        From `leaderbayes.fit`; or an estimate from `leaderbayes.likelihood`.
    prob : float
        Posterior probability of the (equal-tailed) intervals; of an estimate, coverage of the
        normal ones of the log-odds.
    convention : {"correct", "published"}
        Of an estimate. "published": of PMRA with the intercept, for whoever is listed first
        (equation 7); of Bradley-Terry with ``covariance="model"``, every match counted twice.

    Returns
    -------
    Dataset
        ``mean``, ``lower``, ``upper`` (player, opponent), 1/2 on the diagonal. attrs:
        ``draws_used`` (posterior draws are thinned evenly on boards of many hundred players),
        ``converged``, ``warnings`` (JSON).

    Raises
    ------
    LeaderbayesError
        If ``prob`` is not between 0 and 1, or the convention has no meaning for this fit.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, property 3.1.
    Gajda, Chlebus (2022), A probability-based models ranking approach, equation 7.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load_classifiers("breast_cancer"), sampler="laplace", seed=1)
    >>> win = lb.win_probability(dt)
    >>> pair = win.sel(player="svm C=1", opponent="knn k=25")
    >>> [round(float(pair[name]), 1) for name in ("lower", "mean", "upper")]
    [0.8, 0.9, 0.9]
    """
    prob = share("prob", prob)
    if isinstance(dt, xr.Dataset):
        return probabilities(dt, prob, convention)
    if convention != "correct":
        raise LeaderbayesError("Published conventions are those of estimates, not of posteriors.")
    epp, players = draws_of(dt)
    m = len(players)
    spread = spread_of(dt)
    # The mean over a new tournament's deviations takes some sixty evaluations.
    most = _PAIR_VALUES // m**2 // (1 if spread is None else 60)
    used = int(np.clip(most, min(200, len(epp)), len(epp)))
    picked = np.linspace(0, len(epp) - 1, used).astype(int)
    epp = epp[picked]
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    # Player first, so that each pair's draws lie side by side.
    by_player = np.ascontiguousarray(epp.T)
    mean, low, high = np.empty((3, m, m))
    block = max(1, _BLOCK_VALUES // (m * used))
    for first in range(0, m, block):
        rows = slice(first, first + block)
        gap = by_player[rows, None, :] - by_player[None]
        if spread is None:
            # expit is monotone: quantiles of the difference are those of the probability.
            low[rows], high[rows] = expit(np.quantile(gap, tails, axis=2))
            mean[rows] = expit(gap).mean(axis=2)
        else:
            win = expit_mean(gap, np.sqrt(2.0) * spread[picked])
            low[rows], high[rows] = np.quantile(win, tails, axis=2)
            mean[rows] = win.mean(axis=2)
    dims = ("player", "opponent")
    return xr.Dataset(
        {"mean": (dims, mean), "lower": (dims, low), "upper": (dims, high)},
        coords={"player": players.to_numpy(), "opponent": players.to_numpy()},
        attrs={"draws_used": used, **{k: dt.attrs[k] for k in ("converged", "warnings")}},
    )


def rank_probability(dt: xr.DataTree) -> xr.DataArray:
    """Posterior distribution of each player's rank.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.

    Returns
    -------
    DataArray (player, rank)
        Probability; rows and columns sum to 1. attrs: ``converged``, ``warnings`` (JSON).

    Raises
    ------
    LeaderbayesError
        If there is no posterior.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load_classifiers("breast_cancer"), sampler="laplace", seed=1)
    >>> ranks = lb.rank_probability(dt)
    >>> ranks.dims
    ('player', 'rank')
    >>> float(ranks.sel(player="svm C=1", rank=1).round(1))
    0.8
    """
    epp, players = draws_of(dt)
    m = len(players)
    cell = _ranks(epp) - 1 + m * np.arange(m, dtype=np.int64)
    counts = np.bincount(cell.reshape(-1), minlength=m * m).reshape(m, m)
    return xr.DataArray(
        counts / len(epp),
        dims=("player", "rank"),
        coords={"player": players.to_numpy(), "rank": np.arange(1, m + 1)},
        name="rank_probability",
        attrs={k: dt.attrs[k] for k in ("converged", "warnings")},
    )


def p_top(dt: xr.DataTree, k: int) -> pd.Series:
    """Probability of being among the k best.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    k : int
        From 1 to the number of players.

    Returns
    -------
    Series
        By player, most probable first; sums to k. attrs: ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If ``k`` is out of range.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load_classifiers("breast_cancer"), sampler="laplace", seed=1)
    >>> top = lb.p_top(dt, 3)
    >>> top.head(3).index.tolist()
    ['svm C=1', 'logistic C=1', 'svm C=10']
    >>> round(float(top["svm C=1"]), 2), round(float(top.sum()), 2)
    (1.0, 3.0)
    """
    epp, players = draws_of(dt)
    k = whole("k", k, at_most=len(players))
    share = pd.Series((_ranks(epp) <= k).mean(axis=0), index=players, name=f"p_top_{k}")
    share = share.sort_values(ascending=False, kind="stable")
    share.attrs.update(trust(dt))
    return share


def tied_for_top(dt: xr.DataTree, *, prob: float = 0.95) -> list[str]:
    """Players that cannot be told apart from the leader.

    A player is left out where the leader (highest posterior mean) is better with probability
    ``prob`` or more.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    prob : float
        Posterior probability at which two players are told apart.

    Returns
    -------
    list of str
        Players, best first; the leader is the first.

    Raises
    ------
    LeaderbayesError
        If ``prob`` is not between 0 and 1.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load_classifiers("breast_cancer"), sampler="laplace", seed=1)
    >>> lb.tied_for_top(dt)
    ['svm C=1', 'logistic C=1', 'svm C=10']
    """
    prob = share("prob", prob)
    epp, players = draws_of(dt)
    order = np.argsort(-epp.mean(axis=0), kind="stable")
    better = (epp[:, order[:1]] > epp[:, order]).mean(axis=0)
    return [str(players[i]) for i, p in zip(order, better, strict=True) if p < prob]


def groups(dt: xr.DataTree, *, prob: float = 0.95) -> pd.DataFrame:
    """Find the sets of players that cannot be told apart.

    Players stand in the order of their posterior means; a group is a longest run in which no pair
    is told apart, which is to say the higher is better with probability ``prob`` or more. Groups
    overlap, as the letters of a compact letter display do.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    prob : float
        Posterior probability at which two players are told apart.

    Returns
    -------
    DataFrame
        ``group`` (1 is best) and ``player``, a row for each membership. attrs: ``converged``,
        ``warnings``.

    Raises
    ------
    LeaderbayesError
        If ``prob`` is not between 0 and 1.

    References
    ----------
    Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons,
    Journal of Computational and Graphical Statistics 13.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load_classifiers("breast_cancer"), sampler="laplace", seed=1)
    >>> lb.groups(dt).query("group <= 2")
       group           player
    0      1          svm C=1
    1      1     logistic C=1
    2      1         svm C=10
    3      2  logistic C=0.01
    """
    prob = share("prob", prob)
    epp, players = draws_of(dt)
    order = np.argsort(-epp.mean(axis=0), kind="stable")
    ordered = np.ascontiguousarray(epp[:, order])
    m = len(order)
    reach = np.full(m, m)
    for i in range(m - 1):
        told_apart = (ordered[:, i : i + 1] > ordered[:, i + 1 :]).mean(axis=0) >= prob
        if told_apart.any():
            reach[i] = i + 1 + int(np.argmax(told_apart))
    # A run from i ends where the first of its members is told apart from somebody.
    end = np.minimum.accumulate(reach[::-1])[::-1]
    starts = [i for i in range(m) if i == 0 or end[i] > end[i - 1]]
    table = pd.DataFrame(
        [
            (number, str(players[order[i]]))
            for number, start in enumerate(starts, 1)
            for i in range(start, end[start])
        ],
        columns=["group", "player"],
    )
    table.attrs.update(trust(dt))
    return table
