"""Two test sets of one competition: what the public board promised, and the private one kept."""

import numpy as np
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._arguments import number, share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.decimals import decimals_of_best
from leaderbayes._scores.facts import facts, require_n
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
    r"""Say what the best of a public board promised and kept, and whether they overfitted it.

    The best of any board lose on another test set, by luck alone, and how much needs no law of the
    teams: of scores x with normal errors of variance :math:`\sigma^2` whatever is above c owes to
    luck

    .. math:: E[e \mid x > c] = \sigma^2 f(c) / P(x > c)

    with f the density of the scores, as they are, at c (Stein's identity). What they lose beyond
    that is overfitting: they were better on the public test set than on others, as those are who
    chose by its scores.

    Parameters
    ----------
    public, private : DataArray (team)
        Boards of accuracies or of estimates, from `read_board`, joined by the names of the teams.
    top : int, optional
        How many of the best are looked at; by default a tenth of the teams, 5 at least.
    rho : float, optional
        Two scores on one test set correlate by rho^2 given the thetas: a team's own luck has 1 -
        rho^2 of the variance. By default as much as the differences between the two boards allow, 1
        at most: where overfitting differs by team, too much, so that what is found is too small.
    replicates : int
        Bootstrap samples of the teams, for the interval.
    seed : int, optional
        Same seed, same numbers. None draws one and records it.
    prob : float
        Coverage of the interval.

    Returns
    -------
    Dataset
        Scalars ``promised`` and ``kept``, the mean public and private score of the public board's
        best; ``easier``, the mean public less the mean private score of all teams; ``drop``,
        promised less kept less that; ``luck``, what of the drop luck explains; ``overfitting``,
        the rest, with ``overfitting_lower``, ``overfitting_upper``: how much more the best gained
        on the public test set than the teams on average; ``own``, a team's own share of the luck's
        variance; ``winner_public``, ``winner_private``, scores of the public board's best team,
        and ``winner_rank``, its rank on the private board; ``correlation`` of the two boards;
        ``top``; ``m``, teams on both. attrs: ``winner``, its name; ``only_public``,
        ``only_private`` (teams); ``replicates``, ``seed``, ``prob``, ``message``.

    Raises
    ------
    LeaderbayesError
        If fewer than ten teams are on both boards, the boards are of different metrics or of AUCs,
        or teams are named by their ranks.

    Notes
    -----
    What all teams gained alike cannot be told from an easier test set. The interval is that of
    teams drawn anew: copies and families of teams, which share their luck beyond that of the test
    set, make it too narrow.

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
    >>> bool(found["overfitting_lower"] < 0.0 < found["overfitting_upper"])
    True
    """
    seen, at = _joined(public, private)
    prob, replicates = share("prob", prob), whole("replicates", replicates, at_least=2)
    own = None if rho is None else 1.0 - number("rho", rho, at_least=0.0, below=1.0) ** 2
    m = seen.shape[1]
    top = max(5, round(0.1 * m)) if top is None else whole("top", top, at_most=m - 1)
    seed = _arguments.seed_or_new(seed)
    rng = np.random.default_rng(seed)
    variance = _variances(public, private, seen, at)
    drop, luck, own_share = _lost(seen, variance, top, own)
    again = []
    for _ in range(replicates):
        teams = rng.integers(m, size=m)
        lost = _lost(seen[:, teams], variance[:, teams], top, own)
        again.append(lost[0] - lost[1])
    low, high = np.quantile(again, [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0])
    x, y = seen
    best = np.argsort(-x, kind="stable")[:top]
    first = int(best[0])
    easier, promised, kept = float((x - y).mean()), float(x[best].mean()), float(y[best].mean())
    found = {
        "promised": promised,
        "kept": kept,
        "easier": easier,
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


def pool(public: xr.DataArray, private: xr.DataArray) -> xr.DataArray:
    """Join two boards of the same teams into one, on both test sets at once.

    Parameters
    ----------
    public, private : DataArray (team)
        Boards of accuracies, from `read_board`, joined by the names of the teams.

    Returns
    -------
    DataArray (team)
        The board of the teams on both: shares of right answers on all instances, with ``n`` their
        sum, in the order of the first. `posterior` of it is that of the same thetas, seen on two
        test sets; where `two_looks` finds overfitting the public scores are no such look.

    Raises
    ------
    LeaderbayesError
        As for `two_looks`.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import pandas as pd
    >>> names = [f"team {k}" for k in range(12)]
    >>> x = pd.Series([0.9 - 0.01 * k for k in range(12)], names)
    >>> board = lb.sota.pool(lb.sota.read_board(x, n=100), lb.sota.read_board(x[::-1], n=300))
    >>> board.attrs["n"], round(float(board[0]), 2)
    (400, 0.9)
    """
    seen, (at, _) = _joined(public, private)
    known = facts(public), facts(private)
    sizes = [k.n for k in known]
    if None in sizes or known[0].chance != known[1].chance:
        raise LeaderbayesError(
            "Boards are pooled of accuracies with n, of the same classes or chance."
        )
    n = np.array(sizes, dtype=float)
    return (
        public[at].copy(data=n @ seen / n.sum()).assign_attrs(n=int(n.sum()), source="two boards")
    )


def _joined(public: xr.DataArray, private: xr.DataArray) -> tuple[Floats, tuple[Longs, Longs]]:
    """Give scores (board, team) of the teams on both, and where these are on each."""
    kinds = [facts(board) for board in (public, private)]
    for board in (public, private):
        require_n(board)
    if kinds[0].metric != kinds[1].metric or kinds[0].metric == "auc":
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
    first, second = (np.array(column) for column in zip(*both, strict=True))
    seen = np.stack([public.to_numpy()[first], private.to_numpy()[second]]).astype(float)
    return seen, (first, second)


def _by_rank(names: list[str], scores: Floats) -> bool:
    """Whether names are whole numbers in the order of the scores."""
    if len(names) < _FEWEST or not all(name.isdigit() for name in names):
        return False
    in_order = scores[np.argsort([int(name) for name in names], kind="stable")]
    return bool((np.diff(in_order) <= 0.0).all())


def _variances(
    public: xr.DataArray, private: xr.DataArray, seen: Floats, at: tuple[Longs, Longs]
) -> Floats:
    """Give the variance of each score given its theta (board, team)."""
    made = []
    for board, score, where in zip((public, private), seen, at, strict=True):
        n = facts(board).n
        if n is None:
            made.append(board["se"].to_numpy().astype(float)[where] ** 2)
        else:
            middle = (n * score + 0.5) / (n + 1.0)
            made.append(middle * (1.0 - middle) / n)
    return np.stack(made)


def _lost(
    seen: Floats, variance: Floats, top: int, own: float | None
) -> tuple[float, float, float]:
    """Give what the first board's best lose on the second, what by luck, and own luck's share."""
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
    """Say what was promised and kept, and what of the difference is overfitting."""
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
