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
    """Return an answer of a tool as float arrays, or raise a ValueError that names what is wrong.

    ``apart`` and intervals of ranks are added where they follow from the rest.
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
    """Return the best and the worst rank (player,) that a player can have: ties have several."""
    higher = (score > score[:, None]).sum(axis=1)
    equal = (score == score[:, None]).sum(axis=1)
    return 1.0 + higher, higher + equal.astype(float)


def true_difference(unit, score, win):
    """Return true differences (player, player), row less column, in a unit.

    "log_odds" are of row beating column in a round; "mean_rank" is turned round, so that more is
    better as elsewhere.
    """
    if unit == "score":
        return score[:, None] - score
    if unit == "log_odds":
        return np.log(win) - np.log(win.T)
    beaten = win.sum(axis=1)
    return beaten[:, None] - beaten


def log_score(p, happened):
    """Return minus the log of the probability of what happened; half and half where it is 1/2."""
    p = np.clip(p, CLIP, 1.0 - CLIP)
    return -(happened * np.log(p) + (1.0 - happened) * np.log1p(-p))


def of_truth(answer, score, win):
    """Score an answer against true mean scores (player,) and win probabilities (player, player).

    ``differences``, ``ranks``, ``wins``: share of 95 % intervals that hold the truth, of ranks one
    that the player can have; ``rank_width``, ``wins_width``: how wide they are; ``told``: share of
    the pairs that differ which are distinguished; ``claims``, ``wrong``: pairs that are, and those
    of them that are equal or the other way round; ``log_score``: of P(better), over the pairs that
    differ.
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
    """Count cases (class, 3) between BINS: how many, what was said, how often it was so.

    Both are of the likelier side; ``better`` is 1 where the first is better, 1/2 for a tie.
    """
    said = np.maximum(p, 1.0 - p)
    was = np.where(p > 0.5, better, np.where(p < 0.5, 1.0 - better, 0.5))
    place = np.clip(np.searchsorted(BINS, said, side="right") - 1, 0, len(BINS) - 2)
    counted = np.ones_like(said), said, was
    return np.stack([np.bincount(place, w, len(BINS) - 1) for w in counted], axis=1)


def _between():
    """Return what makes 40 equally probable values of quantiles: a matrix (value, level).

    Values are linear in the normal deviate of their level, beyond the outer quantiles too.
    """
    known, z = ndtri(LEVELS), ndtri((np.arange(40) + 0.5) / 40.0)
    at = np.clip(np.searchsorted(known, z) - 1, 0, len(known) - 2)
    share = ((z - known[at]) / np.diff(known)[at])[:, None]
    return (1.0 - share) * np.eye(len(known))[at] + share * np.eye(len(known))[at + 1]


_BETWEEN = _between()


def predicted(quantiles, won, n, prob):
    """Return the share (pair,) of the predictive distribution at what happened that is central.

    A pair with win probability p wins Binomial(n, p) of n further rounds, averaged over the tool's
    distribution of p, given by its quantiles at LEVELS (level, pair). The wins that happened take
    up an interval (F(won - 1), F(won)) of the distribution function F. The part of it that is in
    the central `prob` counts as covered, so that a right prediction covers exactly `prob` on
    average although wins are whole numbers. Half a win counts as half of each neighbour.
    """
    p = np.clip(_BETWEEN @ quantiles, 0.0, 1.0)
    found = np.zeros(len(won))
    for k in (np.floor(won), np.ceil(won)):
        before, at = (
            np.where(each < 0, 0.0, bdtr(np.maximum(each, 0), n, p)).mean(axis=0)
            for each in (k - 1, k)
        )
        inside = np.minimum(at, (1.0 + prob) / 2.0) - np.maximum(before, (1.0 - prob) / 2.0)
        found += np.maximum(inside, 0.0) / np.maximum(at - before, 1e-300) / 2.0
    return found


def of_half(answer, kept, fitted):
    """Score an answer to so many fitted rounds by the rounds kept back (round, player).

    ``rounds``: log score of P(wins) for each pair and round, a tie half a win; ``reliability`` of
    the same; ``cover95``, ``cover80``: predictive intervals of the pair's win rate that hold it
    (`predicted`); ``width``: of 95 % intervals of the win probability; ``best``: log score of
    P(leads) for who has the highest mean, ties shared; ``leader``: log score for which of a pair
    has the higher mean, of P(better) turned into a prediction, Phi(Phi^-1(p) / sqrt(1 + fitted /
    kept)), which is exact for a normal posterior under a flat prior.
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
    """Return the mean distance of probabilities from frequencies in their class, and its error.

    ``parts`` has the `reliability` of each board; the error is by leaving boards out.
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
