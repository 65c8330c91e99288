"""Each pair's own record: what its matches say, and nothing of the others."""

import json
from collections.abc import Sequence

import numpy as np
import xarray as xr
from scipy.special import betainc, betaincinv

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import board_fitted
from leaderbayes._fits.trust import trust
from leaderbayes._inference.boards import matches_of
from leaderbayes._types import Floats
from leaderbayes.models._weight import shared_luck

_JEFFREYS = 0.5  # of the prior Beta(1/2, 1/2)


def record(dt: xr.DataTree, prob: float, players: Sequence[str] | None = None) -> xr.Dataset:
    r"""Give the posterior of each pair's win probability by its own matches.

    .. math:: p_{ij} \sim \mathrm{Beta}(c\,w_{ij} + 1/2,\ c\,w_{ji} + 1/2)

    w counts wins with ties as the fit has them (of Davidson's model those of matches that were not
    tied), and c is what a match is worth: 1 of n independent rounds; with a test fraction f
    1 / (1 + n rho / (1 - rho)), rho = 2 / pi asin f; across rounds 3 / (r_i + r_j + 1), with the
    rounds of either player,
    at which w has the variance of a Mann-Whitney count; of votes what these are worth by the
    dependence that all votes show (`numerics.votes`).

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`, of one tournament.
    prob : float
        Posterior probability of the (equal-tailed) intervals.
    players : sequence of str, optional
        Those whose pairs are wanted; all by default.

    Returns
    -------
    Dataset
        ``mean``, ``lower``, ``upper``, ``better`` (P(p > 1/2)), ``won`` and ``played`` (matches),
        and ``tied``, how many of these are half of a win each, all (player, opponent).

    Raises
    ------
    LeaderbayesError
        If it is a fit of many tournaments.
    """
    board_fitted(dt, "constant_data")
    board = matches_of(dt, players)
    if "tournament" in board.dims:
        raise LeaderbayesError(
            "A pair's record is of one tournament: give leaderbayes.study.select(fit, name)."
        )
    won, played = (board[name].to_numpy().astype(float) for name in ("wins", "n"))
    tied = board["tied"].to_numpy().astype(float)
    if dt.attrs["model"] == "davidson":
        won, played = won - tied / 2.0, played - tied
    if dt.attrs["model"] == "davidson" or board.attrs["ties"] != "half":
        tied = np.zeros_like(tied)
    worth = worth_of(dt, board.assign(n=(board["n"].dims, played)))
    a, b = worth * won + _JEFFREYS, worth * (played - won) + _JEFFREYS
    low, high, better = _summary(a, b, prob)
    values = {
        "mean": a / (a + b), "lower": low, "upper": high, "better": better,
        "won": won, "played": played, "tied": tied,
    }  # fmt: skip
    for name in ("mean", "lower", "upper", "better"):
        np.fill_diagonal(values[name], 0.5)
    names = board["player"].to_numpy()
    return xr.Dataset(
        {name: (("player", "opponent"), value) for name, value in values.items()},
        coords={"player": names, "opponent": names},
        attrs=trust(dt),
    )


def _summary(a: Floats, b: Floats, prob: float) -> tuple[Floats, ...]:
    """Give lower and upper end, and P(p > 1/2), of Beta(a, b): of a board many pairs have the same.

    One after the other these take a board's time.
    """
    # As complex numbers pairs are sorted at once.
    pairs, at = np.unique(a + 1j * b, return_inverse=True)
    a, b = pairs.real, pairs.imag
    low, high = (betaincinv(a, b, tail) for tail in ((1.0 - prob) / 2.0, (1.0 + prob) / 2.0))
    return tuple(each[at] for each in (low, high, betainc(b, a, 0.5)))


def worth_of(dt: xr.DataTree, board: xr.Dataset) -> Floats:
    """Give what a match of each pair (player, opponent) is worth for its own record."""
    played = board["n"].to_numpy().astype(float)
    # Votes of one judge, or on one prompt, go together.
    worth = board["worth"].to_numpy() if "worth" in board else np.ones_like(played)
    if not board.attrs["within_round"]:
        rounds = (board["place"] > 0).sum("round").to_numpy()
        worth = 3.0 / (rounds[:, None] + rounds + 1.0)
    test_fraction = json.loads(dt.attrs["arguments"]).get("test_fraction")
    return np.asarray(worth / (1.0 + worth * played * shared_luck(test_fraction)))
