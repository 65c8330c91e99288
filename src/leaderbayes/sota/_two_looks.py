"""Public and private boards of one competition."""

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._arguments import number, share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.printed import Answer
from leaderbayes._numerics.intervals import decimals_of_best
from leaderbayes._scores.facts import facts, in_own_unit
from leaderbayes._scores.tables import shown
from leaderbayes._types import Floats

_FEWEST = 10  # teams on both boards
_WINDOW = 0.5  # standard deviations of own luck, on either side of which teams are counted
_NEAR = 4  # and at least so many more than one
_LEAST = 0.1  # share of own luck, for the window
_QUARTILE = 0.6744897501960817  # of the absolute value of a standard normal, the median


def two_looks(
    public: xr.DataArray,
    private: xr.DataArray,
    *,
    top: int | None = None,
    rho: float | None = None,
    replicates: int = 500,
    seed: int | None = None,
    prob: float = 0.95,
) -> xr.Dataset:
    r"""Compare a public with a private board: scores, luck and overfitting of the best teams.

    The best of any board lose on another test set, by luck alone: of scores x with normal errors e
    of variance :math:`\sigma^2`, :math:`E[e \mid x > c] = \sigma^2 f(c) / P(x > c)`, with f the
    density of the scores themselves, whatever the teams are (Stein's identity). What they lose
    beyond that is overfitting, as of those who choose by the public scores.

    Parameters
    ----------
    public, private : DataArray (team)
        Boards of accuracies or of estimates, from `read_board`, joined by the names of the teams.
    top : int, optional
        How many of the best are compared; by default a tenth of the teams, 5 at least.
    rho : float, optional
        Two scores on one test set correlate by rho^2 given the thetas. By default as much as the
        differences between the boards allow, which finds too little where overfitting differs.
    replicates : int
        Bootstrap samples of the teams, for the interval.
    seed : int, optional
        Same seed, same numbers. None draws one and records it.
    prob : float
        Coverage of the interval.

    Returns
    -------
    Dataset
        ``promised`` and ``kept``, mean public and private score of the public board's best;
        ``easier``, the mean difference of all teams; ``drop``, promised less kept less that;
        ``luck`` and ``overfitting`` (with ``_lower``, ``_upper``), which make it; ``own``, a team's
        own share of the luck's variance; ``winner_public``, ``winner_private``, ``winner_rank`` of
        the public board's first; ``top``; ``m``, teams on both. attrs: ``winner``, ``seed``,
        ``prob``, ``message``.

    Raises
    ------
    LeaderbayesError
        If fewer than ten teams are on both boards, the boards are of different metrics or of AUCs,
        or teams are named by their ranks.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import numpy as np
    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> theta, names = rng.beta(85, 15, 300), [f"team {k}" for k in range(300)]
    >>> x, y = (pd.Series(rng.binomial(n, theta) / n, names) for n in (500, 2000))
    >>> boards = lb.sota.read_board(x, n=500), lb.sota.read_board(y, n=2000)
    >>> found = lb.sota.two_looks(*boards, replicates=100, seed=1)
    >>> round(float(found["promised"]), 2), round(float(found["kept"]), 2)
    (0.91, 0.9)
    """
    boards = _joined(public, private)
    prob, replicates = share("prob", prob), whole("replicates", replicates, at_least=2)
    own = None if rho is None else 1.0 - number("rho", rho, at_least=0.0, below=1.0) ** 2
    m = boards[0].sizes["team"]
    top = max(5, round(0.1 * m)) if top is None else whole("top", top, at_most=m - 1)
    seed = _arguments.seed_or_new(seed)
    seen = np.stack([board.to_numpy().astype(float) for board in boards])
    variance = np.stack([_variance(board) for board in boards])
    drop, luck, share_of_own = _lost(seen, variance, top, own)
    rng = np.random.default_rng(seed)
    drawn = (rng.integers(m, size=m) for _ in range(replicates))
    again = [np.subtract(*_lost(seen[:, t], variance[:, t], top, own)[:2]) for t in drawn]
    low, high = np.quantile(again, [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0])
    x, y = seen
    best = np.argsort(-x, kind="stable")[:top]
    first = int(best[0])
    found = {
        "promised": float(x[best].mean()),
        "kept": float(y[best].mean()),
        "easier": float((x - y).mean()),
        "drop": drop,
        "luck": luck,
        "overfitting": drop - luck,
        "overfitting_lower": float(low),
        "overfitting_upper": float(high),
        "own": share_of_own,
        "winner_public": float(x[first]),
        "winner_private": float(y[first]),
        "winner_rank": int((y > y[first]).sum()) + 1,
        "top": top,
        "m": m,
    }
    levels = ("promised", "kept", "winner_public", "winner_private")
    found |= in_own_unit({name: found[name] for name in levels}, boards[0])
    winner = str(boards[0]["team"].to_numpy()[first])
    attrs = {"winner": winner, "seed": seed, "prob": prob, "message": _message(found, prob)}
    return Answer(found, attrs=attrs)


def _joined(public: xr.DataArray, private: xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    """Match the teams of both boards."""
    kinds = [facts(board).metric for board in (public, private)]
    if kinds[0] != kinds[1] or kinds[0] == "auc":
        raise LeaderbayesError("two_looks needs two boards of accuracies, or two of estimates.")
    if _by_rank(public) and _by_rank(private):
        raise LeaderbayesError(
            "Teams are named by their ranks on both boards, so they cannot be matched: read "
            "boards with names (team=, --team)."
        )
    both = xr.align(public, private, join="inner")
    if (m := both[0].sizes["team"]) < _FEWEST:
        example = f", such as {shown(str(public['team'].to_numpy()[0]))}" if public.size else ""
        raise LeaderbayesError(
            f"{m} teams are on both boards{example}, but at least {_FEWEST} are needed. Teams are "
            "matched by name."
        )
    return both


def _by_rank(board: xr.DataArray) -> bool:
    """Check whether teams are numbered in the order of the scores."""
    names = pd.to_numeric(board["team"].to_series(), errors="coerce").to_numpy()
    if len(names) < _FEWEST or np.isnan(names).any():
        return False
    return bool((np.diff(board.to_numpy()[np.argsort(names, kind="stable")]) <= 0.0).all())


def _variance(board: xr.DataArray) -> Floats:
    """Return the variance of each score given its theta (team,)."""
    n = facts(board).n
    if n is None:
        return np.asarray(board["se"].to_numpy().astype(float) ** 2)
    middle = (n * board.to_numpy() + 0.5) / (n + 1.0)
    return np.asarray(middle * (1.0 - middle) / n)


def _lost(
    seen: Floats, variance: Floats, top: int, own: float | None
) -> tuple[float, float, float]:
    """Return what the first board's best lose on the second, what by luck, own luck's share."""
    x, y = seen
    gap = x - y
    if own is None:
        # The middle of the teams: a few that failed on the second board do not count.
        unit = np.abs(gap - np.median(gap)) / np.sqrt(variance.sum(axis=0))
        own = float(min((np.median(unit) / _QUARTILE) ** 2, 1.0))
    order = np.argsort(-x, kind="stable")
    best, edge = order[:top], float(x[order[top - 1]] + x[order[top]]) / 2.0
    drop = float(gap[best].mean() - gap.mean())
    # The density is smooth on the scale of the luck that is in it.
    luck = np.sqrt(max(own, _LEAST) * np.mean(variance[0][best]))
    away = np.abs(x - edge)
    reach = max(_WINDOW * luck, float(np.partition(away, _NEAR)[_NEAR]))
    near = away <= reach
    density = near.sum() / (2.0 * reach)
    return drop, float(own * np.mean(variance[0][near]) * density / top), own


def _message(found: dict[str, float], prob: float) -> str:
    """Describe public and private scores, and how much of the difference is overfitting."""
    lower, upper = found["overfitting_lower"], found["overfitting_upper"]
    said = "no sign of overfitting"
    if lower > 0.0 or upper < 0.0:
        said = "they overfitted the public test set"
        said = said if lower > 0.0 else "they lost less than luck explains"
    form = f".{decimals_of_best(lower, upper)}f"
    return (
        f"The best {found['top']} of the public board scored {found['promised']:{form}} in public "
        f"and {found['kept']:{form}} in private; all teams lost {found['easier']:{form}}. Luck "
        f"explains {found['luck']:{form}} of the rest, which leaves {found['overfitting']:{form}} "
        f"({prob:.0%} interval {lower:{form}} to {upper:{form}}): {said}."
    )
