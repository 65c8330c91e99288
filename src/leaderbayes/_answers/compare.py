"""Compare two players of a leaderboard."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtr, ndtri

from leaderbayes._answers.blend import Blend, blends
from leaderbayes._answers.groups import shares_better
from leaderbayes._answers.record import record
from leaderbayes._answers.win_probability import chance
from leaderbayes._arguments import number, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.printed import Answer, clean, probability
from leaderbayes._fits.posterior import Posterior
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
    check_comparison(a, b, rope, of_scores=post.parameter != "epp")
    pair = [post.position(a), post.position(b)]
    said: dict[str, Any] = {"prob": prob} | ({} if rope is None else {"rope": rope}) | post.trust
    found, more = _OF.get(post.parameter, _scores)(post, pair, rope, prob)
    said |= more
    if post.who == "player" and not post.several and "constant_data" in post.tree.children:
        own = record(post, prob, [a, b]).sel(player=a, opponent=b).drop_vars("worth")
        found |= {f"record_{name}".removesuffix("_mean"): v.item() for name, v in own.items()}
    answer = Answer(found, {"player": a, "opponent": b}, said)
    return answer.assign_attrs(message=_message(answer, post, a, b))


def _message(found: xr.Dataset, post: Posterior, a: str, b: str) -> str:
    """Describe a comparison in sentences, one per line."""
    value = {str(name): float(of) for name, of in found.data_vars.items()}
    p = {name: probability(of) for name, of in value.items()}
    one, other = (clean(name)[:60] for name in (a, b))
    of = f"{found.attrs['prob']:.0%} interval"
    if post.parameter == "epp":
        where = "tournament" if post.several else post.kind.unit
        said = [
            f"{one} beats {other} in a new {where} with probability {p['win_probability']} ({of} "
            f"{_interval(value['win_lower'], value['win_upper'], 0.5)})."
        ]
        better = f"{one} is stronger, over all opponents, with probability {p['p_better']}."
        near, off = "win probability within", " of 1/2"
    else:
        low, high = value["difference_lower"], value["difference_upper"]
        digits, near, off = decimals_of_difference(low, high), "difference within", ""
        mean = ", means over data sets" if post.several else ""
        said = [
            f"{one} minus {other}{mean}: {value['difference']:+.{digits}f} ({of} "
            f"{_interval(low, high)})."
        ]
        better = f"{one} is better with probability {p['p_better']}."
        if post.several:
            said[0] = f"{said[0][:-1]}; better with probability {p['mean_better']}."
            new = _interval(value["new_lower"], value["new_upper"])
            better = f"On a new data set: {new}; better with probability {p['p_better']}."
    if "rope" in found.attrs:
        better = (
            f"Probabilities: better {p['p_better']}, equivalent ({near} "
            f"{found.attrs['rope']:g}{off}) {p['p_equivalent']}, worse {p['p_worse']}."
        )
    said.append(better)
    if "record" in value and np.isfinite(value["record"]):
        tied, unit = value["record_tied"], post.kind.unit
        halves = f" and tied {tied:g}" if tied else ""
        said.append(
            f"Head to head {one} won {value['record_won'] - tied / 2.0:g}{halves} of "
            f"{value['record_played']:g} {unit}s; these alone give {p['record']} "
            f"({_interval(value['record_lower'], value['record_upper'], 0.5)})."
        )
    return "\n".join(said)


def _interval(low: float, high: float, zero: float = 0.0) -> str:
    """Format an interval of a difference or probability so that its side is visible."""
    sign = "" if zero else "+"
    digits = decimals_of_difference(low, high, zero)
    digits = min(max(digits, 2), 4) if zero else digits
    return f"{low:{sign}.{digits}f} to {high:{sign}.{digits}f}"


def _strengths(
    post: Posterior, pair: list[int], rope: float | None, prob: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return values and attrs that describe them."""
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
    win = chance(post, np.subtract(*post.standing[:, pair].T), post.apart[*pair])
    return float(win.mean()), win, {}


def _scores(
    post: Posterior, pair: list[int], rope: float | None, prob: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    gap = np.subtract(*post.draws[:, pair].T)
    sign = 1.0 if post.higher_is_better else -1.0
    found = with_ends({"difference": gap}, prob)
    if post.spread is None:
        found |= _effects(post, gap, pair, prob)
        return _verdicts(sign * gap, _within(gap, rope)) | found, {}
    # On a new data set players deviate by themselves: quantiles that stand for a draw's new ones.
    off, scale = ndtri((np.arange(_NEW) + 0.5) / _NEW), post.apart[*pair] * post.spread
    low, high = ends((gap[:, None] + scale[:, None] * off).ravel(), prob)
    ahead, far = sign * gap, 0.0 if rope is None else rope
    better, worse = ndtr((ahead - far) / scale).mean(), ndtr((-ahead - far) / scale).mean()
    new = {"p_better": better, "p_equivalent": 1.0 - better - worse, "p_worse": worse}
    more = {"mean_better": (ahead > 0.0).mean(), "new_lower": low, "new_upper": high}
    return new | found | more, {}


_OF = {"epp": _strengths}  # of all else `_scores`


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


def p_better(dt: xr.DataTree) -> xr.DataArray:
    """Return P(row is better than column), (player, opponent), as in `compare`.

    1/2 on the diagonal. attrs: ``converged``, ``warnings`` (JSON).
    """
    post = Posterior(dt)
    better = shares_better(post.standing)
    np.fill_diagonal(better, 0.5)
    names = post.players.to_numpy()
    dims = ("player", "opponent")
    return xr.DataArray(better, dict.fromkeys(dims, names), dims, "p_better", post.trust)


def differences(dt: xr.DataTree, players: Sequence[str], prob: float) -> xr.Dataset:
    """Return the difference of each pair, row minus column.

    ``mean``, ``lower``, ``upper`` (player, opponent).
    """
    post = Posterior(dt)
    draws = post.draws[:, [post.position(player) for player in players]]
    low, high = np.zeros((2, draws.shape[1], draws.shape[1]))
    for i in range(draws.shape[1]):
        low[i], high[i] = ends(draws[:, i : i + 1] - draws, prob)
    mean, dims = draws.mean(axis=0), ("player", "opponent")
    values = {"mean": mean[:, None] - mean, "lower": low, "upper": high}
    named = {name: (dims, value) for name, value in values.items()}
    return xr.Dataset(named, {dim: list(players) for dim in dims})


def check_comparison(
    a: object, b: object, rope: float | None = None, *, of_scores: bool = False
) -> None:
    """Raise unless two different players and a valid region of equivalence are given."""
    if np.isscalar(a) and np.isscalar(b) and a == b:
        raise LeaderbayesError(f"{a!r} is compared with itself; name two players.")
    if rope is not None:
        number("rope", rope, at_least=0.0, below=np.inf if of_scores else 0.5)
