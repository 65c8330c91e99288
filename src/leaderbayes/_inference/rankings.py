"""Draw Davidson's and Plackett-Luce's posteriors of a board.

The models are ``models.davidson`` and ``models.plackett_luce``.
"""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._inference.density import (
    Target,
    draw_density,
    given_scale,
    of_replicates,
    step_of_replicates,
)
from leaderbayes._inference.laplace import assemble, draw_prior
from leaderbayes._inference.log_prior import normal
from leaderbayes._numerics.composite_weight import weighted_counts
from leaderbayes._numerics.laplace import Board
from leaderbayes._numerics.log_density import (
    Coordinates,
    coordinates,
    many_priors,
    strengths,
)
from leaderbayes._numerics.pairs_by_round import round_log_likelihood, round_statistics
from leaderbayes._numerics.places import draw_places
from leaderbayes._numerics.plackett_luce import draw_rankings, many_log_likelihoods, rankings
from leaderbayes._numerics.pooled import (
    davidson_posterior,
    many_davidson,
    many_ranked,
    plackett_luce_posterior,
    pooled_pairs,
)
from leaderbayes._scores.matches import require_matches
from leaderbayes._types import Floats, Ints
from leaderbayes.models._board import check_options, rank_reliability
from leaderbayes.models._weight import (
    PRIOR_SCALE,
    Weight,
    check_board,
    degrees_of_freedom,
    resolve_weight,
    weight_of_rankings,
)

_MOST = 1000  # players for whom a table of all pairs says where to sample
_CELLS = ("chain", "draw")


def draw_davidson_of_scores(
    matches: xr.Dataset,
    sampling: dict[str, Any],
    seed: int,
    prior: bool = False,
    progressbar: bool = False,
    *,
    weight: Weight = "composite",
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    prior_df: float | None = None,
    tie_scale: float = 2.0,
    centring: float | None = None,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw the groups of `fit` for ``models.davidson``, and diagnose; as `draw_exactly`."""
    check_options(centring, prior_scale=prior_scale, tie_scale=tie_scale)
    require_matches(matches, "models.davidson", ties=("half",), pairs=True)
    check_board(matches)
    m = matches.sizes["player"]
    df = degrees_of_freedom(prior_df, m)
    eta = resolve_weight(matches, weight, test_fraction, with_ties=True)
    within, place = bool(matches.attrs["within_round"]), matches["place"].to_numpy()
    statistics = round_statistics(place, within_round=within, ties="half")
    pairs = pooled_pairs(statistics, eta)
    at = _where(place, eta, within, prior_scale, df)
    share = pairs.tied / (pairs.points.sum() or 1.0)
    # As of equal players, with a tie and a win more.
    nu = float(np.log(2.0 * (share + 0.01) / (1.01 - share)))

    def target(at: Coordinates) -> Target:
        def density(x: Floats) -> tuple[float, Floats]:
            value, gradient = davidson_posterior(x, at, (prior_scale, df), pairs)
            gradient[-1] -= x[-1] / tie_scale**2
            return value - 0.5 * (x[-1] / tie_scale) ** 2, gradient

        def expand(x: Floats) -> dict[str, Any]:
            epp = strengths(x[:-1], *at[:2], df)
            return {"epp": epp, "epp_scale": np.exp(x[0]), "tie": x[-1]}

        def many(x: Floats) -> tuple[dict[str, Floats], Floats]:
            value, epp, a = many_priors(x, *at[:2], prior_scale, df)
            value += many_davidson(a, x[:, -1], pairs)
            value -= 0.5 * (x[:, -1] / tie_scale) ** 2
            return {"epp": epp, "epp_scale": np.exp(x[:, 0]), "tie": x[:, -1]}, value

        return Target(density, expand, np.append(at.start, nu), many)

    present = place > 0

    def replicate(epp: Floats, tie: Floats, rng: np.random.Generator) -> Ints:
        """Boards of strengths (chain, draw, player) and nu (chain, draw)."""
        every = zip(epp.reshape(-1, 1, m), tie.ravel(), strict=True)
        drawn = [
            draw_places(b, present, rng, within_round=within, tie=float(nu)) for b, nu in every
        ]
        return np.array(drawn).reshape(*tie.shape, *present.shape)

    tree, found = draw_density(
        target(at), {"epp": (m,), "epp_scale": (), "tie": ()}, sampling, seed,
        progressbar=progressbar, given_scale=given_scale(target, at),
    )  # fmt: skip
    tie = tree["posterior"]["tie"].to_numpy()

    epp = tree["posterior"]["epp"].to_numpy()
    step = step_of_replicates(matches["place"].size, sampling)
    again = replicate(epp[:, ::step], tie[:, ::step], of_replicates(seed))
    by_round = round_log_likelihood(epp.reshape(-1, m), statistics, tie.ravel())
    groups = _groups(matches, eta, prior_scale, tree, by_round, again, step)
    _add(groups, "posterior", "tie", tie)
    _add(groups, "log_prior", "tie", normal(tie, tie_scale))
    if prior:
        before = np.random.default_rng(np.random.SeedSequence(seed).spawn(5)[4])
        ties = tie_scale * before.standard_normal((1, sampling["draws"]))
        groups.update(
            draw_prior(
                matches, prior_scale, df, sampling["draws"], seed,
                lambda epp, rng: replicate(epp, ties, rng),
            )
        )  # fmt: skip
        _add(groups, "prior", "tie", ties)
    return groups, found


def draw_plackett_luce(
    matches: xr.Dataset,
    sampling: dict[str, Any],
    seed: int,
    prior: bool = False,
    progressbar: bool = False,
    *,
    weight: Weight = 1.0,
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    prior_df: float | None = None,
    centring: float | None = None,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw the groups of `fit` for ``models.plackett_luce``, and diagnose; as `draw_exactly`."""
    check_options(centring, prior_scale=prior_scale)
    require_matches(matches, "models.plackett_luce", ties=("half",), across=False)
    check_board(matches)
    m = matches.sizes["player"]
    df = degrees_of_freedom(prior_df, m)
    eta = weight_of_rankings(matches, weight, test_fraction)
    place = matches["place"].to_numpy()
    known = rankings(place)
    # A ranking says about as much as its matches, each counted 3 / (m + 1) times.
    at = _where(place, eta * 3.0 / (m + 1.0), True, prior_scale, df)

    def target(at: Coordinates) -> Target:
        def many(x: Floats) -> tuple[dict[str, Floats], Floats]:
            value, epp, a = many_priors(x, *at[:2], prior_scale, df)
            return {"epp": epp, "epp_scale": np.exp(x[:, 0])}, value + many_ranked(a, known, eta)

        return Target(
            lambda x: plackett_luce_posterior(x, at, (prior_scale, df), known, eta),
            lambda x: {"epp": strengths(x, *at[:2], df), "epp_scale": np.exp(x[0])},
            at.start,
            many,
        )

    def replicate(epp: Floats, rng: np.random.Generator) -> Ints:
        every = epp.reshape(-1, 1, m)
        drawn = [draw_rankings(b, place, rng) for b in every]
        return np.array(drawn).reshape(*epp.shape[:2], *place.shape)

    tree, found = draw_density(
        target(at), {"epp": (m,), "epp_scale": ()}, sampling, seed,
        progressbar=progressbar, given_scale=given_scale(target, at),
    )  # fmt: skip
    epp = tree["posterior"]["epp"].to_numpy()
    step = step_of_replicates(matches["place"].size, sampling)
    again = replicate(epp[:, ::step], of_replicates(seed))
    by_round = many_log_likelihoods(epp.reshape(-1, m), *known)
    groups = _groups(matches, eta, prior_scale, tree, by_round, again, step)
    if prior:
        groups.update(draw_prior(matches, prior_scale, df, sampling["draws"], seed, replicate))
    return groups, found


def _where(place: Ints, eta: Floats, within: bool, prior_scale: float, df: float) -> Coordinates:
    """Choose coordinates by the matches of the board (round, player), of weights eta (round,)."""
    m = place.shape[1]
    if m > _MOST:
        return Coordinates(np.full(m, rank_reliability(place)), 0.0, np.zeros(1 + m))
    wins, n, _ = weighted_counts(place, eta, within_round=within, ties="half")
    return coordinates(Board(wins.sum(axis=1), n, prior_scale, df))


def _groups(
    matches: xr.Dataset,
    eta: Floats,
    prior_scale: float,
    tree: xr.DataTree,
    by_round: Floats,
    again: Ints,
    step: int,
) -> xr.DataTree:
    """Make the groups of `fit` from chains of strengths and their scale."""
    epp, scale = (tree["posterior"][name].to_numpy() for name in ("epp", "epp_scale"))
    weighted = (eta * by_round).reshape(*scale.shape, -1)
    groups = assemble(matches, eta, prior_scale, epp, scale, weighted, again, step)
    counted = {dim: np.arange(size) for dim, size in zip(_CELLS, scale.shape, strict=True)}
    stats = tree["sample_stats"].to_dataset().assign_coords(counted)
    groups["sample_stats"] = xr.DataTree(stats)
    return groups


def _add(tree: xr.DataTree, group: str, name: str, value: Floats) -> None:
    known = tree[group].to_dataset()
    tree[group] = xr.DataTree(known.assign({name: (_CELLS, value)}))
