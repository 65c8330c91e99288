r"""What further votes say of strengths: by the judges that there are, or by others.

A vote counts :math:`1 / (\varphi + \sum_c \tau_c^2 \ell_c)`, where :math:`\ell_c` is the
information that its judge's, or prompt's, other votes have (`vote_weights`). With f times the
votes by as many more judges information grows by f; by the same judges their :math:`\ell` grows
too, and information ends at what these judges can say. Prompts are new wherever there are judges.
"""

from typing import NamedTuple

import numpy as np

from leaderbayes._numerics.bradley_terry import law_of
from leaderbayes._numerics.vote_weights import Together, with_shared
from leaderbayes._numerics.votes import Estimate, Votes, information_of, law_at
from leaderbayes._types import Floats, Longs


class Now(NamedTuple):
    """The votes that there are."""

    votes: Votes  # without effects
    at: Estimate
    together: Together
    heavy: Floats  # (row,): information, were votes independent
    others: Floats  # (clustering,): how many other votes a vote's cluster has on average

    @property
    def total(self) -> float:
        """Return how many votes there are."""
        return float(self.votes.n.sum())

    @property
    def tau2(self) -> Floats:
        """Return variances of opinions (clustering, 1), wider where clusters are few."""
        return np.asarray((self.together.tau2 * self.together.wider)[:, None])


def now(votes: Votes, at: Estimate, together: Together, clusterings: tuple[Longs, ...]) -> Now:
    """Take stock of the votes of an estimate."""
    others = []
    for group in with_shared(votes, clusterings):
        kept = group >= 0
        size = np.bincount(group[kept], votes.n[kept], 1)
        others.append(float((size**2 - size).sum() / votes.n.sum()))
    heavy = votes.n * law_at(votes, at).variance
    bare = votes._replace(effect=np.empty((len(votes.n), 0)))
    return Now(bare, at, together, heavy, np.array(others))


def information_after(here: Now, more: float, pairs: Longs | None, *, same: bool) -> Floats:
    """Return the information on strengths (player, player) with so many further votes.

    Parameters
    ----------
    here : Now
    more : float
    pairs : (pair, 2), optional
        Whom they are on, evenly; by default on whom they are.
    same : bool
        By the clusters of the first clustering that there are; else by others as large.
    """
    load, phi = here.together.load, here.together.phi
    grows = np.zeros((len(load), 1))
    grows[:1] = same
    if pairs is None:
        f = 1.0 + more / here.total
        total = phi + (here.tau2 * load * (1.0 + grows * (f - 1.0))).sum(axis=0)
        return information_of(here.votes, f * here.heavy / total)
    epp, m = here.at.epp, here.votes.players
    own = law_of(epp[pairs[:, 0]] - epp[pairs[:, 1]], here.at.nu).variance
    asked = np.isin(np.arange(m), pairs)
    # Of a cluster's votes on so few players, each is on one of them with this probability.
    each = 2.0 / asked.sum() * float(own.mean())
    added = each * here.others * min(more / here.total, 1.0)
    grown = each * here.others[:1] * more / here.total
    mean = np.average(load, axis=1, weights=here.votes.n) if len(load) else np.zeros(0)
    if same:
        added[:1] = mean[:1] + grown
        touched = asked[here.votes.first] | asked[here.votes.second]
        load = load + grows * np.pad(grown, (0, len(load) - 1))[:, None] * touched
    total = phi + (here.tau2 * load).sum(axis=0)
    count = np.full(len(pairs), more / len(pairs))
    by_pair = count * own / (phi + float(here.tau2[:, 0] @ added))
    sides = pairs.T.astype(np.int32)
    further = here.votes._replace(first=sides[0], second=sides[1])
    further = further._replace(effect=np.empty((len(pairs), 0)))
    return information_of(here.votes, here.heavy / total) + information_of(further, by_pair)


def posterior_after(prior: Floats, information: Floats) -> Floats:
    """Combine a prior's precision with the information of votes (player, player)."""
    return np.asarray(np.linalg.pinv(prior + information, rcond=1e-10, hermitian=True))


def prior_precision(posterior: Floats, information: Floats) -> Floats:
    """Return what a posterior's covariance knows beyond the votes, and never less than nothing."""
    precision = np.linalg.pinv(posterior, rcond=1e-10, hermitian=True)
    value, vector = np.linalg.eigh(precision - information)
    return np.asarray((vector * np.maximum(value, 0.0)) @ vector.T)


def root_of_gain(before: Floats, after: Floats) -> Floats:
    """Return a root of the covariance of the posterior means to come."""
    value, vector = np.linalg.eigh(before - after)
    return np.asarray(vector * np.sqrt(np.maximum(value, 0.0)))
