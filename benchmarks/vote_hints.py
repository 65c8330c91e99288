"""How often votes are warned of: LB045 (who is shown first) and LB049 (strengths that move).

    OPENBLAS_NUM_THREADS=1 uv run python benchmarks/vote_hints.py [--boards 100] [--only order time]

Reads and estimates simulated tables as users do. Prints rows of boards with and without what the
warnings are of: how many had it; of LB045 also how many by the average of all judges alone, on how
many less than 0.8 of the intervals of true differences hold ("harmful"), and how many of these had
it. docs/warnings.md has what is found.
"""

import argparse
import itertools
import warnings

import numpy as np
import pandas as pd
from scipy.special import expit, logit

import leaderbayes as lb

HARM = 0.8  # of intervals, below which a board is harmful
SPREAD = 0.6  # of strengths, log-odds


def drawn(rng, votes, players, judges, opinion):
    """Strengths, the two of each vote, its judge, and the difference of the judge's opinions."""
    strength = SPREAD * rng.standard_normal(players)
    first = rng.integers(players, size=votes)
    second = (first + rng.integers(1, players, votes)) % players
    judge = rng.integers(judges, size=votes)
    own = opinion * rng.standard_normal((judges, players))
    return strength, first, second, judge, own


def parts(rng, players, spread):
    """What pairs have beside strengths (player, opponent), skew-symmetric."""
    upper = np.triu(spread * rng.standard_normal((players, players)), 1)
    return upper - upper.T


def table(first, second, outcome, judge):
    """The table that a user has."""
    return pd.DataFrame(
        {
            "model_a": [f"m{i:03d}" for i in first],
            "model_b": [f"m{i:03d}" for i in second],
            "winner": np.select([outcome == 1.0, outcome == 0.0], ["model_a", "model_b"], "tie"),
            "judge": [f"j{g}" for g in judge],
        }
    )


def estimate(votes, **options):
    """Maximum likelihood, and the warnings that came with it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", lb.LeaderbayesWarning)
        found = lb.likelihood.bradley_terry(lb.read_votes(votes), **options)
    return found, [str(one.message) for one in caught]


def board_of_order(
    rng, *, votes, judges, players=8, always=0.0, stronger=0.8, opinion=0.3, sharp=0.0, pairs=0.0,
    ties=0.0,
):  # fmt: skip
    """Some judges always choose the first, and the stronger is mostly that.

    Gives the table and the log-odds of each pair in a new vote, whoever is first in it.
    """
    strength, first, second, judge, own = drawn(rng, votes, players, judges, opinion)
    turn = (strength[first] > strength[second]) != (rng.random(votes) < stronger)
    first, second = np.where(turn, second, first), np.where(turn, first, second)
    scale = np.exp(sharp * rng.standard_normal(judges))
    eta = scale[judge] * (strength[first] - strength[second])
    eta += own[judge, first] - own[judge, second] + parts(rng, players, pairs)[first, second]
    by_place = rng.permutation(judges) < round(always * judges)
    p = np.where(by_place[judge], 1.0, expit(eta))
    outcome = (rng.random(votes) < p).astype(float)
    outcome[(rng.random(votes) < ties) & ~by_place[judge]] = 0.5
    # A logistic of a normal opinion, nearly.
    gap = (strength[:, None] - strength) / np.sqrt(1.0 + 2.0 * 0.346 * opinion**2)
    share = by_place.mean()
    return table(first, second, outcome, judge), logit(0.5 * share + (1.0 - share) * expit(gap))


def covered(found, truth):
    """Share of pairs whose 95 % interval holds the truth; players are named in order."""
    found = found.sortby("player").sortby("player_")
    epp, covariance = found["epp"].to_numpy(), found["covariance"].to_numpy()
    i, j = np.triu_indices(len(epp), 1)
    variance = covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j]
    return np.mean(np.abs(epp[i] - epp[j] - truth[i, j]) < 1.96 * np.sqrt(variance))


def order(boards, rng, **given):
    """Count boards of one kind with LB045."""
    rows = []
    for _ in range(boards):
        votes, truth = board_of_order(rng, **given)
        found, said = estimate(votes)
        mine = next((text for text in said if text.startswith("LB045")), "")
        cover = with_order = np.nan
        if given.get("always"):
            cover = covered(found, truth)
            with_order = covered(estimate(votes, order_effect=True)[0], truth)
        rows.append(("LB045" in mine, "the one shown first" in mine, cover, with_order))
    had, average, cover, with_order = np.array(rows, dtype=float).T
    if not given.get("always"):
        return f"{had.sum():.0f} | {average.sum():.0f} | | | | |"
    harmful = cover < HARM
    return (
        f"{had.sum():.0f} | {average.sum():.0f} | {harmful.sum()} | {had[harmful].sum():.0f} | "
        f"{average[harmful].sum():.0f} | {cover.mean():.2f} | {with_order.mean():.2f}"
    )


def board_of_time(
    rng, *, votes, judges, players=8, move=0.0, opinion=0.3, others=False, pairs=0.0, near=False,
    ties=0.0,
):  # fmt: skip
    """One player moves steadily by ``move``; judges may be others later, and so may pairs."""
    strength, first, second, judge, own = drawn(rng, votes, players, judges, opinion)
    at = np.arange(votes) / votes
    if others:
        judge = judge // 2 + np.where(at < 0.5, 0, judges // 2)
    if near:  # in the first half
        second = np.where(at < 0.5, (first + rng.integers(1, 3, votes)) % players, second)
    moved = move * (at - 0.5) * ((first == 0).astype(float) - (second == 0))
    eta = strength[first] - strength[second] + moved + own[judge, first] - own[judge, second]
    eta += parts(rng, players, pairs)[first, second]
    outcome = (rng.random(votes) < expit(eta)).astype(float)
    outcome[rng.random(votes) < ties] = 0.5
    times = pd.date_range("2026-01-01", periods=votes, freq="min")
    return table(first, second, outcome, judge).assign(time=times)


def time(boards, rng, **given):
    """Count boards of one kind with LB049."""
    said = [estimate(board_of_time(rng, **given))[1] for _ in range(boards)]
    return f"{sum(any(text.startswith('LB049') for text in one) for one in said)}"


def kinds_of_order():
    """Boards with judges who choose by place, and boards without."""
    for votes, (always, stronger), judges in itertools.product(
        (300, 1000), ((0.25, 0.8), (0.25, 0.5), (0.1, 0.8)), (20, 100)
    ):
        yield {"votes": votes, "always": always, "stronger": stronger, "judges": judges}
    for votes, stronger in itertools.product((300, 1000), (0.5, 0.8, 1.0)):
        for judges, opinion in ((3, 0.3), (5, 1.0), (20, 0.0), (20, 0.3), (20, 1.0), (200, 0.3)):
            yield {"votes": votes, "stronger": stronger, "judges": judges, "opinion": opinion}
        yield {"votes": votes, "stronger": stronger, "judges": 20, "ties": 0.3}
    for votes, stronger in itertools.product((2000, 10_000), (0.8, 1.0)):
        for other in ({"pairs": 0.4}, {"pairs": 0.8}, {"sharp": 0.5}):
            yield {"votes": votes, "stronger": stronger, "judges": 20} | other


def kinds_of_time():
    """Boards on which nothing moves, and boards on which one of eight players does."""
    for votes, opinion in itertools.product((300, 1000, 3000), (0.0, 0.3, 1.0)):
        yield {"votes": votes, "judges": 20, "opinion": opinion}
    for judges in (2, 5, 200):
        yield {"votes": 1000, "judges": judges}
    for judges, opinion in ((4, 0.5), (20, 0.5), (40, 1.0)):
        yield {"votes": 1000, "judges": judges, "opinion": opinion, "others": True}
    yield {"votes": 2000, "judges": 20, "players": 30}
    yield {"votes": 1000, "judges": 20, "ties": 0.3}
    for votes, pairs, near in itertools.product((1000, 10_000), (0.3, 0.6), (False, True)):
        yield {"votes": votes, "judges": 20, "pairs": pairs, "near": near}
    for move, votes in itertools.product((1.0, 2.0), (1000, 3000)):
        yield {"votes": votes, "judges": 20, "move": move}
    yield {"votes": 3000, "judges": 20, "move": 2.0, "others": True}


KINDS = {
    "order": (order, kinds_of_order,
              "LB045 | by the average | harmful | LB045 of these | by the average | cover | "
              "with order_effect=True"),
    "time": (time, kinds_of_time, "LB049"),
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=100)
    parser.add_argument("--only", nargs="+", default=list(KINDS), choices=KINDS)
    asked = parser.parse_args()
    for what in asked.only:
        count, kinds, columns = KINDS[what]
        print(f"\n| of {asked.boards} boards | {columns} |")
        print("|---" * (2 + columns.count("|")) + "|")
        for k, given in enumerate(kinds()):
            name = ", ".join(f"{key} {value}" for key, value in given.items())
            print(
                f"| {name} | {count(asked.boards, np.random.default_rng([1, k]), **given)} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
