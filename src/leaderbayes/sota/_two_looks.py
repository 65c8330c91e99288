"""Two test sets of one competition: what the public board promised, and the private one kept."""

import numpy as np
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._arguments import number, share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.decimals import decimals_of_best
from leaderbayes._scores.facts import facts
from leaderbayes._scores.tables import shown
from leaderbayes._types import Floats, Longs

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
    r"""Compare a public with a private board: what its best promised, kept, and overfitted.

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
        the public board's first; ``correlation``; ``top``; ``m``, teams on both. attrs: ``winner``,
        ``only_public``, ``only_private``, ``replicates``, ``seed``, ``prob``, ``message``.

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
    seen, at = _joined(public, private)
    prob, replicates = share("prob", prob), whole("replicates", replicates, at_least=2)
    own = None if rho is None else 1.0 - number("rho", rho, at_least=0.0, below=1.0) ** 2
    m = seen.shape[1]
    top = max(5, round(0.1 * m)) if top is None else whole("top", top, at_most=m - 1)
    seed = _arguments.seed_or_new(seed)
    variance = np.stack(
        [_variance(board, *two) for board, *two in zip((public, private), seen, at, strict=True)]
    )
    drop, luck, own_share = _lost(seen, variance, top, own)
    again = []
    for teams in np.random.default_rng(seed).integers(m, size=(replicates, m)):
        lost = _lost(seen[:, teams], variance[:, teams], top, own)
        again.append(lost[0] - lost[1])
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
        "own": own_share,
        "winner_public": float(x[first]),
        "winner_private": float(y[first]),
        "winner_rank": int((y > y[first]).sum()) + 1,
        "correlation": float(np.corrcoef(x, y)[0, 1]),
        "top": top,
        "m": m,
    }
    return xr.Dataset(
        found,
        attrs={
            "winner": str(public["team"].to_numpy()[at[0][first]]),
            "only_public": public.sizes["team"] - m,
            "only_private": private.sizes["team"] - m,
            "replicates": replicates,
            "seed": seed,
            "prob": prob,
            "message": _message(found, prob),
        },
    )


def _joined(public: xr.DataArray, private: xr.DataArray) -> tuple[Floats, tuple[Longs, Longs]]:
    """Return scores (board, team) of the teams on both, and where these are on each."""
    kinds = [facts(board).metric for board in (public, private)]
    if kinds[0] != kinds[1] or kinds[0] == "auc":
        raise LeaderbayesError("Two looks are two boards of accuracies, or two of estimates.")
    names = [[str(name) for name in board["team"].to_numpy()] for board in (public, private)]
    if all(map(_by_rank, names, (public.to_numpy(), private.to_numpy()))):
        raise LeaderbayesError(
            "The teams of both boards are named by their ranks, which are not the same teams: read "
            "boards with names (team=, --team)."
        )
    place = {name: k for k, name in enumerate(names[1])}
    both = [(k, place[name]) for k, name in enumerate(names[0]) if name in place]
    if len(both) < _FEWEST:
        example = f", such as {shown(names[0][0])}" if names[0] else ""
        raise LeaderbayesError(
            f"{len(both)} teams are on both boards{example}; {_FEWEST} at least are needed. Teams "
            "are joined by name."
        )
    first, second = np.array(both).T
    seen = np.stack([public.to_numpy()[first], private.to_numpy()[second]]).astype(float)
    return seen, (first, second)


def _by_rank(names: list[str], scores: Floats) -> bool:
    """Whether names are whole numbers in the order of the scores."""
    if len(names) < _FEWEST or not all(name.isdigit() for name in names):
        return False
    in_order = scores[np.argsort([int(name) for name in names], kind="stable")]
    return bool((np.diff(in_order) <= 0.0).all())


def _variance(board: xr.DataArray, score: Floats, at: Longs) -> Floats:
    """Variance of each score given its theta (team,)."""
    n = facts(board).n
    if n is None:
        return np.asarray(board["se"].to_numpy().astype(float)[at] ** 2)
    middle = (n * score + 0.5) / (n + 1.0)
    return middle * (1.0 - middle) / n


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
    """Return what was promised and kept, and what of the difference is overfitting."""
    lower, upper = found["overfitting_lower"], found["overfitting_upper"]
    said = "no overfitting is to be seen"
    if lower > 0.0:
        said = "they had overfitted the public test set"
    elif upper < 0.0:
        said = "they lost less than luck explains"
    form = f".{decimals_of_best(lower, upper)}f"
    return (
        f"The public board's best {found['top']} promised {found['promised']:{form}} and kept "
        f"{found['kept']:{form}}, where all teams lost {found['easier']:{form}}; luck explains "
        f"{found['luck']:{form}} of the difference, and {found['overfitting']:{form}} is left "
        f"({prob:.0%} interval {lower:{form}} to {upper:{form}}): {said}."
    )
