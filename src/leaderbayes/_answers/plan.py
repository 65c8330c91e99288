"""How many more rounds tell players apart: by simulation from the posterior."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy.optimize import isotonic_regression
from scipy.special import betaincinv

from leaderbayes import _arguments
from leaderbayes._answers.compare import check_comparison, position
from leaderbayes._answers.draws import by_mean, draws_of
from leaderbayes._answers.groups import tied_for_top
from leaderbayes._arguments import number, share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.trust import trust
from leaderbayes._inference.boards import matches_of
from leaderbayes._inference.laplace import fitted_arguments
from leaderbayes._numerics.composite_weight import board_weight, weighted_counts
from leaderbayes._numerics.laplace import Board, posterior
from leaderbayes._numerics.places import draw_places
from leaderbayes._scores.tables import counted
from leaderbayes._types import Floats, Ints, Longs

_DRAWS = 2000  # of each simulated posterior: they are normal, and cost less than its mode


class _Verdict(NamedTuple):
    """What a posterior says of the question."""

    decided: bool
    better: int  # position of the player that seems better
    p: float  # that it is
    width: float  # of the interval of the difference


def plan(
    dt: xr.DataTree,
    pair: tuple[str, str] | None = None,
    *,
    rounds: Sequence[int] = (5, 10, 20, 40, 80),
    prob: float = 0.95,
    target: float = 0.8,
    players: Sequence[str] | None = None,
    simulations: int = 200,
    seed: int | None = None,
) -> xr.Dataset:
    """Say how many more rounds would tell two players apart, or the leader from everybody.

    Each simulation takes a draw of the posterior as the truth, plays further rounds, and fits the
    enlarged board as `fit` with ``sampler="laplace"`` does, at each number of rounds. Two ways to
    spend runs are compared: all players in every further round; or only the contested ones, whose
    fit then is of their own scores alone, old and new, ``scores.sel(player=...)`` (in a fit of
    rounds with all and with few players one weight would count both kinds alike).

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit` with ``model="bradley_terry"``, by any sampler, within rounds.
    pair : tuple of str, optional
        Two players, told apart where one is better with posterior probability ``prob``. None: the
        leader, told apart where it is better than each other player with that probability
        (`tied_for_top` is one player).
    rounds : sequence of int
        Numbers of further rounds. Without any nothing is simulated: that says at once whether it
        is decided already.
    prob : float
        Posterior probability that decides; also of the intervals whose width is reported.
    target : float
        Probability of a decision that is wanted.
    players : sequence of str, optional
        Contested players. By default the pair, or those tied for top (and the second where nobody
        is).
    simulations : int
        Truths, spread evenly over the posterior's draws.
    seed : int, optional
        Same seed, same numbers. None draws one; it is in attrs.

    Returns
    -------
    Dataset
        Over ``who`` ("all", "contested"; only "all" where these are the same players) and
        ``rounds``: ``p_decided``, the probability of being decided after exactly so many further
        rounds, with ``p_decided_lower``, ``p_decided_upper`` (95 % Jeffreys interval of the
        simulation); ``p_correct``, of being decided for the better player; ``width``, the mean
        width of the interval of the difference (log-odds; of the leader and the second without a
        pair); ``runs``, further scores to be made. Over ``who``: ``rounds_needed`` for ``target``
        (monotone interpolation; 0 where it is decided already; NaN where ``rounds`` do not reach
        it). Scalars: ``p_now`` (that the better one, as it seems, is better; the smallest such
        probability without a pair), ``width_now``. attrs: ``message``, ``question``, ``prob``,
        ``target``, ``simulations``, ``seed``, ``players`` (number), ``contested`` (JSON),
        ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If the fit is of another model, across rounds, or has a ``test_fraction`` (what further
        rounds share with the old ones cannot be simulated); or an argument has no meaning.

    Notes
    -----
    Further rounds have all players' scores, no ties, and independent Gumbel noise; the weight of
    each enlarged board is estimated from its old rounds as they are and its new ones. On boards
    whose real rounds are noisier than that (a ``weight`` of the fit well below that of its
    replicates) the plan is too hopeful; players that tie again and again, it takes for undecided
    ones. Of pairs that 10 of the 25 rounds of the shipped classifiers leave open, the other 15
    decide 0.40 where 0.36 was promised, from 0.29 (0.28) on iris to 0.54 (0.42) on digits,
    standard errors 0.08 to 0.1. Over 500 boards from the prior (5 players, 10 rounds) promises
    were a little too low: a pair was decided by 10 further rounds of all players in 0.39 of them
    (0.36 was promised), by 30 in 0.50 (0.48); by rounds of the pair alone in 0.36 (0.33) and 0.44
    (0.43), standard errors 0.02. ``benchmarks/plan.py`` measures both.

    Nearly equal players are hardly ever told apart: with each further round ``p_decided`` rises
    more slowly. Whoever looks after every round and stops when a decision is there decides more
    often than ``p_decided`` says, and more often wrongly.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "iris")[:6]
    >>> dt = lb.fit(scores, sampler="laplace", seed=1)
    >>> further = lb.plan(dt, ("svm C=1", "svm C=10"), rounds=(10, 20), simulations=20, seed=1)
    >>> further["runs"].to_pandas()
    rounds     10   20
    who
    all        60  120
    contested  20   40
    >>> print(further.attrs["message"])
    svm C=1 against svm C=10: 20 more rounds of all 6 players (120 runs) decide with ...
    """
    arguments = fitted_arguments(dt)
    _check(arguments, rounds, prob, target, simulations)
    epp, names = draws_of(dt)
    asked = None if pair is None else _asked(pair, names)
    if asked is not None:
        contested = np.sort(asked)
    else:
        tied = [position(p, names) for p in tied_for_top(dt, prob=prob)]
        # Where the leader is told apart, the second is the nearest to it.
        contested = np.sort(tied if len(tied) > 1 else by_mean(epp)[:2])
    if players is not None:
        contested = _chosen(players, contested, names)
    lengths = np.unique(np.asarray(rounds, dtype=np.int64))
    plans = {"all": np.arange(len(names))}
    if len(contested) < len(names):
        plans["contested"] = contested
    truths = epp[np.linspace(0, len(epp) - 1, simulations).astype(int)]
    place = matches_of(dt)["place"].sel(player=names).to_numpy()
    seed = _arguments.seed_or_new(seed)
    rng = np.random.default_rng(seed)
    seen = [
        _simulate(place, truth, list(plans.values()), lengths, asked, prob, arguments, rng)
        for truth in truths
    ]
    decided, correct, width = np.moveaxis(np.array(seen), 0, -1)
    lower, upper = _jeffreys(decided.sum(axis=-1), simulations)
    p_decided = decided.mean(axis=-1)
    now = _verdict(epp, asked, prob)
    leader = f"{names[now.better]}, the leader, against everybody"
    dims = ("who", "rounds")
    table = xr.Dataset(
        {
            "p_decided": (dims, p_decided),
            "p_decided_lower": (dims, lower),
            "p_decided_upper": (dims, upper),
            "p_correct": (dims, correct.mean(axis=-1)),
            "width": (dims, width.mean(axis=-1)),
            "runs": (dims, np.array([len(who) for who in plans.values()])[:, None] * lengths),
            "rounds_needed": ("who", [_needed(lengths, p, target, now) for p in p_decided]),
            "p_now": now.p,
            "width_now": now.width,
        },
        {"who": list(plans), "rounds": lengths},
        {
            "question": leader if pair is None else f"{pair[0]} against {pair[1]}",
            "prob": prob,
            "target": target,
            "simulations": simulations,
            "seed": seed,
            "players": len(names),
            "contested": json.dumps([str(names[i]) for i in contested]),
            **trust(dt),
        },
    )
    return table.assign_attrs(message=_message(table, now))


def _check(
    arguments: dict[str, Any], rounds: Sequence[int], prob: float, target: float, simulations: int
) -> None:
    """Raise unless the question has an answer."""
    if not arguments["within_round"]:
        raise LeaderbayesError("Further rounds are simulated within rounds, not across them.")
    if arguments["test_fraction"] is not None:
        raise LeaderbayesError(
            "Rounds that share training data (test_fraction) share errors with further ones, which "
            "cannot be simulated. Fit without, to plan for these data alone."
        )
    # Half the probability decides nothing.
    number("prob", prob, above=0.5, below=1.0)
    share("target", target)
    for k in rounds:
        whole("rounds", k)
    whole("simulations", simulations)


def _asked(pair: tuple[str, str], names: pd.Index) -> list[int]:
    """Find the two players."""
    if len(pair) != 2:
        raise LeaderbayesError(f"pair={pair!r}: name two players.")
    a, b = pair
    check_comparison(a, b, None)
    return [position(a, names), position(b, names)]


def _chosen(players: Sequence[str], contested: Longs, names: pd.Index) -> Longs:
    """Find the given players, among which those in question have to be."""
    chosen = {position(p, names) for p in players}
    absent = [i for i in contested if i not in chosen]
    if absent:
        raise LeaderbayesError(
            f"players lack {str(names[absent[0]])[:60]!r}, who is in question: name every one of "
            "the pair, or of those tied for top."
        )
    return np.array(sorted(chosen))


def _simulate(
    place: Ints,
    truth: Floats,
    plans: list[Longs],
    lengths: Longs,
    asked: list[int] | None,
    prob: float,
    arguments: dict[str, Any],
    rng: np.random.Generator,
) -> Floats:
    """Play on from places (round, player), by all plans and to all lengths.

    Returns whether it is decided, whether for the better player, and how wide the interval is:
    (3, plan, length).
    """
    # One run of rounds for all plans and lengths: luck is the same for each.
    more = draw_places(truth, np.ones((lengths.max(initial=0), len(truth)), bool), rng)
    board = np.concatenate([place, more])
    best = int(np.argmax(truth)) if asked is None else max(asked, key=truth.__getitem__)
    seen = np.empty((3, len(plans), len(lengths)))
    for w, who in enumerate(plans):
        own = None if asked is None else np.searchsorted(who, asked).tolist()
        for k, further in enumerate(lengths):
            epp = _refit(board[: len(place) + further, who], arguments, rng)
            verdict = _verdict(epp, own, prob)
            right = verdict.decided and who[verdict.better] == best
            seen[:, w, k] = verdict.decided, right, verdict.width
    return seen


def _refit(place: Ints, arguments: dict[str, Any], rng: np.random.Generator) -> Floats:
    """Draw strengths (draw, player) from the posterior of places (round, player)."""
    place = place[(place > 0).any(axis=1)]
    ties, weight = arguments["ties"], arguments["weight"]
    eta = (
        board_weight(place, within_round=True, ties=ties)
        if weight == "composite"
        else np.full(len(place), weight)
    )
    wins, n, _ = weighted_counts(place, eta, within_round=True, ties=ties)
    board = Board(wins.sum(axis=1), n, arguments["prior_scale"], arguments["prior_df"])
    return posterior(board, _DRAWS, rng)


def _verdict(epp: Floats, pair: list[int] | None, prob: float) -> _Verdict:
    """Say whether draws (draw, player) tell the pair apart, or the leader from everybody."""
    if pair is None:
        first, second = by_mean(epp)[:2]
        p = float((epp[:, [first]] > np.delete(epp, first, axis=1)).mean(axis=0).min())
    else:
        first, second = pair
        p = float((epp[:, first] > epp[:, second]).mean())
        if p < 0.5:
            first, second, p = second, first, 1.0 - p
    low, high = np.quantile(epp[:, first] - epp[:, second], [(1.0 - prob) / 2, (1.0 + prob) / 2])
    return _Verdict(p >= prob, int(first), p, float(high - low))


def _jeffreys(successes: Floats, trials: int) -> tuple[Floats, Floats]:
    """Compute Jeffreys' 95 % interval of a share; it reaches 0 and 1 where that was seen."""
    a, b = successes + 0.5, trials - successes + 0.5
    lower = np.where(successes == 0, 0.0, betaincinv(a, b, 0.025))
    return lower, np.where(successes == trials, 1.0, betaincinv(a, b, 0.975))


def _needed(rounds: Longs, p_decided: Floats, target: float, now: _Verdict) -> float:
    """Find the fewest further rounds at which p_decided, made to rise, reaches the target."""
    if now.decided:
        return 0.0
    rising = np.append(0.0, isotonic_regression(p_decided).x)
    if rising[-1] < target:
        return np.nan
    at = np.append(0, rounds)
    k = int(np.argmax(rising >= target))
    share = (target - rising[k - 1]) / (rising[k] - rising[k - 1])
    return float(np.ceil(at[k - 1] + share * (at[k] - at[k - 1])))


def _message(table: xr.Dataset, now: _Verdict) -> str:
    """Say in a sentence what the plan comes to."""
    question, target = table.attrs["question"], table.attrs["target"]
    if now.decided:
        return f"{question}: decided already, with probability {now.p:.3f}."
    if not table.sizes["rounds"]:
        return f"{question}: not decided, with probability {now.p:.3f}."
    reached, short, last = [], [], int(table["rounds"][-1])
    for who in table["who"].to_numpy():
        way = table.sel(who=who)
        size = int(way["runs"][-1]) // last
        whom = f"all {size} players" if who == "all" else f"only {size} of them"
        needed, p = float(way["rounds_needed"]), float(way["p_decided"][-1])
        if np.isnan(needed):
            short.append(
                f"{counted(last, 'more round')} of {whom} ({last * size} runs) decide with "
                f"probability {p:.2f} only"
            )
        else:
            reached.append(f"{counted(needed, 'more round')} of {whom} ({needed * size:.0f} runs)")
    said = [f"decided with probability {target:g} by {' or by '.join(reached)}"] if reached else []
    return f"{question}: {'; '.join(said + short)}."
