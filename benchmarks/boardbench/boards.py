"""Boards of known hashes: simulated ones, whose truth is known, and some 200 real ones.

Board `number` of a simulated kind is always the same: uniforms of PCG64, put through inverse
distribution functions. `python boards.py` writes frozen.json, the hashes of the first board of each
kind and of each source of real ones; run.py stops where a hash differs.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit, ndtr, ndtri
from scipy.stats import t as student

FROZEN = Path(__file__).parent / "frozen.json"
TEST_FRACTION = 0.2  # of five folds
SD = np.pi / np.sqrt(6.0)  # of a Gumbel variable
_HEAVY = 3.0  # degrees of freedom
_QUADRATURE = (np.arange(2000) + 0.5) / 2000.0
_MOST = 12  # players of a real board: tools that take pairs one by one are slow


class Board(NamedTuple):
    """What a tool is given (the page says how), and what is true of simulated boards."""

    scores: pd.DataFrame  # (round, player), higher is better
    facts: dict[str, Any]
    score: np.ndarray | None = None  # (player,), true means
    win: np.ndarray | None = None  # (player, player), true P(row beats column in a new round)


class _Uniforms:
    """A stream of uniforms, and what is made of them."""

    def __init__(self, *entropy):
        self._rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))

    def uniform(self, *shape):
        return np.clip(self._rng.random(shape), 1e-12, 1.0 - 1e-12)

    def normal(self, *shape):
        return ndtri(self.uniform(*shape))

    def gumbel(self, *shape):
        return -np.log(-np.log(self.uniform(*shape)))

    def heavy(self, *shape):
        """Return t with 3 degrees of freedom and variance 1."""
        return student.ppf(self.uniform(*shape), _HEAVY) / np.sqrt(_HEAVY)


def _gap(mu):
    return mu[:, None] - mu


def _heavy_wins(gap):
    """P(difference of two t(3) / sqrt(3) variables < gap), by quadrature over one of them."""
    other = student.ppf(_QUADRATURE, _HEAVY)
    return student.cdf(gap[..., None] * np.sqrt(_HEAVY) + other, _HEAVY).mean(axis=-1)


def _alike(noise, win):
    """Make boards of players with the same noise, and the probabilities of differences."""

    def board(players, rounds, u):
        mu = u.normal(players)
        return mu[:, None] + noise(u, players, rounds), mu, win(_gap(mu))

    return board


_gumbel = _alike(_Uniforms.gumbel, expit)
_normal = _alike(lambda u, *shape: SD * u.normal(*shape), lambda gap: ndtr(gap / (SD * 2.0**0.5)))
_heavy = _alike(lambda u, *shape: SD * u.heavy(*shape), lambda gap: _heavy_wins(gap / SD))


def _own_scales(players, rounds, u):
    """The noisiest players' noise is several times that of the steadiest."""
    mu, scale = u.normal(players), SD * np.exp(0.7 * u.normal(players))
    noise = scale[:, None] * u.normal(players, rounds)
    return mu[:, None] + noise, mu, ndtr(_gap(mu) / np.hypot(scale[:, None], scale))


def _sharing(mu, family, share, rounds, u):
    """Normal noise, a share of whose variance the members of a family have in common."""
    common = u.normal(family.max() + 1, rounds)[family]
    own = u.normal(len(mu), rounds)
    noise = SD * (np.sqrt(share) * common + np.sqrt(1.0 - share) * own)
    same = family[:, None] == family
    spread = SD * np.sqrt(np.where(same, 2.0 - 2.0 * share, 2.0))
    return mu[:, None] + noise, mu, ndtr(_gap(mu) / spread)


def _families(players, rounds, u):
    """Four families, whose members share half of the variance of their noise."""
    return _sharing(u.normal(players), np.arange(players) % 4, 0.5, rounds, u)


def _clones(players, rounds, u):
    """Pairs of equals, who share four fifths of the variance of their noise."""
    pair = np.arange(players) // 2
    return _sharing(u.normal(players)[pair], pair, 0.8, rounds, u)


def _equal(players, rounds, u):
    level = np.zeros(players)
    return SD * u.normal(players, rounds), level, np.full((players, players), 0.5)


def _ties(players, rounds, u):
    """Gumbel scores on a grid with a random offset a round: 18 of 100 matches tie."""
    mu, width = u.normal(players), 1.0
    noisy = mu[:, None] + u.gumbel(players, rounds)
    scores = width * np.floor(noisy / width + u.uniform(rounds))
    gap = _gap(mu)
    win = (np.logaddexp(0.0, gap + width) - np.logaddexp(0.0, gap - width)) / (2.0 * width)
    return scores, mu, win


def _missing(players, rounds, u):
    """Normal noise; three scores of ten are missing at random, none in the first round."""
    scores, mu, win = _normal(players, rounds, u)
    absent = u.uniform(players, rounds) < 0.3
    absent[:, 0] = False
    return np.where(absent, np.nan, scores), mu, win


def _folds(players, rounds, u):
    """Folds share training data: a part of each player's luck is the same in all of them."""
    mu, shared = u.normal(players), u.normal(players, 1)
    own = u.normal(players, rounds)
    noise = np.sqrt(1.0 - TEST_FRACTION) * own + np.sqrt(TEST_FRACTION) * shared
    return mu[:, None] + SD * noise, mu, ndtr(_gap(mu) / (SD * np.sqrt(2.0)))


def _items(players, rounds, u, clusters=None, ease=1.0):
    """Right or wrong, by a player's ability and an item's difficulty."""
    ability, spread = ease + 0.5 * u.normal(players), 1.5
    odds = ability[:, None] + spread * u.normal(rounds)
    if clusters is not None:
        own = 1.0 * u.normal(players, clusters.max() + 1)
        odds, spread = odds + own[:, clusters], np.hypot(spread, 1.0)
    right = expit(ability[:, None] + spread * ndtri(_QUADRATURE)).mean(axis=1)
    answers = (u.uniform(players, rounds) < expit(odds)).astype(float)
    return answers, right, 0.5 + _gap(right) / 2.0


def _in_clusters(players, rounds, u):
    return _items(players, rounds, u, np.arange(rounds) // 10)


# Name: how scores are made, players, rounds, what rounds are.
SIMULATED = {
    "gumbel": (_gumbel, 8, 10, "rounds"),
    "gumbel, 20 players": (_gumbel, 20, 10, "rounds"),
    "normal": (_normal, 8, 10, "rounds"),
    "t3": (_heavy, 8, 10, "rounds"),
    "own scales": (_own_scales, 8, 10, "rounds"),
    "families": (_families, 12, 15, "rounds"),
    "equal players": (_equal, 8, 10, "rounds"),
    "ties": (_ties, 8, 20, "rounds"),
    "missing scores": (_missing, 8, 15, "rounds"),
    "folds": (_folds, 8, 25, "folds"),
    "items": (_items, 8, 200, "items"),
    "items in clusters": (_in_clusters, 8, 200, "items"),
}
# Cells in which intervals of true win probabilities are counted, from small to large.
CELLS = {
    f"{kind}, {m} x {n}": (make, m, n, "rounds")
    for m, n in ((10, 3), (8, 10), (20, 20), (20, 100), (80, 20))
    for kind, make in {
        "gumbel": _gumbel, "normal": _normal, "own scales": _own_scales, "families": _families,
        "clones": _clones, "equal": _equal,
    }.items()
}  # fmt: skip
_SHIPPED = ("breast_cancer", "diabetes", "digits", "wine", "regressors", "answers")
_FETCHED = ("vtab", "pmra", "bbtcomp", "tasks", "amlb_4h", "tsml_univariate", "tsml_multivariate")
SOURCES = (*_SHIPPED, *_FETCHED)


def simulated(kind, number):
    """Make board `number` of a kind, a key of SIMULATED or CELLS, with its truth."""
    kinds = SIMULATED if kind in SIMULATED else CELLS
    make, players, rounds, what = kinds[kind]
    stream = list(kinds).index(kind) + (0 if kinds is SIMULATED else 100)
    values, score, win = make(players, rounds, _Uniforms(stream, number))
    names = [f"p{i:02d}" for i in range(players)]
    table = pd.DataFrame(values.T, [f"r{k:03d}" for k in range(rounds)], names)
    facts = {"kind": what, "test_fraction": None, "clusters": None}
    if what == "folds":
        facts["test_fraction"] = TEST_FRACTION
    if kind == "items in clusters":
        facts["clusters"] = [f"c{k // 10:02d}" for k in range(rounds)]
    return Board(table, facts, score, win)


def number_of(name):
    """Return a number that is as good as random, and always that of this name."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16)


def held_out(name):
    """Return whether a real board is of the third on which nothing may be tuned."""
    return number_of(name) % 3 == 0


def real(source):
    """Return the real boards of a source by name, those of four complete players or more.

    None where they can be neither read nor fetched.
    """
    import leaderbayes as lb

    try:
        if source == "answers":
            scores = lb.datasets.load("answers")[4::10]
            scores = scores.rename(classifier="player", instance="round")
        elif source == "regressors":
            scores = -lb.datasets.load("regressors")
        elif source in _SHIPPED:
            scores = lb.datasets.load("classifiers", source)
        else:
            scores = lb.datasets.load("tsml_univariate" if source == "tasks" else source)
    except lb.LeaderbayesError:
        return None
    if source in ("tasks", "bbtcomp"):  # of each data set the mean
        scores = scores.mean("round", skipna=False).rename(tournament="round")
        scores = scores.dropna("round").sortby("round")
    tables = {source: scores}
    if "tournament" in scores.dims:
        names = sorted(scores["tournament"].to_numpy().tolist(), key=number_of)
        tables = {f"{source} {name}": scores.sel(tournament=name) for name in names}
    found = {name: _complete(name, table) for name, table in tables.items()}
    return {name: board for name, board in found.items() if board.scores.shape[1] > 3}


def _complete(name, scores):
    """Make a board of players without a missing score, of some if they are many."""
    table = scores.transpose("round", "player").to_pandas().astype(float)
    table.columns, table.index = table.columns.astype(str), table.index.astype(str)
    # A table of LEADERBAYES_DATA may have six digits where the files have more.
    table = table.dropna(axis=0, how="all").dropna(axis=1).round(6)
    table = table.drop(columns="constantpredictor", errors="ignore")
    players = sorted(sorted(table, key=lambda player: number_of(name + player))[:_MOST])
    kind = "items" if name == "answers" else "rounds"
    return Board(table[players], {"kind": kind, "test_fraction": None, "clusters": None})


def halves(board, split):
    """Cut a board's rounds at random into a board of a half to fit and scores of one to predict."""
    order = np.argsort(_Uniforms(997, split).uniform(len(board.scores)), kind="stable")
    cut = len(order) // 2
    one, other = (np.sort(part) for part in (order[:cut], order[cut:]))
    return board._replace(scores=board.scores.iloc[one]), board.scores.iloc[other]


def digest(table):
    """Hash a board's players and its scores, to eight digits."""
    values = np.ascontiguousarray(np.round(table.to_numpy(float), 8) + 0.0)
    named = json.dumps([list(map(str, table.columns)), list(map(str, table.index))])
    return hashlib.sha256(named.encode() + values.tobytes()).hexdigest()[:16]


def digest_of(boards):
    """Hash boards of a source, in whatever order."""
    text = " ".join(digest(boards[name].scores) for name in sorted(boards))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def digests():
    """Hash the first board of each kind, and the boards of each source (None if not to be had)."""
    found = {kind: digest(simulated(kind, 0).scores) for kind in (*SIMULATED, *CELLS)}
    each = {source: real(source) for source in SOURCES}
    return found | {source: digest_of(of) if of else None for source, of in each.items()}


if __name__ == "__main__":
    FROZEN.write_text(json.dumps(digests(), indent=2) + "\n", encoding="utf-8")
