"""What a fit of votes says beside strengths: how many votes there are, and what else sways them."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtri

from leaderbayes._fits.posterior import drawn, fitted, refuse
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
    known = dt["constant_data"].to_dataset()
    judges, prompts = (number_of(known, name) if name in known else None for name in CLUSTERINGS)
    tied, n = (drawn(dt, name, "constant_data").to_numpy() for name in ("tied", "n"))
    bad = drawn(dt, "both_bad", "constant_data").to_numpy() if "both_bad" in known else np.zeros(1)
    votes, ties, nobody = (float(each.sum()) / 2.0 for each in (n, tied, bad))
    worth = float(dt.attrs["weight"])
    return Counted(votes, ties, nobody, judges, prompts, clustered_by(dt), worth)


def said_of_worth(worth: float) -> str:
    """Say what a vote is worth, of an independent one's that somebody wins, and why if it is more.

    A tie is the middle of both outcomes, and varies less than either.
    """
    more = ": ties vary less than wins and losses" if worth >= 1.05 else ""
    return f"a vote counts as {worth:.2f} independent matches{more}"


def clustered_by(dt: xr.DataTree) -> tuple[str, ...]:
    """Name what makes votes of a fit go together."""
    fitted(dt, "constant_data")
    known = dt["constant_data"].to_dataset()
    if "clustering" not in known.coords:
        raise refuse(dt, "does not say what makes its votes go together")
    names = [str(name) for name in known["clustering"].to_numpy()]
    return tuple(name for name in CLUSTERINGS if name in names)


def votes_by_player(dt: xr.DataTree) -> pd.DataFrame:
    """Count the votes of each player: ``votes``, and where there are any ``both_bad``.

    The second is the share of all votes on the player that both are bad. Indexed by player.
    """
    fitted(dt, "constant_data")
    n = _by_player(drawn(dt, "n", "constant_data"))
    table = n.rename("votes").to_frame()
    if "both_bad" in dt["constant_data"].dataset:
        bad = _by_player(drawn(dt, "both_bad", "constant_data"))
        table["both_bad"] = bad / (n + bad)
    whole = bool((table["votes"] % 1.0 == 0.0).all())
    return table.astype({"votes": int}) if whole else table


def _by_player(table: xr.DataArray) -> pd.Series:
    """Sum over opponents, and tournaments."""
    return table.sum([dim for dim in table.dims if dim != "player"]).to_series()


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
    """Give standard deviations of the covariates of votes, by name."""
    known = dt["constant_data"].to_dataset()
    if not {"covariate", "covariates"} <= set(known.variables):
        return {}
    values = known["covariates"].transpose("vote", "covariate").to_numpy().astype(float)
    spread = np.std(values, axis=0)
    return {str(name): float(s) for name, s in zip(known["covariate"].values, spread, strict=True)}
