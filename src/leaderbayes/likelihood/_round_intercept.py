"""PMRA by maximum likelihood: the published route, as lme4's glmer takes it."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._arguments import whole
from leaderbayes._errors import DisconnectedError, LeaderbayesError
from leaderbayes._numerics import round_intercept as pmra
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.newton import Linear, inverse
from leaderbayes._numerics.quadrature import Marginal, fit_marginal
from leaderbayes._scores.matches import listed_positions, require_matches
from leaderbayes._scores.vote_matches import is_votes
from leaderbayes._types import Floats, Longs
from leaderbayes.likelihood._estimate import estimate, require_estimate, restriction
from leaderbayes.likelihood._hypothesis import Hypothesis
from leaderbayes.likelihood._vote_intercept import intercept_of_votes, order_explains

# Strengths this near each other are the same.
_ALIKE = 1e-6
# Standard errors from 0 at which an order effect is more than chance, at the level of 0.05.
_CLEAR = 1.96


class Listed(NamedTuple):
    """A board whose pairs are listed: what every fit of it starts from."""

    matches: xr.Dataset  # place (round, player), wins and n (player, opponent)
    listed: Longs  # players as they are listed
    statistics: pmra.ListedStatistics
    zero: int
    start: Floats  # (player + 2,)
    tied: int  # matches without a winner


def round_intercept(
    matches: xr.Dataset,
    *,
    order: Sequence[str] | None = None,
    zero: str | None = None,
    n_quadrature: int = 10,
    hypothesis: Hypothesis | None = None,
    value: float | Sequence[float] = 0.0,
    ties: Literal["drop"] | None = None,
) -> xr.Dataset:
    r"""Estimate PMRA's mixed model by maximum likelihood.

    .. math:: \mathrm{logit}\,P(i\ \mathrm{beats}\ j \mid k) = b_0 + b_i - b_j + u_k,
              \quad u_k \sim N(0, s^2),\ i\ \mathrm{listed\ before}\ j

    with the rounds' intercepts u_k integrated out by adaptive Gauss-Hermite quadrature. The
    intercepts' sign, and with it every p-value, depends on the order of the players.

    Of votes, i was shown first and k is the judge: b_0 is the advantage of being first, and s how
    much judges differ in it. Nothing else of judges and prompts is in the model, nor in its
    standard errors: where they have opinions of players too, take `bradley_terry`.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, within rounds; with ties "half", or as published "loss" of
        the first-listed player. Or votes of `leaderbayes.read_votes`, with judges.
    order : sequence of str, optional
        All players, as they are listed; by name without regard to case by default. Not of votes.
    zero : str, optional
        The player whose fixed effect is 0; the one with the smallest share of wins by default.
        Strengths do not depend on it.
    n_quadrature : int
        Nodes a round, lme4's nAGQ; 1 is Laplace's approximation.
    hypothesis, value
        As for `bradley_terry`, on players and ``intercept``; of votes too.
    ties : "drop", optional
        Of votes, whose outcome has to be one of two: leave ties out, which are refused otherwise.

    Returns
    -------
    Dataset
        ``epp`` (player, sum to zero); ``covariance``, ``covariance_model`` (player, ``player_``),
        from the observed information; ``intercept``, b_0, ``intercept_variance``,
        ``intercept_covariance`` (player); ``sd_round``, s; ``round_effect`` (round), the mode of
        u_k, and ``round_effect_sd`` (round) given the parameters; ``fixed_effect`` and
        ``fixed_effect_error`` (player), b_i less the zero player's, and its standard error;
        ``order`` (player), position in the list; ``loglik``, ``deviance`` (from the likelihood
        of every match predicted for sure). attrs: ``model``, ``covariance``, ``converged``, ``df``,
        ``zero``, ``ties``, ``n_quadrature``, ``singular`` (1 where s is 0), ``warnings`` (JSON).
        Of votes ``sd_judge``, ``judge_effect`` and ``judge_effect_sd`` (judge) in place of those of
        rounds, and no ``order``.

    Raises
    ------
    DisconnectedError
        If the estimate does not exist: the win graph is not strongly connected, or the order of
        the players explains all, or nothing tells it from the strengths.
    NotConvergedError
        If Newton's method does not converge, or s has no finite estimate.
    LeaderbayesError
        If these are no matches, or an option has no meaning for them; if votes tie, have no
        judges or but one, or do not say who was shown first.

    Warns
    -----
    EstimateWarning
        LB014, if the estimate depends on the order of the players: ties count as losses, players
        of the same scores get different strengths, or b_0 is 1.96 standard errors from 0.
    HintWarning
        LB017 to LB019, as of `leaderbayes.fit`.

    References
    ----------
    Gajda, Chlebus (2022), A probability-based models ranking approach: an alternative method of
    machine-learning model performance assessment, Sensors 22, section 3.2.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> board = lb.matches(lb.datasets.load("classifiers", "breast_cancer"))
    >>> fit = lb.likelihood.round_intercept(board)
    >>> fit["epp"].to_series().nlargest(3).round(2)
    player
    svm C=1         4.10
    logistic C=1    3.64
    svm C=10        3.62
    Name: epp, dtype: float64
    >>> fit.attrs["zero"], round(float(fit["sd_round"]), 2)
    ('tree depth=5', 0.55)
    """
    n_quadrature = whole("n_quadrature", n_quadrature, at_most=100)
    if is_votes(matches):
        if order is not None:
            raise LeaderbayesError("order: votes say themselves who was shown first.")
        return intercept_of_votes(
            matches, ties=ties, zero=zero, n_quadrature=n_quadrature, hypothesis=hypothesis,
            value=value,
        )  # fmt: skip
    if ties is not None:
        raise LeaderbayesError("ties: an option of votes (read_votes), not of matches.")
    board = list_board(matches, "likelihood.round_intercept", order=order, zero=zero)
    m = board.matches.sizes["player"]
    linear = restriction(board.matches, hypothesis, value, m + 1)
    x, at = fit_marginal(board.statistics, board.start, n_quadrature, linear=linear)
    return describe(board, x, at, linear, n_quadrature)


def list_board(
    matches: xr.Dataset, what: str, *, order: Sequence[str] | None, zero: str | None
) -> Listed:
    """List the pairs, and check that ``what`` has an estimate."""
    require_matches(matches, what, ties=("half", "loss"), across=False)
    if "tournament" in matches.dims:
        require_estimate(matches)
    players = [str(name) for name in matches["player"].to_numpy()]
    listed = listed_positions(matches, order)
    outcome = pmra.outcomes(matches["place"].to_numpy(), listed)
    tied = int((outcome == pmra.TIE).sum())
    if matches.attrs["ties"] == "loss":
        outcome[outcome == pmra.TIE] = pmra.LOSS
    strict, n = pmra.counts(outcome, listed)
    wins = strict + (n - strict - strict.T) / 2.0
    square = ("player", "opponent")
    matches = matches.assign(wins=(square, wins), n=(square, n.astype(float)))
    require_estimate(matches)
    _require_intercept(wins, listed)
    if zero is None:
        weakest = int(np.argmin(wins.sum(axis=1) / n.sum(axis=1)))
    elif str(zero) in players:
        weakest = players.index(str(zero))
    else:
        raise LeaderbayesError(f"zero={zero!r} is none of the {len(players)} players.")
    start, _, _ = newton(wins.sum(axis=1), n.astype(float), pseudo_rounds=1.0)
    statistics = pmra.listed_statistics(outcome, listed)
    return Listed(matches, listed, statistics, weakest, np.append(start, [0.0, 0.5]), tied)


def describe(
    board: Listed, x: Floats, at: Marginal, linear: Linear | None, n_quadrature: int
) -> xr.Dataset:
    """Make the Dataset of a fit."""
    ties = str(board.matches.attrs["ties"])
    m = len(x) - 2
    players = board.matches["player"].to_numpy()
    covariance = inverse(at.information, m, linear)
    epp, scale = x[:m], float(x[-1])
    spread = np.diag(covariance)[:m]
    relative = spread + spread[board.zero] - 2.0 * covariance[board.zero, :m]
    square = ("player", "player_")
    variables: dict[str, Any] = {
        "epp": ("player", epp),
        "covariance": (square, covariance[:m, :m]),
        "covariance_model": (square, covariance[:m, :m]),
        "intercept": x[m],
        "intercept_variance": covariance[m, m],
        "intercept_covariance": ("player", covariance[m, :m]),
        "sd_round": scale,
        "round_effect": ("round", scale * at.mode),
        "round_effect_sd": ("round", scale * np.sqrt(at.variance)),
        "fixed_effect": ("player", epp - epp[board.zero]),
        "fixed_effect_error": ("player", np.sqrt(np.maximum(relative, 0.0))),
        "order": ("player", np.argsort(board.listed)),
        "loglik": at.value,
        # A half-counted tie cannot be predicted better than by one half.
        "deviance": -2.0 * (at.value + (board.tied * np.log(2.0) if ties == "half" else 0.0)),
    }
    attrs = {
        "model": "round_intercept",
        "covariance": "model",
        "df": int(board.matches["n"].sum() / 2.0) - (m + 1),
        "zero": str(players[board.zero]),
        "ties": ties,
        "n_quadrature": n_quadrature,
        "singular": int(scale < 1e-4),
    }
    fit = estimate(board.matches, variables, attrs, linear, _order(board, variables, ties))
    return fit.assign_coords(round=board.matches["round"].to_numpy())


def _order(board: Listed, variables: dict[str, Any], ties: str) -> list[str]:
    """Warn where the order of the players decides, and not their scores."""
    said = []
    if ties == "loss" and board.tied:
        played = float(board.matches["n"].sum() / 2.0)
        said.append(
            f"{board.tied} of {played:.0f} matches tie, and count as the first-listed player's loss"
        )
    players, epp = board.matches["player"].to_numpy(), variables["epp"][1]
    _, same = np.unique(board.matches["place"].to_numpy(), axis=1, return_inverse=True)
    for group in (np.flatnonzero(same == k) for k in np.flatnonzero(np.bincount(same) > 1)):
        low, high = group[np.argmin(epp[group])], group[np.argmax(epp[group])]
        if epp[high] - epp[low] > _ALIKE:
            said.append(
                f"{str(players[low])[:60]!r} and {str(players[high])[:60]!r} have the same scores, "
                f"and strengths {epp[low]:.2f} and {epp[high]:.2f}"
            )
    intercept, error = variables["intercept"], np.sqrt(variables["intercept_variance"])
    if error > _ALIKE and abs(intercept) > _CLEAR * error:  # no error: fixed by a hypothesis
        said.append(
            f"who is listed first seems to matter, b_0 = {intercept:.2f} with standard error "
            f"{error:.2f}"
        )
    if not said:
        return []
    more = f"; and {len(said) - 3} more such" if len(said) > 3 else ""
    return [
        f"LB014 PMRA's estimate depends on the order of the players: {'; '.join(said[:3])}{more}. "
        "Take ties='half' (--ties half), or Bradley-Terry, which has no order."
    ]


def _require_intercept(wins: Floats, listed: Longs) -> None:
    """Raise where an order effect can grow without bound, or strengths can make up for it."""
    position = np.argsort(listed)
    ahead = position[:, None] < position
    if order_explains((wins > 0) & ahead, (wins > 0) & ~ahead):
        raise DisconnectedError(
            "LB010 PMRA's intercept has no estimate: the order of the players could explain as "
            "much as one likes, with strengths to match. Use the posterior (model="
            "'round_intercept'), or likelihood.bradley_terry."
        )
