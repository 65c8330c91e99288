"""Summary of a posterior of the best, and the probability of a new record."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from leaderbayes._arguments import share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior, Teams
from leaderbayes._numerics.intervals import decimals_of_best, with_ends
from leaderbayes._scores.facts import in_own_unit
from leaderbayes._scores.tables import shown
from leaderbayes._types import Floats
from leaderbayes.models._sota_completed import board_of, luck_of
from leaderbayes.sota._winner import apart, winner

_OTHERWISE = "This is not a posterior of a board: use sota.posterior."
_FEWEST = 80.0  # draws that the weights of `certify` must leave


def summary(dt: xr.DataTree, *, prob: float = 0.95) -> xr.Dataset:
    """Estimate how good the best team of a board really is.

    Parameters
    ----------
    dt : DataTree
        From `posterior`, or from PyMC's samplers of `leaderbayes.models.sota`.
    prob : float
        Probability of the (equal-tailed) intervals.

    Returns
    -------
    Dataset
        As from `shrink`: ``theta_sota``, the posterior mean (the paper's definition 1), with
        ``theta_sota_lower``, ``theta_sota_upper``; ``expected_max``, ``max_lower``, ``max_upper``
        of the same teams' best score on another test set; ``observed_max``, ``teams_above``,
        ``m``. ``law_free_lower``, ``law_free_upper``: the interval of `winner`. attrs:
        ``sampler``, ``converged``, ``warnings``, ``prob``; ``law_free``, a sentence where the
        estimate lies outside that interval, else empty.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark performance,
    definition 1.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> best = lb.sota.summary(lb.sota.posterior(lb.sota.read_board(scores, n=200), seed=1))
    >>> float(best["observed_max"]), round(float(best["theta_sota"]), 2), int(best["teams_above"])
    (0.93, 0.91, 5)
    """
    share("prob", prob)
    post = Teams.of(dt, _OTHERWISE)
    board, best = board_of(post.tree), post.read("theta_sota")
    again = post.read("score", "team", group="posterior_predictive").max(axis=1)
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    theta, highest = np.quantile(best, tails), np.quantile(again, tails)
    expected = float(best.mean())
    # A rho that was not given is the posterior's mean; else it is the board's.
    rho = float(post.read("rho").mean()) if post.has("rho") else board.attrs.get("rho", 0.0)
    free = winner(board, rho=rho, prob=prob)
    ends = float(free["theta_sota_lower"]), float(free["theta_sota_upper"])
    found = {
        "theta_sota": expected,
        "theta_sota_lower": theta[0],
        "theta_sota_upper": theta[1],
        "expected_max": float(again.mean()),
        "max_lower": highest[0],
        "max_upper": highest[1],
        "observed_max": float(board.max()),
        "teams_above": int((board > expected).sum()),
        "m": board.sizes["team"],
    }
    found = in_own_unit(found, board)
    return xr.Dataset(
        found | {"law_free_lower": ends[0], "law_free_upper": ends[1]},
        attrs={
            "sampler": dt.attrs.get("sampler", "pymc"),
            **post.trust,
            "prob": prob,
            "law_free": apart(found["theta_sota"], *ends),
        },
    )


def certify(
    dt: xr.DataTree, ours: str | Sequence[str], *, variants: int = 1, prob: float = 0.95
) -> xr.Dataset:
    r"""Compute the probability that an entry is better than the best of all others on its board.

    The best of the others need not be the one that scored highest: with many of them,
    :math:`\max_j \theta_j` is that of any. Of several entries of ours the one that scored highest
    is claimed to be better. If it is the best of k tries, equally good, of which the board has no
    other, draws of its theta are weighted by

    .. math:: P(\max = x \mid \theta) / P(X = x \mid \theta)
              = (F(x)^k - F(x^-)^k) / (F(x) - F(x^-)).

    Parameters
    ----------
    dt : DataTree
        From `posterior`, or from PyMC's samplers of `leaderbayes.models.sota`.
    ours : str or list of str
        The team, or all entries that are ours.
    variants : int
        Tries on this test set of which the entry is the best, itself included.
    prob : float
        Probability from which the claim holds, and of the intervals.

    Returns
    -------
    Dataset
        ``p_better``, P(theta of ours above the best other theta), where equal ones, as a learnt
        P(theta) has them, count half; ``claim``, whether it is ``prob``
        or more; with ``_lower`` and ``_upper`` ``theta_ours``, ``theta_others``, of the best other,
        and ``gain``, by how much ours is better; ``observed_gain``; ``others``, a number. attrs:
        ``ours``, ``variants``, ``prob``, ``message``, ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If a team is unknown or the only one, or so many variants leave too few draws.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> board = lb.sota.read_board(scores, n=200)
    >>> found = lb.sota.certify(lb.sota.posterior(board, seed=1), "0")
    >>> bool(found["claim"]), float(found["p_better"]) < 0.5
    (False, True)
    """
    prob, variants, post = (
        share("prob", prob),
        whole("variants", variants),
        Teams.of(dt, _OTHERWISE),
    )
    own = [post.position(name) for name in ([ours] if isinstance(ours, str) else ours)]
    score = board_of(post.tree).sel(team=post.players.to_numpy()).to_numpy()
    other = np.delete(np.arange(len(score)), own)
    if not own or not len(other):
        raise LeaderbayesError("ours must name at least one team, but not all.")
    best = own[int(np.argmax(score[own]))]
    theta, others = post.standing[:, best], post.standing[:, other].max(axis=1)
    if variants > 1:
        kept = _of_tries(post, best, variants)
        theta, others = theta[kept], others[kept]
    p_better = float(((theta > others) + 0.5 * (theta == others)).mean())
    name = str(post.players[best])
    sign = 1.0 if post.higher_is_better else -1.0
    columns = {
        "theta_ours": sign * theta, "theta_others": sign * others, "gain": theta - others,
    }  # fmt: skip
    found = {k: float(v) for k, v in with_ends(columns, prob).items()}
    digits = decimals_of_best(found["gain_lower"], found["gain_upper"])
    gain, low, high = (f"{found[f'gain{end}']:+.{digits}f}" for end in ("", "_lower", "_upper"))
    tries = f", the best of {variants} tries," if variants > 1 else ""
    message = (
        f"{shown(name)}{tries} is better than the best of {len(other)} others with probability "
        f"{p_better:.3f}, by {gain} ({prob:.0%} interval {low} to {high}): the claim "
        f"{'holds' if p_better >= prob else 'does not hold'} at {prob:.0%}."
    )
    return xr.Dataset(
        {"p_better": p_better, "claim": p_better >= prob, **found,
         "observed_gain": score[best] - score[other].max(), "others": len(other)},
        attrs={"ours": name, "variants": variants, "prob": prob, "message": message, **post.trust},
    )  # fmt: skip


def _of_tries(post: Posterior, team: int, k: int) -> np.ndarray:
    """Return positions of draws, resampled by their weight if a score is the best of k tries."""
    scale, given, rho, ease = luck_of(post.tree)
    below, up_to = scale.up_to(team, given["theta"][:, team], rho, ease)
    step = up_to - below
    with np.errstate(invalid="ignore", divide="ignore"):
        each = np.where(step > 1e-9, (up_to**k - below**k) / step, k * up_to ** (k - 1))
    weight: Floats = each / each.sum()
    if 1.0 / (weight @ weight) < _FEWEST:
        raise LeaderbayesError(
            f"variants={k} leaves draws worth {1.0 / (weight @ weight):.0f}, below {_FEWEST:.0f}: "
            "use more draws, such as sota.posterior(board, draws=4000)."
        )
    # Evenly spaced steps through the sum of weights.
    size = len(weight)
    return np.searchsorted(np.cumsum(weight), (np.arange(size) + 0.5) / size).clip(max=size - 1)
