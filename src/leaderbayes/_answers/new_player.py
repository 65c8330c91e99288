"""Place a new player on a posterior that exists, without fitting it again."""

import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._errors import ConvergenceWarning, LeaderbayesError, LeaderbayesWarning
from leaderbayes._fits.posterior import drawn, fitted, of_rounds, refuse
from leaderbayes._inference.diagnostics import repeat
from leaderbayes._inference.discrepancy import p_check
from leaderbayes._inference.laplace import assemble, fitted_arguments
from leaderbayes._inference.log_likelihood import by_round_when_read
from leaderbayes._inference.psis import smooth
from leaderbayes._inference.replicates import replicates
from leaderbayes._numerics.composite_weight import weighted_counts
from leaderbayes._numerics.new_player import draw_strength
from leaderbayes._scores.matches import matches, one_tournament
from leaderbayes._types import Floats
from leaderbayes.models._weight import check_board, resolve_weight

_SAID_AGAIN = ("LB010", "LB011", "LB016")


def new_player(
    dt: xr.DataTree, scores: xr.DataArray | pd.Series, *, seed: int | None = None
) -> xr.DataTree:
    r"""Place a new player on a fitted leaderboard, from its scores alone.

    The new player's difference d to the mean of the m old ones is :math:`N(0, \sigma^2 (1 + 1/m))`
    a priori, whatever the old players are. So each draw of the posterior is given a draw of d, and
    counts by how probable it makes the new scores (integrated over d), by Pareto-smoothed
    importance sampling. Nothing is approximated but what the fit itself approximates.

    The weight is what the same fit of the enlarged board would have: estimated again where the
    fit estimated it (a round of more players counts for less), which tempers the draws'
    likelihood of the old matches too; a number stays what it is.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit` with ``model="bradley_terry"``, by any sampler.
    scores : DataArray (round,) or Series
        The new player's scores, by round; its name is the player's. Rounds are the fit's; those
        that are absent or NaN it did not play.
    seed : int, optional
        Same seed, same numbers. None draws one; it is in attrs.

    Returns
    -------
    DataTree
        As from `leaderbayes.fit`, of all players, the new one last: ``posterior`` (``epp``,
        ``epp_scale``; draws that count much are repeated), ``posterior_predictive``,
        ``log_likelihood``, ``observed_data``, ``constant_data``. attrs are the fit's, and
        ``placed`` (the new player), ``placed_seed``, ``pareto_k``, ``ess`` (draws that the weights
        are worth), with ``weight``, ``converged`` and ``warnings`` brought up to date.

    Raises
    ------
    LeaderbayesError
        If the fit is of another model or of many tournaments; or the new player has no name, the
        name of an old one, a score in a round that is not the fit's, or no score.

    Warns
    -----
    ConvergenceWarning
        If Pareto k is not below 0.7, or the weights are worth too few draws: then fit again.

    References
    ----------
    Vehtari, Simpson, Gelman, Yao, Gabry (2024), Pareto smoothed importance sampling, Journal of
    Machine Learning Research 25.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "iris")
    >>> dt = lb.fit(scores[:-1], sampler="laplace", seed=1)
    >>> enlarged = lb.new_player(dt, scores[-1].rename("mine"), seed=1)
    >>> enlarged.attrs["placed"], enlarged.attrs["pareto_k"] < 0.7
    ('mine', True)
    >>> enlarged.posterior.sizes["player"]
    15
    """
    of_rounds(dt, "new_player")
    arguments = fitted_arguments(dt)
    fitted(dt, "log_likelihood", "posterior_predictive")
    board = _enlarged(dt["constant_data"].to_dataset()["scores"], scores)
    played = matches(
        board, within_round=arguments["within_round"], ties=arguments["ties"], pairs=True
    )
    seed = _arguments.seed_or_new(seed)
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LeaderbayesWarning)
        check_board(played)
        weight, test_fraction = arguments["weight"], arguments["test_fraction"]
        eta = resolve_weight(played, weight, test_fraction, with_ties=False)
        tree, diagnostics = _placed(dt, played, eta, rng)
        constant = tree["constant_data"].to_dataset().assign(scores=board)
        tree["constant_data"] = xr.DataTree(constant)
        tree.attrs = dt.attrs | {
            "placed": str(board["player"].to_numpy()[-1]),
            "placed_seed": seed,
            "weight": float(eta.mean()),
            **diagnostics,
            "converged": int(dt.attrs["converged"] and diagnostics["converged"]),
        }
        tree.attrs["p_check"] = p_check(tree)
    # What was said of the smaller board has been said again, where it still holds.
    said = [w for w in json.loads(dt.attrs["warnings"]) if not w.startswith(_SAID_AGAIN)]
    tree.attrs["warnings"] = json.dumps(said + repeat(caught))
    return tree


def _enlarged(board: xr.DataArray, scores: Any) -> xr.DataArray:
    """Add the new player's scores to those of a fit (player, round), as the last."""
    if isinstance(scores, pd.Series):
        scores = xr.DataArray(scores.to_numpy(), {"round": scores.index}, name=scores.name)
    if not isinstance(scores, xr.DataArray) or scores.dims != ("round",):
        raise LeaderbayesError("A new player's scores are a DataArray (round,) or a Series.")
    if scores.name is None:
        raise LeaderbayesError("The new player has no name: give the scores one, scores.name.")
    name = str(scores.name)
    if name in board["player"]:
        raise LeaderbayesError(f"There is a player {name[:60]!r} already; give another name.")
    rounds = pd.Index(scores["round"].to_numpy())
    if rounds.has_duplicates:
        raise LeaderbayesError(f"Player {name[:60]!r} has two scores in a round.")
    unknown = rounds.difference(pd.Index(board["round"].to_numpy()), sort=False)
    if len(unknown):
        raise LeaderbayesError(
            f"Round {str(unknown[0])[:60]!r} is not one of the fit's {board.sizes['round']}: a "
            "new player is compared in rounds that the others played. Fit the whole board again."
        )
    # Without labels such as the tournament that they were picked from.
    board, row = (each.reset_coords(drop=True) for each in (board, scores))
    row = row.reindex(round=board["round"]).astype(float)
    if row.isnull().all():
        raise LeaderbayesError(f"Player {name[:60]!r} has no score.")
    board = board.transpose("player", "round")
    both = xr.concat([board, row.expand_dims(player=[name])], "player", join="exact")
    return one_tournament(both.rename(board.name).assign_attrs(board.attrs))


def _placed(
    dt: xr.DataTree, played: xr.Dataset, eta: Floats, rng: np.random.Generator
) -> tuple[xr.DataTree, dict[str, float]]:
    """Draw by weight from the old draws, and a difference d for each; say how good it is."""
    strengths = drawn(dt, "epp").sel(player=played["player"].to_numpy()[:-1])
    chains, draws, m = strengths.shape
    epp = strengths.to_numpy().reshape(-1, m)
    scale = drawn(dt, "epp_scale").to_numpy().reshape(-1)
    place = played["place"].transpose("round", "player").to_numpy()
    within, ties = bool(played.attrs["within_round"]), str(played.attrs["ties"])
    wins, n, _ = weighted_counts(place, eta, within_round=within, ties=ties)
    law = float(json.loads(dt.attrs["arguments"])["prior_df"])
    count = len(epp)
    new = scale, law, wins[-1, :-1], n[-1, :-1]
    uniform = rng.random((count, 2))
    _, log_marginal = draw_strength(epp, *new, uniform)
    old = drawn(dt, "place", "log_likelihood").transpose("chain", "draw", "round").to_numpy()
    old = old.reshape(-1, old.shape[-1])
    weight = drawn(dt, "weight", "constant_data").to_numpy()
    if len(old) != count or weight.shape != eta.shape or not (weight > 0.0).all():
        raise refuse(dt, "has a log-likelihood of other draws, or no weights above 0")
    tempered = old @ (eta / weight - 1.0)
    smoothed = smooth(log_marginal + tempered)
    converged = smoothed.reliable(count)
    if not converged:
        warnings.warn(
            f"LB001 not converged: the new player changes the posterior too much; importance "
            f"weights {smoothed}. Do not report these numbers: fit the whole board again.",
            ConvergenceWarning,
            stacklevel=3,
        )
    # Systematic resampling: a draw comes as often as its weight says, but for less than one.
    levels = (np.arange(count) + rng.random()) / count
    taken = np.minimum(np.searchsorted(np.cumsum(smoothed.weight), levels), count - 1)
    # Draws that come twice have two d, and the level that their weight is of.
    again = np.column_stack([uniform[taken, 0], rng.random(count)])
    d, _ = draw_strength(epp[taken], scale[taken], *new[1:], again)
    epp, scale = epp[taken], scale[taken]
    # All m + 1 sum to zero.
    epp = np.column_stack([epp, d]) - d[:, None] / (m + 1)
    step = -(-draws // dt["posterior_predictive"].sizes["draw"])
    every = epp.reshape(chains, draws, m + 1)
    prior_scale = json.loads(dt.attrs["arguments"])["prior_scale"]
    again = replicates(played)(every[:, ::step], rng)
    tree = assemble(
        played, eta, prior_scale, every, scale.reshape(chains, draws),
        by_round_when_read(played, eta, every), again, step,
    )  # fmt: skip
    return tree, {"pareto_k": smoothed.pareto_k, "ess": smoothed.ess, "converged": int(converged)}
