"""PMRA by maximum likelihood: the published route, as lme4's glmer takes it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford

from leaderbayes._arguments import whole
from leaderbayes._errors import LeaderbayesError, NotConvergedError
from leaderbayes._numerics import round_intercept as pmra
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.newton import Linear, inverse
from leaderbayes._numerics.quadrature import Clustered, Marginal, fit_marginal
from leaderbayes._numerics.shrinkage import of_differences
from leaderbayes._scores.matches import listed_positions, require_matches
from leaderbayes._types import Bools, Floats, Longs
from leaderbayes.likelihood._estimate import estimate, require_estimate, restriction
from leaderbayes.likelihood._hypothesis import Hypothesis

_ALIKE = 1e-6  # strengths this near each other are the same
_CLEAR = 1.96  # standard errors from 0 at which an order effect is more than chance


class Listed(NamedTuple):
    """Matches of which one player is listed first: what every fit of them starts from."""

    matches: xr.Dataset  # wins and n (player, opponent)
    given: Clustered
    zero: int
    start: Floats  # (player + 2,)
    ties: str
    tied: int  # matches without a winner, half of a win for both
    listed: Longs  # players as they are listed

    @property
    def players(self) -> NDArray[Any]:
        """Names of the players."""
        return self.matches["player"].to_numpy()


def round_intercept(
    matches: xr.Dataset,
    *,
    order: Sequence[str] | None = None,
    zero: str | None = None,
    n_quadrature: int = 10,
    hypothesis: Hypothesis | None = None,
    value: float | Sequence[float] = 0.0,
) -> xr.Dataset:
    r"""Estimate PMRA's mixed model by maximum likelihood.

    .. math:: \mathrm{logit}\,P(i\ \mathrm{beats}\ j \mid k) = b_0 + b_i - b_j + u_k,
              \quad u_k \sim N(0, s^2),\ i\ \mathrm{listed\ before}\ j

    with the rounds' intercepts u_k integrated out by adaptive Gauss-Hermite quadrature. The
    intercepts' sign, and with it every p-value, depends on the order of the players.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, within rounds, with ties "half" or, as published, "loss".
    order : sequence of str, optional
        All players, as they are listed; by default by name without regard to case.
    zero : str, optional
        The player whose fixed effect is 0; by default the one with the smallest share of wins.
    n_quadrature : int
        Nodes per round, lme4's nAGQ; 1 is Laplace's approximation.
    hypothesis, value
        As for `bradley_terry`, on players and ``intercept``.

    Returns
    -------
    Dataset
        ``epp`` (player, sum to zero) with ``covariance`` (player, ``player_``); ``intercept`` with
        ``intercept_variance`` and ``intercept_covariance``; ``sd_round``, s; ``round_effect``
        (round), the mode of u_k, and ``round_effect_sd``; ``fixed_effect`` and
        ``fixed_effect_error`` (player), b_i minus the zero player's; ``order``; ``loglik``,
        ``deviance``. attrs include ``df``, ``zero``, ``n_quadrature``, ``singular`` (1 where s is
        0), ``warnings`` (JSON).

    Raises
    ------
    NotConvergedError
        If the estimate does not exist, or s has no finite estimate.
    LeaderbayesError
        If an option has no meaning for these matches, or these are votes.

    References
    ----------
    Gajda, Chlebus (2022), A probability-based models ranking approach: an alternative method of
    machine-learning model performance assessment, Sensors 22, section 3.2.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> board = lb.matches(lb.datasets.load("classifiers", "breast_cancer"))
    >>> fit = lb.likelihood.round_intercept(board)
    >>> fit.attrs["zero"], round(float(fit["sd_round"]), 2)
    ('tree depth=5', 0.55)
    """
    n_quadrature = whole("n_quadrature", n_quadrature, at_most=100)
    board = list_board(matches, "likelihood.round_intercept", order=order, zero=zero)
    linear = restriction(board.matches, hypothesis, value, len(board.players) + 1)
    x, at = fit_marginal(board.given, board.start, n_quadrature, linear=linear)
    return describe(board, x, at, linear, n_quadrature)


def list_board(
    matches: xr.Dataset, what: str, *, order: Sequence[str] | None, zero: str | None
) -> Listed:
    """List the pairs of a board, and check that ``what`` has an estimate."""
    require_matches(matches, what, ties=("half", "loss"), across=False)
    listed = listed_positions(matches, order)
    outcome = pmra.outcomes(matches["place"].to_numpy(), listed)
    ties = str(matches.attrs["ties"])
    tied = int((outcome == pmra.TIE).sum()) if ties == "half" else 0
    if ties == "loss":
        outcome[outcome == pmra.TIE] = pmra.LOSS
    strict, n = pmra.counts(outcome, listed)
    wins = strict + (n - strict - strict.T) / 2.0
    square = ("player", "opponent")
    board = matches.assign(wins=(square, wins), n=(square, n.astype(float)))
    require_estimate(board)
    position = np.argsort(listed)
    ahead = position[:, None] < position
    if order_explains((wins > 0) & ahead, (wins > 0) & ~ahead):
        raise NotConvergedError(
            "PMRA's intercept has no finite estimate: the players' order explains the results as "
            "well as their strengths. Use likelihood.bradley_terry, or fit the posterior."
        )
    round_, pair = np.nonzero(outcome != pmra.ABSENT)
    first, second = (listed[side][pair] for side in np.triu_indices(len(listed), 1))
    won, shape = outcome[round_, pair] / 2.0, (len(outcome), len(listed))
    given = Clustered.of(first, second, won, np.ones(len(pair)), round_, shape)
    return Listed(board, given, *_from(board, zero), ties, tied, listed)


def _from(board: xr.Dataset, zero: str | None) -> tuple[int, Floats]:
    """Return the zero player, and where to start."""
    wins, n = board["wins"].to_numpy(), board["n"].to_numpy().astype(float)
    players = [str(name) for name in board["player"].to_numpy()]
    if zero is not None and str(zero) not in players:
        raise LeaderbayesError(f"zero={zero!r} is not one of the {len(players)} players.")
    weakest = int(np.argmin(wins.sum(axis=1) / n.sum(axis=1)))
    start, _, _ = newton(wins.sum(axis=1), n, pseudo_rounds=1.0)
    return weakest if zero is None else players.index(str(zero)), np.append(start, [0.0, 0.5])


def describe(
    board: Listed, x: Floats, at: Marginal, linear: Linear | None, n_quadrature: int
) -> xr.Dataset:
    """Make the Dataset of a fit."""
    m, scale = len(x) - 2, float(x[-1])
    covariance = inverse(at.information, m, linear)
    relative = of_differences(covariance[:m, :m])[board.zero]
    square = ("player", "player_")
    variables: dict[str, Any] = {
        "epp": ("player", x[:m]),
        "covariance": (square, covariance[:m, :m]),
        "covariance_model": (square, covariance[:m, :m]),
        "intercept": x[m],
        "intercept_variance": covariance[m, m],
        "intercept_covariance": ("player", covariance[m, :m]),
        "sd_round": scale,
        "round_effect": ("round", scale * at.mode),
        "round_effect_sd": ("round", scale * np.sqrt(at.variance)),
        "fixed_effect": ("player", x[:m] - x[board.zero]),
        "fixed_effect_error": ("player", np.sqrt(np.maximum(relative, 0.0))),
        "loglik": at.value,
        # A half-counted tie cannot be predicted better than by one half.
        "deviance": -2.0 * (at.value + board.tied * np.log(2.0)),
    }
    count = len(board.given.n)
    attrs = {
        "model": "round_intercept", "covariance": "model", "df": count - (m + 1),
        "zero": str(board.players[board.zero]), "ties": board.ties, "n_quadrature": n_quadrature,
        "singular": int(scale < 1e-4),
    }  # fmt: skip
    variables["order"] = ("player", np.argsort(board.listed))
    said = _order(board, variables, count)
    names = board.matches["round"].to_numpy()
    return estimate(board.matches, variables, attrs, linear, said, coords={"round": names})


def _order(board: Listed, variables: dict[str, Any], played: int) -> list[str]:
    """Warn where the order of the players decides, and not their scores."""
    said = []
    place, players = board.matches["place"].to_numpy(), board.players
    tied = int((pmra.outcomes(place, np.arange(len(players))) == pmra.TIE).sum())
    if board.ties == "loss" and tied:
        said.append(f"{tied} of {played} matches tie, which are losses of the first-listed player")
    epp = variables["epp"][1]
    _, same = np.unique(place, axis=1, return_inverse=True)
    for group in (np.flatnonzero(same == k) for k in np.flatnonzero(np.bincount(same) > 1)):
        low, high = group[np.argmin(epp[group])], group[np.argmax(epp[group])]
        if epp[high] - epp[low] > _ALIKE:
            said.append(
                f"{str(players[low])[:30]!r} and {str(players[high])[:30]!r} have the same scores, "
                f"but strengths {epp[low]:.2f} and {epp[high]:.2f}"
            )
    intercept, error = variables["intercept"], np.sqrt(variables["intercept_variance"])
    if error > _ALIKE and abs(intercept) > _CLEAR * error:  # no error: fixed by a hypothesis
        said.append(f"b_0 = {intercept:.2f}, with standard error {error:.2f}, is not 0")
    if not said:
        return []
    half = "ties='half' (--ties half) or " if board.ties == "loss" else ""
    return [
        f"LB014 PMRA's estimate depends on the order of the players: {said[0]}. "
        f"Use {half}likelihood.bradley_terry."
    ]


def order_explains(as_first: Bools, as_second: Bools) -> bool:
    """Check whether an order effect could grow without bound, strengths making up for it.

    ``as_first`` and ``as_second`` (winner, loser) say whether the one beat the other so. With order
    effect +1, b_i >= b_j - 1 for every win of a first i, and b_i >= b_j + 1 for every win of a
    second i: such strengths exist unless a circle of these contradicts itself. With -1, likewise.
    """
    # SciPy before 1.15 walks along such indices only.
    winner, loser = (ends.astype(np.int32) for ends in np.nonzero(as_first | as_second))
    for stricter in (as_second, as_first):  # effect 1, effect -1
        # Distances with d_loser <= d_winner + length; 0 is no edge to SciPy, and none is 0.
        length = np.where(stricter[winner, loser], -1.0, 1.0)
        graph = csr_array((length, (winner, loser)), shape=as_first.shape)
        try:
            bellman_ford(graph, directed=True, indices=0)
        except NegativeCycleError:
            continue
        return True
    return False
