r"""Bradley-Terry, the EPP meta-score.

.. math::

    \sigma &\sim \mathrm{HalfNormal}(prior\_scale) \\
    a_i &\sim \mathrm{StudentT}(prior\_df, 0, \sigma), \quad b = a - \bar a \\
    \mathrm{logit}\,P(i\ \mathrm{beats}\ j) &= b_i - b_j

The matches of a round depend on each other, so the likelihood of a round is raised to a power, its
weight: the intervals then have their nominal coverage.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from leaderbayes._numerics.composite_weight import weighted_counts
from leaderbayes._numerics.places import draw_places
from leaderbayes._types import Floats, Ints
from leaderbayes.likelihood._vote_rows import or_votes
from leaderbayes.models._board import (
    checked,
    coords_of,
    declare,
    pairs_by_round,
    problem_of_places,
    target_of_pairs,
)
from leaderbayes.models._model import Model, Problem
from leaderbayes.models._places import observe_pairs
from leaderbayes.models._prior import PRIOR_SCALE, reliability, strengths
from leaderbayes.models._votes import model_of_votes, problem_of_votes
from leaderbayes.models._weight import Weight

if TYPE_CHECKING:
    import pymc as pm

_NAME = "bradley_terry"


@or_votes(_NAME, model_of_votes)
def bradley_terry(
    matches: xr.Dataset,
    *,
    weight: Weight = "composite",
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    prior_df: float | None = None,
    ties: str | None = None,
    cluster: str | Sequence[str] | None = None,
    order_effect: bool | None = None,
    covariates: Sequence[str] | None = None,
    matched: bool | None = None,
) -> "pm.Model":
    """Return the Bradley-Terry model of a board or of votes.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, with ties "half" or "drop"; or votes of
        `leaderbayes.read_votes`.
    weight : "composite" or float
        Power of the likelihood of each round. "composite" estimates it from how much rounds
        differ; 1.0 is as published, with intervals that are far too narrow.
    test_fraction : float, optional
        Share of the data that each round tests on, for rounds of repeated cross-validation, which
        share training data. It lowers the weight (Nadeau and Bengio 2003).
    prior_scale : float
        Scale of the half-normal prior on the scale of strengths, in log-odds.
    prior_df : float, optional
        Degrees of freedom of the strengths' Student-t prior; 4 for up to 10 players, 2 for more.
    ties, cluster, order_effect, covariates, matched : optional
        For votes: "half" or "drop"; what makes votes depend on each other, "judge", "prompt", both,
        "none", or "auto" (what is known); whether the player shown first has an advantage; names
        of covariates that count (default all); whether pairs were matched by strength.

    Returns
    -------
    pymc.Model
        ``epp`` (player), log-odds of beating the average player, which sum to zero; ``epp_scale``;
        ``epp_unit`` (player), which is sampled for it; observed ``place`` (round, player), where 1
        is best and 0 absent. Log-likelihoods (weighted) and replicates come by round. For votes
        observed ``outcome`` (vote,), and ``effect_size`` (effect,) where there are effects.

    Warns
    -----
    LeaderbayesWarning
        LB010, if some differences rest on the prior alone; LB011, if there are two rounds, which
        hardly show how rounds vary.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section 3.
    Ribatet, Cooley, Davison (2012), Bayesian inference from composite likelihoods.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> model = lb.models.bradley_terry(lb.matches(lb.datasets.load("classifiers", "iris")))
    >>> [variable.name for variable in model.free_RVs]
    ['epp_scale', 'epp_unit']
    """
    import pymc as pm

    eta, _, constant = checked(
        matches, MODEL, weight=weight, test_fraction=test_fraction, prior_scale=prior_scale,
        prior_df=prior_df,
    )  # fmt: skip
    with pm.Model(coords=coords_of(matches)) as model:
        data = declare(constant)
        b = strengths(data, reliability(matches, eta))
        observe_pairs(b, data["weight"], matches)
    return model


@or_votes(_NAME, problem_of_votes)
def problem(matches: xr.Dataset, **options: Any) -> Problem:
    """Return the same model for the fast engine."""
    eta, df, constant = checked(matches, MODEL, **options)
    place, within = matches["place"].to_numpy(), bool(matches.attrs["within_round"])
    wins, n, _ = weighted_counts(place, eta, within_round=within, ties=str(matches.attrs["ties"]))

    def replicate(drawn: Mapping[str, Floats], rng: np.random.Generator) -> Ints:
        return draw_places(drawn["epp"][:, None], place > 0, rng, within_round=within)

    return problem_of_places(
        target_of_pairs(wins.sum(axis=1), n, float(constant["prior_scale"].item()), df),
        matches, constant, replicate, pairs_by_round,
    )  # fmt: skip


MODEL = Model(
    name=_NAME,
    label="Bradley-Terry",
    data=("matches", "votes"),
    parameter="epp",
    unit="log-odds",
    blends=True,
    takes=("round_weight",),
    build=bradley_terry,
    problem=problem,
    log_likelihood=pairs_by_round,
    ties=("half", "drop"),
    across=True,
)
