r"""Rasch: players that answered different items, with difficulties.

For player i and item k, the answer that is there right with the probability

.. math::

    \mathrm{logit}\,P(y_{ik} = 1) &= a_i - d_k \\
    a_i &\sim N(0, \sigma^2), \quad \sigma \sim \mathrm{HalfNormal}(prior\_scale) \\
    d_k &\sim N(\mu + \textstyle\sum_i \gamma_i (z_{ik} - \bar z_i), s^2), \quad
    \mu, \gamma_i \sim N(0, difficulty\_scale^2), \quad
    s \sim \mathrm{HalfNormal}(difficulty\_scale)

where z is 1 for who was asked: if the weak were asked easy items, gamma says so (Mundlak 1978).
Without it difficulties would be drawn to a common mean that is not theirs. A player's score is the
mean over all items, answered or not, of its probability to be right. The fast engine integrates
difficulties out, on a grid: given abilities items are independent.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.sparse import csr_array
from scipy.special import expit, log_expit, logsumexp, softmax

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.target import Target
from leaderbayes._scores.matches import one_tournament
from leaderbayes._types import Floats, Longs
from leaderbayes.models._mean_score import data_of
from leaderbayes.models._model import Model, Problem
from leaderbayes.models._prior import PRIOR_SCALE, half_normal, normal
from leaderbayes.models._round_intercept import NORMAL, half_normal_of
from leaderbayes.models._scores import check_connected, constant, ends_of
from leaderbayes.models._weight import check_beside, check_scales

if TYPE_CHECKING:
    import pymc as pm

_REACH = 5.5  # of the grid of difficulties, in their standard deviations
_BLOCK = 4_000_000  # numbers at once
_ABSENT = -1


def rasch(
    scores: xr.DataArray, *, prior_scale: float = PRIOR_SCALE, difficulty_scale: float = PRIOR_SCALE
) -> "pm.Model":
    """Return the Rasch model of right-or-wrong answers, some of which are missing.

    Parameters
    ----------
    scores : DataArray (player, round)
        Answers of one tournament, of two values; NaN where a player was not asked.
    prior_scale, difficulty_scale : float
        Scales of the half-normal priors on the scales of abilities and of difficulties, in
        log-odds; the latter also of the normal prior on the mean difficulty.

    Returns
    -------
    pymc.Model
        With the variables

        - ``score`` (player): mean probability of a right answer over all items, in the scores' unit
        - ``ability`` (player), ``difficulty`` (round): in log-odds; ``ability_scale``,
          ``difficulty_level``, ``difficulty_scale``; ``ability_unit`` and ``difficulty_unit``,
          which are sampled for them
        - ``selection`` (player): gamma, by how much a player's own items are harder
        - ``answer`` (round, player): observed; 1 right, 0 wrong, -1 not asked

    Raises
    ------
    LeaderbayesError
        If scores have more than two values, players are in groups that share no item, or an option
        is out of range.

    References
    ----------
    Rasch (1960), Probabilistic models for some intelligence and attainment tests. Mundlak (1978),
    On the pooling of time series and cross section data, Econometrica 46.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> answers = (lb.datasets.load("classifiers", "iris") > 0.95).astype(float)
    >>> [variable.name for variable in lb.models.rasch(answers).deterministics]
    ['ability', 'difficulty', 'score']
    """
    import pymc as pm
    import pytensor.tensor as pt

    scores, y, low, high = _checked(scores, prior_scale, difficulty_scale)
    answer = np.where(np.isfinite(y), y, _ABSENT).astype("int8")

    def logp(value: Any, eta: Any, there: Any) -> Any:
        return (there * (value * eta - pt.softplus(eta))).sum(axis=-1)

    def random(eta: Any, there: Any, rng: np.random.Generator, size: Any) -> Any:
        right = rng.random(eta.shape) < expit(eta)
        return np.where(there > 0, right, _ABSENT).astype("int8")

    with pm.Model(coords=_names(scores) | {"model": ["rasch"]}) as model:
        options = {"prior_scale": prior_scale, "prior_difficulty_scale": difficulty_scale}
        data = data_of(scores.fillna(-np.inf), **options)
        tau = data["prior_difficulty_scale"]
        scale = pm.HalfNormal("ability_scale", data["prior_scale"])
        a = pm.Normal("ability_unit", dims="player")
        a = pm.Deterministic("ability", scale * a, dims="player")
        level = pm.Normal("difficulty_level", 0.0, tau)
        s = pm.HalfNormal("difficulty_scale", tau)
        gamma = pm.Normal("selection", 0.0, tau, dims="player")
        asked = np.isfinite(y) - np.isfinite(y).mean(axis=0)
        d = pm.Normal("difficulty_unit", dims="round")
        d = level + pt.dot(asked, gamma) + s * d
        d = pm.Deterministic("difficulty", d, dims="round")
        eta = a - d[:, None]
        share = pm.math.sigmoid(eta).mean(axis=0)
        pm.Deterministic("score", low + (high - low) * share, dims="player")
        pm.CustomDist(
            "answer", eta, (answer != _ABSENT).astype("int8"), logp=logp, random=random,
            signature="(p),(p)->(p)", dtype="int8", observed=answer, dims=("round", "player"),
        )  # fmt: skip
    return model


class _Items(NamedTuple):
    """Items by pattern of answers; those that the same players were asked share logits."""

    number: Floats  # (pattern,): of items
    of: Longs  # (item,): patterns
    asked: Floats  # (pattern, player): less the share of items that a player was asked
    player: Floats  # (logit, player): 1 for whose it is
    asked_with: Floats  # (logit, player): `asked` of its items
    there: csr_array  # (pattern, logit): 1 for an answer
    wrong: csr_array  # (pattern, logit): 1 for a wrong one
    grid: Floats  # (point,): difficulties, in their standard deviations
    log_weight: Floats  # (point,)

    def logits(self, a: Floats, level: Floats, s: Floats, gamma: Floats) -> tuple[Floats, Floats]:
        """Return logits (logit, draw, point) and log densities (pattern, draw, point)."""
        own = self.player @ a.T - level - self.asked_with @ gamma.T
        eta = own[:, :, None] - s[:, None] * self.grid
        return eta, _of(self.there, log_expit(eta)) - _of(self.wrong, eta) + self.log_weight


def _of(rows: Any, values: Floats) -> Floats:
    """Sum over the first of three dimensions."""
    found = rows @ values.reshape(len(values), -1)
    return np.asarray(found.reshape(-1, *values.shape[1:]))


def _items(y: Floats) -> _Items:
    known, of, number = np.unique(
        np.where(np.isfinite(y), y, _ABSENT), axis=0, return_inverse=True, return_counts=True
    )
    masks, mask = np.unique(known != _ABSENT, axis=0, return_inverse=True)
    own, player = np.nonzero(masks)
    # Which logit each answer of a pattern has: by its mask, and its turn among those asked.
    pattern, who = np.nonzero(known != _ABSENT)
    its = mask.ravel()[pattern]
    logit = np.searchsorted(own, its) + masks.cumsum(axis=1)[its, who] - 1
    shape, at = (len(known), len(own)), (pattern, logit)
    wrong = 1.0 - known[pattern, who]
    # A few points to a standard deviation of what an item's answers say of it.
    half = int(np.ceil(4.5 * np.sqrt(y.shape[1]))) + 10
    grid = _REACH * np.arange(-half, half + 1) / half
    weight, share = np.exp(-0.5 * grid**2), np.isfinite(y).mean(axis=0)
    return _Items(
        number.astype(float), of.ravel(), (known != _ABSENT) - share, np.eye(y.shape[1])[player],
        (masks - share)[own], csr_array((np.ones(len(wrong)), at), shape),
        csr_array((wrong, at), shape), grid, np.log(weight / weight.sum()),
    )  # fmt: skip


def problem(
    scores: xr.DataArray, *, prior_scale: float = PRIOR_SCALE, difficulty_scale: float = PRIOR_SCALE
) -> Problem:
    """Return the same model for the fast engine, with difficulties integrated out."""
    scores, y, low, high = _checked(scores, prior_scale, difficulty_scale)
    (rounds, m), items, tau = y.shape, _items(y), difficulty_scale
    size = max(_BLOCK // (len(items.grid) * (len(items.player) + len(items.number))), 1)

    def scales(extra: Floats) -> tuple[Floats, Floats, Floats]:
        """Return level, standard deviation and selection from standard normal variables."""
        return tau * extra[:, 0], half_normal_of(extra[:, 1], tau)[0], tau * extra[:, 2:]

    def density(a: Floats, extra: Floats, gradient: bool) -> tuple[Floats, Floats, Floats]:
        eta, each = items.logits(a, *scales(extra))
        top = each.max(axis=2, keepdims=True)
        each = np.exp(each - top)
        total = each.sum(axis=2, keepdims=True)
        value = items.number @ (np.log(total) + top)[:, :, 0]
        if not gradient:
            return value, a, extra
        each *= items.number[:, None, None] / total
        there, wrong = items.there.T, items.wrong.T
        slope = expit(-eta) * _of(there, each) - _of(wrong, each)
        by_logit, by_grid = slope.sum(axis=2).T, slope.sum(axis=0) @ items.grid
        by_extra = [
            -tau * by_logit.sum(axis=1), -half_normal_of(extra[:, 1], tau)[1] * by_grid,
            -tau * by_logit @ items.asked_with,
        ]  # fmt: skip
        return value, by_logit @ items.player, np.column_stack(by_extra)

    def difficulties(a: Floats, extra: Floats, rng: np.random.Generator) -> Floats:
        """Draw difficulties (draw, item) given abilities, uniformly within cells of the grid."""
        level, s, gamma = scales(extra)
        each = items.logits(a, level, s, gamma)[1]
        share = softmax(each, axis=2).cumsum(axis=2)[items.of].swapaxes(0, 1)
        at = (share < rng.random((len(a), rounds, 1))).sum(axis=2).clip(max=len(items.grid) - 1)
        z = items.grid[at] + (items.grid[1] - items.grid[0]) * (rng.random(at.shape) - 0.5)
        return difficulty(level, s, gamma, z)

    def difficulty(level: Floats, s: Floats, gamma: Floats, z: Floats) -> Floats:
        return np.asarray(level[:, None] + (gamma @ items.asked.T)[:, items.of] + s[:, None] * z)

    def named(
        a: Floats, extra: Floats, scale: Floats, d: Floats, shares: Floats
    ) -> dict[str, Floats]:
        level, s, gamma = scales(extra)
        return {
            "score": low + (high - low) * shares, "ability": a, "ability_scale": scale,
            "difficulty": d, "difficulty_level": level, "difficulty_scale": s, "selection": gamma,
        }  # fmt: skip

    def shares(a: Floats, d: Floats) -> Floats:
        parts = np.array_split(np.arange(len(a)), max(len(a) * rounds * m // _BLOCK, 1))
        return np.concatenate([expit(a[k][:, None] - d[k][:, :, None]).mean(axis=1) for k in parts])

    def expand(
        a: Floats, extra: Floats, scale: Floats, rng: np.random.Generator
    ) -> dict[str, Floats]:
        parts = np.array_split(np.arange(len(a)), -(-len(a) // size))
        d = np.concatenate([difficulties(a[k], extra[k], rng) for k in parts])
        return named(a, extra, scale, d, shares(a, d))

    def expand_prior(
        a: Floats, extra: Floats, scale: Floats, rng: np.random.Generator
    ) -> dict[str, Floats]:
        d = difficulty(*scales(extra), rng.standard_normal((len(a), rounds)))
        return named(a, extra, scale, d, shares(a, d))

    def replicate(drawn: Mapping[str, Floats], rng: np.random.Generator) -> Any:
        p = expit(drawn["ability"][:, None] - drawn["difficulty"][:, :, None])
        return np.where(np.isfinite(y), rng.random(p.shape) < p, _ABSENT).astype("int8")

    def by_item(drawn: Mapping[str, Floats]) -> Floats:
        names = ("ability", "difficulty_level", "difficulty_scale", "selection")
        parts = np.array_split(np.arange(len(drawn["score"])), -(-len(drawn["score"]) // size))
        every = ((drawn[name][k] for name in names) for k in parts)
        each = [logsumexp(items.logits(*own)[1], axis=2).T for own in every]
        return np.concatenate(each)[:, items.of]

    answer, known = np.where(np.isfinite(y), y, _ABSENT).astype("int8"), constant(scores, "rasch")
    known.attrs["estimand"] = f"Scores are of all {rounds} items, whether a player answered or not."
    dims: dict[str, tuple[str, ...]] = {"score": ("player",), "ability": ("player",)}
    dims |= {"difficulty": ("round",), "ability_scale": (), "selection": ("player",)}
    return Problem(
        target=Target(m, density, prior_scale, NORMAL, np.ones(2 + m), cells=_BLOCK // size),
        expand=expand,
        dims=dims | {"difficulty_level": (), "difficulty_scale": ()},
        replicate=replicate,
        log_likelihood=by_item,
        log_prior={
            "ability_scale": half_normal(prior_scale),
            "difficulty_level": normal(tau),
            "difficulty_scale": half_normal(tau),
            "selection": normal(tau),
        },
        observed=xr.Dataset({"answer": (("round", "player"), answer)}, _names(scores)),
        constant=known,
        coords=_names(scores),
        expand_prior=expand_prior,
    )


def _names(scores: xr.DataArray) -> dict[str, Any]:
    return {dim: scores[dim].to_numpy() for dim in ("player", "round")}


def _checked(
    scores: xr.DataArray, prior_scale: float, difficulty_scale: float
) -> tuple[xr.DataArray, Floats, float, float]:
    """Check data and options; return scores, answers (round, player) as 0 and 1, and their ends."""
    check_scales(prior_scale=prior_scale, difficulty_scale=difficulty_scale)
    scores = one_tournament(scores)
    check_beside(scores, MODEL)
    y = scores.transpose("round", "player").to_numpy()
    (low, high), there = ends_of(scores), np.isfinite(y)
    if not ((y == low) | (y == high))[there].all() or (y[there] == y[there][0]).all():
        values = np.unique(y[there])
        raise LeaderbayesError(
            f"Rasch's model is for right or wrong answers, but these have {len(values)} "
            f"value{'s' * (len(values) > 1)}, {values[0]:.4g} to {values[-1]:.4g}: use "
            "model='mean_score'."
        )
    check_connected(scores, there)
    return scores, (y - low) / (high - low), low, high


MODEL = Model(
    name="rasch",
    label="Rasch",
    data=("scores",),
    parameter="score",
    unit="the metric's unit",
    build=rasch,
    problem=problem,
)
