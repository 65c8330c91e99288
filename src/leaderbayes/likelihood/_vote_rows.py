"""Votes as arrays: rows, what sways them beside players, and whose they are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.vote_weights import ONE, Together
from leaderbayes._numerics.votes import Votes, information_of
from leaderbayes._scores.tables import listed
from leaderbayes._scores.vote_matches import (
    both_bad,
    clusters_of,
    effects_of,
    is_votes,
    require_whole_weights,
    valid_votes,
    weights_of,
)
from leaderbayes._types import Floats, Longs

FEW = 10.0  # judges, or prompts, below which they hardly say how judges differ
_TOLD = 1e-9  # share of an effect's information that players leave, below which they explain it
_OPTIONS = ("ties", "cluster", "order_effect", "covariates", "matched")  # not of matches


def refuse_given(options: Mapping[str, Any], what: str) -> None:
    """Raise if options for other data are given."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise LeaderbayesError(f"{' and '.join(given)}: for {what}, which these data are not.")


def or_votes[**P, R](
    name: str, of_votes: Callable[..., R]
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function of matches and options, so that ``of_votes`` takes votes."""

    def decorate(of_matches: Callable[P, R]) -> Callable[P, R]:
        @wraps(of_matches)
        def either(*args: P.args, **kwargs: P.kwargs) -> R:
            given = signature(of_matches).bind(*args, **kwargs)
            given.apply_defaults()
            if is_votes(given.args[0]):
                return of_votes(name, *given.args, **given.kwargs)
            refuse_given({k: v for k, v in given.kwargs.items() if k in _OPTIONS}, "votes")
            return of_matches(*args, **kwargs)

        return either

    return decorate


class VoteRows(NamedTuple):
    """Votes that count."""

    kept: xr.Dataset
    votes: Votes  # a row a vote
    effects: list[str]  # "order" and covariates
    units: Floats  # (effect,): standard deviations of covariates, 1 for the order
    clusters: dict[str, Longs]  # by name of the clustering: (vote,)
    both_bad: Floats | None  # (player, opponent): votes for neither, beside these

    @property
    def clusterings(self) -> list[str]:
        """Names of the clusterings, and of what two of them share."""
        both = ["both"] if len(self.clusters) == 2 else []
        return [*self.clusters, *both]


def vote_rows(
    votes: xr.Dataset, *, ties: str = "half", cluster: str | Sequence[str] = "auto",
    order_effect: bool = False, covariates: Sequence[str] | None = None,
) -> VoteRows:  # fmt: skip
    """Take the votes that count as arrays; or raise."""
    kept = valid_votes(votes, ties)
    require_whole_weights(kept)
    effects = effects_of(kept, order_effect, covariates)
    outcome, n = kept["outcome"].to_numpy(), weights_of(kept)
    columns = np.column_stack(list(effects.values())) if effects else np.empty((len(n), 0))
    sides = kept["first"].to_numpy(), kept["second"].to_numpy()
    tied = 4.0 * n * outcome * (1.0 - outcome)
    rows = Votes(kept.sizes["player"], *sides, n * outcome, n, tied, columns)
    if effects:
        _require_told(rows, list(effects))
    clusters, units = clusters_of(kept, cluster), _units(kept, effects)
    for_neither = both_bad(votes, kept["player"].to_numpy())
    return VoteRows(kept, rows, list(effects), units, clusters, for_neither)


def _units(kept: xr.Dataset, effects: Iterable[str]) -> Floats:
    """Return the standard deviation of each covariate (effect,), 1 for the order."""
    if "covariates" not in kept:
        return np.ones(len([*effects]))
    spread = kept["covariates"].astype(float).std("vote").to_series()
    return spread.reindex([*effects]).fillna(1.0).to_numpy(dtype=float)


def _require_told(votes: Votes, effects: list[str]) -> None:
    """Raise where players, or other effects, explain an effect: a baseline is always first, say."""
    m = votes.players
    information = information_of(votes, votes.n)
    own = information[m:, m:]
    taken = np.linalg.pinv(information[:m, :m], rcond=1e-10, hermitian=True)
    left = own - information[m:, :m] @ taken @ information[:m, m:]
    scale = 1.0 / np.sqrt(np.maximum(np.diag(own), 1e-300))
    if np.linalg.eigvalsh(left * scale[:, None] * scale).min() >= _TOLD:
        return
    which = "the effect of the order" if effects == ["order"] else f"each of {listed(effects)}"
    raise LeaderbayesError(
        f"These votes do not identify {which}: players or other effects determine it. Omit it "
        "(order_effect, covariates; --order-effect, --covariates)."
    )


def said_of_few(rows: VoteRows, found: Together) -> list[str]:
    """Return hints, LB028, where judges or prompts are few."""
    said, n = [], rows.votes.n
    for (name, group), count in zip(rows.clusters.items(), found.clusters, strict=False):
        if count >= FEW:
            continue
        text = f"Votes come from effectively {count:.0f} {name}s: intervals may be too narrow"
        if count < ONE:
            largest = np.bincount(group + 1, n)[1:].max(initial=0.0)
            fact = (
                f"Nearly all votes are of one {name}"
                if largest >= n.sum() / ONE
                else f"Hardly any two {name}s voted on the same players"
            )
            text = f"{fact}: intervals ignore how {name}s differ"
        said.append(f"LB028 {text}. Collect votes of more {name}s.")
    return said
