r"""Dynamic Bradley-Terry: strengths that change from period to period.

.. math::

    \sigma &\sim \mathrm{HalfNormal}(prior\_scale), \quad
    \tau \sim \mathrm{HalfNormal}(step\_scale) \\
    b_1 &\sim \mathrm{ZeroSumNormal}(\sigma), \quad
    b_t - b_{t-1} \sim \mathrm{ZeroSumNormal}(\tau) \\
    \mathrm{logit}\,P(i\ \mathrm{beats}\ j\ \mathrm{in}\ t) &= b_{ti} - b_{tj}

Rounds and votes have the weights of Bradley-Terry's, those of rounds by each period's own rounds.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.composite_weight import FEWEST
from leaderbayes._numerics.places import count
from leaderbayes._scores.tables import listed
from leaderbayes._scores.vote_matches import counted_votes
from leaderbayes._types import Floats, Longs
from leaderbayes.likelihood._vote_rows import or_votes, refuse_given
from leaderbayes.models._board import (
    constants,
    coords_of,
    declare,
    numbered,
    pairs_by_round,
)
from leaderbayes.models._model import Model
from leaderbayes.models._places import observe_pairs
from leaderbayes.models._prior import PRIOR_SCALE, estimates
from leaderbayes.models._votes import observe_alike, observe_votes, vote_statistics
from leaderbayes.models._weight import Weight, check_board, check_scales, resolve_weight

if TYPE_CHECKING:
    import pymc as pm

_NAME = "dynamic"
_MOST = 100  # periods


def _of_votes(
    name: str, votes: xr.Dataset, *, period: Any, weight: Weight, test_fraction: float | None,
    prior_scale: float, step_scale: float, **options: Any,
) -> "pm.Model":  # fmt: skip
    """Return the same model of votes."""
    import pymc as pm

    check_scales(prior_scale=prior_scale, step_scale=step_scale)
    refuse_given({"weight": None if weight == "composite" else weight}, "rounds of scores")
    found = vote_statistics(name, votes, prior_scale=prior_scale, matched=False,
                            test_fraction=test_fraction, **options)  # fmt: skip
    kept = found.rows.kept
    number, names = _numbered(_periods_of_votes(kept, period))
    boards = [counted_votes(kept.isel(vote=number == t), "half") for t in range(len(names))]
    known = found.constant.drop_vars(["prior_df", "tie_scale"]).assign_coords(period=names).assign(
        period_of_vote=("vote", number), votes_of_period=("period", np.bincount(number)),
        period_number=("period", np.arange(len(names))),
        step_scale=("model", [step_scale]),
    )  # fmt: skip
    with pm.Model(coords={"player": kept["player"].to_numpy()}) as model:
        # Of votes that are alike the likelihood takes sums, which no other data move.
        data = declare(known, r"^(weight|.*_scale)$" if found.rows.effects else r"_scale$")
        b = _walk(data, boards, [found.together.weight] * len(names))
        rows, m = found.rows.votes, kept.sizes["player"]
        if found.rows.effects:
            at = data["period_of_vote"]
            observe_votes(found, data, b[at, data["first"]] - b[at, data["second"]])
        else:
            _, at, row = np.unique(
                (number * m + rows.first) * m + rows.second,
                return_index=True, return_inverse=True,
            )  # fmt: skip
            eta = b[number[at], rows.first[at]] - b[number[at], rows.second[at]]
            observe_alike(found, eta, row)
    return model


@or_votes(_NAME, _of_votes)
def dynamic(
    matches: xr.Dataset,
    *,
    period: str | Mapping[str, Any] | None = None,
    weight: Weight = "composite",
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    step_scale: float = 0.5,
    ties: str | None = None,
    cluster: str | Sequence[str] | None = None,
    order_effect: bool | None = None,
    covariates: Sequence[str] | None = None,
) -> "pm.Model":
    """Return the Bradley-Terry model with strengths that change from period to period.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, within rounds, ties "half" or "drop"; or votes of
        `leaderbayes.read_votes`.
    period : mapping or str, optional
        Period of each round, or the name of the coordinate (round,) that has it, by default
        "period", else rounds are periods, in their order. Of votes the coordinate's name, by
        default "time"; or the format of dates that have the same one, such as "%Y-%m" for months.
    weight, test_fraction
        As for `bradley_terry`, by the rounds of each period.
    prior_scale : float
        Scale of the half-normal prior on the scale of strengths in the first period, in log-odds.
    step_scale : float
        Scale of the half-normal prior on the standard deviation of a step between periods.
    ties, cluster, order_effect, covariates : optional
        Of votes: as for `bradley_terry`.

    Returns
    -------
    pymc.Model
        ``epp_period`` (period, player), log-odds of beating the average player in a period, which
        sum to zero; ``epp`` (player), those of the last one, which all answers are about;
        ``epp_scale``; ``epp_step``, the standard deviation of steps; observed ``place`` (round,
        player), rounds in the order of periods, or ``outcome`` (vote,).

    Raises
    ------
    LeaderbayesError
        If there is one period, or more than 100, a round has none, or an option is out of range.

    Warns
    -----
    LeaderbayesWarning
        LB010, if some differences rest on the prior alone.

    References
    ----------
    Glickman (1993), Paired comparison models with time-varying parameters, thesis, Harvard
    University. Cattelan, Varin, Firth (2013), Dynamic Bradley-Terry modelling of sports
    tournaments, JRSS C 62.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "iris")
    >>> halves = {name: int(k >= 12) for k, name in enumerate(scores["round"].values)}
    >>> model = lb.models.dynamic(lb.matches(scores), period=halves)
    >>> [variable.name for variable in model.free_RVs]
    ['epp_scale', 'epp_unit', 'epp_step', 'step_unit']
    """
    import pymc as pm

    check_scales(prior_scale=prior_scale, step_scale=step_scale)
    check_board(matches, MODEL)
    number, names = _numbered(_of_rounds(matches, period))
    order = np.argsort(number, kind="stable")
    matches, number = matches.isel(round=order), number[order]
    boards = [matches.isel(round=number == t) for t in range(len(names))]
    weights = _weights(matches, boards, weight, test_fraction)
    options = {"test_fraction": test_fraction, "prior_scale": prior_scale, "step_scale": step_scale}
    with pm.Model(coords=coords_of(matches) | {"period": names}) as model:
        data = declare(
            constants(_NAME, matches, np.concatenate(weights), options,
                      period_of_round=("round", number),
                      period_number=("period", np.arange(len(names))))
        )  # fmt: skip
        b = _walk(data, [_counted(one) for one in boards], weights)
        observe_pairs(b, data["weight"], matches, tournament=number)
    return model


def _walk(data: Mapping[str, Any], boards: list[xr.Dataset], weights: Any) -> Any:
    """Add strengths to the pm.Model under construction: ``epp_period`` (period, player)."""
    import pymc as pm
    import pytensor.tensor as pt

    found = [estimates(one, eta) for one, eta in zip(boards, weights, strict=True)]
    epp, error = np.array([each for each, _ in found]), np.array([each for _, each in found])
    steps = np.diff(epp, axis=0)
    # As data, so that a compiled model can take other boards of the same rounds.
    of_first = pm.Data("centring", _share(float((epp[0] ** 2).mean()), float(error[0])))
    of_steps = pm.Data(
        "step_centring", _share(float((steps**2).mean()), float((error[1:] + error[:-1]).mean()))
    )
    pm.modelcontext(None).add_coord("step", range(len(steps)))
    scale = pm.HalfNormal("epp_scale", data["prior_scale"])
    first = pm.ZeroSumNormal("epp_unit", sigma=scale**of_first, dims="player")
    step = pm.HalfNormal("epp_step", data["step_scale"])
    unit = pm.ZeroSumNormal("step_unit", sigma=step**of_steps, dims=("step", "player"))
    walked = pt.concatenate(
        [scale ** (1.0 - of_first) * first[None], step ** (1.0 - of_steps) * unit]
    )
    b = pm.Deterministic("epp_period", pt.cumsum(walked, axis=0), dims=("period", "player"))
    pm.Deterministic("epp", b[-1], dims="player")
    return b


def _counted(board: xr.Dataset) -> xr.Dataset:
    """Count the matches of a period."""
    wins, n, _ = count(board["place"].to_numpy(), within_round=True, ties=str(board.attrs["ties"]))
    dims = ("player", "opponent")
    return board.assign(wins=(dims, wins), n=(dims, n))


def _share(variance: float, error: float) -> float:
    """Return the share of the variance of estimates that is not error."""
    return float(np.clip(1.0 - error / variance, 0.0, 1.0)) if variance > 0.0 else 0.0


def _weights(
    matches: xr.Dataset, boards: list[xr.Dataset], weight: Weight, test_fraction: float | None
) -> list[Floats]:
    """Return weights of rounds (round,) by period, or from all rounds if a period has few."""
    long = [one.sizes["round"] >= FEWEST for one in boards]
    if all(long):
        return [resolve_weight(one, weight, test_fraction, with_ties=False) for one in boards]
    ends = np.cumsum([one.sizes["round"] for one in boards])[:-1]
    every = resolve_weight(matches, weight, test_fraction, with_ties=False)
    return np.split(every, ends)


def _of_rounds(matches: xr.Dataset, period: Any) -> Any:
    """Return the period of each round."""
    rounds, dims = matches["round"].to_numpy(), ("round",)
    if not isinstance(period, Mapping):
        # A posterior's own rounds have it as their period, whatever it was called.
        known = [n for n in (period, "period") if isinstance(n, str) and n in matches.coords]
        if known and matches[known[0]].dims == dims:
            return matches[known[0]].to_numpy()
        if period is None:
            return pd.Categorical(rounds, rounds)
        others = [n for n, of in matches.coords.items() if of.dims == dims and n != "round"]
        raise LeaderbayesError(
            f"period={period!r:.60} must map each round to its period, {{'round': period}}, or "
            f"be a coordinate (round,) of the scores, which have {listed(others) or 'none'} "
            "(read_scores(..., period=COLUMN); --period COLUMN)."
        )
    of = {str(name): value for name, value in period.items()}
    if absent := [str(name) for name in rounds if str(name) not in of]:
        raise LeaderbayesError(f"period lacks the rounds {', '.join(absent[:5])[:200]}.")
    return [of[str(name)] for name in rounds]


def _periods_of_votes(votes: xr.Dataset, period: Any) -> Any:
    """Return the period of each vote."""
    # A posterior's own votes have it as their time, whatever it was called.
    known = [n for n in (period, "time") if isinstance(n, str) and n in votes.coords]
    if not known or votes[known[0]].dims != ("vote",):
        raise LeaderbayesError(
            "period: votes need a coordinate of periods: votes.assign_coords(time=('vote', "
            "months)), or its name as the option period."
        )
    found = votes[known[0]]
    dated = found.dtype.kind == "M" and isinstance(period, str) and "%" in period
    return (found.dt.strftime(period) if dated else found).to_numpy()


def _numbered(period: Any) -> tuple[Longs, Any]:
    """Return the number of each period, in order, and the names of periods."""
    number, names = numbered(period)
    if (number < 0).any() or not 2 <= len(names) <= _MOST:
        raise LeaderbayesError(
            f"period: {len(names)} periods{', and some have none' if (number < 0).any() else ''}; "
            f"use 2 to {_MOST}, such as months or seasons."
        )
    return number, names


MODEL = Model(
    name=_NAME,
    label="Dynamic Bradley-Terry",
    data=("matches", "votes"),
    parameter="epp",
    unit="log-odds",
    build=dynamic,
    log_likelihood=pairs_by_round,
    ties=("half", "drop"),
)
