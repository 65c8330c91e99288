"""What a posterior's data are made of, and how much more of it would tell."""

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from leaderbayes._answers.votes import clustered_by, worth_of_votes
from leaderbayes._fits.posterior import Posterior
from leaderbayes._types import Floats, Longs
from leaderbayes.models._weight import shared_luck


class Units(NamedTuple):
    """What data are made of, and what more of it would tell."""

    name: str
    number: float
    fixed: dict[str, float]  # share of the variance that no further unit removes, by whose they are
    worth: float  # of a unit with the contested players alone, of one with all
    prior: float  # share of the precision that is the prior's


def units_of(post: Posterior, contested: Longs, pair: tuple[int, int]) -> Units:
    """Report what the data are made of."""
    gap = post.standing[:, pair[0]] - post.standing[:, pair[1]]
    among = 2.0 * post.standing.var(axis=1, ddof=1).mean()
    prior = float(np.clip(gap.var() / among, 0.0, 0.5))
    return _OF.get(post.kind.unit, _rounds)(post, contested, pair, prior)


def _votes(post: Posterior, contested: Longs, pair: tuple[int, int], prior: float) -> Units:
    board = post.matches()
    count, worth = float(board["n"].sum()) / 2.0, min(worth_of_votes(post), 1.0)
    fixed = {"same": 1.0 - worth, "new": 0.0} if clustered_by(post) else {"new": 0.0}
    each = _worth_of_votes(board["n"].to_numpy(), post.draws.mean(axis=0), contested, pair)
    return Units("vote", count, fixed, each, prior)


def _tournaments(post: Posterior, _: Longs, pair: tuple[int, int], prior: float) -> Units:
    return Units("tournament", float(post.data.sizes["tournament"]), {"new": 0.0}, 1.0, prior)


def _rounds(post: Posterior, contested: Longs, _: tuple[int, int], prior: float) -> Units:
    name = "cluster" if "cluster" in post.data.coords else "round"
    count = float(len(np.unique(post.data[name].to_numpy())))
    m, k, f = len(post.players), len(contested), post.test_fraction
    luck, worth = (0.0 if f is None else f / (1.0 - f)), 1.0
    if post.parameter == "epp":
        # For equal players' rankings: the variance of a difference is as (m + 1) / m.
        luck, worth = shared_luck(f), k * (m + 1.0) / (m * (k + 1.0))
    return Units(name, count, {"new": luck / (1.0 / count + luck)}, worth, prior)


_OF = {"vote": _votes, "tournament": _tournaments}  # by the unit; of rounds `_rounds`


def _worth_of_votes(n: Floats, epp: Floats, contested: Longs, pair: tuple[int, int]) -> float:
    """Return what a vote on contested players tells of the two in question, of one on all."""
    p = expit(epp[:, None] - epp)
    information = n * p * (1.0 - p)
    bread = np.linalg.pinv(np.diag(information.sum(axis=1)) - information, hermitian=True)
    i, j = pair
    before = (bread[i, i] + bread[j, j] - 2.0 * bread[i, j]) * n.sum() / 2.0
    among = np.ix_(contested, contested)
    k, each = len(contested), (p * (1.0 - p))[among][~np.eye(len(contested), dtype=bool)].mean()
    return float(before * each / (k - 1.0))


def left_after(units: Units, fixed: float, more: float) -> float:
    """Return the share of the posterior variance that is left after so many units more."""
    data = fixed + (1.0 - fixed) * units.number / (units.number + more)
    return 1.0 / ((1.0 - units.prior) / data + units.prior)


def needed_for(units: Units, fixed: float, worth: float, left: float) -> float:
    """Return the fewest further units that leave this share of the variance; NaN if none do."""
    if left >= 1.0:
        return 0.0
    data = (1.0 - units.prior) / (1.0 / left - units.prior)
    if data <= fixed:
        return np.nan
    return float(np.ceil(units.number * ((1.0 - fixed) / (data - fixed) - 1.0) / worth - 1e-9))
