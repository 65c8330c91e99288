"""Win probabilities of all pairs."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.blend import Blend, blends
from leaderbayes._answers.record import record
from leaderbayes._arguments import one_of, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior
from leaderbayes._numerics.intervals import ends
from leaderbayes._types import Floats, Longs
from leaderbayes.likelihood._hypothesis import Convention
from leaderbayes.likelihood._tables import probabilities

By = Literal["auto", "blend", "model", "record"]

_FEWEST = 200  # draws of all pairs


def win_probability(
    dt: xr.DataTree | xr.Dataset,
    *,
    prob: float = 0.95,
    by: By = "auto",
    convention: Convention = "correct",
) -> xr.Dataset:
    r"""Return the probability that each player beats each other player in a new round.

    For several tournaments it is in a new tournament. Under Davidson's model the match is not tied,
    and under PMRA no player is listed first. For mean scores of several tournaments it is the
    probability that the row's mean score is the better one.

    .. math:: p_{ij} \mid b, \kappa \sim \mathrm{Beta}(\kappa\,\sigma(b_i - b_j) + w_{ij},\
              \kappa\,\sigma(b_j - b_i) + w_{ji})

    is the blend: rounds from a Dirichlet process of mass kappa centred at the model.

    Parameters
    ----------
    dt : DataTree or Dataset
        Posterior of matches, votes or scores, from `fit` or ``pm.sample``; or an estimate from
        `leaderbayes.likelihood`.
    prob : float
        Probability of the equal-tailed credible intervals; coverage of an estimate's.
    by : {"auto", "blend", "model", "record"}
        "model" goes by strengths and "record" by each pair's head-to-head results alone. "blend"
        weighs both by how well they predict held-out rounds. "auto" is the blend of
        Bradley-Terry, Davidson and Plackett-Luce, the record of mean scores, else the model.
    convention : {"correct", "published"}
        For an estimate. "published": PMRA with the intercept of the player listed first (equation
        7); Bradley-Terry with every match counted twice.

    Returns
    -------
    Dataset
        ``mean``, ``lower``, ``upper`` (player, opponent), 1/2 on the diagonal. By the blend and the
        record also ``better`` (P(p > 1/2)), by the record ``won``, ``played`` and ``tied``
        (matches). attrs: ``by``, ``mass`` (kappa) and ``note`` of the blend, ``draws_used`` (fewer
        on very large boards), ``converged``, ``warnings``.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, property 3.1.
    Gajda, Chlebus (2022), A probability-based models ranking approach, equation 7.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), seed=1)
    >>> pair = lb.win_probability(dt).sel(player="svm C=1", opponent="knn k=25")
    >>> [round(float(pair[name]), 1) for name in ("lower", "mean", "upper")]
    [0.8, 0.9, 1.0]
    """
    prob = share("prob", prob)
    one_of("by", by, "auto", "blend", "model", "record")
    one_of("convention", convention, "correct", "published")
    if isinstance(dt, xr.Dataset):
        if by not in ("auto", "model"):
            raise LeaderbayesError(f"An estimate stores no matches: use a posterior for by={by!r}.")
        return probabilities(dt, prob, convention)
    if convention != "correct":
        raise LeaderbayesError("convention= is for estimates; for posteriors use weight=1.")
    return wins_of(Posterior(dt), prob, by)


def wins_of(
    post: Posterior, prob: float, by: By = "auto", players: Sequence[str] | None = None
) -> xr.Dataset:
    """Compute `win_probability` of a posterior, of all or of some players."""
    if by == "blend" or (by == "auto" and blends(post)):
        if not blends(post):
            raise LeaderbayesError(
                f"{post.called} has no blend, which needs one tournament of at least three "
                "players, fitted by Bradley-Terry, Davidson or Plackett-Luce: use by='model'."
            )
        return Blend(post).pairs(prob, players).assign_attrs(by="blend")
    if "record" in (by, post.kind.wins_by):
        return record(post, prob, players).assign_attrs(by="record")
    names = post.players.to_numpy() if players is None else np.asarray(players)
    (mean, low, high), used = _of_pairs(post, prob, post.players.get_indexer(pd.Index(names)))
    dims = ("player", "opponent")
    return xr.Dataset(
        {"mean": (dims, mean), "lower": (dims, low), "upper": (dims, high)},
        {"player": names, "opponent": names},
        {"by": "model", "draws_used": used, **post.trust},
    )


def _of_pairs(post: Posterior, prob: float, at: Longs) -> tuple[Floats, int]:
    """Return mean, lower and upper end (3, player, opponent), and the number of draws."""
    draws, m = len(post.standing), len(at)
    used = int(np.clip(post.kind.affordable // m**2, min(_FEWEST, draws), draws))
    picked = np.linspace(0, draws - 1, used).astype(int)
    standing = post.standing[picked][:, at]
    apart = post.apart[np.ix_(at, at)]
    found = np.full((3, m, m), 0.5)
    for i in range(m - 1):
        p = post.chance(standing[:, [i]] - standing[:, i + 1 :], apart[i, i + 1 :], picked)
        found[0, i, i + 1 :] = p.mean(axis=0)
        # Quantiles along the last axis, where each pair's draws lie side by side.
        found[1:, i, i + 1 :] = ends(np.ascontiguousarray(p.T), prob, axis=1)
    below = np.tril_indices(m, -1)
    for one, other in ((0, 0), (1, 2), (2, 1)):
        found[one][below] = 1.0 - found[other].T[below]
    return found, used
