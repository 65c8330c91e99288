"""What a fit of votes says beside strengths: how many votes there are, and what else sways them."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtri

from leaderbayes._fits.posterior import drawn, fitted
from leaderbayes._inference.boards import matches_of
from leaderbayes._inference.kept_votes import clustered_by
from leaderbayes._scores.vote_matches import CLUSTERINGS, number_of
from leaderbayes._types import Floats


class Counted(NamedTuple):
    """Votes that a fit was made from."""

    votes: float  # those that decide or tie; sum of weights, where they have any
    tied: float  # of these
    both_bad: float  # beside these: for neither
    judges: int | None  # None: nobody knows
    prompts: int | None
    clusters: tuple[str, ...]  # what makes votes go together: "judge", "prompt"
    worth: float  # of a vote, of an independent one's


def counted_of(dt: xr.DataTree) -> Counted:
    """Count votes, judges and prompts of a fit of votes.

    Raises
    ------
    LeaderbayesError
        If it is no whole fit of votes.
    """
    fitted(dt, "constant_data", attrs=("weight",))
    board = matches_of(dt)
    known = dt["constant_data"].to_dataset()
    known = known.assign(weight=known["count"])
    judges, prompts = (number_of(known, name) if name in known else None for name in CLUSTERINGS)
    nobody = board["both_bad"].to_numpy() if "both_bad" in board else np.zeros(1)
    votes, ties, bad = (
        float(each.sum()) / 2.0 for each in (board["n"].values, board["tied"].values, nobody)
    )
    worth = float(dt.attrs["weight"])
    return Counted(votes, ties, bad, judges, prompts, clustered_by(dt), worth)


def said_of_worth(worth: float) -> str:
    """Say what a vote is worth, of an independent one's that somebody wins, and why if it is more.

    A tie is the middle of both outcomes, and varies less than either.
    """
    more = ": ties vary less than wins and losses" if worth >= 1.05 else ""
    return f"a vote counts as {worth:.2f} independent matches{more}"


def votes_by_player(dt: xr.DataTree) -> pd.DataFrame:
    """Count the votes of each player: ``votes``, and where there are any ``both_bad``.

    The second is the share of all votes on the player that both are bad. Indexed by player.
    """
    fitted(dt, "constant_data")
    board = matches_of(dt)
    n = board["n"].sum("opponent").to_series()
    table = n.rename("votes").to_frame()
    if "both_bad" in board:
        bad = board["both_bad"].sum("opponent").to_series()
        table["both_bad"] = bad / (n + bad)
    whole = bool((table["votes"] % 1.0 == 0.0).all())
    return table.astype({"votes": int}) if whole else table


def effects(dt: xr.DataTree | xr.Dataset, prob: float) -> pd.DataFrame | None:
    """Tabulate what sways votes beside players; None if nothing was looked at.

    Parameters
    ----------
    dt : DataTree or Dataset
        Of votes; or an estimate of them, which does not know how covariates are spread.
    prob : float
        Posterior probability of the (equal-tailed) intervals; of an estimate, coverage of the
        normal ones.

    Returns
    -------
    DataFrame
        A row an effect: ``effect``, by name, and "order" of who is shown first; ``per``, how much
        of the covariate, one standard deviation in its unit (NaN of "order"); ``coefficient`` with
        ``_lower`` and ``_upper``, in log-odds for that; ``odds_ratio`` with ``_lower`` and
        ``_upper``, their exponentials.
    """
    if isinstance(dt, xr.Dataset):
        if "effect_size" not in dt:
            return None
        found = dt["effect_size"].to_numpy()
        sd = np.sqrt(np.diag(dt["effect_covariance"].to_numpy()))
        reach = sd * ndtri((1.0 + prob) / 2.0)
        names = [str(name) for name in dt["effect"].to_numpy()]
        return _tabulated(names, {}, found, found - reach, found + reach)
    fitted(dt, "constant_data")
    if "effect_size" not in dt["posterior"].dataset:
        return None
    size = drawn(dt, "effect_size").transpose("chain", "draw", "effect")
    names = [str(name) for name in size["effect"].to_numpy()]
    draws = size.to_numpy().reshape(-1, len(names))
    low, high = np.quantile(draws, [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0], axis=0)
    return _tabulated(names, _spread(dt), draws.mean(axis=0), low, high)


def _tabulated(
    names: list[str], spread: dict[str, float], mean: Floats, low: Floats, high: Floats
) -> pd.DataFrame:
    ends = {"": mean, "_lower": low, "_upper": high}
    return pd.DataFrame(
        {
            "effect": names,
            "per": [spread.get(name, np.nan) for name in names],
            **{f"coefficient{end}": each for end, each in ends.items()},
            **{f"odds_ratio{end}": np.exp(each) for end, each in ends.items()},
        }
    )


def _spread(dt: xr.DataTree) -> dict[str, float]:
    """Return standard deviations of the covariates of votes, by name."""
    unit = dt["constant_data"].dataset["effect_unit"].to_series()
    return {str(name): float(value) for name, value in unit.items() if name != "order"}
