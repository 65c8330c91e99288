"""Compare two players of a leaderboard."""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtr, ndtri

from leaderbayes._answers.blend import Blend, blends
from leaderbayes._answers.groups import shares_better
from leaderbayes._answers.record import known_record
from leaderbayes._arguments import number, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.printed import Answer, clean, probability
from leaderbayes._fits.posterior import Posterior, ScoresOfTournaments, Strengths
from leaderbayes._numerics.intervals import decimals_of_difference, ends, with_ends
from leaderbayes._types import Bools, Floats

_NEW = 40  # data sets that a draw of several tournaments stands for


def compare(
    dt: xr.DataTree, a: str, b: str, *, rope: float | None = None, prob: float = 0.95
) -> xr.Dataset:
    """Compare two players: the probabilities that ``a`` is better, equivalent or worse than ``b``.

    Parameters
    ----------
    dt : DataTree
        Posterior of any model, from `fit` or ``pm.sample``.
    a, b : str
        Two players, or teams.
    rope : float, optional
        Region of practical equivalence: how far the win probability may be from 1/2 (strengths;
        ``p_better`` is then about it), or how much two players may differ (scores, theta).
    prob : float
        Probability of the equal-tailed credible intervals.

    Returns
    -------
    Dataset
        Scalars ``p_better``, ``p_equivalent``, ``p_worse``, and with ``_lower`` and ``_upper``:

        - strengths: ``win_probability`` (ends ``win_lower``, ``win_upper``) of a over b in a new
          round, as from `win_probability`, and ``epp_difference`` (ends ``epp_lower``,
          ``epp_upper``);
        - scores and theta: ``difference``; also ``cohen_d`` and ``cliff_delta`` if the model has
          the variation of scores between rounds;
        - one tournament: ``record``, the win probability from head-to-head results alone, with
          ``record_better``, ``record_won``, ``record_played`` and ``record_tied``.

        With several tournaments the probabilities are those in a new one; for scores ``new_lower``
        and ``new_upper`` are its interval, and ``mean_better`` is about the means. Coordinates:
        ``player``, ``opponent``. attrs: ``message``, the answer in sentences, as it prints;
        ``prob``, ``rope``, ``mass`` and ``note`` of the blend, ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If a player is unknown, both are the same, or ``rope`` is not from 0 to below 1/2.

    References
    ----------
    Benavoli, Corani, Demšar, Zaffalon (2017), Time for a change: a tutorial for comparing multiple
    classifiers through Bayesian analysis, JMLR 18(77), on regions of practical equivalence.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), seed=1)
    >>> pair = lb.compare(dt, "svm C=1", "logistic C=1", rope=0.1)
    >>> max(("p_better", "p_equivalent", "p_worse"), key=lambda name: float(pair[name]))
    'p_equivalent'
    """
    prob, post = share("prob", prob), Posterior(dt)
    check_comparison(a, b)
    if rope is not None:
        number("rope", rope, at_least=0.0, below=post.kind.rope_below)
    pair = [post.position(a), post.position(b)]
    said: dict[str, Any] = {"prob": prob} | ({} if rope is None else {"rope": rope}) | post.trust
    found, more = _compared(post, pair, rope, prob)
    said |= more
    known = "constant_data" in post.tree.children
    if known and (own := known_record(post, prob, [a, b])) is not None:
        own = own.sel(player=a, opponent=b).drop_vars("worth")
        found |= {f"record_{name}".removesuffix("_mean"): v.item() for name, v in own.items()}
    answer = Answer(found, {"player": a, "opponent": b}, said)
    return answer.assign_attrs(message=_message(answer, post, a, b))


def _message(found: xr.Dataset, post: Posterior, a: str, b: str) -> str:
    """Describe a comparison in sentences, one per line."""
    value = {str(name): float(of) for name, of in found.data_vars.items()}
    p = {name: probability(of) for name, of in value.items()}
    zero = {"win": 0.5, "record": 0.5, "difference": 0.0, "new": 0.0}
    words = {"one": clean(str(a))[:60], "other": clean(str(b))[:60], "unit": post.kind.unit, **p}
    words["level"] = f"{found.attrs['prob']:.0%} interval "
    for name in {*zero} & {each.removesuffix("_lower") for each in value}:
        ends = value[f"{name}_lower"], value[f"{name}_upper"]
        words[f"{name}_ends"] = _interval(*ends, zero[name])
        if name == "difference":
            words[name] = f"{value[name]:+.{decimals_of_difference(*ends)}f}"
    better = post.kind.better
    if "rope" in found.attrs:
        words["near"] = post.kind.near.format(rope=found.attrs["rope"])
        better = (
            "Probabilities: better {p_better}, equivalent ({near}) {p_equivalent}, worse {p_worse}."
        )
    said = [post.kind.first, better]
    if "record" in value and np.isfinite(value["record"]):
        tied = value["record_tied"]
        halves = f" and tied {tied:g}" if tied else ""
        said.append(
            f"Head to head {{one}} won {value['record_won'] - tied / 2.0:g}{halves} of "
            f"{value['record_played']:g} {{unit}}s; these alone give {{record}} ({{record_ends}})."
        )
    return "\n".join(said).format(**words)


def _interval(low: float, high: float, zero: float = 0.0) -> str:
    """Format an interval of a difference or probability so that its side is visible."""
    sign = "" if zero else "+"
    digits = decimals_of_difference(low, high, zero)
    digits = min(max(digits, 2), 4) if zero else digits
    return f"{low:{sign}.{digits}f} to {high:{sign}.{digits}f}"


Found = tuple[dict[str, Any], dict[str, Any]]  # values, and attrs that describe them


@singledispatch
def _compared(post: Posterior, pair: list[int], rope: float | None, prob: float) -> Found:
    """Return how scores or thetas compare."""
    gap = np.subtract(*post.draws[:, pair].T)
    found = _verdicts(np.subtract(*post.standing[:, pair].T), _within(gap, rope))
    return found | with_ends({"difference": gap}, prob) | _effects(post, gap, pair, prob), {}


@_compared.register
def _strengths(post: Strengths, pair: list[int], rope: float | None, prob: float) -> Found:
    gap = np.subtract(*post.draws[:, pair].T)
    mean, win, said = win_of(post, pair)
    # Who is better is a matter of strengths, as in groups; by how much, of win probabilities.
    ahead = gap if rope is None else win - 0.5
    verdicts = _verdicts(ahead, _within(ahead, rope))
    wins, apart = ends(win, prob), ends(gap, prob)
    return verdicts | {
        "win_probability": mean, "win_lower": wins[0], "win_upper": wins[1],
        "epp_difference": gap.mean(), "epp_lower": apart[0], "epp_upper": apart[1],
    }, said  # fmt: skip


def win_of(post: Posterior, pair: list[int]) -> tuple[float, Floats, dict[str, Any]]:
    """Return the mean of a pair's win probability, draws (sample,), and attrs that describe it."""
    if blends(post):
        blend = Blend(post)
        return *blend.pair(*post.players[pair]), {"mass": blend.mass, "note": blend.said()}
    win = post.chance(np.subtract(*post.standing[:, pair].T), post.apart[*pair])
    return float(win.mean()), win, {}


@_compared.register
def _scores_of_tournaments(
    post: ScoresOfTournaments, pair: list[int], rope: float | None, prob: float
) -> Found:
    gap, ahead = (np.subtract(*of[:, pair].T) for of in (post.draws, post.standing))
    # On a new data set players deviate by themselves: quantiles that stand for a draw's new ones.
    off, scale = ndtri((np.arange(_NEW) + 0.5) / _NEW), post.apart[*pair] * post.spread
    low, high = ends((gap[:, None] + scale[:, None] * off).ravel(), prob)
    far = 0.0 if rope is None else rope
    better, worse = ndtr((ahead - far) / scale).mean(), ndtr((-ahead - far) / scale).mean()
    new = {"p_better": better, "p_equivalent": 1.0 - better - worse, "p_worse": worse}
    more = {"mean_better": (ahead > 0.0).mean(), "new_lower": low, "new_upper": high}
    return new | with_ends({"difference": gap}, prob) | more, {}


def _within(gap: Floats, rope: float | None) -> Bools:
    return np.asarray(np.zeros(len(gap), bool) if rope is None else abs(gap) <= rope)


def _verdicts(ahead: Floats, equivalent: Bools) -> dict[str, Any]:
    return {
        "p_better": ((ahead > 0.0) & ~equivalent).mean(),
        "p_equivalent": equivalent.mean(),
        "p_worse": ((ahead <= 0.0) & ~equivalent).mean(),
    }


def _effects(post: Posterior, gap: Floats, pair: list[int], prob: float) -> dict[str, Any]:
    """Return Cohen's d and Cliff's delta, if it is known how scores vary between rounds."""
    if not post.has("noise"):
        return {}
    variance = post.read("noise", "player")[:, pair] ** 2
    if post.has("round_scale"):
        variance = variance + post.read("round_scale")[:, None] ** 2
    # Of two scores, whose rounds need not be the same.
    delta = 2.0 * ndtr(gap / np.sqrt(variance.sum(axis=1))) - 1.0
    return with_ends({"cohen_d": gap / np.sqrt(variance.mean(axis=1)), "cliff_delta": delta}, prob)


def p_better(post: Posterior, players: Sequence[str] | pd.Index | None = None) -> xr.DataArray:
    """Return P(row is better than column), (player, opponent), 1/2 on the diagonal."""
    names = post.players.to_numpy() if players is None else np.asarray(players)
    better = shares_better(post.standing[:, post.players.get_indexer(pd.Index(names))])
    np.fill_diagonal(better, 0.5)
    dims = ("player", "opponent")
    return xr.DataArray(better, dict.fromkeys(dims, names), dims, "p_better", post.trust)


def differences(post: Posterior, players: Sequence[str], prob: float) -> xr.Dataset:
    """Return ``mean``, ``lower`` and ``upper`` of each difference, row minus column."""
    draws = post.draws[:, [post.position(player) for player in players]]
    low, high = np.zeros((2, draws.shape[1], draws.shape[1]))
    for i in range(draws.shape[1]):
        low[i], high[i] = ends(draws[:, i : i + 1] - draws, prob)
    mean, dims = draws.mean(axis=0), ("player", "opponent")
    values = {"mean": mean[:, None] - mean, "lower": low, "upper": high}
    named = {name: (dims, value) for name, value in values.items()}
    return xr.Dataset(named, {dim: list(players) for dim in dims})


def check_comparison(a: object, b: object) -> None:
    """Raise unless these are two different players."""
    if np.isscalar(a) and np.isscalar(b) and a == b:
        raise LeaderbayesError(f"{a!r} is compared with itself; name two players.")
