"""The ways in which one board may be fitted, the base first."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import number, one_of
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.places import places
from leaderbayes._scores.vote_matches import CLUSTERINGS, weights_of
from leaderbayes._types import Longs

# What may be chosen of each model, beside its prior.
_OF_SCORES: dict[str, tuple[str, ...]] = {
    "bradley_terry": ("ties", "weight"),
    "davidson": ("weight",),
    "plackett_luce": ("weight",),
    "mean_score": (),
}
_OF_VOTES: dict[str, tuple[str, ...]] = {
    "bradley_terry": ("ties", "cluster"),
    "davidson": ("cluster",),
}
_LARGEST = 30  # judges that are left out, one by one
WHAT = ("model", "ties", "weight", "prior_scale", "round")
WHAT_OF_VOTES = ("model", "ties", "cluster", "prior_scale", "judge")


class Setting(NamedTuple):
    """One way to fit a board."""

    model: str
    ties: str  # "" where the model has no choice
    weight: str | float  # "" where it has none
    cluster: str  # of votes; "" of scores
    prior: float  # times the model's own scale of the prior
    without: str  # the round, of votes the judge, that is left out; "" of none
    round: int  # its position, -1 of none

    def label(self) -> str:
        """Name it by what is chosen."""
        said = [self.model]
        said += [f"ties={self.ties}"] if self.ties else []
        said += [f"weight={self.weight}"] if self.weight != "" else []
        said += [f"cluster={self.cluster}"] if self.cluster else []
        said += [f"prior x {self.prior:g}"] if self.prior != 1.0 else []
        return ", ".join(said) + (f", without {self.without}" if self.round >= 0 else "")


def settings_of(
    board: xr.DataArray | xr.Dataset, models: Sequence[str], ties: Sequence[str],
    weights: Sequence[str | float], clusters: Sequence[str], priors: Sequence[float], rounds: bool,
) -> list[Setting]:  # fmt: skip
    """List all ways to fit, the base first.

    Raises
    ------
    LeaderbayesError
        If an argument is no sequence, or has no such choice.
    """
    for name, values in (
        ("models", models), ("ties", ties), ("weights", weights), ("clusters", clusters),
        ("priors", priors),
    ):  # fmt: skip
        if isinstance(values, str) or not len(values):
            raise LeaderbayesError(f"{name}={values!r}: give a sequence, the base first.")
    of_votes = isinstance(board, xr.Dataset)
    known = _OF_VOTES if of_votes else _OF_SCORES
    for model in models:
        one_of("models", model, *known)
    for rule in ties:
        one_of("ties", rule, "half", "drop")
    for each in clusters:
        one_of("clusters", each, "auto", "none", *CLUSTERINGS)
    factors = [number("priors", factor, above=0.0) for factor in priors]
    rules = list(ties) if tied(board) else list(ties)[:1]
    # Where votes have neither judges nor prompts, all clusterings are one.
    alike = of_votes and not any(name in board.coords for name in CLUSTERINGS)
    kinds = list(clusters)[:1] if alike else list(clusters)
    every = [
        Setting(model, str(rule), weight, str(cluster), factor, "", -1)
        for model in models
        for rule, weight, cluster, factor in product(
            rules if "ties" in known[model] else [""],
            list(weights) if "weight" in known[model] else [""],
            kinds if "cluster" in known[model] else [""],
            factors,
        )
    ]
    every = list(dict.fromkeys(every))
    names, which = parts_of(board)
    if rounds and len(names) > 2:
        every += [every[0]._replace(without=str(names[k]), round=k) for k in which.tolist()]
    return every


def parts_of(board: xr.DataArray | xr.Dataset) -> tuple[np.ndarray, Longs]:
    """Name rounds, or judges of votes, and give the positions of those that are left out.

    Of judges at most the 30 with the most votes; of votes without judges none.
    """
    if isinstance(board, xr.DataArray):
        return board["round"].to_numpy(), np.arange(board.sizes["round"])
    if "judge" not in board.coords:
        return np.empty(0, dtype=object), np.empty(0, dtype=np.int64)
    code, names = pd.factorize(board["judge"].to_numpy())
    votes = np.bincount(code, weights_of(board), len(names))
    return np.asarray(names), np.sort(np.argsort(-votes, kind="stable")[:_LARGEST])


def tied(board: xr.DataArray | xr.Dataset) -> bool:
    """Say whether any match is tied."""
    if isinstance(board, xr.Dataset):
        return bool((board["outcome"].to_numpy() == 0.5).any())
    place = places(
        board.transpose("round", "player").to_numpy(), higher_is_better=True, within_round=True
    )
    return any(len(np.unique(row[row > 0])) < (row > 0).sum() for row in place)


def differs(setting: Setting, base: Setting) -> str:
    """Say in what alone a fit differs from the base; "" if in several things, or in none."""
    if setting.round >= 0:
        return "judge" if base.cluster else "round"
    if setting.model != base.model:
        return "model" if setting.prior == base.prior and _same(setting, base) else ""
    pairs = (
        ("ties", "ties"), ("weight", "weight"), ("cluster", "cluster"), ("prior", "prior_scale")
    )  # fmt: skip
    odd = [what for name, what in pairs if getattr(setting, name) != getattr(base, name)]
    return odd[0] if len(odd) == 1 else ""


def _same(setting: Setting, base: Setting) -> bool:
    """Whether two models are fitted alike in what both may choose."""
    return all(
        getattr(setting, name) in ("", getattr(base, name))
        for name in ("ties", "weight", "cluster")
    )
