"""Draw Bradley-Terry's posterior without PyMC: exactly, and at once where that can be."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._inference.diagnostics import lacking, warn_of_weights
from leaderbayes._inference.laplace import assemble, draw_prior
from leaderbayes._inference.log_likelihood import by_round_when_read
from leaderbayes._inference.metropolis import walk
from leaderbayes._inference.nuts import sample_density
from leaderbayes._inference.replicates import boards_when_read, replicates, step_of
from leaderbayes._numerics.composite_weight import weighted_counts
from leaderbayes._numerics.laplace import Board
from leaderbayes._numerics.log_density import coordinates, log_density, strengths
from leaderbayes.models._board import check_options
from leaderbayes.models._weight import (
    PRIOR_SCALE,
    Weight,
    check_board,
    check_pairs,
    degrees_of_freedom,
    resolve_weight,
)


def draw_exactly(
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
    centring: float | None = None,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw the groups of `fit` for ``models.bradley_terry``, and diagnose.

    Parameters
    ----------
    matches : Dataset
        As fitted.
    sampling : dict
        Arguments of `fit`: ``sampler``, ``draws``, ``chains``, ``replicates``, and of NUTS ``tune``
        and ``target_accept``. "laplace" walks through proposals of the nested Laplace
        approximation; "nutpie" samples the density's function; "auto" walks, and samples where
        that does not converge.
    """
    check_pairs(matches, "models.bradley_terry")
    check_board(matches)
    check_options(centring, prior_scale=prior_scale)
    df = degrees_of_freedom(prior_df, matches.sizes["player"])
    shape = sampling["chains"], sampling["draws"]
    # One stream for the posterior, one for replicates, as `fit` has them, and one for NUTS.
    streams = np.random.SeedSequence(seed).spawn(4)
    eta = resolve_weight(matches, weight, test_fraction, with_ties=False)
    place = matches["place"].to_numpy()
    wins, n, _ = weighted_counts(
        place, eta,
        within_round=bool(matches.attrs["within_round"]), ties=str(matches.attrs["ties"]),
    )  # fmt: skip
    board = Board(wins.sum(axis=1), n, prior_scale, df)
    drawn, found = draw_board(board, sampling, streams, progressbar=progressbar)
    posterior = drawn["posterior"]
    epp, scale = posterior["epp"].to_numpy(), posterior["epp_scale"].to_numpy()
    step = step_of(shape, place.size, sampling["replicates"])
    tree = assemble(
        matches, eta, prior_scale, epp, scale, by_round_when_read(matches, eta, epp),
        boards_when_read(matches, epp[:, ::step], streams[1]), step,
    )  # fmt: skip
    counted = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1])}
    tree["sample_stats"] = xr.DataTree(drawn["sample_stats"].to_dataset().assign_coords(counted))
    if prior:
        tree.update(draw_prior(matches, prior_scale, df, shape[1], seed, replicates(matches)))
    return tree, found


def draw_board(
    board: Board,
    sampling: dict[str, Any],
    streams: list[np.random.SeedSequence],
    *,
    progressbar: bool,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw ``epp``, ``epp_scale`` and ``sample_stats``, by the sampler that is asked for.

    Of the streams the first is of the walk, and the last, the fourth, of NUTS.
    """
    shape, failed = (sampling["chains"], sampling["draws"]), ""
    if sampling["sampler"] != "nutpie":
        drawn, found = walk(board, shape, np.random.default_rng(streams[0]))
        if found["converged"] or sampling["sampler"] == "laplace":
            if not found["converged"]:
                warn_of_weights(found)
            return drawn, found
        failed = lacking(found)
    first, again = (int(s) for s in streams[3].generate_state(2))
    return _nuts(board, sampling, (first, again), failed, progressbar=progressbar)


def _nuts(
    board: Board,
    sampling: dict[str, Any],
    seeds: tuple[int, int],
    failed: str,
    *,
    progressbar: bool,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw by NUTS from the density's function."""
    at = coordinates(board)
    return sample_density(
        lambda x: log_density(x, board, at),
        lambda x: {
            "epp": strengths(x, *at[:2], board.df),
            "epp_scale": np.exp(x[0]),
        },
        at.start,
        {"epp": (len(board.points),), "epp_scale": ()},
        sampling,
        seeds,
        progressbar=progressbar,
        failed=failed,
    )
