"""Votes by Davidson's model and by PMRA: estimates, and what judges and prompts make of width."""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy.special import expit

from leaderbayes._errors import HintWarning, LeaderbayesError
from leaderbayes._numerics import davidson_votes
from leaderbayes._numerics.further_votes import Law
from leaderbayes._numerics.vote_intercept import Judged, judged, marginal
from leaderbayes._numerics.votes import (
    Estimate,
    Holders,
    Moments,
    Votes,
    bread_of,
    definite,
    dependence,
    effective,
    opinionated,
    with_shared,
)
from leaderbayes._scores.vote_matches import clusters_of, valid_votes
from leaderbayes._types import Floats
from leaderbayes.likelihood._vote_drift import said_of_drift
from leaderbayes.likelihood._vote_intercept import binary_votes, intercept_of_votes
from leaderbayes.likelihood._votes import (
    FEW,
    Weighed,
    best_of,
    said_of_favour,
    said_of_few,
    votes_of,
)

_PACKAGE = str(Path(__file__).parents[1])
_NODES = 20  # of the average over judges, and of the likelihood of how they differ
_SCALES = 60  # of how judges differ, at which the likelihood is looked at


class Modelled(NamedTuple):
    """Votes by a model that is not Bradley-Terry's alone."""

    weighed: Weighed  # its estimate's beta may have more than effects, last
    # Mean and variance of outcomes, of an estimate (or a draw) of this model.
    moments: Callable[[Estimate], Moments]
    # Votes drawn again, of an estimate; opinions' holders and variances; a generator.
    again: Callable[[Estimate, Sequence[Holders], Floats, np.random.Generator], Floats]
    # What further votes would say; None as of Bradley-Terry.
    law: Law | None = None
    # Values of how judges differ (value,), and their log-likelihood; of PMRA.
    scale: tuple[Floats, Floats] | None = None


def _hint(weighed: Weighed, moments: Moments) -> None:
    """Say what there is to say of votes, as `weigh` does."""
    for name, count in zip(weighed.clusters, weighed.together.clusters, strict=False):
        if count < FEW:
            said = said_of_few(name, count, weighed.clusters[name], weighed.votes.n)
            warnings.warn(f"LB044 {said}", HintWarning, skip_file_prefixes=(_PACKAGE,))
    if (favour := said_of_favour(weighed, moments)) is not None:
        warnings.warn(f"LB045 {favour}", HintWarning, skip_file_prefixes=(_PACKAGE,))
    if (moved := said_of_drift(weighed, moments)) is not None:
        warnings.warn(f"LB049 {moved}", HintWarning, skip_file_prefixes=(_PACKAGE,))


def _assembled(
    kept: xr.Dataset, votes: Votes, effects: list[str], at: Estimate, cluster: str | Sequence[str],
    moments: Moments, ties: Floats | None = None, *, alike_in: int,
) -> Weighed:  # fmt: skip
    """Find how votes go together about an estimate, and the matches that they are worth.

    ``at`` may have a parameter beside strengths and effects, last; ``ties`` (vote,), of Davidson's
    model, are probabilities of a tie. Residuals are looked at for what makes them alike in
    strengths and the first ``alike_in`` effects: of what each cluster has an own parameter, its
    residuals sum to nothing.
    """
    clusters = clusters_of(kept, cluster)
    size = votes.players + alike_in
    inner = Estimate(at.epp, at.beta[:alike_in], at.hessian[:size, :size], at.gradient[:size])
    looked_at = votes._replace(effect=votes.effect[:, :alike_in])
    together = dependence(looked_at, inner, tuple(clusters.values()), moments)
    meat = np.array(at.hessian)
    meat[:size, :size] += together.meat - together.phi * inner.hessian
    if ties is not None and clusters:
        groups = with_shared([*clusters.values()])
        meat[-1, -1] += davidson_votes.tie_excess(votes, ties, groups)
    together = together._replace(meat=definite(meat, at.hessian, 1.0))
    bread = bread_of(votes, at)
    weighed = Weighed(
        kept, votes, clusters, effects, at, bread, together, effective(votes, at, together)
    )
    _hint(weighed, moments)
    return weighed


def weigh_davidson(
    votes: xr.Dataset,
    *,
    ties: str,
    cluster: str | Sequence[str],
    order_effect: bool,
    covariates: Sequence[str] | None,
) -> Modelled:
    """Estimate as `weigh` by Davidson's model; nu stands last in the estimate's beta.

    Raises
    ------
    LeaderbayesError
        If ties are left out, none of the votes is one, or all are.
    """
    if ties != "half":
        raise LeaderbayesError(
            f"ties={ties!r}: davidson has a parameter for ties; take ties='half', which leaves "
            "them as they are, or model='bradley_terry'."
        )
    kept = valid_votes(votes, ties)
    arrays, effects = votes_of(kept, order_effect, covariates)
    share = float(davidson_votes.ties_of(arrays).sum() / arrays.n.sum())
    if not 1e-12 < share < 1.0 - 1e-12:
        which = "No" if share < 0.5 else "Every"
        raise LeaderbayesError(
            f"{which} vote is a tie, which leaves Davidson's parameter for ties without an "
            "estimate: take model='bradley_terry'."
        )
    at = best_of(arrays, effects, davidson_votes.maximum)

    def eta(here: Estimate) -> Floats:
        own = here.epp[arrays.first] - here.epp[arrays.second]
        return np.asarray(own + arrays.effect @ here.beta[:-1])

    def moments(here: Estimate) -> Moments:
        return davidson_votes.moments(eta(here), float(here.beta[-1]))

    def again(
        here: Estimate, held: Sequence[Holders], tau2: Floats, rng: np.random.Generator
    ) -> Floats:
        own = opinionated(eta(here), held, tau2, rng)
        return davidson_votes.vote_again(arrays, own, float(here.beta[-1]), rng)

    tie = davidson_votes.shares(eta(at), float(at.beta[-1])).tie
    weighed = _assembled(
        kept, arrays, effects, at, cluster, moments(at), tie, alike_in=len(effects)
    )
    own = moments(at).variance
    law = Law(
        len(effects), own, lambda gap: davidson_votes.moments(gap, float(at.beta[-1])).variance
    )
    return Modelled(weighed, moments, again, law)


def weigh_intercept(votes: xr.Dataset, *, ties: str, cluster: str | Sequence[str]) -> Modelled:
    """Estimate as `weigh` by PMRA: whoever is shown first has an advantage, each judge's own.

    The effect "order" is the average judge's. Opinions of players are looked for beside it.

    Raises
    ------
    LeaderbayesError
        As `likelihood.round_intercept` of votes.
    """
    kept = binary_votes(votes, None if ties == "half" else ties)
    found = intercept_of_votes(
        kept, ties="drop", zero=None, n_quadrature=10, hypothesis=None, value=0.0
    )
    arrays, effects = votes_of(kept, True, [])
    judge = clusters_of(kept, "judge")["judge"]
    rows = judged(
        arrays.first.astype(np.int64), arrays.second.astype(np.int64), arrays.won, arrays.n, judge,
        arrays.players,
    )  # fmt: skip
    m, spread = arrays.players, float(found["sd_judge"])
    x = np.concatenate([found["epp"], [found["intercept"], spread]]).astype(float)
    here = marginal(x, rows, _NODES)
    # How judges differ hardly moves strengths: its own likelihood is taken beside these.
    at = Estimate(x[:m], x[m : m + 1], here.information[:-1, :-1], here.gradient[:-1])
    own = spread * here.mode[judge]
    p = expit(x[arrays.first] - x[arrays.second] + x[m] + own)
    own_moments = Moments(p, p * (1.0 - p))
    weighed = _assembled(kept, arrays, effects, at, cluster, own_moments, alike_in=0)
    node, weight = np.polynomial.hermite_e.hermegauss(_NODES)
    weight = weight / weight.sum()

    def eta(here: Estimate) -> Floats:
        return np.asarray(here.epp[arrays.first] - here.epp[arrays.second] + here.beta[0])

    def moments(here: Estimate) -> Moments:
        scale = float(here.beta[1]) if len(here.beta) > 1 else spread
        level = eta(here)
        mean = sum(w * expit(level + scale * z) for z, w in zip(node, weight, strict=True))
        return Moments(np.asarray(mean), np.asarray(mean * (1.0 - mean)))

    def again(
        here: Estimate, held: Sequence[Holders], tau2: Floats, rng: np.random.Generator
    ) -> Floats:
        level = eta(here) + float(here.beta[1]) * rng.standard_normal(int(judge.max()) + 1)[judge]
        level = opinionated(level, held, tau2, rng)
        size = np.ceil(arrays.n).astype(np.int64)
        return np.asarray(rng.binomial(size, expit(level)) * arrays.n / size)

    def of_gap(gap: Floats) -> Floats:
        """Curvature of votes by judges as they differ, either shown first."""
        curvature = np.zeros_like(gap)
        for z, w in zip(node, weight, strict=True):
            for sign in (1.0, -1.0):
                p = expit(gap + sign * (x[m] + spread * z))
                curvature += 0.5 * w * p * (1.0 - p)
        return curvature

    law = Law(0, own_moments.variance, of_gap, (judge, spread))
    return Modelled(weighed, moments, again, law, _scale(x, here.information, rows))


def _scale(x: Floats, information: Floats, rows: Judged) -> tuple[Floats, Floats]:
    """Give the log-likelihood of how judges differ, others moving along with it."""
    inner = np.linalg.pinv(information[:-1, :-1], rcond=1e-10, hermitian=True)
    along = -inner @ information[:-1, -1]
    values = np.geomspace(1e-3, 6.0, _SCALES)
    height = np.array(
        [marginal(np.append(x[:-1] + along * (s - x[-1]), s), rows, _NODES).value for s in values]
    )
    return values, height
