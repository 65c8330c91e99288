"""Each pair's own record: what its matches say, and nothing of the others."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from scipy.special import betainc, betaincinv

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior
from leaderbayes._types import Floats
from leaderbayes.models._weight import shared_luck

_JEFFREYS = 0.5  # of the prior Beta(1/2, 1/2)


def record(post: Posterior, prob: float, players: Sequence[str] | None = None) -> xr.Dataset:
    r"""Return the posterior of each pair's win probability by its own matches.

    .. math:: p_{ij} \sim \mathrm{Beta}(c\,w_{ij} + 1/2,\ c\,w_{ji} + 1/2)

    w counts wins, ties as the model has them, and c is what a match is worth: 1 of n independent
    rounds; with a test fraction f 1 / (1 + n rho / (1 - rho)), rho = 2 / pi asin f; across rounds
    3 / (r_i + r_j + 1), at which w has the variance of a Mann-Whitney count; of votes what these
    are worth by the dependence that all votes show.

    Returns
    -------
    Dataset
        ``mean``, ``lower``, ``upper``, ``better`` (P(p > 1/2)), ``won``, ``played`` and ``tied``
        (matches, half a win each), and ``worth`` of one, all (player, opponent).

    Raises
    ------
    LeaderbayesError
        If it is of several tournaments, or has no matches.
    """
    if post.several:
        raise LeaderbayesError(
            "A pair's record is of one tournament: give leaderbayes.study.select(fit, name)."
        )
    board = post.matches(players)
    won, played, tied = (board[name].to_numpy().astype(float) for name in ("wins", "n", "tied"))
    if post.model.tie_parameter:
        won, played = won - tied / 2.0, played - tied
    if post.model.tie_parameter or board.attrs["ties"] != "half":
        tied = np.zeros_like(tied)
    # Votes of one judge, or on one prompt, go together.
    worth = board["worth"].to_numpy() if "worth" in board else np.ones_like(played)
    if not board.attrs["within_round"]:
        rounds = (board["place"] > 0).sum("round").to_numpy()
        worth = 3.0 / (rounds[:, None] + rounds + 1.0)
    worth = worth / (1.0 + worth * played * shared_luck(post.test_fraction))
    a, b = worth * won + _JEFFREYS, worth * (played - won) + _JEFFREYS
    low, high, better = _summary(a, b, prob)
    values = {
        "mean": a / (a + b), "lower": low, "upper": high, "better": better,
        "won": won, "played": played, "tied": tied, "worth": worth,
    }  # fmt: skip
    for name in ("mean", "lower", "upper", "better"):
        np.fill_diagonal(values[name], 0.5)
    names = board["player"].to_numpy()
    return xr.Dataset(
        {name: (("player", "opponent"), value) for name, value in values.items()},
        {"player": names, "opponent": names},
        post.trust,
    )


def _summary(a: Floats, b: Floats, prob: float) -> tuple[Floats, ...]:
    """Return lower and upper end, and P(p > 1/2), of Beta(a, b); many pairs have the same."""
    # As complex numbers pairs are sorted at once.
    pairs, at = np.unique(a + 1j * b, return_inverse=True)
    a, b = pairs.real, pairs.imag
    low, high = (betaincinv(a, b, tail) for tail in ((1.0 - prob) / 2.0, (1.0 + prob) / 2.0))
    return tuple(each[at].reshape(at.shape) for each in (low, high, betainc(b, a, 0.5)))
