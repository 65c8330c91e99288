"""Checks of fit: compare the board with boards drawn from the posterior."""

from functools import singledispatch
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import expit

from leaderbayes import _arguments
from leaderbayes._answers.record import known_record
from leaderbayes._arguments import whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.matches import boards_of
from leaderbayes._fits.posterior import Posterior, Strengths, StrengthsOfVotes, Teams
from leaderbayes._inference.check_of_fit import Discrepancy, discrepancies_of
from leaderbayes._numerics.counts import STATISTICS, statistics
from leaderbayes._numerics.two_way import effects
from leaderbayes._scores.vote_matches import weights_of
from leaderbayes._types import Bools, Floats

_CHANCE = 0.05  # that a transitive board has a triple
_DATE = r"\d{4}-\d\d(-\d\d.*)?"
_FEWEST, _MOST = 6, 200  # rounds, judges or blocks of votes by which strengths may drift
_PLAYERS, _FLIPS, _SURE = 300, 999, 0.01


def check(dt: xr.DataTree, *, draws: int = 200, seed: int | None = None) -> xr.Dataset:
    """Compare the data with replicates that keep the dependence within rounds.

    The discrepancy of matches is the deviance of the counts of wins, each board's at its own
    estimate; replicates are whole rankings around the estimate, as spread and as often tied as the
    observed ones. For scores it is the largest standardised residual of players' and rounds'
    effects. For teams four statistics of the board are compared.

    Parameters
    ----------
    dt : DataTree
        Posterior of any model, from `fit`, `sota.posterior` or ``pm.sample``; for scores and
        teams with the group ``posterior_predictive``.
    draws : int
        Replicates of matches.
    seed : int, optional
        Same seed, same numbers. None draws one; it is in attrs.

    Returns
    -------
    Dataset
        ``observed``, ``replicated`` (draw), and ``p_value``, the share of replicates that are at
        least as discrepant; NaN where strengths describe any result, as of a chain of players.

        For matches and votes also the size: ``misfit``, by how much the model's win probabilities
        are off (rms, beyond luck), and ``ratio``, ``observed`` over the replicates' mean. With one
        tournament ``pair_gap`` (player, opponent), wins above what was expected, in standard
        errors; ``triple`` (triple, place), where a beats b beats c beats a, and
        ``triple_probability``: a board without any has one with probability 0.05.

        For teams ``observed``, ``lower``, ``upper`` (95 %) and ``p_value`` (two-sided) over
        ``statistic``. Where rounds or votes have times also ``p_drift``, the p-value of strengths
        that stay as they are. attrs: ``seed``, ``converged``, ``warnings``, ``note`` (of a drift).

    Raises
    ------
    LeaderbayesError
        If this is no posterior, or lacks the group.

    References
    ----------
    Gelman, Meng, Stern (1996), Posterior predictive assessment of model fitness via realized
    discrepancies, Statistica Sinica 6.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "diabetes"), seed=1)
    >>> result = lb.check(dt, seed=1)
    >>> result.sizes["draw"], result.sizes["triple"]
    (200, 0)
    >>> 0.1 < float(result["p_value"]) < 0.9
    True
    """
    post, draws, seed = Posterior(dt), whole("draws", draws), _arguments.seed_or_new(seed)
    return checked(post, draws, np.random.default_rng(seed)).assign_attrs(seed=seed, **post.trust)


@singledispatch
def checked(post: Posterior, draws: int, rng: np.random.Generator) -> xr.Dataset:
    """Compare what is observed with the replicates that a posterior keeps."""
    observed, predicted = post.group("observed_data"), post.group("posterior_predictive")
    name = next((str(name) for name in predicted.data_vars if name in observed), None)
    if name is None:
        raise LeaderbayesError(f"{post.called} has no replicates of the observed data.")
    dims = [str(dim) for dim in observed[name].dims]
    again = predicted[name].transpose("chain", "draw", *dims).to_numpy()
    seen = observed[name].to_numpy().astype(float)
    largest = _largest(again.reshape(-1, *seen.shape).astype(float))
    return _compared(Discrepancy(float(_largest(seen[None])[0]), largest, np.nan, np.empty(0)))


@checked.register
def _of_matches(post: Strengths, draws: int, rng: np.random.Generator) -> xr.Dataset:
    seen, boards = discrepancies_of(post, draws, rng), [board for board, _ in boards_of(post)]
    found = _compared(seen).assign(ratio=seen.ratio, misfit=seen.misfit)
    free = sum(int((b["n"] > 0).sum()) // 2 - b.sizes["player"] + 1 for b in boards)
    if free <= 0:  # strengths describe any result, of a chain of players for example
        found["p_value"] = np.nan
    found = found.merge(named_misfits(post))
    if np.isfinite(p := drift(post)):
        found = found.assign(p_drift=p).assign_attrs(note=said_of(p))
    return found


@checked.register
def _of_teams(post: Teams, _: int, rng: np.random.Generator) -> xr.Dataset:
    new = statistics(post.read("new_score", "team", group="posterior_predictive"))
    if post.board is None:
        raise LeaderbayesError(f"{post.called} has no constant_data/score (team), the board.")
    score, n = post.own_unit(post.board.to_numpy()), post.option("n")  # as the model has them
    if n is not None and post.option("positive_rate") is None:
        # As the model has them: 373 of 374, printed as 0.99733, is no more than that.
        score = np.round(score * n) / n
    seen = statistics(score)
    # Ties count half: scores are multiples of 1 / n, and quantiles of them but for rounding errors.
    tied = np.isclose(new, seen, rtol=1e-12, atol=0.0)
    above = np.where(tied, 0.5, new > seen).mean(axis=0)
    lower, upper = np.quantile(new, [0.025, 0.975], axis=0)
    p = np.minimum(2.0 * np.minimum(above, 1.0 - above), 1.0)
    names = list(STATISTICS)
    if not post.higher_is_better:
        seen, lower, upper = (post.own_unit(values) for values in (seen, upper, lower))
        names = ["minimum", "quantile 0.1", "median", "quantile 0.9"]
    values = {"observed": seen, "lower": lower, "upper": upper, "p_value": p}
    named = {name: ("statistic", value) for name, value in values.items()}
    return xr.Dataset(named, {"statistic": names})


def _compared(found: Discrepancy) -> xr.Dataset:
    values: dict[str, Any] = {"observed": found.observed, "replicated": ("draw", found.replicated)}
    return xr.Dataset(values | {"p_value": found.p_value})


def _largest(boards: Floats) -> Floats:
    """Return each board's largest standardised residual of two-way effects (board,)."""
    if np.isfinite(boards).all():
        off = boards - boards.mean(axis=1, keepdims=True) - boards.mean(axis=2, keepdims=True)
        off += boards.mean(axis=(1, 2), keepdims=True)
    else:
        fits = (effects(board) for board in boards)
        off = boards - np.stack([rows[:, None] + columns for rows, columns in fits])
    spread = np.nanstd(off, axis=(1, 2))
    return np.asarray(np.nanmax(abs(off), axis=(1, 2)) / np.where(spread > 0.0, spread, 1.0))


def named_misfits(post: Posterior) -> xr.Dataset:
    """Return how much pairs won above expectation, and circular triples, of one tournament."""
    if (own := known_record(post, 0.95)) is None:
        return xr.Dataset()
    won, n, worth = (own[name].to_numpy() for name in ("won", "played", "worth"))
    epp = post.read(post.parameter, post.who).mean(axis=0)  # over the rounds played
    p = expit(epp[:, None] - epp)
    variance = n * p * (1.0 - p) / worth
    gap = np.full_like(p, np.nan)
    np.divide(won - n * p, np.sqrt(variance), out=gap, where=variance > 0.0)
    pairs = max(int((n > 0.0).sum()) // 2, 1)
    triples, probability = _cycles(own["better"].to_numpy(), n > 0.0, 1.0 - _CHANCE / pairs)
    names = post.players.to_numpy().astype(object)
    return xr.Dataset(
        {
            "pair_gap": (("player", "opponent"), gap),
            "triple": (("triple", "place"), names[triples]),
            "triple_probability": ("triple", probability),
        },
        {"player": names, "opponent": names},
    )


def _cycles(better: Floats, met: Bools, least: float) -> tuple[np.ndarray, Floats]:
    """List circles of a beats b beats c beats a (triple, 3) with at least this probability each."""
    better = np.where(met, better, 0.0)
    sure = better > least
    found = [np.empty((0, 3), np.int64)]
    for a in range(len(sure)):
        # Each once: the first of the three comes first among the players.
        beaten = np.flatnonzero(sure[a, a + 1 :]) + a + 1
        by = np.flatnonzero(sure[a + 1 :, a]) + a + 1
        b, c = np.nonzero(sure[np.ix_(beaten, by)])
        found.append(np.column_stack([np.full(len(b), a), beaten[b], by[c]]))
    triples = np.concatenate(found)
    a, b, c = triples.T
    all_three = better[a, b] * better[b, c] * better[c, a]
    order = np.argsort(-all_three, kind="stable")
    order = order[all_three[order] >= least]
    return triples[order], np.asarray(all_three[order])


# Whether strengths change over time, where rounds or votes have times


def drift(post: Posterior) -> float:
    """Return the p-value of no trend in strengths, by random signs; NaN without times."""
    few = len(post.players) <= _PLAYERS and "constant_data" in post.tree.children
    rows = _residuals(post).dropna() if few and post.varies_by is None else pd.DataFrame()
    if rows.empty:
        return float("nan")
    by = pd.factorize(rows["by"])[0] % _MOST
    if by.max() + 1 < _FEWEST or rows["at"].nunique() < 2:
        return float("nan")
    # A player's own times are centred: being strong early in the table is no trend.
    total = (rows["known"] * rows["at"]).groupby(rows["player"]).sum()
    centre = total / rows.groupby("player")["known"].sum()
    share = rows["off"] * (rows["at"] - rows["player"].map(centre))
    parts = share.groupby([by, rows["player"]]).sum().unstack().fillna(0.0).to_numpy()
    size = np.sqrt((parts**2).sum(axis=0))
    parts = parts[:, size > 0.0] / size[size > 0.0]
    signs = np.random.default_rng([post.seed, 49]).choice([-1.0, 1.0], (_FLIPS, len(parts)))
    own, flipped = (parts.sum(axis=0) ** 2).sum(), ((signs @ parts) ** 2).sum(axis=1)
    return float((1 + (flipped >= own * (1.0 - 1e-9)).sum()) / (1 + _FLIPS))


def said_of(p: float) -> str:
    """Return what to do about a drift, "" if there is none to speak of."""
    return f"Strengths change over time (p = {p:.3f}): fit model='dynamic'." if p < _SURE else ""


@singledispatch
def _residuals(post: Posterior) -> pd.DataFrame:
    """Return residuals of players, and when they are: here of each player in each round."""
    place = post.matches()["place"].transpose("round", "player")
    names = pd.Series(place["round"].to_numpy()).astype(str)  # Zarr's strings, too
    at = names.where(names.str.fullmatch(_DATE)).rank(method="dense").to_numpy(float)
    if "period_of_round" in post.constant:
        at = post.constant["period_of_round"].to_numpy().astype(float)
    x, epp = place.to_numpy(), post.read(post.parameter, post.who).mean(axis=0)
    p = expit(epp[:, None] - epp)
    off, known = np.zeros(x.shape), np.zeros(x.shape)
    for i, own in enumerate(x.T):
        met = (own[:, None] > 0) & (x > 0)
        won = 0.5 + 0.5 * np.sign(x - own[:, None])
        off[:, i] = (met * (won - p[i])).sum(axis=1)  # against itself 0
        known[:, i] = met @ (p[i] * (1.0 - p[i])) - 0.25 * (own > 0)
    rounds, player = np.indices(x.shape)
    return _rows(rounds, player, at[rounds], off, known)


@_residuals.register
def _of_votes(post: StrengthsOfVotes) -> pd.DataFrame:
    """Return residuals of both players of each vote."""
    votes, n = post.votes, weights_of(post.votes)
    first, second, outcome = (votes[k].to_numpy() for k in ("first", "second", "outcome"))
    time = votes["time"].to_numpy() if "time" in votes.coords else np.full(len(n), np.nan)
    at = pd.Series(time).rank(method="dense").to_numpy()
    by = pd.factorize(votes["judge"].to_numpy())[0] if "judge" in votes.coords else np.zeros(1, int)
    if by.max() + 1 < _FEWEST:  # votes that follow each other
        by = pd.Series(at).rank(method="first").to_numpy() * _MOST // (len(n) + 1)
    epp = post.draws.mean(axis=0)
    p = expit(epp[first] - epp[second] + post.offset)
    off, known = n * (outcome - p), n * p * (1.0 - p)
    both = [_rows(by, first, at, off, known), _rows(by, second, at, -off, known)]
    return pd.concat(both, ignore_index=True)


def _rows(by: Any, player: Any, at: Any, off: Floats, known: Floats) -> pd.DataFrame:
    columns = {"by": by, "player": player, "at": at, "off": off, "known": known}
    return pd.DataFrame({name: np.ravel(values) for name, values in columns.items()})
