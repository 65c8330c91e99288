"""Which part of a leaderboard is real: one board, asked everything that is asked of it."""

import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._answers.aggregators import aggregators, said_of
from leaderbayes._answers.compare import p_better
from leaderbayes._answers.draws import by_mean, standing_of
from leaderbayes._answers.groups import claims
from leaderbayes._answers.influence import influence
from leaderbayes._answers.leaderboard import leaderboard
from leaderbayes._answers.named_misfit import has_record, misfits
from leaderbayes._answers.parts import answered, halves, left_out, not_asked
from leaderbayes._answers.plan import plan
from leaderbayes._answers.publish import letters_of
from leaderbayes._answers.refit import leader_without
from leaderbayes._answers.standing import Standing, is_several, standing_by
from leaderbayes._arguments import share, whole
from leaderbayes._errors import LeaderbayesError, LeaderbayesWarning
from leaderbayes._fits.posterior import board_fitted, fitted, is_mean_score, is_of_votes, one_board
from leaderbayes._fits.require import require_tree
from leaderbayes._fits.trust import trust, warnings_of
from leaderbayes._fits.unchanged import unchanged
from leaderbayes._inference.discrepancy import can_misfit
from leaderbayes._inference.kept_votes import kept_votes
from leaderbayes._scores.tables import counted
from leaderbayes._scores.vote_matches import ALONE
from leaderbayes._types import Floats

_ALONE = 300  # units that are left out one by one, the largest
_ALONE_OF_MEANS = 5000  # where that is a sum
_HANGS = 0.2  # share of the data up to which a lead hangs on few
_LEVEL = 0.75  # P(better) below which two are said to be about level
_SPLITS, _SPLITS_OF_RANKINGS = 100, 25  # in halves; an estimate of rankings takes long
_MODELS = ("bradley_terry", "davidson", "plackett_luce", "tournaments")
_OF_VOTES = ("bradley_terry", "davidson", "round_intercept", "tournaments")
_FEW, _MANY, _FEWER = 50, 40, 20  # simulations, of up to so many players; of more
_HEADINGS = {
    "players": "For the top", "pairs": "Pairs", "removal": "What the lead hangs on",
    "aggregators": "Other aggregators", "left_out": "One left out", "check": "Does the model fit",
    "plan": "What would decide", "halves": "Half against half",
}  # fmt: skip


def audit(
    dt: xr.DataTree, *, prob: float = 0.95, simulations: int | None = None, seed: int | None = None
) -> xr.DataTree:
    """Say which part of a leaderboard is real.

    Eight questions to one fit, each answered in a sentence and in numbers: who is told apart, who
    is tied, how few rounds hold the leader first, whether other ways to sum up have another leader,
    whether any one round does, whether the model describes the board, how many more rounds would
    decide, and whether one half of the rounds says what the other does.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`: of scores of one tournament by "bradley_terry", "davidson" or
        "plackett_luce", within rounds, or by "mean_score"; of several by "tournaments"; or of
        votes, by "bradley_terry", "davidson" or "round_intercept".
    prob : float
        Posterior probability that decides, of one claim or of all together; of the intervals, too.
    simulations : int, optional
        Of `plan`, where that simulates. None: 50, of more than 40 players 20.
    seed : int, optional
        Of the halves and of the plan. None: the fit's own, so that an audit repeats with its fit.

    Returns
    -------
    DataTree
        A child a question. Each has the attrs ``message``, a sentence or two; ``found``, 1 where a
        reader has to know (0 where there is nothing, or ``applies`` is 0); ``applies``, 0 where
        this board cannot be asked, and ``message`` says why; ``converged``, ``warnings``.

        ``players`` (player, best first): `leaderboard` with ``letters``, which tied players share
        (``control="joint"``, as in ``columns="publish"``). Found: more than one player for the top.
        ``pairs`` (player, opponent): ``p_better``; ``singly`` and ``jointly``, 1 where the row is
        better, -1 where it is worse, 0 where they are not told apart. attrs: ``pairs``,
        ``neighbours`` and how many of either are told apart (``pairs_singly``, ...). Found:
        neighbours that are not told apart, jointly.
        ``removal_round`` (removed), or ``removal_cluster``, ``removal_tournament``,
        ``removal_vote``, ``removal_judge``, ``removal_prompt``: `influence`, with ``leader_refit``
        and ``p_leader_refit``, who has the highest posterior mean in a fit without them, and the
        probability that it is better than the
        leader of this fit (or next to it). ``turned``, 1 if there is such a set. Found: one of a
        fifth of the data or less.
        ``aggregators`` (aggregator, player): ``value``, ``rank``, and (aggregator) ``leader``,
        ``same_leader``, ``top_differs``, ``why``. Found: another leader.
        ``left_out`` (unit): ``leader``, ``lead`` of the leader over the best of the others without
        it (log-odds, or the metric's unit). Found: another leader.
        ``check``: ``p_check``, and of matches ``pair_gap``, ``triple`` as of `check`. Found: p
        below 0.05, or a triple.
        ``plan``: `plan` for the leader against everybody. Found: it is not decided.
        ``halves`` (split): ``same_leader``, ``shared_top`` (share of the top players that both
        halves have), ``correlation`` (Kendall's) of random halves. Found: halves have one leader in
        less than 0.95 of the splits.

        attrs: ``model``, ``leader``, ``prob``, ``seed``, ``unit`` (what is left out and halved),
        ``found`` (how many questions found something), ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If it is another fit, or an option has no meaning.

    Notes
    -----
    Strengths of parts of the data (``left_out``, ``halves``, ``removal_*``) are estimates made
    anew, with a penalty as strong as the fit's prior, or means: they say where the data point, and
    the posterior says how surely. Of more than 300 units (of mean scores 5000) the largest are left
    out, one by one.

    Halves are of half the rounds each, and so differ more than two boards as large as this. Both
    make up one board, so that of two players who are level on it each leads in one half: then the
    share of splits with one leader is near 0, and not 1/2.

    Of votes they are by the fit's own model: Davidson's parameter for ties is estimated anew, and
    of PMRA the favour of each judge, while how judges differ is held at its posterior mean. Of
    scores by "davidson" they are Bradley-Terry's with ties as half wins, which go by the same
    points; of "tournaments" the means of the strengths in each, and aggregators take each
    tournament's mean scores for a round.

    References
    ----------
    Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons,
    Journal of Computational and Graphical Statistics 13. Broderick, Giordano, Meager (2020), An
    automatic finite-sample robustness metric, arXiv:2011.14999.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    >>> asked = lb.audit(dt, simulations=5)
    >>> print(asked["removal_round"].attrs["message"].split(". ")[1])
    Without 3 of 25 rounds (0.12 of all matches) logistic C=1 does
    >>> of = asked["pairs"].attrs
    >>> of["neighbours"], of["neighbours_jointly"] < 5  # few neighbours are told apart
    (14, True)
    """
    prob = share("prob", prob)
    _require_audited(dt)
    seed = int(dt.attrs["seed"]) if seed is None else _arguments.seed(seed)
    # Many questions ask for the same matches, and for who stands where by the same parts of them.
    with unchanged():
        return _audited(dt, prob, simulations, seed)


def _audited(dt: xr.DataTree, prob: float, simulations: int | None, seed: int) -> xr.DataTree:
    """Ask a fit everything."""
    draws, players = standing_of(dt)
    few = _FEW if len(players) <= _MANY else _FEWER
    simulations = few if simulations is None else whole("simulations", simulations)
    leader = str(players[by_mean(draws)[0]])
    units = _units(dt)
    standing = standing_by(dt, units[0])
    parts: dict[str, xr.Dataset] = {
        "players": _players(dt, prob),
        "pairs": _pairs(dt, draws, players, prob),
        **{f"removal_{by}": _removal(dt, by, leader) for by in _removed(dt, units)},
        "aggregators": _aggregators(dt),
        "left_out": left_out(
            standing,
            _position(standing, leader),
            _ALONE_OF_MEANS if is_mean_score(dt) else _ALONE,
        ),
        "check": _check(dt),
        "plan": _plan(dt, prob, simulations, seed),
        "halves": halves(
            standing,
            np.random.default_rng(seed),
            _SPLITS_OF_RANKINGS if dt.attrs["model"] == "plackett_luce" else _SPLITS,
        ),
    }
    attrs = {
        "model": dt.attrs["model"], "leader": leader, "prob": prob, "seed": seed,
        "unit": standing.unit, "found": sum(int(part.attrs["found"]) for part in parts.values()),
        **trust(dt),
    }  # fmt: skip
    # Each can be handed on alone.
    parts = {name: part.assign_attrs(trust(dt)) for name, part in parts.items()}
    return xr.DataTree.from_dict({"/": xr.Dataset(attrs=attrs), **parts})


def sentences(asked: xr.DataTree) -> dict[str, str]:
    """Give the sentence of each question of an audit, by its name."""
    return {name: str(part.attrs["message"]) for name, part in asked.children.items()}


def heading(question: str) -> str:
    """Give what stands above a question of an audit, by its name."""
    return _HEADINGS["removal" if question.startswith("removal_") else question]


def _require_audited(dt: Any) -> None:
    """Raise unless the fit is of a kind that is audited."""
    require_tree(dt)
    if is_mean_score(dt):
        one_board(dt, "An audit")
        board_fitted(dt, "constant_data")
        return
    of_votes = is_of_votes(dt)
    models = _OF_VOTES if of_votes else _MODELS
    if "posterior" in dt.children and dt.attrs.get("model") not in (None, *models):
        more = "" if of_votes else " or 'mean_score'"
        raise LeaderbayesError(
            f"An audit of {'votes' if of_votes else 'scores'} is of "
            f"{', '.join(map(repr, models))}{more}, and this fit has "
            f"model={dt.attrs['model']!r}: take model='bradley_terry' of the same data for its "
            "audit."
        )
    if "posterior" in dt.children and is_several(dt):
        fitted(dt, "constant_data")
        return
    board_fitted(dt, "constant_data", "observed_data")
    arguments = json.loads(dt.attrs["arguments"])
    if not arguments["within_round"]:
        raise LeaderbayesError("An audit is of matches within rounds: fit with within_round=True.")


def _units(dt: xr.DataTree) -> list[str]:
    """Name what the data are parted by, the first of all."""
    if is_several(dt):
        return ["tournament"]
    if not is_of_votes(dt):
        scores = dt["constant_data"].to_dataset()["scores"]
        clustered = is_mean_score(dt) and "cluster" in scores.coords
        return ["cluster", "round"] if clustered else ["round"]
    kept = kept_votes(dt)[0]
    named = [name for name in ("judge", "prompt") if name in kept.coords]
    # Prompts of one vote that were counted together are no parts.
    return [*(name for name in named if name != "prompt" or ALONE not in kept), "vote"]


def _removed(dt: xr.DataTree, units: list[str]) -> list[str]:
    """Name what is removed: parts of which there are some."""
    return [by for by in units if len(standing_by(dt, by).names) > 2]


def _position(standing: Standing, player: str) -> int:
    return [str(name) for name in standing.players].index(player)


def _players(dt: xr.DataTree, prob: float) -> xr.Dataset:
    table = leaderboard(dt, prob=prob)
    table["letters"] = letters_of(dt, table, prob, "joint")
    draws, players = standing_of(dt)
    order = by_mean(draws)
    better = (draws[:, order[:1]] > draws[:, order]).mean(axis=0)
    tied = [str(players[i]) for i, p in zip(order, better, strict=True) if p < prob]
    low, high = int(table["rank_lower"][0]), int(table["rank_upper"][0])
    first = table["player"][0]
    if len(tied) > 1:
        said = f"Not told apart from the leader, each pair by itself: {', '.join(tied[1:])}."
    else:
        said = f"{first} is told apart from every other player."
    said += (
        f" {first} is first with probability {float(table['p_best'][0]):.2f}, its rank "
        f"{low} to {high}."
    )
    if not dt.attrs["converged"]:
        said = f"NOT CONVERGED: do not report this audit. {said}"
    return answered(said, len(tied) > 1, _by_player(table), tied=json.dumps(tied))


def _by_player(table: pd.DataFrame) -> xr.Dataset:
    data = table.set_index("player")
    data.attrs = {}
    return xr.Dataset.from_dataframe(data)


def _pairs(dt: xr.DataTree, draws: Floats, players: pd.Index, prob: float) -> xr.Dataset:
    order = by_mean(draws)
    names = players[order].to_numpy()
    probability = p_better(dt).sel(player=names, opponent=names)
    ordered = draws[:, order]
    m = len(order)
    counts: dict[str, int] = {"pairs": m * (m - 1) // 2, "neighbours": m - 1}
    verdicts = {}
    for name, control in (("singly", "pair"), ("jointly", "joint")):
        better = claims(ordered, prob, "pair" if control == "pair" else "joint").astype(np.int8)
        verdicts[name] = (("player", "opponent"), better - better.T)
        counts[f"pairs_{name}"] = int(better.sum())
        counts[f"neighbours_{name}"] = int(np.diagonal(better, 1).sum())
    said = (
        f"Told apart with probability {prob:g} each are {counts['neighbours_singly']} of "
        f"{counted(m - 1, 'pair')} of neighbours and {counts['pairs_singly']} of all "
        f"{counted(counts['pairs'], 'pair')}; with probability {prob:g} for all claims together "
        f"{counts['neighbours_jointly']} and {counts['pairs_jointly']}."
    )
    data = xr.Dataset(
        {"p_better": (("player", "opponent"), probability.to_numpy()), **verdicts},
        {"player": names, "opponent": names},
    )
    return answered(said, counts["neighbours_jointly"] < m - 1, data, **counts)


def _removal(dt: xr.DataTree, by: Any, leader: str) -> xr.Dataset:
    try:
        table = influence(dt, by=by)
    except LeaderbayesError as problem:
        return not_asked(problem)
    attrs = {k: v for k, v in table.attrs.items() if k not in ("converged", "warnings", "message")}
    message, found = table.attrs["message"], bool(table.attrs["found"])
    if table.attrs["leader"] != leader:
        message = f"The fit has {leader} first, but by the estimate made here {message}"
    if found:
        removed = table[by].tolist()
        if len(removed) <= 10:
            message += f" ({by.capitalize()}{'s' if len(removed) > 1 else ''} "
            message += f"{', '.join(map(str, removed))}.)"
        again = leader_without(dt, by, removed)
        if again is None:
            message += " No fit without them converged, to say how surely."
        else:
            attrs |= {"leader_refit": again.first, "p_leader_refit": again.p}
            level = ""
            if again.p < _LEVEL:
                level = f"{again.first} and {again.other} are about level: "
            message += (
                f" In a fit without them {level}{again.first} is better than {again.other} with "
                f"probability {again.p:.2f}."
            )
    data = xr.Dataset.from_dataframe(table.rename_axis("removed"))
    del attrs["found"]
    few = found and float(table.attrs["share"]) <= _HANGS
    attrs["turned"] = int(found)
    return answered(message, few, data, **{str(name): value for name, value in attrs.items()})


def _aggregators(dt: xr.DataTree) -> xr.Dataset:
    table = aggregators(dt)
    other = bool((table["same_leader"] == 0).any())
    return answered(said_of(table), other, table)


def _check(dt: xr.DataTree) -> xr.Dataset:
    p = float(dt.attrs.get("p_check", np.nan))
    if is_mean_score(dt):
        return not_asked("the mean of scores is of boards of any law, and has no check.")
    if np.isnan(p) and is_of_votes(dt) and not can_misfit(dt):
        return not_asked("so few pairs met that strengths describe any votes on them.")
    if np.isnan(p):
        return not_asked("the fit has too few replicates for a check.")
    misfit = any(text.startswith("LB016") for text in warnings_of(dt.attrs)) or p < 0.05
    data = misfits(dt) if has_record(dt) else xr.Dataset()
    triples = data.sizes.get("triple", 0)
    if misfit:
        of = " of study.select(fit, tournament)" if is_several(dt) else ""
        said = (
            f"The model does not describe this board (LB016, p {_p(p)}): its intervals are of "
            "the model's best description; take pairs' own records (compare, "
            f"win_probability(by='record')){of}."
        )
    elif p > 0.95:
        said = f"The board varies less than the model says it would (p {_p(p)})."
    else:
        said = f"No sign of misfit (p {_p(p)})."
    if triples:
        first = [str(name) for name in data["triple"].to_numpy()[0]]
        said += (
            f" {counted(triples, 'triple')} beat each other in a circle, such as "
            f"{' over '.join(first)} over {first[0]}."
        )
    return answered(said, misfit or triples > 0, data.assign(p_check=p))


def _p(value: float) -> str:
    return f"= {value:.2f}" if value >= 0.005 else "< 0.005"


def _plan(dt: xr.DataTree, prob: float, simulations: int, seed: int) -> xr.Dataset:
    """Ask how many more rounds, or votes, decide."""
    if prob <= 0.5:
        return not_asked("a probability of 0.5 or less decides nothing.")
    planned = is_mean_score(dt) or dt.attrs["model"] == "bradley_terry"
    if is_several(dt) or not (planned or is_of_votes(dt)):
        return not_asked(f"no plan is made of model={dt.attrs['model']!r}; {_planned_instead(dt)}.")
    asked: dict[str, Any] = {"prob": prob, "simulations": simulations, "seed": seed}
    try:
        now = plan(dt, prob=prob, seed=seed, **_nothing_more(dt))
        name = "votes_needed" if is_of_votes(dt) else "rounds_needed"
        decided = not bool(now[name].any()) if name in now else False
        if not decided:
            if not is_of_votes(dt) and not is_mean_score(dt):
                rounds = len(dt["constant_data"]["round"])
                asked["rounds"] = (rounds, 4 * rounds)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LeaderbayesWarning)
                now = plan(dt, **asked)
    except LeaderbayesError as problem:
        return not_asked(problem)
    attrs = {k: v for k, v in now.attrs.items() if k not in ("converged", "warnings", "message")}
    return answered(now.attrs["message"], not decided, now.assign_attrs(**attrs))


def _planned_instead(dt: xr.DataTree) -> str:
    if not is_several(dt):
        return "fit 'bradley_terry' for one"
    if is_of_votes(dt):
        return "one is of one tournament, leaderbayes.study.select(fit, name)"
    return "fit the mean scores of the tournaments for one"


def _nothing_more(dt: xr.DataTree) -> dict[str, Any]:
    return {} if is_of_votes(dt) else {"rounds": ()}
