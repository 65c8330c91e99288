"""Compare two players of a fitted leaderboard."""

from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import expit

from leaderbayes._answers.draws import draws_of, scores_of, spread_of, standing_once
from leaderbayes._answers.mean_score import compared_scores
from leaderbayes._answers.new_data_set import law_of_new
from leaderbayes._answers.record import record
from leaderbayes._arguments import is_hashable, number, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import is_mean_score
from leaderbayes._fits.trust import trust
from leaderbayes._numerics.logistic_normal import expit_mean
from leaderbayes._numerics.pair_counts import count_better
from leaderbayes._scores.tables import shown


def compare(
    dt: xr.DataTree, a: str, b: str, *, rope: float | None = None, prob: float = 0.95
) -> xr.Dataset:
    """Say how probably player ``a`` is better than, as good as, or worse than player ``b``.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    a, b : str
        Two players.
    rope : float, optional
        Region of practical equivalence on the win probability: a and b are equivalent where
        P(a beats b) lies within ``rope`` of 1/2; of mean scores on their difference, in the
        metric's unit. None: no such region.
    prob : float
        Posterior probability of the (equal-tailed) intervals.

    Returns
    -------
    Dataset
        Scalars: ``win_probability``, ``win_lower``, ``win_upper`` (of a over b in
        a new round; of a fit of many tournaments, in a new tournament); ``epp_difference``,
        ``epp_lower``, ``epp_upper`` (log-odds); posterior probabilities ``p_better``,
        ``p_equivalent``, ``p_worse``. By the pair's own matches alone, of a fit of one tournament
        (as `win_probability` with ``by="record"``): ``record``, ``record_lower``, ``record_upper``
        (win probability of a), ``record_better``, ``record_won``, ``record_played``,
        ``record_tied`` (of these, each half a win). Coordinates: ``player`` (a), ``opponent`` (b).
        Of mean scores, in place of win probability and epp: ``difference``, ``difference_lower``,
        ``difference_upper``, a's score less b's; and, where the fit knows how scores vary between
        rounds (likelihood="normal" with a finite prior_scale, or right-or-wrong scores),
        ``cohen_d`` and ``cliff_delta`` with ``_lower`` and ``_upper``: that difference in standard
        deviations of a score (root mean square of the two players'), and P(a's score is higher)
        less P(b's is), of rounds that need not be the
        same. Of mean scores of many tournaments the difference is of the means over data sets such
        as these, and ``mean_better`` the probability that a's is better; ``p_better``,
        ``p_equivalent`` and ``p_worse`` are of the players' mean scores on one new data set, and
        ``new_lower``, ``new_upper`` the interval of that difference: it varies between data sets,
        too. attrs: ``prob``, ``rope`` (if there is one), ``of`` (of mean scores, as for `fit`),
        ``converged`` (0 or 1), ``warnings`` (JSON list).

    Raises
    ------
    LeaderbayesError
        If a player is unknown, both are the same, or ``rope`` is not from 0 to below 1/2.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, property 3.1.
    Benavoli, Corani, Demšar, Zaffalon (2017), Time for a change: a tutorial for comparing multiple
    classifiers through Bayesian analysis, JMLR 18(77), on regions of practical equivalence.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    >>> pair = lb.compare(dt, "svm C=1", "logistic C=1", rope=0.1)
    >>> max(("p_better", "p_equivalent", "p_worse"), key=lambda name: float(pair[name]))
    'p_equivalent'
    >>> print(f"P({pair.player.item()} wins) = {pair['win_probability']:.1f}")
    P(svm C=1 wins) = 0.6
    """
    prob = share("prob", prob)
    if is_mean_score(dt):
        return _of_scores(dt, a, b, rope, prob)
    check_comparison(a, b, rope)
    epp, players = draws_of(dt)
    first, second = position(a, players), position(b, players)
    gap = epp[:, first] - epp[:, second]
    spread = spread_of(dt)
    win = expit(gap) if spread is None else expit_mean(gap, np.sqrt(2.0) * spread)
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    low, high = np.quantile(gap, tails)
    equivalent = np.abs(win - 0.5) <= rope if rope is not None else np.zeros(len(win), bool)
    return xr.Dataset(
        {
            # First what is asked first: xarray prints some of the first.
            "p_better": ((gap > 0) & ~equivalent).mean(),
            "p_equivalent": equivalent.mean(),
            "p_worse": ((gap <= 0) & ~equivalent).mean(),
            "win_probability": win.mean(),
            "win_lower": np.quantile(win, tails[0]),
            "win_upper": np.quantile(win, tails[1]),
            "epp_difference": gap.mean(),
            "epp_lower": low,
            "epp_upper": high,
            # Of many tournaments the answer is of a new one, which has no record.
            **(_of_record(dt, a, b, prob) if spread is None and _has_scores(dt) else {}),
        },
        coords={"player": a, "opponent": b},
        attrs={"prob": prob, **({} if rope is None else {"rope": rope}), **trust(dt)},
    )


def _of_scores(dt: xr.DataTree, a: str, b: str, rope: float | None, prob: float) -> xr.Dataset:
    """Compare two players by their mean scores."""
    check_comparison(a, b, rope, of_scores=True)
    _, players = scores_of(dt)
    pair = position(a, players), position(b, players)
    # Of many tournaments the answer is of a new one, which has no record.
    own = _of_record(dt, a, b, prob) if law_of_new(dt) is None else {}
    return xr.Dataset(
        compared_scores(dt, *pair, rope, prob) | own,
        coords={"player": a, "opponent": b},
        attrs={
            "prob": prob,
            **({} if rope is None else {"rope": rope}),
            "of": dt["constant_data"].dataset["scores"].attrs.get("of", "raw"),
            **trust(dt),
        },
    )


def _has_scores(dt: xr.DataTree) -> bool:
    """Say whether the fit is there with its scores, and not the posterior alone."""
    return "constant_data" in dt.children


def _of_record(dt: xr.DataTree, a: str, b: str, prob: float) -> dict[str, float]:
    """Give what the matches of two players say by themselves."""
    pair = record(dt, prob, [a, b]).sel(player=a, opponent=b)
    return {
        f"record_{name}".removesuffix("_mean"): float(value)
        for name, value in pair.data_vars.items()
    }


def p_better(dt: xr.DataTree) -> xr.DataArray:
    """Give P(row is better than column), (player, opponent), as `compare` does.

    1/2 on the diagonal. attrs: ``converged``, ``warnings`` (JSON).
    """
    epp, players = standing_once(dt)
    better = count_better(epp.T) / len(epp)
    np.fill_diagonal(better, 0.5)
    return xr.DataArray(
        better,
        dims=("player", "opponent"),
        coords={"player": players.to_numpy(), "opponent": players.to_numpy()},
        name="p_better",
        attrs=trust(dt),
    )


def check_comparison(a: str, b: str, rope: float | None, *, of_scores: bool = False) -> None:
    """Raise unless two players are compared, and the region of equivalence is one."""
    check_pair(a, b)
    if rope is not None:
        # A distance of win probabilities from 1/2, or of scores from each other.
        number("rope", rope, at_least=0.0, below=np.inf if of_scores else 0.5)


def check_pair(a: object, b: object) -> None:
    """Raise unless two players are compared."""
    if np.isscalar(a) and np.isscalar(b) and a == b:
        raise LeaderbayesError(f"{a!r} is compared with itself; name two players.")


def position(player: object, players: pd.Index) -> int:
    """Find a player; raise, with the nearest name, where there is none."""
    if not isinstance(player, str) and not (is_hashable(player) and player in players):
        raise _no_name(player, [str(p) for p in players])
    if player in players:
        return int(players.to_list().index(player))
    near = get_close_matches(str(player), [str(p) for p in players], n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}?" if near else f"the first is {str(players[0])!r}."
    raise LeaderbayesError(f"There is no player {player!r} among the {len(players)}; {hint}")


def _no_name(player: Any, known: list[str]) -> LeaderbayesError:
    """Make the error that says that players go by name, and not by their places."""
    called = str(player) if np.isscalar(player) and str(player) in known else known[0]
    return LeaderbayesError(
        f"{shown(player)} ({type(player).__name__}) is no name of a player: give one of the "
        f"{len(known)} names, in quotes, such as {called!r}."
    )
