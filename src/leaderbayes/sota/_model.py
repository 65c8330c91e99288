"""The model of a board: what its metric, its law and its dependence make of it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import ndtri

from leaderbayes._arguments import number
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics import auc
from leaderbayes._numerics.counts import counts_above
from leaderbayes._scores.facts import facts, law_of_rho
from leaderbayes.models._theta import check_law
from leaderbayes.sota._dependence import estimate_rho
from leaderbayes.sota._model_of_counts import CountBoard
from leaderbayes.sota._model_of_estimates import EstimateBoard, from_probit
from leaderbayes.sota._variants import Variants

Board = CountBoard | EstimateBoard


class Part(NamedTuple):
    """A board of which n is known, the model of it, and how many draws a chain has there."""

    board: xr.DataArray
    model: Board
    draws: int


FEWEST = 20  # instances, for which the laws given the test set's ease are good enough


def parts_of(
    board: xr.DataArray, sizes: Sequence[tuple[int, int]], draws: int, **given: Any
) -> list[Part]:
    """Models of the board for each n and its part of the draws; of one that is known by itself.

    given: of `model_of`. Teams that are above the floor by one n and not by another are left out.
    """
    if not sizes:
        return [Part(*model_of(board, **given), draws)]
    boards = [board.assign_attrs(n=n) for n, _ in sizes]
    stay = [set(model_of(each, **given)[0]["team"].to_numpy()) for each in boards]
    kept = [name in set.intersection(*stay) for name in board["team"].to_numpy()]
    return [
        Part(*model_of(each[kept], **given), many)
        for each, (_, many) in zip(boards, sizes, strict=True)
    ]


def model_of(
    board: xr.DataArray,
    *,
    law: Any,
    components: int,
    floor: float | None,
    rho: Any,
    theta_0: float | None,
    statistic: Literal["board", "moments", "maximum"],
    workers: int,
    variants: Variants | None = None,
) -> tuple[xr.DataArray, Board]:
    """Teams that stay, and the model of their board; arguments as of `posterior`."""
    known, rho = facts(board), prior_of_rho(rho)
    check_law(law, components, floor, theta_0, statistic)
    if statistic == "maximum" and isinstance(law, str):
        raise LeaderbayesError(
            "The best score alone does not tell P(theta): give a law frozen from scipy.stats, or "
            "statistic='board'."
        )
    if variants is not None and (known.metric != "accuracy" or law != "flexible"):
        raise LeaderbayesError(
            "variants: of a posterior they are of accuracies, with law='flexible'; sota.winner "
            "takes any scores."
        )
    if known.metric == "accuracy":
        n, chance = known.n or 0, known.chance
        if n < FEWEST:
            raise LeaderbayesError(
                f"n={n}: a posterior needs a test set of {FEWEST} instances or more."
            )
        above = counts_above(board.to_numpy(), n, chance, floor)
        reference = above.reference if theta_0 is None else theta_0
        kept = board[np.round(board.to_numpy() * n) > above.floor]
        model = CountBoard(
            above, law, components, chance, rho, reference, statistic, workers, variants
        )
        return kept, model
    if law not in ("flexible", "beta", "mixture") or floor is not None or statistic != "board":
        raise LeaderbayesError(
            "AUCs and boards with standard errors have law='flexible', 'beta' (one normal) or "
            "'mixture', statistic='board' and no floor."
        )
    size = components if law == "mixture" else 1
    if known.sizes is None:
        made = _of_estimates(board, size, rho)
    else:
        made = _of_aucs(board, known.sizes, size, rho)
    return board, replace(made, flexible=law == "flexible", workers=workers)


def prior_of_rho(rho: Any) -> Any:
    """Check; answers become a beta prior with the estimate's mean and spread."""
    if isinstance(rho, xr.DataArray):
        found = estimate_rho(rho, seed=0)  # the interval's; the posterior's seed says the rest
        return law_of_rho(*(float(found[name]) for name in ("rho", "lower", "upper")))
    if hasattr(rho, "logpdf"):
        if rho.support()[0] < 0.0 or rho.support()[1] > 1.0:
            raise LeaderbayesError("rho: its prior must lie between 0 and 1, such as beta(6, 4).")
        return rho
    number("rho", rho, at_least=0.0, below=1.0)
    return float(rho)


def _of_estimates(board: xr.DataArray, components: int, rho: Any) -> EstimateBoard:
    """Scores as they are."""
    score, se = board.to_numpy(), board["se"].to_numpy().astype(float)
    centre, unit = float(score.mean()), float(max(score.std(), se.mean()))
    return EstimateBoard(score, se, components, rho, centre, 2.0 * unit)


def _of_aucs(
    board: xr.DataArray, sizes: tuple[int, int], components: int, rho: Any
) -> EstimateBoard:
    """AUCs on the probit scale, where their errors are nearly normal."""
    score, pairs = board.to_numpy(), sizes[0] * sizes[1]
    latent = ndtri(np.clip(score, 0.5 / pairs, 1.0 - 0.5 / pairs))
    slope = np.exp(-0.5 * latent**2) / np.sqrt(2.0 * np.pi)
    variance = np.array([auc.variance(float(a), *sizes) for a in from_probit(latent)])
    se = np.sqrt(variance) / slope
    if hasattr(rho, "logpdf"):
        raise LeaderbayesError("rho: AUCs take a number; a prior is for accuracies and estimates.")
    # Scores correlate by rho with a reference, estimates by this with their common factor.
    common = float(auc.loading(np.array([score.max()]), *sizes, rho)[0])
    return EstimateBoard(latent, se, components, common, 1.0, 1.0, from_probit)
