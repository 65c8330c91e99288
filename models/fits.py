"""Coverage of 95 % intervals as users get them: boards simulated, fitted by `leaderbayes.fit`.

What is true of a pair is its log-odds of winning in a new round (ties half), whatever the noise; a
player's strength is the mean of its log-odds against all players. Beside the model's win
probabilities stand those by each pair's own record. See make.py.
"""

import csv
import itertools
import json
import warnings
from concurrent.futures import Executor
from pathlib import Path

import numpy as np
from scipy.special import expit, logit
from scipy.stats import gumbel_r, lognorm, norm, skewnorm, t

SIZES = tuple(itertools.product((3, 8, 20), (3, 10, 30)))  # players, rounds
BOARDS = 60  # of each cell
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
)  # fmt: skip
FAR = 5.0  # log-odds between a dominant player and the others' mean
WIDE = (
    2.0 / 3.0
)  # of a normal on the log scale of players' noise: a factor of 5 between 11 and 89 %
FAMILIES = 4  # at most, of players that share half of their noise's variance
SIGNAL = 0.7  # of a normal on the log scale of how much rounds tell players apart
GRID = 1.2787  # that scores are rounded to: 30 % of equal players' matches tie
# In models/README.md.
SHOWN_SIZES = ("8 x 10", "20 x 30")
SHOWN = ("pairs", "record", "wider", "each player", "best player", "misfit")
_POINTS = (np.arange(400) + 0.5) / 400.0  # of a quadrature by quantiles


def simulate(kind, players, rounds, rng):
    """Scores (player, round), and the true win probability of row over column."""
    epp = rng.normal(size=players)
    shape = (players, rounds)
    if kind == "equal":
        epp[:] = 0.0
    if kind.startswith("one far"):
        epp = 0.5 * epp
        epp[0] = epp[1:].mean() + (FAR if kind.endswith("above") else -FAR)
    gap = epp[:, None] - epp
    if kind == "own scales":
        scale = SD * np.exp(rng.normal(scale=WIDE, size=players))
        scores = epp[:, None] + scale[:, None] * rng.normal(size=shape)
        return scores, norm.cdf(gap / np.hypot(scale[:, None], scale))
    if kind == "families":
        family = np.arange(players) % min(FAMILIES, players - 1)
        shared = rng.normal(size=(family.max() + 1, rounds))[family]
        scores = epp[:, None] + SD * np.sqrt(0.5) * (shared + rng.normal(size=shape))
        return scores, norm.cdf(gap / (SD * np.where(family[:, None] == family, 1.0, np.sqrt(2.0))))
    if kind == "varying signal":
        law = lognorm(SIGNAL, scale=np.exp(-0.5 * SIGNAL**2))
        scores = epp[:, None] * law.rvs(rounds, random_state=rng) + rng.gumbel(size=shape)
        return scores, expit(gap[..., None] * law.ppf(_POINTS)).mean(axis=-1)
    law = NOISE.get(kind, NOISE["Gumbel"])
    scores = epp[:, None] + law.rvs(shape, random_state=rng)
    if kind == "30 % ties":
        # With a random offset a distance d ties with probability 1 - |d| / GRID.
        scores = np.floor(scores / GRID + rng.random(rounds))
        distance = gap[..., None] + logit(_POINTS)
        return scores, 0.5 + 0.5 * np.clip(distance / GRID, -1.0, 1.0).mean(axis=-1)
    # All players play in the first round.
    if kind == "30 % missing":
        absent = rng.random(shape) < 0.3
        absent[:, 0] = False
        scores[absent] = np.nan
    if kind == "missing in blocks":
        scores[players // 2 :, rounds - round(0.6 * rounds) :] = np.nan
    return scores, law.cdf(gap[..., None] + law.ppf(_POINTS)).mean(axis=-1)


def board(kind, players, rounds, number):
    """What `leaderbayes.fit` says of one board, and whether it is so."""
    import xarray as xr

    import leaderbayes as lb

    rng = np.random.default_rng([KINDS.index(kind), players, rounds, number])
    scores, true = simulate(kind, players, rounds, rng)
    coords = {
        "player": [f"p{i}" for i in range(players)],
        "round": [f"r{k}" for k in range(rounds)],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        dt = lb.fit(
            xr.DataArray(scores, coords, ("player", "round"), attrs={"higher_is_better": 1}),
            sampler="laplace",
            replicates=200,  # as many as the check takes
            seed=int(rng.integers(2**32)),
        )
    upper = np.triu_indices(players, 1)
    win, own = lb.win_probability(dt), lb.win_probability(dt, by="record")
    epp = logit(true).mean(axis=1)
    table = lb.leaderboard(dt).set_index("player").loc[coords["player"]]
    inside = ((table["epp_lower"] <= epp) & (epp <= table["epp_upper"])).to_numpy()
    first = int(table["epp"].to_numpy().argmax())
    return {
        "pairs": _covered(win, true)[upper].mean(),
        "record": _covered(own, true)[upper].mean(),
        "wider": float((own["upper"] - own["lower"]).mean() / (win["upper"] - win["lower"]).mean()),
        "each player": inside.mean(),
        "best player": inside[epp.argmax()],
        "first is best, said": table["p_best"].iloc[first],
        "first is best": epp[first] == epp.max(),
        "misfit": dt.attrs["p_check"] < 0.05,
    }


def _covered(found, true):
    return ((found["lower"] <= true) & (true <= found["upper"])).to_numpy()


def cell(kind, players, rounds):
    """Means over the boards of a cell, and the Monte Carlo errors of coverages."""
    rows = [board(kind, players, rounds, number) for number in range(BOARDS)]
    row = {"noise": kind, "players": players, "rounds": rounds}
    for name in rows[0]:
        values = np.array([float(one[name]) for one in rows])
        row[name] = round(float(values.mean()), 4)
        if name in ("pairs", "record", "each player"):
            row[f"{name}: error"] = round(float(values.std() / np.sqrt(BOARDS)), 4)
    return row


def cover(folder: Path, executor: Executor):
    """Write folder/fits.csv, going on from the cells that it has."""
    path = folder / "fits.csv"
    done = {}
    if path.exists():
        with path.open(newline="") as file:
            done = {
                (r["noise"], int(r["players"]), int(r["rounds"])): r for r in csv.DictReader(file)
            }
    asked = [(kind, *size) for kind in KINDS for size in SIZES]
    left = [one for one in asked if one not in done]
    for one, row in zip(
        left, executor.map(cell, *zip(*left, strict=True)) if left else (), strict=True
    ):
        done[one] = row
        part = path.with_suffix(".part")
        with part.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(row))
            writer.writeheader()
            writer.writerows(done[one] for one in asked if one in done)
        part.replace(path)
        print("fits", *one, flush=True)
    record = {"command": "python models/make.py fits", "sampler": "laplace", "boards": BOARDS}
    (folder / "fits.json").write_text(json.dumps(record, indent=2) + "\n")
