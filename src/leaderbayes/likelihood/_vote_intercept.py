"""PMRA of votes: an advantage of whoever is shown first, that varies between judges."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from scipy.sparse import csr_array
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford

from leaderbayes._arguments import is_hashable
from leaderbayes._errors import DisconnectedError, EstimateWarning, LeaderbayesError
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.newton import Linear, inverse
from leaderbayes._numerics.vote_intercept import fit_marginal, judged
from leaderbayes._scores.tables import counted
from leaderbayes._scores.vote_matches import (
    clusters_of,
    counted_votes,
    require_whole_weights,
    valid_votes,
    weights_of,
)
from leaderbayes._types import Bools
from leaderbayes.likelihood._estimate import require_estimate, restriction
from leaderbayes.likelihood._hypothesis import Hypothesis
from leaderbayes.likelihood._spread import without_variation

_PACKAGE = str(Path(__file__).parents[1])


def intercept_of_votes(
    votes: xr.Dataset,
    *,
    ties: str | None,
    zero: str | None,
    n_quadrature: int,
    hypothesis: Hypothesis | None,
    value: Any,
) -> xr.Dataset:
    """Estimate as `round_intercept`, from votes; judges stand for rounds."""
    kept = binary_votes(votes, ties)
    judge = clusters_of(kept, "judge")["judge"]
    judges = int(judge.max()) + 1
    if judges < 2:
        raise LeaderbayesError(
            "One judge does not say how judges differ: take likelihood.bradley_terry(votes, "
            "order_effect=True)."
        )
    if not kept.attrs.get("ordered", 1):
        raise LeaderbayesError(
            "These votes do not say who was shown first, which the intercept is about: take "
            "likelihood.bradley_terry(votes)."
        )
    counts = counted_votes(kept, "drop")
    require_estimate(
        counts,
        remedy="Take model='bradley_terry' with order_effect=True, whose posterior exists all the "
        "same (leaderbayes.fit, or rank --order-effect without --ml), or the votes on a group by "
        "itself.",
    )
    players = [str(name) for name in kept["player"].to_numpy()]
    m = len(players)
    first, second = (kept[name].to_numpy().astype(np.int64) for name in ("first", "second"))
    won, n = kept["outcome"].to_numpy(), weights_of(kept)
    _require_intercept(first, second, won, m)
    wins, played = counts["wins"].to_numpy(), counts["n"].to_numpy()
    if zero is None:
        weakest = int(np.argmin(wins.sum(axis=1) / played.sum(axis=1)))
    elif str(zero) in players:
        weakest = players.index(str(zero))
    else:
        raise LeaderbayesError(f"zero={zero!r} is none of the {m} players.")
    linear = restriction(kept, hypothesis, value, m + 1)
    begin, _, _ = newton(wins.sum(axis=1), played, pseudo_rounds=1.0)
    rows = judged(first, second, n * won, n, judge, m)
    x, at = fit_marginal(rows, np.append(begin, [0.0, 0.5]), n_quadrature, linear=linear)
    covariance, scale = inverse(at.information, m, linear), float(x[-1])
    spread = np.diag(covariance)[:m]
    relative = spread + spread[weakest] - 2.0 * covariance[weakest, :m]
    square = ("player", "player_")
    names = kept["player"].to_numpy()
    order = np.zeros(judges, dtype=np.int64)
    order[judge[::-1]] = np.arange(len(judge))[::-1]  # where each is met first
    variables: dict[str, Any] = {
        "epp": ("player", x[:m]),
        "covariance": (square, covariance[:m, :m]),
        "covariance_model": (square, covariance[:m, :m]),
        "intercept": x[m],
        "intercept_variance": covariance[m, m],
        "intercept_covariance": ("player", covariance[m, :m]),
        "sd_judge": scale,
        "judge_effect": ("judge", scale * at.mode),
        "judge_effect_sd": ("judge", scale * np.sqrt(at.variance)),
        "fixed_effect": ("player", x[:m] - x[weakest]),
        "fixed_effect_error": ("player", np.sqrt(np.maximum(relative, 0.0))),
        "loglik": at.value,
        "deviance": -2.0 * at.value,
    }
    coords = {"player": names, "player_": names, "judge": kept["judge"].to_numpy()[order]}
    attrs = {
        "model": "round_intercept", "covariance": "model", "converged": 1,
        "df": len(won) - (m + 1), "zero": players[weakest], "ties": "drop",
        "n_quadrature": n_quadrature, "singular": int(scale < 1e-4),
    }  # fmt: skip
    fit = _restricted(xr.Dataset(variables, coords, attrs), linear)
    said = without_variation(fit, "votes")
    if said is not None:
        warnings.warn(said, EstimateWarning, skip_file_prefixes=(_PACKAGE,))
    return fit.assign_attrs(warnings=json.dumps([] if said is None else [said]))


def _restricted(fit: xr.Dataset, linear: Linear | None) -> xr.Dataset:
    if linear is None:
        return fit
    return fit.assign(
        hypothesis_matrix=(("hypothesis", "coefficient"), linear.matrix),
        hypothesis_value=("hypothesis", linear.value),
    ).assign_attrs(df=fit.attrs["df"] + len(linear.matrix))


def binary_votes(votes: xr.Dataset, ties: str | None) -> xr.Dataset:
    """Give the votes that count, all of them won by one of the two."""
    if not is_hashable(ties) or ties not in (None, "drop"):
        raise LeaderbayesError(
            f"ties={ties!r}: the mixed model of votes has two outcomes; take ties='drop', or "
            "likelihood.bradley_terry(votes, order_effect=True), where a tie is half a win."
        )
    kept = valid_votes(votes, "drop")
    tied = int(valid_votes(votes, "half").sizes["vote"]) - int(kept.sizes["vote"])
    if tied and ties is None:
        said = f"{counted(tied, 'vote')} {'is a tie' if tied == 1 else 'are ties'}"
        raise LeaderbayesError(
            f"{said}, and the mixed model of votes has two outcomes: take ties='drop' to leave "
            "them out, or likelihood.bradley_terry(votes, order_effect=True), where a tie is half "
            "a win."
        )
    require_whole_weights(kept)
    return kept


def _require_intercept(first: Any, second: Any, won: Any, m: int) -> None:
    """Raise where an advantage can grow without bound, and strengths make up for it."""
    as_first, as_second = np.zeros((2, m, m), dtype=bool)
    as_first[first[won == 1.0], second[won == 1.0]] = True
    as_second[second[won == 0.0], first[won == 0.0]] = True
    if order_explains(as_first, as_second):
        raise DisconnectedError(
            "LB010 the intercept has no estimate: who was shown first could explain as much as one "
            "likes, with strengths to match. Use likelihood.bradley_terry(votes)."
        )


def order_explains(as_first: Bools, as_second: Bools) -> bool:
    """Say whether an order effect could grow without bound, strengths making up for it.

    With order effect +1, b_i >= b_j - 1 for every win of a first i, and b_i >= b_j + 1 for every
    win of a second i: such strengths exist unless a circle of these contradicts itself. With -1,
    likewise.

    Parameters
    ----------
    as_first, as_second : (winner, loser)
        Whether the one beat the other so.
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
