"""Tournaments as points: principal components of their players' win probabilities."""

import numpy as np
import xarray as xr
from scipy.linalg import orthogonal_procrustes

from leaderbayes._arguments import share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.intervals import ends
from leaderbayes._types import AnyFloats
from leaderbayes.study._low_rank import complete, principal
from leaderbayes.study._strengths import check_several, standard_ranks, strengths_of, with_winning
from leaderbayes.study._tournaments import read_study


def embedding(study: xr.DataTree, *, dimensions: int = 2, prob: float = 0.95) -> xr.Dataset:
    """Place tournaments as points, so that similar tournaments are close together.

    Principal components of the probability (tournament, player) of beating another player of the
    tournament who is drawn at random, less each player's mean over tournaments. On this scale a
    player that never won, whose epp is as low as the prior lets it be, does not outweigh all
    others. Components are found again in each of up to 200 draws, and rotated onto those of the
    means, for the uncertainty; it is too small for tournaments that lack many players, whose
    probabilities are imputed.

    Parameters
    ----------
    study : DataTree
        From `study.fit`, or a fit of several tournaments, in log-odds.
    dimensions : int
        Number of components, fewer than there are tournaments and players.
    prob : float
        Probability mass of the equal-tailed credible intervals, and of the plot's ellipses.

    Returns
    -------
    Dataset
        ``score`` (tournament, component), probability along the component, and ``score_sd``;
        ``score_draws`` (sample, tournament, component); ``loading`` (player, component), of
        length 1; ``explained`` (component), share of the sum of squares; ``on_prior`` (tournament,
        player), whether results leave a strength open at one end, as of who never won;
        ``similarity``, ``similarity_lower``, ``similarity_upper`` (tournament, ``tournament_``),
        Spearman's correlation over the players of both. attrs: ``prob``, ``converged``,
        ``warnings`` (JSON).

    Raises
    ------
    LeaderbayesError
        If there are not two tournaments, two of them share no player, or an option is out of
        range; NotConvergedError if imputed probabilities do not settle.

    References
    ----------
    Gosiewska, Bakała, Woźnica, Zwoliński, Biecek (2019), EPP: interpretable score of model
    predictive power, section 5, Figure 4. Schönemann (1966), A generalized solution of the
    orthogonal Procrustes problem, Psychometrika 31, doi:10.1007/BF02289451.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["breast_cancer", "iris", "wine"])
    >>> study = lb.study.fit(scores, store="study", seed=1, progressbar=False)
    >>> lb.study.embedding(study)["explained"].round(1).values.tolist()
    [0.9, 0.1]
    """
    prob = share("prob", prob)
    every = read_study(study, in_log_odds=True)
    strengths = strengths_of(every)
    check_several(strengths)
    known = strengths["epp"].notnull().to_numpy()
    names = strengths["tournament"].to_numpy()
    _check_overlap(known, names)
    dimensions = whole("dimensions", dimensions, at_most=min(known.shape) - 1)
    strengths = with_winning(strengths, every)
    mean, draw = strengths["p_win"].to_numpy(), strengths["p_win_draw"].to_numpy()
    filled = complete(mean, dimensions)
    score, loading, explained = principal(filled, dimensions)
    # Each tournament's draws at the level that its means were moved to.
    moved = np.where(known, draw + (filled - mean), filled)
    parts = (principal(each, dimensions)[0] for each in moved)
    again = np.stack([part @ orthogonal_procrustes(part, score)[0] for part in parts])
    similarity, low, high = _similarity(strengths["draw"].to_numpy(), prob)
    cells, square = ("tournament", "component"), ("tournament", "tournament_")
    return xr.Dataset(
        {
            "score": (cells, score),
            "score_sd": (cells, again.std(axis=0)),
            "score_draws": (("sample", *cells), again),
            "loading": (("player", "component"), loading),
            "explained": ("component", explained),
            "on_prior": strengths["on_prior"],
            "similarity": (square, similarity),
            "similarity_lower": (square, low),
            "similarity_upper": (square, high),
        },
        coords={
            "tournament": names,
            "tournament_": names,
            "player": strengths["player"].to_numpy(),
            "component": np.arange(1, dimensions + 1),
        },
        attrs={"prob": prob, **strengths.attrs},
    )


def _check_overlap(known: AnyFloats, names: AnyFloats) -> None:
    """Raise unless any two tournaments share a player."""
    there = known.astype(np.int64)
    apart = np.argwhere(there @ there.T == 0)
    if len(apart):
        a, b = (str(names[t]) for t in apart[0])
        raise LeaderbayesError(
            f"Tournaments {a!r} and {b!r} share no player, so their distance is unknown; embed "
            "tournaments with common players."
        )


def _similarity(draw: AnyFloats, prob: float) -> AnyFloats:
    """Compute mean and interval of Spearman's correlation of any two tournaments' players."""
    present, which = np.unique(~np.isnan(draw[0]), axis=0, return_inverse=True)
    table = np.full((3, *2 * [draw.shape[1]]), np.nan)
    # Tournaments with the same players are ranked together.
    for a, rows_present in enumerate(present):
        for b, columns_present in enumerate(present[: a + 1]):
            both = rows_present & columns_present
            if both.sum() < 2:
                continue
            rows, columns = (np.flatnonzero(which == chosen) for chosen in (a, b))
            ranks = [standard_ranks(draw[:, chosen][..., both]) for chosen in (rows, columns)]
            correlation = ranks[0] @ ranks[1].transpose(0, 2, 1)
            block = [correlation.mean(axis=0), *ends(correlation, prob)]
            table[:, rows[:, None], columns] = block
            table[:, columns[:, None], rows] = np.transpose(block, (0, 2, 1))
    return table
