"""Letters are shared exactly where players are not told apart: small graphs and random ones."""

import re
from itertools import combinations, product

import numpy as np
import pytest

from leaderbayes._numerics import letters as module
from leaderbayes._numerics.letters import letters


def graph(m, chosen):
    apart = np.zeros((m, m), dtype=bool)
    for i, j in chosen:
        apart[i, j] = apart[j, i] = True
    return apart


def sets(named):
    return [set(re.findall(r"[a-zA-Z]\d*", name)) for name in named]


def holds(apart):
    named = sets(letters(apart))
    assert all(named)
    for i, j in combinations(range(len(apart)), 2):
        assert bool(named[i] & named[j]) != apart[i, j]
    return len(set().union(*named))


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_every_graph_of_few_players(m):
    pairs = list(combinations(range(m), 2))
    for chosen in product([False, True], repeat=len(pairs)):
        holds(graph(m, [pair for pair, is_in in zip(pairs, chosen, strict=True) if is_in]))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_random_graphs(seed, share):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(6, 25))
    holds(graph(m, [pair for pair in combinations(range(m), 2) if rng.random() < share]))


@pytest.mark.parametrize("seed", range(5))
def test_too_many_sets_are_covered_by_fewer(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    apart = graph(14, [pair for pair in combinations(range(14), 2) if rng.random() < 0.4])
    monkeypatch.setattr(module, "_MOST", 2)
    holds(apart)


def test_runs_have_a_letter_each():
    # 0 1 2 | 1 2 3 | 4: neighbours within two of each other are not told apart.
    apart = graph(5, [(0, 3), (0, 4), (1, 4), (2, 4), (3, 4)])
    assert letters(apart) == ["a", "ab", "ab", "b", "c"]


def test_all_alike_and_all_apart():
    assert letters(np.zeros((4, 4), dtype=bool)) == ["a"] * 4
    assert letters(~np.eye(4, dtype=bool)) == ["a", "b", "c", "d"]


def test_a_pair_that_no_run_has():
    # The first and the last are not told apart, though the second is from both.
    assert letters(graph(3, [(0, 1), (1, 2)])) == ["a", "b", "a"]


def test_more_players_than_letters():
    named = letters(~np.eye(120, dtype=bool))
    assert named[0] == "a"
    assert named[51:54] == ["Z", "a1", "b1"]
    assert len(set(named)) == 120


def test_a_long_board_takes_no_time():
    # Strengths in a row, told apart beyond 20 places: 160 runs.
    place = np.arange(179)
    assert holds(abs(place[:, None] - place) > 20) == 159
