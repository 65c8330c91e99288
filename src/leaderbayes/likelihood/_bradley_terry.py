"""Bradley-Terry by maximum likelihood."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import xarray as xr

from leaderbayes._arguments import is_flag, one_of, wrong
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.bradley_terry import log_likelihood, newton
from leaderbayes._numerics.composite_weight import clustered_scores
from leaderbayes._numerics.newton import inverse
from leaderbayes._numerics.pairs import deviances, estimates
from leaderbayes._numerics.pairs_by_round import round_statistics
from leaderbayes._scores.matches import check_ties, require_matches
from leaderbayes._types import Floats
from leaderbayes.likelihood._estimate import (
    EACH_TWICE,
    covariances,
    estimate,
    require_estimate,
    require_rounds,
    restriction,
)
from leaderbayes.likelihood._hypothesis import Hypothesis
from leaderbayes.likelihood._vote_rows import or_votes
from leaderbayes.likelihood._votes import estimate_votes

_HARDLY = 1e-6  # pseudo-rounds
_NEAR = 1e-6  # Newton's decrement before the last step
Covariance = Literal["clustered", "model", "none"]


def _of_votes(
    _: str, votes: xr.Dataset, *, covariance: Covariance, firth: bool,
    hypothesis: Hypothesis | None, value: Any, ties: str | None, cluster: Any,
    order_effect: bool | None, **options: Any,
) -> xr.Dataset:  # fmt: skip
    """Estimate from votes; refuse what has no meaning for them."""
    if covariance == "none":
        raise LeaderbayesError(
            "covariance='none' is not for votes, whose dependence is estimated: use 'clustered'."
        )
    one_of("covariance", covariance, "clustered", "model")
    if firth:
        raise LeaderbayesError("firth=True is not for votes: use pseudo_rounds=1.")
    if hypothesis is not None:
        raise LeaderbayesError(
            "hypothesis= is not for votes: estimate without it, and use "
            "likelihood.hypothesis_test(estimate, hypothesis=...)."
        )
    if ties is not None:
        check_ties(ties, ("half", "drop"), "votes")
    return estimate_votes(
        votes, covariance=covariance, ties=ties or "half", order_effect=bool(order_effect),
        cluster="auto" if cluster is None else cluster, **options,
    )  # fmt: skip


@or_votes("bradley_terry", _of_votes)
def bradley_terry(
    matches: xr.Dataset,
    *,
    covariance: Covariance = "clustered",
    pseudo_rounds: float = 0.0,
    firth: bool = False,
    hypothesis: Hypothesis | None = None,
    value: float | Sequence[float] = 0.0,
    ties: Literal["half", "drop"] | None = None,
    cluster: str | Sequence[str] | None = None,
    order_effect: bool | None = None,
    covariates: Sequence[str] | None = None,
) -> xr.Dataset:
    """Estimate epp by maximum likelihood: logit P(i beats j) = b_i - b_j, sum(b) = 0.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, not with ties "loss"; or votes of `leaderbayes.read_votes`.
    covariance : {"clustered", "model", "none"}
        Sandwich clustered by round, for votes by judge and prompt; inverse Hessian, right only for
        independent matches; or the estimate alone.
    pseudo_rounds : float
        Matches of every player, half of them won, against an average player. Above 0 the
        estimate exists on any board, shrunk towards 0.
    firth : bool
        Jeffreys' prior as a penalty (Firth): the estimate exists wherever players have met, with
        less bias. Neither with pseudo-rounds nor for votes.
    hypothesis, value
        Hypotheses K b = c that the estimate satisfies, as for `hypothesis_test`. Not for votes.
    ties : {"half", "drop"}, optional
        For votes: a tie is half a win for both (the default), or no vote.
    cluster : "auto", "none", "judge", "prompt" or a list of these two
        For votes: what makes them dependent, by default judges and prompts where votes have them.
    order_effect : bool
        For votes: whether the player shown first has an advantage, the same for all.
    covariates : sequence of str, optional
        For votes: the covariates that count; by default all that they have.

    Returns
    -------
    Dataset
        ``epp`` (player); ``covariance`` and ``covariance_model`` (player, ``player_``), the second
        of independent matches; ``loglik`` and ``deviance`` (each pair once, without penalties). Of
        votes also ``opinion_variance`` (clustering), the variance of judges' (prompts') own
        opinions of a player, and ``effect_size`` (effect) with ``effect_covariance``. Restricted:
        ``hypothesis_matrix`` and ``hypothesis_value``. attrs include ``converged``, ``warnings``
        (JSON) and ``df`` (degrees of freedom of the deviance).

    Raises
    ------
    NotConvergedError
        If the win graph is not strongly connected: the estimate does not exist.
    LeaderbayesError
        If an option has no meaning for these matches, or these votes.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section 3.
    Firth (1993), Bias reduction of maximum likelihood estimates, Biometrika 80.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> board = lb.matches(lb.datasets.load("classifiers", "breast_cancer"))
    >>> fit = lb.likelihood.bradley_terry(board)
    >>> fit["epp"].to_series().nlargest(3).round(2)
    player
    svm C=1         3.83
    logistic C=1    3.50
    svm C=10        3.32
    Name: epp, dtype: float64
    """
    one_of("covariance", covariance, "clustered", "model", "none")
    if not is_flag(firth):
        raise wrong("firth", firth, "True or False")
    require_matches(matches, "likelihood.bradley_terry", ties=("half", "drop", "floor"), pairs=True)
    require_estimate(matches, pseudo_rounds=pseudo_rounds, firth=firth)
    wins, n = (matches.variables[name].to_numpy() for name in ("wins", "n"))
    m = len(wins)
    linear = restriction(matches, hypothesis, value, m)
    points = wins.sum(axis=1)
    # With Firth's penalty steps are not Newton's, whose last one squares the error.
    near = None if firth else _near(points, n, pseudo_rounds)
    epp, _, hessian = newton(
        points, n, pseudo_rounds=pseudo_rounds, firth=firth, linear=linear, start=near
    )
    loglik = log_likelihood(epp, points, n)
    deviance = max(float(deviances(epp[None], wins[None], n[None])[0]), 0.0)
    variables: dict[str, Any] = {"epp": ("player", epp), "loglik": loglik, "deviance": deviance}
    variables |= covariances(
        covariance, lambda: inverse(hessian, m, linear), lambda: _scores_by_round(matches, epp)
    )
    attrs = {
        "model": "bradley_terry", "covariance": covariance,
        "df": int((n > 0).sum() // 2) - (m - 1),
        "pseudo_rounds": float(pseudo_rounds), "firth": int(firth),
        "published_variance": EACH_TWICE,
    }  # fmt: skip
    return estimate(matches, variables, attrs, linear)


def _near(points: Floats, n: Floats, pseudo_rounds: float) -> Floats:
    """Return the estimate (player,) to six digits, or a start near it."""
    m = len(points)
    dense = 2 * np.count_nonzero(n) > m * (m - 1)
    few = max(pseudo_rounds, _HARDLY if dense else 1.0)
    return np.asarray(estimates(points[None], n[None], pseudo_rounds=few, enough=_NEAR)[0])


def _scores_by_round(matches: xr.Dataset, epp: Floats) -> Floats:
    """Return the gradient of each round's log-likelihood (round, player)."""
    within, ties = bool(matches.attrs["within_round"]), matches.attrs["ties"]
    require_rounds(matches)
    if ties == "floor" or (ties == "drop" and not within):
        raise LeaderbayesError(
            f"ties={ties!r} cannot be used by round; use ties='half' or covariance='model'."
        )
    statistics = round_statistics(matches["place"].to_numpy(), within_round=within, ties=ties)
    return clustered_scores(epp, -np.inf, statistics, within_round=within)
