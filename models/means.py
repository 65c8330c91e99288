"""Boards of scores, and of right-or-wrong items, whose true means are known: mean scores.

``sizes``: what is true of a player is its mean score in the population that rounds or items are
drawn from. Each board is fitted twice: with the prior that draws players together, and flat.
``new_data``: scores over data sets, whether the interval of the mean difference has the true one,
how often the interval on a new data set has the difference there, and P(better) and P(equivalent)
there. ``answers``: players who were not asked all items, by Rasch's model, by mean scores of all
answers, and by those of the items that all players answered.
"""

import itertools

import numpy as np
from scipy.special import expit
from scipy.stats import norm

from matches import FAMILIES, FAR, MISSING, NOISE, SD, WIDE
from tables import Table, draws_of, fit, gaps, happened, held, means, read, scores

OF_ROUNDS = (
    "normal", "heavy tails", "skewed", "own scales", "families", "equal", "one far above",
    "30 % missing",
)  # fmt: skip
OF_ITEMS = (
    "right or wrong", "near the ceiling", "most alike", "families", "equal", "clusters of 10",
    "trained classifiers", "99 % ties", "clusters of 50", "2 subjects", "6 subjects",
)  # fmt: skip
STATISTICS = {  # beside mean scores: options of `leaderbayes.fit`
    "medians": {"statistic": "median"},
    "interquartile means": {"statistic": "iqm"},
    "standardised": {"of": "standardised"},
}
PRIORS = {"": {}, "flat ": {"prior_scale": np.inf}}
POPULATION = 20_000  # rounds, of which their truth is
EASE, CEILING = 1.0, 3.5  # log-odds of the mean player on the mean item; near the ceiling
DIFFICULTY = {"most alike": 8.0, "99 % ties": 80.0}  # standard deviation of items' log-odds, or 1.5
PLAYERS = 0.5  # standard deviation of players' log-odds
SHARED = 1.5  # of log-odds that a family shares, or a player has in a cluster
CLUSTERS = {"clusters of 10": 10, "clusters of 50": 50}  # items; new clusters are asked of
SUBJECTS = {"2 subjects": 2, "6 subjects": 6}  # which are asked of themselves
_POINTS = norm.ppf((np.arange(400) + 0.5) / 400.0)  # of a quadrature by quantiles


def rounds_of(kind, players, rounds, rng):
    """Scores (player, round) and the true means (player,)."""
    mu, shape = rng.normal(size=players), (players, rounds)
    if kind == "equal":
        mu[:] = 0.0
    if kind == "one far above":
        mu = 0.5 * mu
        mu[0] = mu[1:].mean() + FAR
    if kind in WIDE:
        scale = SD * np.exp(rng.normal(scale=WIDE[kind], size=players))
        noise = scale[:, None] * rng.normal(size=shape)
    elif kind == "families":
        family = np.arange(players) % min(FAMILIES, players - 1)
        shared = rng.normal(size=(family.max() + 1, rounds))[family]
        noise = SD * np.sqrt(0.5) * (shared + rng.normal(size=shape))
    else:
        law = NOISE.get(kind, NOISE["normal"])
        noise = law.rvs(shape, random_state=rng) - law.mean()
    values = mu[:, None] + noise + 2.0 * rng.normal(size=rounds)
    if kind in MISSING:
        absent = rng.random(shape) < MISSING[kind]
        absent[:, 0] = False
        values[absent] = np.nan
    return values, mu


def items_of(kind, players, rounds, rng):
    """Answers (player, round), 1 or 0, and the true shares of right ones (player,)."""
    if kind == "trained classifiers":
        import leaderbayes as lb

        # Some of the shipped classifiers, on items drawn from the shipped 600.
        answers = lb.datasets.load("answers").to_numpy().astype(float)
        some = answers[rng.choice(len(answers), players, replace=False)]
        return some[:, rng.integers(some.shape[1], size=rounds)], some.mean(axis=1)
    ability = (CEILING if kind == "near the ceiling" else EASE) + PLAYERS * rng.normal(size=players)
    if kind == "equal":
        ability[:] = EASE
    spread, shared = DIFFICULTY.get(kind, 1.5), 0.0
    odds = ability[:, None] + spread * rng.normal(size=rounds)
    if kind == "families":
        family = np.arange(players) % min(FAMILIES, players - 1)
        odds = odds + SHARED * rng.normal(size=(family.max() + 1, rounds))[family]
        shared = SHARED
    if kind in CLUSTERS:
        own = SHARED * rng.normal(size=(players, rounds // CLUSTERS[kind]))
        odds, shared = odds + np.repeat(own, CLUSTERS[kind], axis=1), SHARED
    if kind in SUBJECTS:
        of = np.arange(rounds) % SUBJECTS[kind]
        own = SHARED * rng.normal(size=(players, SUBJECTS[kind]))[:, of]
        odds, points = odds + own, (ability[:, None] + own)[..., None] + spread * _POINTS
        return (rng.random(odds.shape) < expit(odds)).astype(float), expit(points).mean((1, 2))
    right = expit(ability[:, None] + np.hypot(spread, shared) * _POINTS).mean(axis=1)
    return (rng.random(odds.shape) < expit(odds)).astype(float), right


def statistics_of(what, kind, players, rounds, rng):
    """Scores (player, round), and what is asked for of very many further rounds (player,)."""
    values, _ = rounds_of(kind, players, rounds + POPULATION, rng)
    values, later = values[:, :rounds], values[:, rounds:]
    if what == "medians":
        return values, np.median(later, axis=1)
    if what == "standardised":
        return values, ((later - later.mean(axis=0)) / later.std(axis=0, ddof=1)).mean(axis=1)
    return values, np.sort(later, axis=1)[:, POPULATION // 4 : -POPULATION // 4].mean(axis=1)


def sizes_board(what, kind, players, rounds, number):
    """What is said of one board, and whether it is so."""
    import leaderbayes as lb

    kinds = OF_ITEMS if what == "items" else OF_ROUNDS
    rng = np.random.default_rng([kinds.index(kind), players, rounds, number])
    if what in STATISTICS:
        values, true = statistics_of(what, kind, players, rounds, rng)
    else:
        values, true = (items_of if what == "items" else rounds_of)(kind, players, rounds, rng)
    if (values == values[0, 0]).all():
        return None  # refused: there is nothing to compare
    board, asked = scores(values), dict(STATISTICS.get(what, {}))
    if kind in CLUSTERS or kind in SUBJECTS:
        k = np.arange(rounds)
        cluster = k // CLUSTERS[kind] if kind in CLUSTERS else k % SUBJECTS[kind]
        asked["cluster"] = "new" if kind in CLUSTERS else "same"
        board = board.assign_coords(cluster=("round", cluster))
    seed, row, width, best = int(rng.integers(2**32)), {}, {}, {}
    # Some of the shipped classifiers have the same number right: who are best share it, as P(best).
    of_best = (true == true.max()) / (true == true.max()).sum()
    for prior, options in PRIORS.items():
        if prior and np.isnan(values).any():
            continue
        dt = fit(board, "mean_score", seed=seed, **asked, **options)
        inside, width[prior] = held(gaps(draws_of(dt, "score")), gaps(true))
        row[f"{prior}pairs"] = inside.mean()
        table = lb.leaderboard(dt).set_index("player").loc[board["player"].values]
        said, lead = table["p_best"].to_numpy(), [table["score"].to_numpy().argmax()]
        if kind != "equal":  # where nobody is the best
            best[f"{prior}first"] = [said[lead], of_best[lead]]
            best[f"{prior}every player"] = [said, of_best]
        if not prior:
            inside = table["score_lower"].le(true) & table["score_upper"].ge(true)
            row["each player"] = inside.mean()
            row["converged"] = dt.attrs["converged"]
            first, second = np.argsort(-table["score"].to_numpy())[:2]
            pair = lb.compare(dt, f"p{first}", f"p{second}")
            gap = true[first] - true[second]
            row["best and next"] = pair["difference_lower"] <= gap <= pair["difference_upper"]
    row["narrower"] = width[""] / width.get("flat ", np.nan)
    return row | ({"best": best} if best else {})


def sizes_cells():
    """Cells, and boards of each."""
    corners = ("normal", "heavy tails", "own scales", "families")
    items = itertools.product(["items"], OF_ITEMS[:7], (2, 8, 20, 150), (50, 500))
    few = ("clusters of 10", 50), ("trained classifiers", 150)  # clusters, classifiers
    cells = (
        *(cell for cell in items if cell[1::2] not in few and cell[1:3] not in few),
        *itertools.product(["scores"], OF_ROUNDS, (8, 20), (10,)),
        *itertools.product(STATISTICS, OF_ROUNDS[:5], (8,), (10,)),
        *itertools.product(["items"], OF_ITEMS[7:9], (2, 20), (500, 2000)),
        *itertools.product(["items"], ("right or wrong", "families"), (2, 20), (2000,)),
        *itertools.product(["scores"], corners, (2, 20), (3, 100)),
        *itertools.product(["items"], SUBJECTS, (2, 8, 20), (50, 500)),
    )
    of_items = {2: 12, 8: 8, 20: 5, 150: 1}
    return {cell: of_items[cell[2]] if cell[0] == "items" else 12 for cell in cells}


def sizes_shown(folder):
    """Tables of README: kinds, corners, P(best) in classes and by kind."""
    table, best = read(folder, "sizes"), read(folder, "sizes_best")
    table["least pairs"] = table["pairs"]
    names = ["pairs", "flat pairs", "narrower", "best and next", "converged"]
    how = dict.fromkeys(names, "mean") | {"least pairs": "min"}
    corner = table["rounds"].isin([3, 100, 2000]) | table["noise"].isin(OF_ITEMS[7:9])
    by = ["rounds are", "noise"]
    best = best[best["who"].str.endswith("first")]
    best["who"] = best["rounds are"] + ": " + best["who"]
    classes = happened(best[~best["rounds are"].isin(STATISTICS)], ["who", "class"])
    first = best[~best["who"].str.contains("flat")]
    return {
        "sizes": table[~corner].groupby(by, sort=False).agg(how).reset_index(),
        "sizes_corners": table[corner].groupby([*by, "rounds"], sort=False).agg(how).reset_index(),
        "sizes_best": classes.sort_values(["who", "class"]).drop(columns="class"),
        "sizes_best_kinds": happened(first, by),
    }


SIZES = Table(("rounds are", "noise", "players", "rounds"), sizes_cells(), sizes_board, sizes_shown)

SPREAD = {  # between data sets, in standard deviations of a round's noise
    "small spread": 0.1, "large spread": 1.0, "heavy tails of data sets": 0.7,
    "heavy tails of players": 0.7, "own spreads": 0.7,
}  # fmt: skip
ROUNDS, NEW, ROPE = 10, 4000, 0.3  # NEW data sets are drawn for what is true
DF, OWN = 3.0, 0.7  # of heavy tails; of players' own spreads, the logarithm's standard deviation


def deviations(kind, spread, players, tournaments, rng):
    """Draw what the players' means on data sets are off (tournament, player)."""
    z = rng.normal(size=(tournaments, players))
    if kind == "heavy tails of data sets":
        z *= np.sqrt(DF / rng.chisquare(DF, (tournaments, 1)))
    if kind == "heavy tails of players":
        z *= np.sqrt(DF / rng.chisquare(DF, z.shape))
    return spread * z


def new_data_board(kind, players, tournaments, number):
    """What is said of one table, and what is true."""
    import leaderbayes as lb

    rng = np.random.default_rng([list(SPREAD).index(kind), players, tournaments, number])
    spread = np.full(players, SPREAD[kind])
    if kind == "own spreads":
        spread = spread * np.exp(OWN * rng.normal(size=players))
    mu = 0.5 * rng.normal(size=players)
    off = deviations(kind, spread, players, tournaments, rng)
    shape = (tournaments, players, ROUNDS)
    noise = np.exp(0.4 * rng.normal(size=(tournaments, 1)) + 0.3 * rng.normal(size=shape[:2]))
    values = (mu + off + rng.normal(size=(tournaments, 1)))[:, :, None]
    values = values + rng.normal(size=(tournaments, 1, ROUNDS))
    values = values + noise[:, :, None] * rng.normal(size=shape)
    dt = fit(scores(values), "score_tournaments", seed=int(rng.integers(2**32)), replicates=1)
    new = gaps(mu + deviations(kind, spread, players, NEW, rng))
    rows = []
    for pair, (i, j) in enumerate(zip(*np.triu_indices(players, 1), strict=True)):
        said = {k: float(v) for k, v in lb.compare(dt, f"p{i}", f"p{j}", rope=ROPE).items()}
        there, gap = new[:, pair], mu[i] - mu[j]
        better, truly = said["p_better"], (there > ROPE).mean()
        if better < said["p_worse"]:
            better, truly = said["p_worse"], (there < -ROPE).mean()
        rows.append(
            {
                "pairs": said["difference_lower"] <= gap <= said["difference_upper"],
                "new": ((said["new_lower"] <= there) & (there <= said["new_upper"])).mean(),
                "said better": better, "truly better": truly,
                "said equivalent": said["p_equivalent"],
                "truly equivalent": (np.abs(there) <= ROPE).mean(),
                "off": abs(said["p_better"] - (there > ROPE).mean()),
            }
        )  # fmt: skip
    row = {name: np.mean([one[name] for one in rows]) for name in rows[0]}
    return row | {"converged": dt.attrs["converged"]}


NEW_DATA = Table(
    ("data sets", "players", "tournaments"),
    dict.fromkeys(itertools.product(SPREAD, (3, 8), (5, 15)), 10),
    new_data_board,
    lambda folder: {"new_data": means(
        read(folder, "new_data"), ["data sets"],
        ["pairs", "new", "said better", "truly better", "said equivalent", "truly equivalent",
         "off", "converged"],
    )},
)  # fmt: skip


def answers_board(missing, share, number):
    """Whether intervals of pairs hold the difference over all items, their width, and the error."""
    rng = np.random.default_rng([len(missing), int(10 * share), number])
    ability, difficulty = rng.normal(size=(4, 1)), rng.normal(size=60)
    p = expit(ability - difficulty)
    # By difficulty: players were asked items near their own level, but for luck.
    away = np.abs(ability - difficulty) if missing == "by difficulty" else np.zeros(p.shape)
    turn = (away + rng.gumbel(size=p.shape)).argsort(axis=1).argsort(axis=1)
    values = np.where(turn < round(60 * (1.0 - share)), rng.random(p.shape) < p, np.nan)
    board, true = scores(values).dropna("round", how="all"), gaps(p.mean(axis=1))
    methods = {"Rasch": (board, "rasch"), "all answers": (board, "mean_score")}
    common = board.dropna("round")
    if common.sizes["round"] > 1 and common.std("player").any():
        methods["common items"] = (common, "mean_score")
    row = {}
    for name, (some, model) in methods.items():
        dt = fit(some, model, seed=number, replicates=1)
        found = gaps(draws_of(dt, "score"))
        inside, width = held(found, true)
        error = np.sqrt(np.mean((found.mean(axis=0) - true) ** 2))
        row |= {name: inside.mean(), f"{name}, width": width, f"{name}, off by": error}
    return row


_CELLS = itertools.product(("at random", "by difficulty"), (0.2, 0.5, 0.8))
ANSWERS = Table(
    ("missing", "share"),
    {cell: 100 if cell[1] < 0.8 else 30 for cell in _CELLS},  # few answers take longer
    answers_board,
    lambda folder: {"answers": read(folder, "answers").filter(regex="^(?!.*: error)")},
    checked=5,
)
