"""Does the leaderboard fit? Deviance, and posterior predictive checks with whole rankings."""

import json
from collections.abc import Iterator
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import chdtrc, ndtr, xlogy

from leaderbayes import _arguments
from leaderbayes._answers.best import compared, is_best, require_best
from leaderbayes._arguments import whole
from leaderbayes._errors import LeaderbayesError, NotConvergedError
from leaderbayes._fits.posterior import drawn, fitted, refuse
from leaderbayes._fits.require import no_fit
from leaderbayes._fits.trust import trust
from leaderbayes._numerics import bradley_terry as bt
from leaderbayes._numerics.places import count_matches, places
from leaderbayes._numerics.round_intercept import counts as listed_counts
from leaderbayes._scores.matches import components, matches
from leaderbayes._types import Floats


def matches_of(dt: xr.DataTree) -> xr.Dataset:
    """Remake the matches (player, opponent) that a fit was made from.

    Raises
    ------
    LeaderbayesError
        If it is no fit, or its scores are others than those it was made from.
    """
    fitted(dt, "constant_data")
    arguments = json.loads(dt.attrs["arguments"])
    rules = {name: arguments[name] for name in ("within_round", "ties")}
    board = matches(dt["constant_data"].to_dataset()["scores"], **rules)
    if "observed_data" in dt.children and "tournament" not in board.dims:
        fitted(dt, "observed_data")
        _check_places(dt, board)
    return board


def _check_places(dt: xr.DataTree, board: xr.Dataset) -> None:
    """Raise unless the places of the fit are in the order of its scores, also of some players."""
    if "place" not in dt["observed_data"]:
        return
    observed = dt["observed_data"].dataset["place"].sel(player=board["player"].to_numpy())
    if observed.sizes.get("round") == board.sizes["round"]:
        seen = observed.transpose("round", "player").to_numpy()
        again = places(
            np.where(seen > 0, seen, np.nan),
            higher_is_better=False,
            within_round=bool(board.attrs["within_round"]),
        )
        if np.array_equal(again, board["place"].to_numpy()):
            return
    raise refuse(dt, "was made from other scores than those in constant_data")


def deviance(
    dt: xr.DataTree | xr.Dataset, *, convention: Literal["correct", "published"] = "correct"
) -> xr.Dataset:
    r"""Compute the deviance of a leaderboard against the model that fits every pair exactly.

    .. math:: D = 2 (\ell_{saturated} - \ell_{fitted}), \quad \tilde D = (D - df) / \sqrt{2 df}

    Both p-values assume independent matches. Matches of a round are one ranking, so this test
    hardly ever rejects on scores compared within rounds, and rejects too often on sparse boards:
    report `check` beside it.

    Parameters
    ----------
    dt : DataTree or Dataset
        From `leaderbayes.fit`, evaluated at the maximum-likelihood estimate (at the posterior mean
        where that does not exist); or from `leaderbayes.likelihood`. Of its estimates only
        Bradley-Terry's counts have a reference law: others have no p-values.
    convention : {"correct", "published"}
        "published" counts every match twice and takes m (m - 2) degrees of freedom, as EloML and
        its paper do. "correct": unordered pairs that met, less the free parameters.

    Returns
    -------
    Dataset
        Scalars: ``value``, ``df``, ``p_value`` (chi-square), ``standardised``, ``p_value_normal``.
        attrs: ``at``, where it was evaluated; ``converged`` (0 or 1), ``warnings`` (JSON list).

    Raises
    ------
    LeaderbayesError
        If the convention is not known.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance,
    properties 3.8 to 3.10.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    >>> test = lb.deviance(dt)
    >>> int(test["df"]), round(float(test["standardised"]), 1)
    (91, -3.0)
    """
    if convention not in ("correct", "published"):
        raise LeaderbayesError(f"convention={convention!r}: choose 'correct' or 'published'.")
    if isinstance(dt, xr.DataTree):
        parts = [_deviance_of_board(board, dt, epp) for board, epp in boards_of(dt)]
        # Of many tournaments: all pairs of all of them.
        values, dfs, where = zip(*parts, strict=True)
        value, df = sum(values), sum(dfs)
        at = where[0] if len(set(where)) == 1 else "maximum likelihood or mean"
        players = dt["posterior"].sizes["player"]
    elif "deviance" not in getattr(dt, "data_vars", ()):
        raise no_fit(dt)
    else:
        value, df, at = float(dt["deviance"]), int(dt.attrs["df"]), "maximum likelihood"
        players = dt.sizes["player"]
    if convention == "published":
        value, df = 2.0 * value, players * (players - 2)
    pairs = isinstance(dt, xr.DataTree) or dt.attrs["model"] == "bradley_terry"
    # Two players leave no degree of freedom: any board of theirs fits exactly.
    tested = df > 0 and pairs
    standardised = (value - df) / np.sqrt(2.0 * df) if tested else np.nan
    return xr.Dataset(
        {
            "value": value,
            "df": df,
            "p_value": float(chdtrc(df, value)) if tested else np.nan,
            "standardised": float(standardised),
            "p_value_normal": float(ndtr(-standardised)),
        },
        attrs={"at": at, **trust(dt)},
    )


def boards_of(dt: xr.DataTree) -> list[tuple[xr.Dataset, xr.DataArray]]:
    """Give each tournament's matches and strengths (..., player), for the players it has."""
    board = matches_of(dt)
    if "tournament" not in board.dims:
        return [(board, drawn(dt, "epp").sel(player=board["player"].to_numpy()))]
    epp = drawn(dt, "epp_tournament")
    boards = []
    for t in range(board.sizes["tournament"]):
        one = board.isel(tournament=t, drop=True)
        seen = one["place"] > 0
        who, when = (np.flatnonzero(seen.any(dim)) for dim in ("round", "player"))
        one = one.isel(player=who, opponent=who, round=when)
        own = epp.sel(tournament=board["tournament"].to_numpy()[t], drop=True)
        boards.append((one, own.sel(player=one["player"].to_numpy())))
    return boards


def _deviance_of_board(
    board: xr.Dataset, dt: xr.DataTree, draws: xr.DataArray
) -> tuple[float, int, str]:
    """Give a board's deviance, its degrees of freedom, and where it was evaluated."""
    wins, n, tied = (board[name].to_numpy() for name in ("wins", "n", "tied"))
    davidson = dt.attrs["model"] == "davidson"
    epp = draws.mean(("chain", "draw")).to_numpy()
    nu = float(drawn(dt, "tie").mean()) if davidson else -np.inf
    at = "posterior mean"
    if components(board).nunique() == 1:
        try:
            epp, nu, _ = bt.newton(wins.sum(axis=1), n, tied.sum() / 2.0 if davidson else None)
            at = "maximum likelihood"
        except NotConvergedError:
            # Davidson's nu has no finite estimate without ties (or with nothing else).
            pass
    pairs = int((n > 0).sum() // 2)
    df = 2 * pairs - len(epp) if davidson else pairs - (len(epp) - 1)
    return _discrepancy(epp, nu, wins - tied / 2.0, tied, n), df, at


def check(dt: xr.DataTree, *, draws: int = 200, seed: int | None = None) -> xr.Dataset:
    """Check the fit by replicates of the board that are drawn round by round.

    A posterior predictive check. The discrepancy is the deviance of the counts of wins at each
    posterior draw's strengths, summed over tournaments. Replicated boards are two: those of the fit
    (``posterior_predictive``), which are whole rankings and keep the dependence between the matches
    of a round (PMRA's are matches given the round's intercept); and naive ones, every match on its
    own, as the published test supposes.

    With ``test_fraction`` strengths are spread by luck that all rounds of the board share, and
    replicates drawn from them do not vary by it again. Then the board's deviance is taken as far
    from its own estimate as the strengths of the replicate are from that of the replicate.

    A posterior of the best of a board is checked by boards of other teams from the fitted P(theta):
    all draws are used, and nothing is drawn.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit` or `leaderbayes.sota.posterior`.
    draws : int
        Posterior draws to use, spread evenly over those that have replicates.
    seed : int, optional
        Of the naive replicates: same seed, same numbers. None draws one; it is in attrs.

    Returns
    -------
    Dataset
        ``observed``, ``replicated_round``, ``replicated_naive`` (draw): discrepancies. ``p_round``,
        ``p_naive``: share of draws whose replicate is at least as discrepant as the board. Near 0:
        the board does not fit; near 1: it varies less than the model says. Of the best of a board:
        ``observed``, ``lower`` and ``upper`` (95 % interval of the model's boards) and ``p_value``
        (two-sided) over ``statistic``: "maximum", "quantile 0.9", "median", "quantile 0.1". attrs:
        ``model``, ``seed`` (not of the best), ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If it is no fit, or ``draws`` is below 1.

    References
    ----------
    Gelman, Meng, Stern (1996), Posterior predictive assessment of model fitness via realized
    discrepancies, Statistica Sinica 6.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    >>> result = lb.check(dt, seed=1)
    >>> dict(result.sizes)
    {'draw': 200}
    >>> 0.1 < float(result["p_round"]) < 0.9
    True
    """
    draws = whole("draws", draws)
    if is_best(dt):
        require_best(dt)
        attrs = {"model": dt.attrs["model"], **trust(dt)}
        return xr.Dataset.from_dataframe(compared(dt)).assign_attrs(attrs)
    fitted(dt, "posterior_predictive", "constant_data")
    replicates = dt["posterior_predictive"].to_dataset().stack(sample=("chain", "draw"))
    _check_draws(dt, replicates.indexes["sample"])
    total = replicates.sizes["sample"]
    picked = np.unique(np.linspace(0, total - 1, min(draws, total)).astype(int))
    replicates = replicates.isel(sample=picked)
    sample = replicates.indexes["sample"]
    nu = np.full(len(picked), -np.inf)
    if dt.attrs["model"] == "davidson":
        nu = drawn(dt, "tie").stack(sample=("chain", "draw")).sel(sample=sample).to_numpy()
    shared_luck = json.loads(dt.attrs["arguments"]).get("test_fraction") is not None
    seed = _arguments.seed_or_new(seed)
    rng = np.random.default_rng(seed)
    observed, round_wise, match_wise = np.zeros((3, len(picked)))
    first = 0
    for board, strengths in boards_of(dt):
        stacked = strengths.stack(sample=("chain", "draw")).sel(sample=sample)
        epp = stacked.transpose("sample", "player").to_numpy()
        rows = slice(first, first + board.sizes["round"])
        first = rows.stop
        wins, n, tied = (board[name].to_numpy() for name in ("wins", "n", "tied"))
        equal = np.zeros_like(tied) if board.attrs["ties"] == "drop" else tied
        strict = wins - equal / 2.0
        repeated = _replicated_counts(replicates, board, dt, rows)
        own = _estimate(strict, equal, n) if shared_luck else None
        for k, (b, v, counts) in enumerate(zip(epp, nu, repeated, strict=True)):
            at = b if own is None else b + own - _estimate(*counts)
            observed[k] += _discrepancy(at, v, strict, equal, n)
            round_wise[k] += _discrepancy(b, v, *counts)
            match_wise[k] += _discrepancy(b, v, *_independent_matches(b, v, n, rng), n)
    return xr.Dataset(
        {
            "observed": ("draw", observed),
            "replicated_round": ("draw", round_wise),
            "replicated_naive": ("draw", match_wise),
            "p_round": (round_wise >= observed).mean(),
            "p_naive": (match_wise >= observed).mean(),
        },
        attrs={"model": dt.attrs["model"], "seed": seed, **trust(dt)},
    )


def _check_draws(dt: xr.DataTree, sample: pd.Index) -> None:
    """Raise unless each replicate is of a draw that the posterior has."""
    own = dt["posterior"].dataset[["epp"]].stack(sample=("chain", "draw")).indexes["sample"]
    if own.has_duplicates or sample.has_duplicates or not sample.isin(own).all():
        raise refuse(dt, "has replicates of other draws than those in posterior")


def _discrepancy(epp: Floats, nu: float, strict: Floats, equal: Floats, n: Floats) -> float:
    """Compute the deviance of strict wins and ties (player, opponent).

    Of Davidson's model; where nu is -inf, of Bradley-Terry's, with ties as half wins.
    """
    if not np.isfinite(nu):
        return bt.deviance(epp, strict + equal / 2.0, n)
    p, t = bt.davidson_probability(epp, nu)
    played = np.where(n > 0, n, 1.0)
    won = xlogy(strict, strict / played) - xlogy(strict, p)
    tied = xlogy(equal, equal / played) - xlogy(equal, t)
    return float(2.0 * (won.sum() + tied.sum() / 2.0))


def _estimate(strict: Floats, equal: Floats, n: Floats) -> Floats:
    """Estimate strengths as exist on any board: ties half, one pseudo-round."""
    return bt.newton((strict + equal / 2.0).sum(axis=1), n, pseudo_rounds=1.0)[0]


def _replicated_counts(
    replicates: xr.Dataset, board: xr.Dataset, dt: xr.DataTree, rows: slice
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Count strict wins, ties and matches of each replicate of one tournament.

    Its rounds are ``rows``. Ties that the board's rule drops are no matches.
    """
    within = bool(board.attrs["within_round"])
    if "outcome" in replicates:
        own = dt["constant_data"]["order"].sel(player=board["player"].to_numpy())
        order = np.argsort(own.to_numpy())
        if replicates.sizes["pair"] != len(order) * (len(order) - 1) // 2:
            raise refuse(dt, "has replicates of other players than those on its board")
        again = replicates["outcome"].transpose("sample", "round", "pair").to_numpy()
        counted = (listed_counts(outcome, order) for outcome in again)
    else:
        own = replicates["place"].sel(player=board["player"].to_numpy())
        again = own.transpose("sample", ..., "player").to_numpy()[:, rows]
        counted = (count_matches(place, within_round=within) for place in again)
    place = board["place"].transpose("round", "player").to_numpy()
    _, met = count_matches(place, within_round=within)
    for strict, n in counted:
        if not np.array_equal(n, met):
            raise refuse(dt, "has replicates in which others meet than on its board")
        decided = strict + strict.T
        kept = decided if board.attrs["ties"] == "drop" else n
        yield strict.astype(float), (kept - decided).astype(float), kept.astype(float)


def _independent_matches(
    epp: Floats, nu: float, n: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw strict wins and ties (player, opponent), every match on its own."""
    upper = np.triu_indices(len(epp), 1)
    p, t = bt.davidson_probability(epp, nu)
    met = n[upper].astype(np.int64)
    drawn = rng.binomial(met, np.clip(t[upper], 0.0, 1.0))
    won = rng.binomial(met - drawn, (p / (p + p.T))[upper])
    strict, equal = np.zeros_like(n), np.zeros_like(n)
    strict[upper] = won
    strict.T[upper] = met - drawn - won
    equal[upper] = drawn
    return strict, equal + equal.T
