"""The arithmetic of the scores: a tool's answers compared with what is true, or what comes next.

Arrays only. `answer` is what a tool returns (see README.md); `nan` marks what it does not answer.
"""

import numpy as np
from scipy.special import bdtr, ndtr, ndtri
from tools._serve import LEVELS

PROB = 0.95  # of every interval and claim
CLIP = 1.0 / 2000.0  # a probability of 0 or 1 counts as this far from it
BINS = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])
UNITS = ("score", "log_odds", "mean_rank")
KEYS = (
    "p_better", "p_wins", "p_leads", "wins_quantiles", "apart", "rank_lower", "rank_upper",
    "difference_lower", "difference_upper", "unit",
)  # fmt: skip


def checked(answer, players):
    """Give an answer as arrays, once it is one.

    Parameters
    ----------
    answer : dict
        Of a tool.
    players : int
        How many it was asked about.

    Returns
    -------
    dict
        The same as float arrays; ``apart`` and rank intervals are added where they follow.

    Raises
    ------
    ValueError
        If it says what cannot be: names the entry and the rule.
    """
    unknown = set(answer) - set(KEYS)
    if unknown:
        raise ValueError(f"{sorted(unknown)} is no entry of an answer; there are {', '.join(KEYS)}")
    found = {key: np.asarray(value, float) for key, value in answer.items() if key != "unit"}
    for key, value in found.items():
        shape = (players,) if key in ("p_leads", "rank_lower", "rank_upper") else (players, players)
        shape = (len(LEVELS), *shape) if key == "wins_quantiles" else shape
        if value.shape != shape:
            raise ValueError(f"{key} is of shape {value.shape}, not {shape}")
    off = ~np.eye(players, dtype=bool)
    for key in ("p_better", "p_wins"):
        if key in found:
            p = found[key]
            if not ((p[off] >= 0.0) & (p[off] <= 1.0)).all():
                raise ValueError(f"{key} is not between 0 and 1")
            if np.abs(p + p.T - 1.0)[off].max() > 0.02:
                raise ValueError(f"{key}: of row over column and of column over row are not 1")
    if "difference_lower" in found or "difference_upper" in found:
        if answer.get("unit") not in UNITS:
            raise ValueError(f"differences need a unit: one of {', '.join(UNITS)}")
        found["unit"] = answer["unit"]
        if (found["difference_lower"] > found["difference_upper"] + 1e-9)[off].any():
            raise ValueError("difference_lower is above difference_upper")
    if "apart" not in found and "p_better" in found:
        found["apart"] = (found["p_better"] >= 1.0 - (1.0 - PROB) / 2.0) & off
    if "apart" in found:
        found["apart"] = found["apart"].astype(bool) & off
        if (found["apart"] & found["apart"].T).any():
            raise ValueError("apart says of two players that each is better than the other")
        if "rank_lower" not in found:
            found["rank_lower"] = 1.0 + found["apart"].sum(axis=0)
            found["rank_upper"] = players - found["apart"].sum(axis=1).astype(float)
    return found


def true_ranks(score):
    """Best and worst rank (player,) that a player can have: ties have several."""
    higher = (score > score[:, None]).sum(axis=1)
    equal = (score == score[:, None]).sum(axis=1)
    return 1.0 + higher, higher + equal.astype(float)


def true_difference(unit, score, win):
    """Give true differences (player, player), row less column, in a unit.

    Of "log_odds" those of row beating column in a round; of "mean_rank" of mean ranks turned
    round, so that more is better as elsewhere.
    """
    if unit == "score":
        return score[:, None] - score
    if unit == "log_odds":
        return np.log(win) - np.log(win.T)
    beaten = win.sum(axis=1)
    return beaten[:, None] - beaten


def log_score(p, happened):
    """Give minus the log of the probability of what happened; half and half where it is 1/2."""
    p = np.clip(p, CLIP, 1.0 - CLIP)
    return -(happened * np.log(p) + (1.0 - happened) * np.log1p(-p))


def of_truth(answer, score, win):
    """Score an answer against the truth.

    Parameters
    ----------
    answer : dict
        As `checked` gives it.
    score : ndarray (player,)
        True mean scores.
    win : ndarray (player, player)
        True probabilities of winning a round.

    Returns
    -------
    dict
        ``differences``, ``ranks``: share of intervals that hold the truth, of ranks one that the
        player can have; ``rank_width``: ranks in an interval; ``told``: share of the pairs that
        differ which are told apart; ``claims``, ``wrong``: pairs told apart, and those of them
        that are equal or the other way round; ``log_score``: of P(better), over the pairs that
        differ; ``wins``, ``wins_width``: share of 95 % intervals of win probabilities that hold
        the true one, and how wide they are.
    """
    m = len(score)
    i, j = np.triu_indices(m, 1)
    sign = np.sign(score[i] - score[j])
    differ = sign != 0
    row = {}
    if "unit" in answer:
        true = true_difference(answer["unit"], score, win)[i, j]
        low, high = answer["difference_lower"][i, j], answer["difference_upper"][i, j]
        row["differences"] = ((low <= true) & (true <= high)).mean()
    if "rank_lower" in answer:
        best, worst = true_ranks(score)
        row["ranks"] = ((answer["rank_lower"] <= worst) & (best <= answer["rank_upper"])).mean()
        row["rank_width"] = (answer["rank_upper"] - answer["rank_lower"] + 1.0).mean()
    if "apart" in answer:
        claim = answer["apart"][i, j].astype(float) - answer["apart"][j, i]
        row["claims"] = float((claim != 0).sum())
        row["wrong"] = float(((claim != 0) & (claim != sign)).sum())
        if differ.any():
            row["told"] = ((claim != 0) & differ).sum() / differ.sum()
    if "p_better" in answer and differ.any():
        happened = (sign[differ] + 1.0) / 2.0
        row["log_score"] = log_score(answer["p_better"][i, j][differ], happened).mean()
    if "wins_quantiles" in answer:
        low, high = answer["wins_quantiles"][[0, -1]][:, i, j]
        row["wins"] = ((low <= win[i, j]) & (win[i, j] <= high)).mean()
        row["wins_width"] = (high - low).mean()
    return row


def reliability(p, better):
    """Count what was said and what happened by classes of probability.

    Parameters
    ----------
    p : ndarray (case,)
        Probability that the first is better.
    better : ndarray (case,)
        1 where it is, else 0.

    Returns
    -------
    ndarray (class, 3)
        Cases, sum of what was said of the likelier side, how often that side it was. Classes are
        those between BINS.
    """
    said = np.maximum(p, 1.0 - p)
    was = np.where(p > 0.5, better, np.where(p < 0.5, 1.0 - better, 0.5))
    place = np.clip(np.searchsorted(BINS, said, side="right") - 1, 0, len(BINS) - 2)
    return np.stack(
        [np.bincount(place, w, len(BINS) - 1) for w in (np.ones_like(said), said, was)], axis=1
    )


def predicted(quantiles, won, n, prob):
    """Return the share of a pair's predictive distribution at what happened that is central.

    A pair with win probability p wins Binomial(n, p) of n further rounds, and p is as the tool has
    it: the binomials are averaged over its quantiles. The wins that happened take up an interval
    (F(won - 1), F(won)) of the distribution function. The part of it that is in the central
    `prob` counts as covered, so that a right prediction covers exactly `prob` on average although
    wins are whole numbers. Half a win more counts as half of each neighbour.

    Parameters
    ----------
    quantiles : ndarray (level, pair)
        Of the win probability, at LEVELS.
    won, n : ndarray (pair,)
        Wins with ties as halves, and rounds.
    prob : float
        What the interval claims.

    Returns
    -------
    ndarray (pair,)
        Between 0 and 1.
    """
    between = (LEVELS[1:] + LEVELS[:-1]) / 2.0
    weight = np.diff(between, prepend=0.0, append=1.0)
    found = np.zeros(len(won))
    for k in (np.floor(won), np.ceil(won)):
        before, at = (
            weight @ np.where(each < 0, 0.0, bdtr(np.maximum(each, 0), n, quantiles))
            for each in (k - 1, k)
        )
        inside = np.minimum(at, (1.0 + prob) / 2.0) - np.maximum(before, (1.0 - prob) / 2.0)
        found += np.maximum(inside, 0.0) / np.maximum(at - before, 1e-300) / 2.0
    return found


def of_half(answer, kept, fitted):
    """Score an answer to half of the rounds by the other half.

    Parameters
    ----------
    answer : dict
        As `checked` gives it.
    kept : ndarray (round, player)
        Scores in the rounds that the tool did not see, none missing.
    fitted : int
        How many rounds it saw.

    Returns
    -------
    dict
        ``rounds``: log score of P(wins) for each pair and round kept, a tie half a win;
        ``reliability`` of the same; ``cover95``, ``cover80``: predictive intervals of the pair's
        win rate in these rounds that hold it (`predicted`); ``width``: of 95 % intervals of the win
        probability; ``best``: log score of P(leads) for who has the highest mean in the kept
        rounds, ties shared; ``leader``: log score for which of a pair has the higher one, of
        P(better) turned into a prediction: Phi(Phi^-1(p) / sqrt(1 + fitted / kept)), which is
        exact for a normal posterior under a flat prior.
    """
    i, j = np.triu_indices(kept.shape[1], 1)
    won = (np.sign(kept[:, i] - kept[:, j]) + 1.0) / 2.0
    row = {}
    if "p_wins" in answer:
        p = np.broadcast_to(answer["p_wins"][i, j], won.shape)
        row["rounds"] = log_score(p, won).mean()
        row["reliability"] = reliability(p.ravel(), won.ravel())
    if "wins_quantiles" in answer:
        quantiles, n = answer["wins_quantiles"][:, i, j], len(kept)
        row["width"] = (quantiles[-1] - quantiles[0]).mean()
        for percent in (95, 80):
            covered = predicted(quantiles, won.sum(axis=0), n, percent / 100.0)
            row[f"cover{percent}"] = covered.mean()
    # Means of the same scores in another order differ in the last digit.
    mean = kept.mean(axis=0)
    gap = np.where(np.abs(mean[i] - mean[j]) < 1e-12, 0.0, mean[i] - mean[j])
    if "p_better" in answer:
        p = np.clip(answer["p_better"][i, j], CLIP, 1.0 - CLIP)
        ahead = ndtr(ndtri(p) / np.sqrt(1.0 + fitted / len(kept)))
        row["leader"] = log_score(ahead, (np.sign(gap) + 1.0) / 2.0).mean()
    if "p_leads" in answer:
        first = mean > mean.max() - 1e-12
        row["best"] = -np.log(np.clip(answer["p_leads"][first], CLIP, 1.0)).mean()
    return row


def calibration_error(parts):
    """Return how far probabilities are from frequencies, and the error by leaving boards out.

    Parameters
    ----------
    parts : list of ndarray (class, 3)
        `reliability` of each board.

    Returns
    -------
    error, standard_error : float
        Mean over all cases of the difference in the case's class.
    """
    if len(parts) < 2:
        return np.nan, np.nan
    parts = np.stack(parts)
    whole = parts.sum(axis=0)
    each = np.concatenate([whole[None], whole - parts])
    error = np.abs(each[..., 1] - each[..., 2]).sum(axis=1) / each[..., 0].sum(axis=1)
    without = error[1:]
    return error[0], np.sqrt((len(parts) - 1) * without.var())


def mean_error(values):
    """Return the mean of what is not nan, and its standard error over boards."""
    values = np.asarray(values, float)
    values = values[~np.isnan(values)]
    if not len(values):
        return np.nan, np.nan
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return float(values.mean()), float(error)
