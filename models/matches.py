"""Boards of scores whose win probabilities are known: Bradley-Terry and its relatives.

What is true of a pair is its log-odds of winning in a new round (ties half), whatever the noise;
players' true strengths are those that fit all pairs' win probabilities best. ``fits`` has what
users get by default, and beside these win probabilities those by the model alone and by each pair's
own record (Davidson's are given that a match is not tied); ``coverage`` compares weights and
models; ``rounded`` is Plackett-Luce on rounded scores.
"""

import itertools

import numpy as np
from scipy.special import expit, logit
from scipy.stats import gumbel_r, lognorm, norm, skewnorm, t

from tables import Table, draws_of, fit, flags, gaps, happened, read, scores

SD = np.pi / np.sqrt(6.0)  # of a Gumbel variable: differences of two have the logistic's sd
NOISE = {  # of standard deviation SD
    "Gumbel": gumbel_r(),
    "normal": norm(scale=SD),
    "heavy tails": t(3, scale=SD / np.sqrt(3.0)),
    "skewed": skewnorm(-6.0, scale=SD / skewnorm(-6.0).std()),
}
# Standard deviation of players' noise on the log scale: the first is a factor of 5, 11 to 89 %.
WIDE = {"own scales": 2.0 / 3.0, "own scales, ties": 2.0 / 3.0, "own scale": 0.4}
# Grid that scores are rounded to, and the share of equal players' matches that tie, or of N(0, 1).
GRID = {"30 % ties": 1.2787, "own scales, ties": 1.2787, "ties": 0.35, "8 %": 0.46, "20 %": 1.15}
MISSING = {"30 % missing": 0.3, "missing": 0.2}
FAR = 5.0  # log-odds between a dominant player and the others' mean
FAMILIES = 4  # at most, of players that share half of their noise's variance
SIGNAL = 0.7  # of a normal on the log scale of how much rounds tell players apart
TEST_FRACTION = 0.1  # of the noise's variance that rounds share under "repeated CV"
_POINTS = (np.arange(400) + 0.5) / 400.0  # of a quadrature by quantiles


def simulate(kind, players, rounds, rng):
    """Scores (player, round), and the true probabilities that row beats and ties with column."""
    epp = float(kind != "equal") * rng.normal(size=players)
    if kind.startswith("one far"):
        epp = 0.5 * epp
        epp[0] = epp[1:].mean() + (FAR if kind.endswith("above") else -FAR)
    gap, shape = epp[:, None] - epp, (players, rounds)
    if kind in WIDE:
        scale = SD * np.exp(rng.normal(scale=WIDE[kind], size=players))
        values = epp[:, None] + scale[:, None] * rng.normal(size=shape)
        both = np.hypot(scale[:, None], scale)
        if kind in GRID:
            return _tied(kind, values, gap[..., None] + both[..., None] * norm.ppf(_POINTS), rng)
        return values, norm.cdf(gap / both), 0.0
    if kind in ("families", "repeated CV"):
        # What players share with their family, or with themselves in all rounds.
        if kind == "families":
            of, part = np.arange(players) % min(FAMILIES, players - 1), 0.5
            shared = rng.normal(size=(of.max() + 1, rounds))[of]
        else:
            of, part = np.arange(players), TEST_FRACTION
            shared = rng.normal(size=(players, 1))
        own = np.sqrt(1.0 - part) * rng.normal(size=shape)
        values = epp[:, None] + SD * (np.sqrt(part) * shared + own)
        apart = np.sqrt(2.0 * np.where(of[:, None] != of, 1.0, 1.0 - part))
        return values, norm.cdf(gap / (SD * apart)), 0.0
    if kind in ("varying signal", "weak on easy"):
        law = lognorm(SIGNAL, scale=np.exp(-0.5 * SIGNAL**2))
        factor = law.rvs(rounds, random_state=rng)
        values = epp[:, None] * factor + rng.gumbel(size=shape)
        if kind == "weak on easy":  # where rounds tell players apart less; all play the first
            hard = (factor > law.median()) & (np.arange(rounds) > 0)
            values[hard & (epp[:, None] < 0.0) & (rng.random(shape) < 0.8)] = np.nan
        return values, expit(gap[..., None] * law.ppf(_POINTS)).mean(axis=-1), 0.0
    law = NOISE.get(kind, NOISE["Gumbel"])
    values = epp[:, None] + law.rvs(shape, random_state=rng)
    if kind in GRID:
        return _tied(kind, values, gap[..., None] + logit(_POINTS), rng)
    # All players play in the first round.
    absent = rng.random(shape) < MISSING[kind] if kind in MISSING else np.zeros(shape, dtype=bool)
    if kind == "missing in blocks":
        absent[players // 2 :, rounds - round(0.6 * rounds) :] = True
    absent[:, 0] = False
    values[absent] = np.nan
    return values, law.cdf(gap[..., None] + law.ppf(_POINTS)).mean(axis=-1), 0.0


def _tied(kind, values, differences, rng):
    """Round scores, of which ``differences`` (player, opponent, point) are all a pair may have."""
    # With a random offset a distance d ties with probability 1 - |d| / grid.
    values = np.floor(values / GRID[kind] + rng.random(values.shape[1]))
    distance = np.clip(differences / GRID[kind], -1.0, 1.0)
    return values, np.maximum(distance, 0.0).mean(axis=-1), 1.0 - np.abs(distance).mean(axis=-1)


def covered(win, true):
    """Share of pairs whose 95 % interval holds the true win probability."""
    inside = ((win["lower"] <= true) & (true <= win["upper"])).to_numpy()
    return float(inside[np.triu_indices(len(true), 1)].mean())


def best_fitting(won):
    """Return the strengths of Bradley-Terry at which players win as much as in this table."""
    met, epp = won + won.T, np.zeros(len(won))
    for _ in range(100):
        p = expit(epp[:, None] - epp)
        curve = met * p * (1.0 - p)
        curve = np.diag(curve.sum(axis=1)) - curve + 1.0 / len(epp)
        step = np.linalg.solve(curve, (won - met * p).sum(axis=1))
        epp += step / max(np.ptp(step), 1.0)
        if np.ptp(step) < 1e-9:
            return epp
    raise ArithmeticError("Newton's method did not find the strengths.")


KINDS = (
    *NOISE, "own scales", "families", "varying signal",
    "equal", "one far above", "one far below", "30 % ties", "30 % missing", "missing in blocks",
    "own scales, ties", "weak on easy",
)  # fmt: skip
ALIKE = ("Gumbel", "normal", "heavy tails", "skewed", "30 % missing")  # noise of all players
BOARDS = {3: 40, 8: 40, 20: 20, 50: 10}  # of a cell, by players
OTHERS = 20  # boards of a cell of the other models


def fits_board(model, kind, players, rounds, number):
    """What users get from one board, and whether it is so."""
    import leaderbayes as lb

    rng = np.random.default_rng([KINDS.index(kind), players, rounds, number])
    values, won, tied = simulate(kind, players, rounds, rng)
    true = won / (1.0 - tied) if model == "davidson" else won + tied / 2.0
    np.fill_diagonal(true, 0.5)
    board = scores(values)
    dt = fit(board, model, seed=int(rng.integers(2**32)))
    win, alone, own = (lb.win_probability(dt, by=by) for by in ("auto", "model", "record"))
    epp = best_fitting(true)
    table = lb.leaderboard(dt).set_index("player").loc[board["player"].values]
    inside = ((table["epp_lower"] <= epp) & (epp <= table["epp_upper"])).to_numpy()
    said, first = table["p_best"].to_numpy(), table["epp"].to_numpy().argmax()
    best = (epp == epp.max()).astype(float)
    row = {
        "pairs": covered(win, true),
        "model alone": covered(alone, true),
        "record": covered(own, true),
        "wider": float((own["upper"] - own["lower"]).mean() / (win["upper"] - win["lower"]).mean()),
        "each player": inside.mean(),
        "best player": inside[epp.argmax()],
    }
    if kind != "equal":
        row["best"] = {"first": [said[[first]], best[[first]]], "every player": [said, best]}
    return row | flags(dt)


def fits_shown(folder):
    """Tables of README: some sizes, all sizes, P(best), other models."""
    table, best = read(folder, "fits"), read(folder, "fits_best")
    table["size"] = table["players"].astype(str) + " x " + table["rounds"].astype(str)
    columns = ["noise", "size", "pairs", "model alone", "record", "wider", "each player",
               "best player", "misfit"]  # fmt: skip
    own = table["model"] == "bradley_terry"
    default = table[own]
    by_size = default[default["noise"].isin(ALIKE)].pivot_table("pairs", "players", "rounds")
    by_size = by_size.rename(columns="{} rounds".format).rename_axis(columns=None).reset_index()
    best = happened(best[best["model"] == "bradley_terry"], ["who", "class"])
    return {
        "fits": default[default["size"].isin(["8 x 10", "20 x 30"])][columns],
        "fits_sizes": by_size,
        "fits_best": best.sort_values(["who", "class"])[["who", "cases", "said", "happened"]],
        "fits_models": table[~own][["model", *columns, "converged"]],
    }


_CELLS = [
    *itertools.product(["bradley_terry"], KINDS, BOARDS, (3, 10, 30, 100)),
    *itertools.product(["davidson", "plackett_luce"], ["30 % ties"], (8, 20), (10, 30)),
    *itertools.product(["plackett_luce"], ["Gumbel"], (8, 20), (10, 30)),
]
FITS = Table(
    ("model", "noise", "players", "rounds"),
    {cell: BOARDS[cell[2]] if cell[0] == "bradley_terry" else OTHERS for cell in _CELLS},
    fits_board, fits_shown,
)  # fmt: skip

SCENARIOS = ("gumbel", "normal", "own scale", "heavy tails", "ties", "missing", "repeated CV")
METHODS = {
    "weight 1": ("bradley_terry", {"weight": 1.0}),
    "composite": ("bradley_terry", {}),
    "composite, test_fraction": ("bradley_terry", {"test_fraction": TEST_FRACTION}),
    "round intercept": ("round_intercept", {"weight": 1.0}),
    "Plackett-Luce": ("plackett_luce", {}),
}
SLOW = 10  # boards of PMRA


def coverage_board(players, rounds, scenario, number):
    """Share of pairs whose interval holds the truth, by each method."""
    import leaderbayes as lb

    rng = np.random.default_rng([players, rounds, SCENARIOS.index(scenario), number])
    values, won, tied = simulate(scenario, players, rounds, rng)
    board, true, seed = scores(values), won + tied / 2.0, int(rng.integers(2**32))
    gap = logit_gaps(true)
    low, high = likelihood(board, "bradley_terry", 2.0, covariance="model", firth=True)  # two sides
    row = {"EloML": ((low <= gap) & (gap <= high)).mean()}
    for method, (model, options) in METHODS.items():
        slow = model == "round_intercept" and number >= SLOW
        dt = None if slow else fit(board, model, seed=seed, replicates=1, **options)
        row[method] = np.nan if slow else covered(lb.win_probability(dt), true)
    return row


def likelihood(board, model, counted=1.0, **options):
    """95 % intervals of differences (pair,) by maximum likelihood."""
    import leaderbayes as lb

    found = getattr(lb.likelihood, model)(lb.matches(board), **options)
    covariance = found["covariance"].to_numpy()
    spread = np.diag(covariance)
    variance = (spread[:, None] + spread - 2.0 * covariance)[np.triu_indices(len(spread), 1)]
    middle, half = gaps(found["epp"].to_numpy()), 1.96 * np.sqrt(variance / counted)
    return middle - half, middle + half


def logit_gaps(true):
    """Log-odds (pair,) of probabilities (player, opponent)."""
    return logit(true)[np.triu_indices(len(true), 1)]


def coverage_shown(folder):
    """Table of README, of 20 rounds."""
    table = read(folder, "coverage").query("rounds == 20").sort_values(["scenario", "players"])
    return {"coverage": table[["scenario", "players", "EloML", *METHODS]]}


COVERAGE = Table(
    ("players", "rounds", "scenario"),
    dict.fromkeys(itertools.product((4, 8, 20), (10, 20, 50), SCENARIOS), 100),
    coverage_board, coverage_shown,
)  # fmt: skip


def rounded_board(ties, number):
    """Intervals of pairs by Plackett-Luce and Bradley-Terry: eight players, 25 rounds."""
    import leaderbayes as lb

    rng = np.random.default_rng([int(ties.split()[0]), number])
    values, won, tied = simulate(ties, 8, 25, rng)
    board, true = scores(values), logit_gaps(won + tied / 2.0)
    methods = {
        "maximum likelihood": ("plackett_luce", {}),
        "its sandwich": ("plackett_luce", {"covariance": "clustered"}),
        "Bradley-Terry's sandwich": ("bradley_terry", {}),
    }
    try:
        ends = {name: likelihood(board, model, **o) for name, (model, o) in methods.items()}
    except lb.NotConvergedError:
        return None
    dt = fit(board, "plackett_luce", seed=number, replicates=1)
    epp = np.quantile(gaps(draws_of(dt, "epp")), [0.025, 0.975], axis=0)
    ends = {"posterior": epp} | ends
    return {name: ((low <= true) & (true <= high)).mean() for name, (low, high) in ends.items()}


ROUNDED = Table(("ties",), {("8 %",): 200, ("20 %",): 200}, rounded_board)


def plan_board(question, further, number):
    """Whether further rounds decide a question, as `leaderbayes.plan` promised after ten."""
    import leaderbayes as lb

    rng = np.random.default_rng([["pair", "leader"].index(question), further, number])
    epp = abs(rng.normal()) * rng.normal(size=5)
    board = scores(epp[:, None] + rng.gumbel(size=(5, 10 + further)))
    pair = ("p0", "p1") if question == "pair" else None
    now, later = (
        fit(some, "bradley_terry", prior_scale=1.0, seed=number, replicates=1)
        for some in (board[:, :10], board)
    )
    planned = lb.plan(now, pair, rounds=(further,), seed=number).sel(who="all")
    if pair is None:
        decided = len(lb.tied_for_top(later)) == 1
    else:
        found = lb.compare(later, *pair)
        decided = max(float(found["p_better"]), float(found["p_worse"])) >= 0.95
    promised = float(planned["p_decided"].squeeze())
    return {"promised": promised, "happened": decided, "off": decided - promised}


_CELLS = itertools.product(("pair", "leader"), (10, 30))
PLAN = Table(("question", "further"), dict.fromkeys(_CELLS, 100), plan_board)
