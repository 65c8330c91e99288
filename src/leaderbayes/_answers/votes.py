"""Numbers of votes, and effects other than strengths."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtri

from leaderbayes._fits.posterior import Posterior, StrengthsOfVotes
from leaderbayes._numerics.intervals import with_ends
from leaderbayes._scores.vote_matches import CLUSTERINGS, number_of
from leaderbayes._types import Floats


class Counted(NamedTuple):
    """Votes that a posterior was made from."""

    votes: float  # that somebody won, or that tied
    tied: float  # of these
    both_bad: float  # beside these: for neither
    judges: int | None  # None: unknown
    prompts: int | None
    clusters: tuple[str, ...]  # what makes votes go together: "judge", "prompt"
    worth: float  # of a vote, of an independent one's


def counted_of(post: StrengthsOfVotes) -> Counted:
    """Count votes, judges and prompts."""
    votes, board = post.votes, post.matches()
    judges, prompts = (
        number_of(votes, name) if name in votes.coords else None for name in CLUSTERINGS
    )
    n, tied, bad = (
        float(board[name].sum()) / 2.0 if name in board else 0.0
        for name in ("n", "tied", "both_bad")
    )
    return Counted(n, tied, bad, judges, prompts, clustered_by(post), worth_of_votes(post))


def worth_of_votes(post: Posterior) -> float:
    """Return the average information of a vote relative to an independent match."""
    return float(post.constant["weight"].mean()) if "weight" in post.constant else 1.0


def said_of_worth(worth: float) -> str:
    """Describe how many independent votes a vote counts as."""
    more = ", as ties vary less than wins and losses" if worth >= 1.05 else ""
    return f"a vote counts {worth:.2g} times as much as an independent one{more}"


def clustered_by(post: Posterior) -> tuple[str, ...]:
    """Return the names of the clusters of votes."""
    names = post.constant.get("clustering", xr.DataArray(np.array([], dtype=object))).to_numpy()
    return tuple(name for name in CLUSTERINGS if name in names)


def votes_by_player(post: Posterior) -> pd.DataFrame:
    """Count each player's ``votes``, and the share that is ``both_bad``."""
    board = post.matches()
    n = board["n"].sum("opponent").to_series()
    table = n.rename("votes").to_frame()
    if "both_bad" in board:
        bad = board["both_bad"].sum("opponent").to_series()
        table["both_bad"] = bad / (n + bad)
    return table.astype({"votes": int}) if (n % 1.0 == 0.0).all() else table


def effects(dt: xr.DataTree | xr.Dataset, prob: float) -> pd.DataFrame | None:
    """Tabulate effects on votes, a row each, per standard deviation of covariates; or None."""
    if isinstance(dt, xr.Dataset):
        if "effect_size" not in dt:
            return None
        found = dt["effect_size"].to_numpy()
        reach = np.sqrt(np.diag(dt["effect_covariance"])) * ndtri((1.0 + prob) / 2.0)
        ends = {"": found, "_lower": found - reach, "_upper": found + reach}
        return _tabulated([str(name) for name in dt["effect"].to_numpy()], ends, {})
    post = Posterior(dt)
    if not post.has("effect_size"):
        return None
    names = [str(name) for name in post.tree["posterior"]["effect"].to_numpy()]
    return _tabulated(
        names, with_ends({"": post.read("effect_size", "effect")}, prob), _sizes(post)
    )


def _tabulated(names: list[str], ends: dict[str, Floats], sizes: dict[str, float]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "effect": names,
            "per": [sizes.get(name, np.nan) for name in names],
            **{f"coefficient{end}": each for end, each in ends.items()},
            **{f"odds_ratio{end}": np.exp(each) for end, each in ends.items()},
        }
    )


def _sizes(post: Posterior) -> dict[str, float]:
    """Return standard deviations of the covariates of votes, by name."""
    if "covariates" not in post.data:
        return {}
    spread = post.data["covariates"].astype(float).std("vote")
    return {str(name): float(s) for name, s in spread.to_series().items()}
