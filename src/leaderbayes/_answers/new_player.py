"""Place a new player on a leaderboard."""

from typing import Any

import pandas as pd
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._answers.refit import refit
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior


def new_player(
    dt: xr.DataTree, scores: xr.DataArray | pd.Series, *, seed: int | None = None
) -> xr.DataTree:
    """Add a new player and fit the leaderboard again with the same options.

    Parameters
    ----------
    dt : DataTree
        Posterior of one tournament's scores, from `fit` or ``pm.sample``, by any model.
    scores : DataArray (round,) or Series
        The new player's scores by round, named as the player. Rounds are the posterior's; those
        that are absent or NaN it did not play.
    seed : int, optional
        Same seed, same numbers. None takes the fit's own.

    Returns
    -------
    DataTree
        As from `fit`, of all players, the new one last; attrs: also ``placed``, its name.

    Raises
    ------
    LeaderbayesError
        If the posterior is of votes, of several tournaments or keeps no scores; or the new player
        has no name, the name of an old one, no score, or a score in another round.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "iris")
    >>> enlarged = lb.new_player(lb.fit(scores[:-1], seed=1), scores[-1].rename("mine"))
    >>> enlarged.attrs["placed"], enlarged.posterior.sizes["player"]
    ('mine', 15)
    """
    post = Posterior(dt)
    if post.scores is None or post.scores.ndim > 2:
        raise LeaderbayesError(
            "new_player takes a posterior of scores of one tournament. This one has votes, "
            "several tournaments, or no constant_data/scores; fit the enlarged data instead."
        )
    enlarged = _enlarged(post.scores, scores)
    seed = post.seed if seed is None else _arguments.seed(seed)
    tree = refit(post, enlarged, seed=seed, replicates=400)
    tree.attrs["placed"] = str(enlarged["player"].to_numpy()[-1])
    return tree


def _enlarged(board: xr.DataArray, scores: Any) -> xr.DataArray:
    """Append the scores of the new player to a board (player, round)."""
    if isinstance(scores, pd.Series):
        scores = xr.DataArray(scores.to_numpy(), {"round": scores.index}, name=scores.name)
    if not isinstance(scores, xr.DataArray) or scores.dims != ("round",):
        raise LeaderbayesError("A new player needs a DataArray (round,) or a Series of scores.")
    if scores.name is None:
        raise LeaderbayesError("The new player has no name: set scores.name.")
    # Scores that were picked from others are called as all of these.
    picked = scores.name == "score" and "player" in scores.coords
    name = str(scores["player"].item() if picked else scores.name)
    if name in board["player"]:
        raise LeaderbayesError(f"The player {name[:60]!r} already exists; choose another name.")
    rounds = pd.Index(scores["round"].to_numpy())
    if rounds.has_duplicates:
        raise LeaderbayesError(f"Player {name[:60]!r} has two scores in a round.")
    unknown = rounds.difference(pd.Index(board["round"].to_numpy()), sort=False)
    if len(unknown):
        raise LeaderbayesError(
            f"Round {str(unknown[0])[:60]!r} is not one of the posterior's "
            f"{board.sizes['round']}: a new player needs scores in rounds that the others played."
        )
    # Without labels such as the tournament that they were picked from.
    board, row = (each.reset_coords(drop=True) for each in (board, scores))
    row = row.reindex(round=board["round"]).astype(float)
    if row.isnull().all():
        raise LeaderbayesError(f"Player {name[:60]!r} has no score.")
    both = [board.transpose("player", "round"), row.expand_dims(player=[name])]
    return xr.concat(both, "player", join="exact").assign_attrs(board.attrs)
