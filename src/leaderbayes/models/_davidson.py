r"""Davidson: Bradley-Terry with a parameter for ties.

.. math::

    \sigma &\sim \mathrm{HalfNormal}(prior\_scale), \quad
    a_i \sim \mathrm{StudentT}(prior\_df, 0, \sigma), \quad b = a - \bar a \\
    \nu &\sim N(0, tie\_scale^2) \\
    P(i) : P(tie) : P(j) &= e^{b_i} : e^{\nu + (b_i + b_j)/2} : e^{b_j}

Given that a match is not tied its odds are Bradley-Terry's, so ``epp`` keeps its meaning.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from leaderbayes._numerics.composite_weight import weighted_counts
from leaderbayes._numerics.pairs import pair_sums
from leaderbayes._numerics.places import draw_places
from leaderbayes._numerics.target import Target
from leaderbayes._types import Floats, Ints
from leaderbayes.likelihood._vote_rows import or_votes
from leaderbayes.models._board import checked, coords_of, declare, pairs_by_round, problem_of_places
from leaderbayes.models._model import Model, Problem
from leaderbayes.models._places import observe_pairs
from leaderbayes.models._prior import PRIOR_SCALE, normal, reliability, strengths
from leaderbayes.models._votes import model_of_votes, problem_of_votes
from leaderbayes.models._weight import Weight

if TYPE_CHECKING:
    import pymc as pm

_NAME = "davidson"
TIE_SCALE = 2.0


@or_votes(_NAME, model_of_votes)
def davidson(
    matches: xr.Dataset,
    *,
    weight: Weight = "composite",
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    prior_df: float | None = None,
    tie_scale: float = TIE_SCALE,
    ties: str | None = None,
    cluster: str | Sequence[str] | None = None,
    order_effect: bool | None = None,
    covariates: Sequence[str] | None = None,
    matched: bool | None = None,
) -> "pm.Model":
    """Return Davidson's model of a board or of votes, with a parameter for ties.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches` with ``ties="half"``: the model reads ties from the places. Or
        votes of `leaderbayes.read_votes`.
    weight, test_fraction, prior_scale, prior_df
        As for `bradley_terry`.
    tie_scale : float
        Standard deviation of the normal prior on the log tie parameter nu.
    ties, cluster, order_effect, covariates, matched : optional
        For votes, as for `bradley_terry`.

    Returns
    -------
    pymc.Model
        As `bradley_terry`, and ``tie``, Davidson's nu: two equal players tie with probability
        e^nu / (2 + e^nu). Replicates are whole rankings with ties; they follow the model's
        pairwise probabilities exactly for equal players and closely for others.

    Warns
    -----
    LeaderbayesWarning
        LB010, if some differences rest on the prior alone; LB011, if there are two rounds, which
        hardly show how rounds vary.

    References
    ----------
    Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired comparison
    experiments, JASA 65, https://doi.org/10.1080/01621459.1970.10481082.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> model = lb.models.davidson(lb.matches(lb.datasets.load("classifiers", "iris")))
    >>> [variable.name for variable in model.free_RVs]
    ['epp_scale', 'epp_unit', 'tie']
    """
    import pymc as pm

    eta, _, constant = checked(
        matches, MODEL, weight=weight, test_fraction=test_fraction, prior_scale=prior_scale,
        prior_df=prior_df, tie_scale=tie_scale,
    )  # fmt: skip
    with pm.Model(coords=coords_of(matches)) as model:
        data = declare(constant)
        b = strengths(data, reliability(matches, eta))
        nu = pm.Normal("tie", 0.0, data["tie_scale"])
        observe_pairs(b, data["weight"], matches, nu=nu)
    return model


@or_votes(_NAME, problem_of_votes)
def problem(matches: xr.Dataset, *, tie_scale: float = TIE_SCALE, **options: Any) -> Problem:
    """Return the same model for the fast engine."""
    eta, df, constant = checked(matches, MODEL, tie_scale=tie_scale, **options)
    prior_scale = float(constant["prior_scale"].item())
    place, within = matches["place"].to_numpy(), bool(matches.attrs["within_round"])
    wins, n, tied = weighted_counts(place, eta, within_round=within, ties="half")

    def replicate(drawn: Mapping[str, Floats], rng: np.random.Generator) -> Ints:
        boards = [
            draw_places(b, place > 0, rng, within_round=within, tie=float(nu))
            for b, nu in zip(drawn["epp"], drawn["tie"], strict=True)
        ]
        return np.stack(boards)

    return problem_of_places(
        target_with_ties(wins.sum(axis=1), n, tied.sum() / 2.0, (prior_scale, df, tie_scale)),
        matches, constant, replicate, pairs_by_round, extra={"tie": normal(tie_scale)},
    )  # fmt: skip


def target_with_ties(
    points: Floats, n: Floats, tied: float, prior: tuple[float, float, float]
) -> Target:
    """Return the posterior given points (player,), ties, and matches (player, opponent)."""

    def log_likelihood(a: Floats, nu: Floats, gradient: bool) -> tuple[Floats, Floats, Floats]:
        sums = pair_sums(a, n, nu[:, 0], gradient=gradient)
        value = a @ points + tied * nu[:, 0] - sums.value
        if not gradient:
            return value, sums.expected, sums.expected
        return value, points - sums.expected, (tied - sums.ties)[:, None]

    scale, df, tie_scale = prior
    return Target(len(points), log_likelihood, scale, df, np.array([tie_scale]), len(points))


MODEL = Model(
    name=_NAME,
    label="Davidson",
    data=("matches", "votes"),
    parameter="epp",
    unit="log-odds",
    blends=True,
    takes=("round_weight",),
    build=davidson,
    problem=problem,
    log_likelihood=pairs_by_round,
    tie_parameter=True,
    across=True,
)
