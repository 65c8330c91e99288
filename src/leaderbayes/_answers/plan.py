"""How many more rounds tell players apart: by simulation from the posterior."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.optimize import isotonic_regression
from scipy.special import betaincinv

from leaderbayes import _arguments
from leaderbayes._answers.compare import check_comparison, position
from leaderbayes._answers.draws import by_mean, standing_of
from leaderbayes._answers.groups import tied_for_top
from leaderbayes._answers.plan_matches import Verdict, how_sure, of_matches, verdict
from leaderbayes._answers.plan_scores import of_scores
from leaderbayes._answers.plan_votes import Question, of_votes
from leaderbayes._answers.standing import is_several
from leaderbayes._arguments import is_list, number, positive, share, whole, wrong
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import board_fitted, is_mean_score, is_of_votes, one_board
from leaderbayes._fits.trust import trust
from leaderbayes._inference.laplace import fitted_arguments
from leaderbayes._scores.tables import counted
from leaderbayes._types import Floats, Longs

_ROUNDS = (5, 10, 20, 40, 80)
_RUNS = (1, 2, 4)
_ENOUGH = 10  # rounds of a median or an interquartile mean, below which the message says so


def plan(
    dt: xr.DataTree,
    pair: tuple[str, str] | None = None,
    *,
    rounds: Sequence[int] | None = None,
    votes: Sequence[int] | None = None,
    prob: float = 0.95,
    target: float = 0.8,
    width: float | None = None,
    more_runs: Sequence[int] | None = None,
    players: Sequence[str] | None = None,
    simulations: int = 200,
    progressbar: bool = True,
    seed: int | None = None,
) -> xr.Dataset:
    """Say how many more rounds would tell two players apart, or the leader from everybody.

    Each simulation takes a draw of the posterior as the truth, plays further rounds, and fits the
    enlarged board as `fit` with ``sampler="laplace"`` does, at each number of rounds. Two ways to
    spend runs are compared: all players in every further round; or only the contested ones, whose
    fit then is of their own scores alone, old and new, ``scores.sel(player=...)`` (in a fit of
    rounds with all and with few players one weight would count both kinds alike).

    Of mean scores further rounds (items; of clustered boards clusters) are drawn from the
    posterior, and what is known of each pair is brought up to date without a fit. Then the plan
    also says how many rounds make an interval as narrow as is wanted, and, where runs were
    repeated, what more runs of the same rounds would do.

    With ``of`` the scores that are planned are those that were made of a round's, among the same
    players. Medians and interquartile means have no rounds that could be drawn: each further round
    counts as a normal number, with the covariance of the statistic's flat posterior times the
    rounds that this is of. Of fewer than ten rounds that is rough, and ``message`` says so: see
    the notes.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit` with ``model="bradley_terry"``, by any sampler, within rounds; or
        with ``model="mean_score"``; or of votes, by any model.
    pair : tuple of str, optional
        Two players, told apart where one is better with posterior probability ``prob``. None: the
        leader, told apart where it is better than each other player with that probability
        (`tied_for_top` is one player).
    rounds : sequence of int
        Numbers of further rounds: by default 5, 10, 20, 40 and 80; of items, or their clusters, a
        quarter of those that there are, a half, as many, twice and four times as many. Without any
        nothing is simulated: that says at once whether it is decided already.
    votes : sequence of int, optional
        Of a fit of votes: numbers of further votes. By default a quarter of those that there are, a
        half, as many, twice and four times as many.
    prob : float
        Posterior probability that decides; also of the intervals whose width is reported.
    target : float
        Probability of a decision that is wanted.
    width : float, optional
        Of mean scores: width of the interval of the difference that is wanted, in the metric's
        unit.
    more_runs : sequence of int, optional
        Of mean scores whose runs were repeated (the coordinate ``run_variance`` of
        `leaderbayes.read_scores`): numbers of further runs of the same rounds. By default 1, 2, 4.
    players : sequence of str, optional
        Contested players. By default the pair, or those tied for top (and the second where nobody
        is).
    simulations : int
        Truths, spread evenly over the posterior's draws.
    progressbar : bool
        Show how far the simulations of further rounds are, of matches, where they take long.
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
        pair); ``runs``, further scores to be made (of as many runs as before). Over ``who``:
        ``rounds_needed`` for ``target`` (monotone interpolation; 0 where it is decided already;
        NaN where ``rounds`` do not reach it). Scalars: ``p_now`` (that the better one, as it seems,
        is better; the smallest such probability without a pair), ``width_now``. Of mean scores
        widths are in the metric's unit,
        and with ``width`` there is ``rounds_for_width``, the fewest further rounds whose mean width
        is no more. Where both players have repeated runs: ``run_share``, the part of the variance
        of their difference in a round that is of runs; ``width_runs`` over ``more_runs``, the mean
        width after so many further runs of the same rounds, and ``width_any_runs``, after any
        number of them; with ``width`` ``runs_for_width`` (NaN where no number does). attrs:
        ``message``, ``question``, ``prob``, ``target``, ``wanted_width`` (if there is one),
        ``simulations``, ``seed``, ``model``, ``unit`` ("round", "item" or "cluster"), ``players``
        (number), ``contested`` (JSON), ``converged``, ``warnings``. Of votes see the notes.

    Raises
    ------
    LeaderbayesError
        If the fit is of another model, across rounds, or has a ``test_fraction`` (what further
        rounds share with the old ones cannot be simulated); if it is of mean scores of two rounds;
        or an argument has no meaning.

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

    **Votes.** Nothing is simulated but, without a pair, the strengths that may be found: what
    further votes tell of a difference follows the covariance of the fit's votes, continued, and is
    weighed against the draws of that difference, which of players that never lost reach far to one
    side. Votes by the same judges leave the variance that their own opinions make, however many
    there are; votes by new judges, who vote as often as these, do not. The plan is over ``who``
    ("all": pairs meet as often as they do; "contested": only those in question, evenly),
    ``clusters`` ("same": by these judges, or on these prompts where votes have no judges; "new": by
    others; prompts are new wherever there are judges) and ``votes``: ``p_decided``, ``width``; over
    the first two ``votes_needed`` for ``target`` (0 where it is decided, NaN where no number up to
    a thousand times the present one does) and ``p_any_votes``, the probability after any number of
    votes; ``p_now``, ``width_now``. attrs as above, and ``cluster`` ("judge", "prompt" or "none");
    there are no ``simulations``. Of Davidson's model ties are known better with further votes, too;
    of PMRA's the same judges favour whoever is first as they do, and new ones as their likes.

    **Mean scores.** What is known of a pair is taken as conjugate: the mean difference is normal
    given the variance of a round's difference, whose posterior is a scaled inverse chi-squared one.
    With ``prior_scale=inf`` and normal rounds that is so, and nothing is approximate: after further
    rounds it is the paired t-test of all. Otherwise means and variances of the draws are matched,
    and the posterior now is the prior of what comes; that costs milliseconds where fitting again
    would cost minutes. Of normal rounds the truth is a draw of means and noise. Of items it is a
    draw of their law (weights, and atoms for answers not yet seen) that is moved to the draw of the
    mean scores. Widths need no simulation: the mean width over the rounds that may come is known in
    closed form. A difference goes by the two players' scores, so that rounds of the contested alone
    tell them apart as surely as rounds of all.

    The part of items is what is left of a variance less that of runs, on the mean over what that
    variance may be: where nearly all is of runs and rounds are few, ``width_any_runs`` is known
    badly, and rather too wide.

    Over boards of 5 players, as far apart as the prior has them, that were fitted again with as
    many further rounds as before and thrice as many, a pair was decided in 0.58 and 0.65 of 40
    boards of 10 normal rounds (0.56 and 0.66 was promised; standard errors 0.06), in 0.75 and 0.83
    of 60 boards of 100 items (0.75 and 0.80; 0.03), in 0.75 and 0.75 of 40 near the ceiling (0.67
    and 0.76; 0.05), in 0.75 and 0.82 of 40 of 30 clusters (0.80 and 0.85; 0.04); leaders no worse.
    Intervals were 0.98 to 1.05 times as wide as promised. The flat posterior, which takes players
    to be far apart, promises a little too much: 0.60 and 0.68 where 0.65 and 0.76 was promised (50
    boards, 0.06). ``benchmarks/plan.py --mean-scores`` measures it.

    Medians and interquartile means of few rounds, 30 boards of 5 players each (by no command that
    is kept), planned for 10 and 30 further rounds that were then played and fitted: intervals were
    1.24 and 1.20 times as wide as promised of medians of 5 rounds with normal noise (standard
    errors 0.07; flat 1.33 and 1.30), 1.05 and 0.98 with heavy tails, 1.01 to 1.04 of 6 rounds, 1.00
    of 8; of interquartile means of 5 rounds 1.03 and 0.96. Around that each was off by a third
    (standard deviation of the logarithm 0.25 to 0.40), as of a mean of 5 rounds (0.35 to 0.38): so
    few say no more of how scores vary. A pair was decided in 0.43 and 0.50 of boards of 5 rounds
    where 0.55 and 0.66 was promised by medians (0.08), in 0.43 and 0.60 where 0.50 and 0.63 was by
    interquartile means.

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

    In the metric's unit, an interval of half a percent of accuracy on either side:

    >>> dt = lb.fit(scores, "mean_score", prior_scale=float("inf"), seed=1)
    >>> further = lb.plan(dt, ("svm C=1", "svm C=10"), width=0.01, simulations=20, seed=1)
    >>> print(f"{further['rounds_for_width']:.0f} more {further.attrs['unit']}s")
    67 more rounds
    """
    of_mean_scores, is_votes = is_mean_score(dt), is_of_votes(dt)
    arguments = _arguments_of(dt)
    _check(arguments, prob, target, simulations, width, of_mean_scores)
    further_runs = _runs(more_runs, dt, of_mean_scores)
    if (rounds if is_votes else votes) is not None:
        raise LeaderbayesError(
            "rounds= is of scores: of a fit of votes, give votes=."
            if is_votes
            else "votes= is of a fit of votes: of scores, give rounds=."
        )
    epp, names = standing_of(dt)
    asked = None if pair is None else _asked(pair, names)
    if asked is not None:
        contested = np.sort(asked)
    else:
        tied = [position(p, names) for p in tied_for_top(dt, prob=prob)]
        # Where the leader is told apart, the second is the nearest to it.
        contested = np.sort(tied if len(tied) > 1 else by_mean(epp)[:2])
    if players is not None:
        contested = _chosen(players, contested, names)
    if is_votes:
        further = None if votes is None else _whole("votes", votes)
        question = Question(asked, contested, prob, target)
        seed = _arguments.seed_or_new(seed)
        return of_votes(dt, epp, names, question, further, verdict(epp, asked, prob), seed)
    lengths = _lengths(rounds, dt, arguments)
    plans = {"all": np.arange(len(names))}
    if len(contested) < len(names):
        plans["contested"] = contested
    seed = _arguments.seed_or_new(seed)
    rng = np.random.default_rng(seed)
    now = verdict(epp, asked, prob)
    ways = list(plans.values())
    if of_mean_scores:
        first, second = by_mean(epp)[:2] if asked is None else asked
        found = of_scores(
            dt, epp, ways, lengths, asked, (int(first), int(second)), prob, simulations, rng,
            width=width, more_runs=further_runs,
        )  # fmt: skip
    else:
        found = of_matches(
            dt,
            epp,
            ways,
            lengths,
            asked,
            prob,
            arguments,
            simulations,
            rng,
            progressbar=progressbar,
        )
    lower, upper = _jeffreys(found.decided.sum(axis=-1), simulations)
    p_decided = found.decided.mean(axis=-1)
    leader = f"{names[now.better]}, the leader, against everybody"
    dims = ("who", "rounds")
    scores_made = np.array([len(who) for who in ways])[:, None] * lengths * found.size
    table = xr.Dataset(
        {
            "p_decided": (dims, p_decided),
            "p_decided_lower": (dims, lower),
            "p_decided_upper": (dims, upper),
            "p_correct": (dims, found.correct.mean(axis=-1)),
            "width": (dims, found.width),
            "runs": (dims, np.rint(scores_made).astype(int)),
            "rounds_needed": ("who", [_needed(lengths, p, target, now) for p in p_decided]),
            "p_now": now.p,
            "width_now": now.width,
            **found.further,
        },
        {"who": list(plans), "rounds": lengths, **found.coords},
        {
            "question": leader if pair is None else f"{pair[0]} against {pair[1]}",
            "prob": prob,
            "target": target,
            **({} if width is None else {"wanted_width": width}),
            "simulations": simulations,
            "seed": seed,
            "model": dt.attrs["model"],
            "unit": found.unit,
            "players": len(names),
            "contested": json.dumps([str(names[i]) for i in contested]),
            **trust(dt),
        },
    )
    opponents = len(names) - 1 if pair is None else 1
    message = " ".join([_message(table, now, opponents), *_rough(dt, arguments)])
    return table.assign_attrs(message=message)


def _arguments_of(dt: xr.DataTree) -> dict[str, Any]:
    """Read the arguments of a fit of mean scores, or of Bradley-Terry's model."""
    if is_of_votes(dt):
        if is_several(dt):
            raise LeaderbayesError(
                "A plan is of one tournament: give leaderbayes.study.select(fit, name)."
            )
        return {"within_round": True, "test_fraction": None}
    if not is_mean_score(dt):
        return fitted_arguments(dt)
    board_fitted(dt, "constant_data")
    one_board(dt, "A plan")
    arguments: dict[str, Any] = json.loads(dt.attrs["arguments"])
    return arguments


def _check(
    arguments: dict[str, Any], prob: float, target: float, simulations: int,
    width: float | None, of_mean_scores: bool,
) -> None:  # fmt: skip
    """Raise unless the question has an answer."""
    if not arguments["within_round"]:
        raise LeaderbayesError("Further rounds are simulated within rounds, not across them.")
    if arguments["test_fraction"] is not None:
        raise LeaderbayesError(
            "More folds of these data share training rows with those that are there "
            "(test_fraction), and may never decide: they are not planned. Fit without "
            "test_fraction to plan more data sets, each a round of its own."
        )
    # Half the probability decides nothing.
    number("prob", prob, above=0.5, below=1.0)
    share("target", target)
    whole("simulations", simulations)
    if width is not None:
        positive("width", width)
        if not of_mean_scores:
            raise LeaderbayesError(
                "width= is in the metric's unit, of a fit of mean scores (model='mean_score'); of "
                "log-odds the plan has widths over rounds."
            )


def _whole(name: str, counts: Sequence[int]) -> Longs:
    """Check whole numbers from 1, and sort them."""
    if not is_list(counts):
        raise wrong(name, counts, "a list of whole numbers")
    for k in counts:
        whole(name, k)
    return np.unique(np.asarray(counts, dtype=np.int64))


def _runs(more_runs: Sequence[int] | None, dt: xr.DataTree, of_mean_scores: bool) -> Longs:
    """Give the numbers of further runs, which are of rounds that were run more than once."""
    if more_runs is None:
        return np.array(_RUNS)
    if not of_mean_scores or "run_variance" not in dt["constant_data"]["scores"].coords:
        raise LeaderbayesError(
            "more_runs= is of a fit of mean scores (model='mean_score') whose rounds were run more "
            "than once (the coordinate run_variance of read_scores), and these were not."
        )
    return _whole("more_runs", more_runs)


def _lengths(rounds: Sequence[int] | None, dt: xr.DataTree, arguments: dict[str, Any]) -> Longs:
    """Give the numbers of further rounds."""
    if rounds is not None:
        return _whole("rounds", rounds)
    if arguments.get("likelihood") != "dirichlet":
        return np.array(_ROUNDS)
    scores = dt["constant_data"].to_dataset()["scores"]
    # Of items there are many: a quarter of them to four times as many.
    units = (
        len(np.unique(scores["cluster"])) if "cluster" in scores.coords else len(scores["round"])
    )
    return np.unique(np.ceil(units * np.array([0.25, 0.5, 1.0, 2.0, 4.0])).astype(np.int64))


def _asked(pair: tuple[str, str], names: pd.Index) -> list[int]:
    """Find the two players."""
    if not is_list(pair) or len(pair) != 2:
        raise wrong("pair", pair, "the names of two players")
    a, b = pair
    check_comparison(a, b, None)
    return [position(a, names), position(b, names)]


def _chosen(players: Sequence[str], contested: Longs, names: pd.Index) -> Longs:
    """Find the given players, among which those in question have to be."""
    if not is_list(players):
        raise wrong("players", players, "a list of names")
    chosen = {position(p, names) for p in players}
    absent = [i for i in contested if i not in chosen]
    if absent:
        raise LeaderbayesError(
            f"players lack {str(names[absent[0]])[:60]!r}, who is in question: name every one of "
            "the pair, or of those tied for top."
        )
    return np.array(sorted(chosen))


def _jeffreys(successes: Floats, trials: int) -> tuple[Floats, Floats]:
    """Compute Jeffreys' 95 % interval of a share; it reaches 0 and 1 where that was seen."""
    a, b = successes + 0.5, trials - successes + 0.5
    lower = np.where(successes == 0, 0.0, betaincinv(a, b, 0.025))
    return lower, np.where(successes == trials, 1.0, betaincinv(a, b, 0.975))


def _needed(rounds: Longs, p_decided: Floats, target: float, now: Verdict) -> float:
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


def _message(table: xr.Dataset, now: Verdict, opponents: int) -> str:
    """Say in a sentence or two what the plan comes to."""
    said = [f"{table.attrs['question']}: {_decision(table, now, opponents)}."]
    unit = table.attrs["unit"]
    if "wanted_width" in table.attrs:
        wanted, needed = table.attrs["wanted_width"], float(table["rounds_for_width"])
        if needed == 0.0:
            said.append(f"The interval is narrower than {wanted:g} already.")
        elif np.isnan(needed):
            said.append(f"No number of rounds makes the interval as narrow as {wanted:g}.")
        else:
            runs = float(table.get("runs_for_width", np.nan))
            or_runs = (
                "" if np.isnan(runs) else f", or {counted(runs, 'more run')} of the same {unit}s"
            )
            said.append(
                f"An interval {wanted:g} wide takes {counted(needed, f'more {unit}')}{or_runs}."
            )
    if "run_share" in table:
        said.append(
            f"Of the variance of their difference in {'an' if unit == 'item' else 'a'} {unit} "
            f"{float(table['run_share']):.2f} is of runs: any number of further runs of the same "
            f"{unit}s makes the interval {float(table['width_any_runs']):.3g} wide."
        )
    return " ".join(said)


def _rough(dt: xr.DataTree, arguments: dict[str, Any]) -> list[str]:
    """Say where a median's or an interquartile mean's plan is of few rounds."""
    statistic = arguments.get("statistic", "mean")
    if statistic == "mean":
        return []
    rounds = dt["constant_data"].to_dataset()["scores"].sizes["round"]
    if rounds >= _ENOUGH:
        return []
    name = "an interquartile mean" if statistic == "iqm" else "a median"
    hopeful = ", more often wider than narrower" if statistic == "median" and rounds < 6 else ""
    return [
        f"That is rough, as {rounds} rounds say little of how {name} varies: widths come out a "
        f"third off{hopeful}, and decisions less often than is said."
    ]


def _decision(table: xr.Dataset, now: Verdict, opponents: int) -> str:
    """Say how many more rounds decide."""
    target, unit = table.attrs["target"], table.attrs["unit"]
    if now.decided:
        return f"decided already, {how_sure(now, opponents)}"
    if not table.sizes["rounds"]:
        return f"not decided, {how_sure(now, opponents)}"
    reached, short, last = [], [], int(table["rounds"][-1])
    contested = len(json.loads(table.attrs["contested"]))
    for who in table["who"].to_numpy():
        way = table.sel(who=who)
        size = table.attrs["players"] if who == "all" else contested
        whom = f"all {size} players" if who == "all" else f"only {size} of them"
        needed, p = float(way["rounds_needed"]), float(way["p_decided"][-1])
        runs = int(way["runs"][-1])
        if np.isnan(needed):
            short.append(
                f"{counted(last, f'more {unit}')} of {whom} ({runs} runs) decide with "
                f"probability {p:.2f} only"
            )
        else:
            cost = f"{runs * needed / last:.0f} runs"
            reached.append(f"{counted(needed, f'more {unit}')} of {whom} ({cost})")
    said = [f"decided with probability {target:g} by {' or by '.join(reached)}"] if reached else []
    if short:
        further = ", ".join(str(k * last) for k in (2, 4, 8))
        short.append(f"ask for more: rounds=({further}), --rounds {further.replace(' ', '')}")
    return "; ".join(said + short)
