"""Coverage of 95 % intervals as users get them: boards simulated, fitted by `leaderbayes.fit`.

What is true of a pair is its log-odds of winning in a new round (ties half), whatever the noise; a
player's strength is the mean of its log-odds against all players. Beside the model's win
probabilities stand those by each pair's own record. Davidson's are given that a match is not tied.
See make.py.
"""

import itertools
import json
import warnings
from concurrent.futures import Executor
from pathlib import Path

import numpy as np
from scipy.special import expit, logit
from scipy.stats import gumbel_r, lognorm, norm, skewnorm, t

from tables import complete, error, mean, read

# As users get them, but for replicates: the check of the fit takes 200.
OPTIONS = {"replicates": 200}
BOARDS = {3: 100, 5: 100, 8: 100, 20: 60, 50: 20}  # of each cell, by players
OTHERS = 20  # boards of a cell of the other models
ROUNDS = (3, 5, 10, 30, 100)
SD = np.pi / np.sqrt(6.0)  # of a Gumbel variable: differences of two have the logistic's sd
# Of a shape with standard deviation SD.
NOISE = {
    "Gumbel": gumbel_r(),
    "normal": norm(scale=SD),
    "heavy tails": t(3, scale=SD / np.sqrt(3.0)),
    "skewed": skewnorm(-6.0, scale=SD / skewnorm(-6.0).std()),
}
KINDS = (
    *NOISE, "own scales", "families", "varying signal",
    "equal", "one far above", "one far below", "30 % ties", "30 % missing", "missing in blocks",
    "own scales, ties",
)  # fmt: skip
FAR = 5.0  # log-odds between a dominant player and the others' mean
# Of a normal on the log scale of players' noise: a factor of 5 between 11 and 89 %.
WIDE = 2.0 / 3.0
FAMILIES = 4  # at most, of players that share half of their noise's variance
SIGNAL = 0.7  # of a normal on the log scale of how much rounds tell players apart
GRID = 1.2787  # that scores are rounded to: 30 % of equal players' matches tie
ALIKE = ("Gumbel", "normal", "heavy tails", "skewed", "30 % missing")  # noise of all players
# Cells: model, noise, players, rounds.
KEYS = ("model", "noise", "players", "rounds")
CELLS = (
    *itertools.product(("bradley_terry",), KINDS, BOARDS, ROUNDS),
    *itertools.product(("davidson", "plackett_luce"), ("30 % ties",), (8, 20), (10, 30)),
    *itertools.product(("plackett_luce",), ("Gumbel",), (8, 20), (10, 30)),
)
COVERAGES = ("pairs", "record", "each player", "best player")
CLASSES = 10  # of a probability that is said
# In models/README.md.
SHOWN_SIZES = ("8 x 10", "20 x 30")
_POINTS = (np.arange(400) + 0.5) / 400.0  # of a quadrature by quantiles


def simulate(kind, players, rounds, rng):
    """Scores (player, round), and the true probabilities that row beats and ties with column."""
    epp = rng.normal(size=players)
    shape = (players, rounds)
    if kind == "equal":
        epp[:] = 0.0
    if kind.startswith("one far"):
        epp = 0.5 * epp
        epp[0] = epp[1:].mean() + (FAR if kind.endswith("above") else -FAR)
    gap = epp[:, None] - epp
    if kind.startswith("own scales"):
        scale = SD * np.exp(rng.normal(scale=WIDE, size=players))
        scores = epp[:, None] + scale[:, None] * rng.normal(size=shape)
        both = np.hypot(scale[:, None], scale)
        if kind == "own scales, ties":
            return _tied(scores, gap[..., None] + both[..., None] * norm.ppf(_POINTS), rng)
        return scores, norm.cdf(gap / both), 0.0
    if kind == "families":
        family = np.arange(players) % min(FAMILIES, players - 1)
        shared = rng.normal(size=(family.max() + 1, rounds))[family]
        scores = epp[:, None] + SD * np.sqrt(0.5) * (shared + rng.normal(size=shape))
        alone = family[:, None] != family
        return scores, norm.cdf(gap / (SD * np.where(alone, np.sqrt(2.0), 1.0))), 0.0
    if kind == "varying signal":
        law = lognorm(SIGNAL, scale=np.exp(-0.5 * SIGNAL**2))
        scores = epp[:, None] * law.rvs(rounds, random_state=rng) + rng.gumbel(size=shape)
        return scores, expit(gap[..., None] * law.ppf(_POINTS)).mean(axis=-1), 0.0
    law = NOISE.get(kind, NOISE["Gumbel"])
    scores = epp[:, None] + law.rvs(shape, random_state=rng)
    if kind == "30 % ties":
        return _tied(scores, gap[..., None] + logit(_POINTS), rng)
    # All players play in the first round.
    if kind == "30 % missing":
        absent = rng.random(shape) < 0.3
        absent[:, 0] = False
        scores[absent] = np.nan
    if kind == "missing in blocks":
        scores[players // 2 :, rounds - round(0.6 * rounds) :] = np.nan
    return scores, law.cdf(gap[..., None] + law.ppf(_POINTS)).mean(axis=-1), 0.0


def _tied(scores, differences, rng):
    """Round scores, of which ``differences`` (player, opponent, point) are all a pair may have."""
    # With a random offset a distance d ties with probability 1 - |d| / GRID.
    scores = np.floor(scores / GRID + rng.random(scores.shape[1]))
    distance = np.clip(differences / GRID, -1.0, 1.0)
    return scores, np.maximum(distance, 0.0).mean(axis=-1), 1.0 - np.abs(distance).mean(axis=-1)


def board(model, kind, players, rounds, number):
    """What `leaderbayes.fit` says of one board, and whether it is so: coverages, P(best)."""
    import xarray as xr

    import leaderbayes as lb

    # The same boards for all models.
    rng = np.random.default_rng([KINDS.index(kind), players, rounds, number])
    scores, won, tied = simulate(kind, players, rounds, rng)
    true = won / (1.0 - tied) if model == "davidson" else won + tied / 2.0
    coords = {
        "player": [f"p{i}" for i in range(players)],
        "round": [f"r{k}" for k in range(rounds)],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        dt = lb.fit(
            xr.DataArray(scores, coords, ("player", "round"), attrs={"higher_is_better": 1}),
            model,
            seed=int(rng.integers(2**32)),
            progressbar=False,
            **OPTIONS,
        )
    upper = np.triu_indices(players, 1)
    win, own = lb.win_probability(dt), lb.win_probability(dt, by="record")
    np.fill_diagonal(true, 0.5)
    epp = logit(true).mean(axis=1)
    table = lb.leaderboard(dt).set_index("player").loc[coords["player"]]
    inside = ((table["epp_lower"] <= epp) & (epp <= table["epp_upper"])).to_numpy()
    row = {
        "pairs": _covered(win, true)[upper].mean(),
        "record": _covered(own, true)[upper].mean(),
        "wider": float((own["upper"] - own["lower"]).mean() / (win["upper"] - win["lower"]).mean()),
        "each player": inside.mean(),
        "best player": inside[epp.argmax()],
        "misfit": dt.attrs["p_check"] < 0.05,
        "converged": dt.attrs["converged"],
    }
    first = np.arange(players) == table["epp"].to_numpy().argmax()
    return row, (table["p_best"].to_numpy(), epp == epp.max(), first)


def _covered(found, true):
    return ((found["lower"] <= true) & (true <= found["upper"])).to_numpy()


def cell(model, kind, players, rounds):
    """Means over the boards of a cell, with Monte Carlo errors; and P(best) in classes."""
    boards = BOARDS[players] if model == "bradley_terry" else OTHERS
    found = [board(model, kind, players, rounds, number) for number in range(boards)]
    key = dict(zip(KEYS, (model, kind, players, rounds), strict=True))
    row = key | {"boards": len(found)}
    for name in found[0][0]:
        values = [one[name] for one, _ in found]
        row[name] = mean(values)
        if name in COVERAGES:
            row[f"{name}: error"] = error(values)
    said, best, first = (np.concatenate(part) for part in zip(*(p for _, p in found), strict=True))
    classes = np.minimum((said * CLASSES).astype(int), CLASSES - 1)
    rows = []
    # Where all are equal nobody is the best.
    for who, asked in (("first", first), ("every player", ~np.isnan(said))):
        for k in range(CLASSES if kind != "equal" else 0):
            of = asked & (classes == k)
            if of.any():
                means = {"said": mean(said[of]), "happened": mean(best[of])}
                rows.append(key | {"who": who, "class": k, "cases": int(of.sum())} | means)
    return {"fits": [row], "fits_best": rows}


def cover(folder: Path, executor: Executor):
    """Write folder/fits.csv and fits_best.csv, going on from the cells that are there."""
    complete(folder, "fits", KEYS, CELLS, cell, executor)
    record = {"command": "python models/make.py fits", "options": OPTIONS, "boards": BOARDS}
    (folder / "fits.json").write_text(json.dumps(record, indent=2) + "\n")


def shown(folder: Path):
    """Tables of models/README.md by their marks."""
    import pandas as pd

    table = pd.DataFrame(read(folder / "fits.csv")).set_index(["model", "noise"]).astype(float)
    table = table.reset_index()
    sizes = [f"{m:.0f} x {r:.0f}" for m, r in zip(table["players"], table["rounds"], strict=True)]
    table = table.assign(size=sizes)
    columns = ["pairs", "record", "wider", "each player", "best player", "misfit"]
    default = table[table["model"] == "bradley_terry"]
    by_size = default[default["noise"].isin(ALIKE)].pivot_table("pairs", "players", "rounds")
    by_size = by_size.rename(columns=lambda r: f"{r:.0f} rounds", index=int)
    return {
        "fits": default[default["size"].isin(SHOWN_SIZES)][["noise", "size", *columns]],
        "fits_sizes": by_size.rename_axis(columns=None).reset_index(),
        "fits_best": calibration(folder),
        "fits_models": table[table["model"] != "bradley_terry"][
            ["model", "noise", "size", *columns, "converged"]
        ],
    }


def calibration(folder: Path):
    """P(best) as it was said and as it happened, in classes over all cells of the default model."""
    import pandas as pd

    table = pd.DataFrame(read(folder / "fits_best.csv"))
    table = table[table["model"] == "bradley_terry"]
    numbers = table[["class", "cases", "said", "happened"]].astype(float)
    numbers[["said", "happened"]] = numbers[["said", "happened"]].mul(numbers["cases"], axis=0)
    sums = numbers.groupby([table["who"], numbers.pop("class").astype(int)]).sum()
    sums[["said", "happened"]] = sums[["said", "happened"]].div(sums["cases"], axis=0)
    return sums.astype({"cases": int}).reset_index("class", drop=True).reset_index()
