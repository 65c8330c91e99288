"""Hints: rounds that are folds, many ties, one score a player; and none where none is due."""

import json
import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.special import expit
from scipy.stats import norm

import leaderbayes as lb
from conftest import board, warned
from leaderbayes.likelihood._hints import (
    Folds,
    apart,
    column_of,
    hint,
    hints,
    look_like_folds,
    separation_of,
    tied_share,
)

RUN = [str(k) for k in range(10)]
CV = [f"{r}.{k}" for r in range(1, 6) for k in range(1, 6)]


def named(pattern, repeats=3, folds=5):
    return [pattern.format(r=r, k=k) for r in range(repeats) for k in range(folds)]


@pytest.mark.parametrize(
    ("rounds", "column", "k"),
    [
        (CV, "", 5),
        (CV, "round", 5),
        (CV, "repeat.fold", 5),
        (CV[:7], "repeat.fold", 5),  # said by the column, so that the last repeat may lack some
        (named("Fold{k:02d}.Rep{r}", 10, 10), "", 10),
        (named("run {r}, fold {k}"), "", 5),
        (named("r{r}f{k}"), "", 5),
        (named("({r}, {k})"), "", 5),  # pairs that were written as text
        ([f"Fold {k} of 10" for k in range(1, 11)], "", 10),
        ([f"split{k}_test_score" for k in range(5)], "", 5),
        ([f"fold {k}" for k in range(1, 11)], "", 10),
        ([f"split{k}" for k in range(5)], "", 5),
        ([f"holdout_{k}" for k in range(5)], "split", None),
        (RUN, "fold", 10),
        ([f"bootstrap_{k}" for k in range(5)], "", None),
        (RUN, "bootstrap", None),
        (RUN[2:], "fold", None),  # some are left out, and nobody knows how many
        ([f"Resample{k:02d}" for k in range(1, 26)], "", None),
        ([str(k) for k in range(30)], "resample", None),
        ([str(k) for k in range(100)], "fold", None),  # 10 times 10, in one row
        ([f"cv.{k}" for k in range(1, 11)], "resampling_id.iteration", None),
    ],
)
def test_folds(rounds, column, k):
    found = look_like_folds(rounds, column)
    assert found is not None
    assert found.k == k


def test_of_repeats_the_number_of_folds_is_sure():
    assert look_like_folds(CV) == Folds(5, sure=True)
    assert look_like_folds(RUN, "fold") == Folds(10, sure=False)


@pytest.mark.parametrize(
    ("rounds", "column"),
    [
        (RUN, ""),
        (RUN, "round"),
        (RUN, "task"),
        (["31", "59", "3"], "did"),
        ([f"round {k}" for k in range(5)], ""),
        (["CIFAR-100", "Caltech101", "Camelyon"], "task"),
        (["iris", "wine"], "fold"),
        (list("abcde"), ""),
        (list("abcde"), "task"),
        (["iris fold 1", "iris fold 2", "wine fold 1"], ""),
        (["train", "validation", "test"], "split"),
        (["2019", "2020", "2021"], "split"),
        (["f1", "f2", "f3"], ""),  # functions of a benchmark of optimisers
        (["0.1", "0.5", "1.1", "1.5"], ""),  # no run of folds
        (["1.1", "1.2", "2.1"], ""),
        (["1.1", "1.2", "2.1", "2.2"], "task"),
        (["1.1", "1.2", "2.1", "2.2"], "version"),
        (["fold 1"], "fold"),
        (["fold 1 of A", "fold 2 of A"], ""),
        (["r1f1", "r1f2", "r2f1"], ""),
        (["x" * 100, "fold" * 50 + " 1"], "fold"),
    ],
)
def test_no_folds(rounds, column):
    assert look_like_folds(rounds, column) is None


def seen_in(scores):
    """What the names of a table's rounds and of their column tell."""
    return look_like_folds([str(name) for name in scores["round"].to_numpy()], column_of(scores))


def test_shipped_boards():
    for name in ("classifiers", "regressors"):
        assert seen_in(lb.datasets.load(name)) == Folds(5, sure=True)


@pytest.mark.parametrize("path", ["vtab/scores.csv", "eloml/auc_scores.csv", "pmra/scores.csv"])
def test_reference_boards_whose_columns_say_round(reference, path):
    assert seen_in(reference(path)) is None


def test_what_reads_folds_says_so():
    long = pd.DataFrame({"player": list("ab") * 3, "fold": [1, 1, 2, 2, 3, 3], "score": range(6)})
    assert seen_in(lb.read_scores(long)) == Folds(3, sure=False)
    assert seen_in(lb.read_scores(long.rename(columns={"fold": "seed"}))) is None
    wide = pd.DataFrame({"split": [0, 1, 2], "a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.5]})
    assert seen_in(lb.read_scores(wide)) == Folds(3, sure=False)
    search = {"params": [{"C": 1}, {"C": 2}]}
    search |= {f"split{k}_test_score": [0.1 * k, 0.2] for k in range(5)}
    assert seen_in(lb.read_scores(search)) == Folds(5, sure=False)


def test_fit_keeps_its_hints():
    scores = lb.datasets.load("classifiers", "wine")
    with pytest.warns(lb.LeaderbayesWarning, match=r"LB017 .*test_fraction=0\.2 \(.*5 folds"):
        dt = lb.fit(scores, draws=10, seed=1)
    assert [text[:5] for text in json.loads(dt.attrs["warnings"])][:2] == ["LB017", "LB018"]


def test_a_guess_is_said_as_one():
    scores = board(np.arange(20.0).reshape(2, 10)).assign_attrs(
        columns="player=p, round=fold, score=s"
    )
    with pytest.warns(lb.LeaderbayesWarning, match=r"=0\.1 .*if one cross-validation has 10 folds"):
        hint(scores, lb.matches(scores))
    resampled = scores.assign_attrs(columns="player=p, round=resample, score=s")
    with pytest.warns(lb.LeaderbayesWarning, match="Give test_fraction .*the share of rows"):
        hint(resampled, lb.matches(resampled))


def brute_force_share(scores, *, within):
    tied = played = 0
    values = scores.to_numpy()
    for i in range(len(values)):
        for j in range(i):
            for k, a in enumerate(values[i]):
                for q, b in enumerate(values[j]):
                    if (k == q or not within) and not np.isnan(a + b):
                        played += 1
                        tied += a == b
    return tied / played


@pytest.mark.parametrize("within", [True, False])
@pytest.mark.parametrize("ties", ["half", "drop"])
def test_share_of_ties(within, ties):
    rng = np.random.default_rng(3)
    values = rng.integers(0, 5, size=(5, 6)).astype(float)
    values[rng.random(values.shape) < 0.2] = np.nan
    scores = board(values)
    matches = lb.matches(scores, within_round=within, ties=ties)
    assert tied_share(matches) == pytest.approx(brute_force_share(scores, within=within))
    bare = lb.matches(scores, within_round=within, pairs=False)
    assert tied_share(bare) == tied_share(matches)
    # Twice the same tournament has the same share.
    two = xr.concat([scores, scores], pd.Index(["a", "b"], name="tournament"))
    assert tied_share(
        lb.matches(two.assign_attrs(scores.attrs), within_round=within)
    ) == pytest.approx(tied_share(matches))


def test_maximum_likelihood_has_no_test_fraction():
    matches = lb.matches(lb.datasets.load("classifiers", "iris"))
    assert "Use leaderbayes.fit with test_fraction=0.2" in hints(matches, posterior=False)[0]


def test_nobody_met():
    scores = board([[1.0, np.nan], [np.nan, 1.0]])
    assert tied_share(lb.matches(scores)) == 0.0


def ties_of(share):
    """Two players, 100 rounds, so many of them tied."""
    second = np.where(np.arange(100) < 100 * share, 0.0, np.where(np.arange(100) % 2, 1.0, -1.0))
    return board(np.stack([np.zeros(100), second]))


@pytest.mark.parametrize(
    ("ties", "said"),
    [
        ("half", "10 % .*half a win.*model='davidson'"),
        ("drop", "10 % .*excluded.*model='davidson'"),
        ("loss", "10 % .*a loss for.*model='davidson'"),
    ],
)
def test_many_ties(ties, said):
    (text,) = hints(lb.matches(ties_of(0.1), ties=ties))
    assert re.match(f"LB018 {said}", text)
    two = ties_of(0.1).expand_dims(tournament=["a", "b"])
    assert "leaderbayes.study.fit" in hints(lb.matches(two))[0]


def test_no_hint_of_ties():
    assert hints(lb.matches(ties_of(0.09))) == []
    assert hints(lb.matches(ties_of(0.5)), models_ties=True) == []


def test_one_score_a_player():
    scores = board([[3.0], [2.0], [1.0]])
    (text,) = hints(lb.matches(scores))
    assert text.startswith("LB011 One score per player")
    several = xr.concat([scores] * 4, pd.Index(list("abcd"), name="tournament"))
    assert "Make the tournaments rounds" in hints(lb.matches(several))[-1]


@pytest.fixture(scope="module")
def items():
    return board((np.random.default_rng(1).random((3, 60)) < 0.8).astype(float))


def said(scores, **options):
    """What is said of scores, by its codes."""
    matches = None if "likelihood" in options else lb.matches(scores)
    return {text[:5]: text for text in warned(hint, scores, matches, **options)}


def test_right_or_wrong_is_for_mean_scores(items):
    for models_ties in (True, False):
        found = said(items, models_ties=models_ties)
        assert set(found) == {"LB018"}
        assert "model='mean_score'" in found["LB018"]
    assert "fitted as normal" in said(items, likelihood="normal")["LB018"]
    assert said(items, likelihood="dirichlet") == {}
    other = items + 0.01 * np.random.default_rng(2).random((3, 60))
    assert said(other, likelihood="normal") == {}


def test_two_accuracies_are_no_answers():
    """A small board may have two values; those of which one is an end of the scale look like it."""
    of_two = board(np.array([[0.6, 0.8, 0.6], [0.8, 0.6, 0.8]]))
    assert said(of_two) == {}
    for looks in ((of_two - 0.6) / 0.2, (of_two - 0.6) * 500.0, 2.0 * (of_two - 0.7) / 0.2):
        assert "right or wrong" in said(looks.round(6))["LB018"]


def test_means_of_runs_are_answers_too():
    """And numbered items of clusters are no folds of repeats."""
    rng = np.random.default_rng(5)
    rounds = [f"{passage}.{item}" for passage in range(10) for item in range(5)]
    scores = board(rng.integers(0, 4, size=(3, 50)) / 3.0).assign_coords(round=rounds)
    clustered = scores.assign_coords(cluster=("round", np.arange(50) // 5))
    assert "LB017" in said(scores)
    assert "LB017" not in said(scores, test_fraction=0.2)
    assert set(said(clustered.assign_attrs(answers=1))) == {"LB018", "LB027"}
    assert "LB027" not in said(clustered, likelihood="normal")


@pytest.mark.parametrize(("players", "rounds", "of"), [(3, 15, 1), (3, 60, 6)])
def test_few_items(players, rounds, of):
    scores = board((np.random.default_rng(4).random((players, rounds)) < 0.7).astype(float))
    if of > 1:
        scores = scores.assign_coords(cluster=("round", np.arange(rounds) // of))
    assert said(scores, likelihood="dirichlet")["LB028"].startswith(f"LB028 Only {rounds // of} ")
    assert "LB028" not in said(scores, likelihood="normal")


@pytest.mark.parametrize(("right", "kind"), [(0.97, "wrong"), (0.03, "right"), (0.9, "")])
def test_few_errors(right, kind):
    scores = board((np.random.default_rng(4).random((5, 60)) < right).astype(float))
    text = said(scores, likelihood="dirichlet").get("LB028", "")
    assert text.startswith("LB028 Half of the players have") == bool(kind)
    assert kind in text


def test_missing_where_hard(items):
    hard = items.mean("player").argsort().to_numpy()[:15]
    gone = items.where((items["player"] != "p0") | ~items["round"].isin(items["round"][hard]))
    text = said(gone, likelihood="dirichlet")["LB053"]
    assert text.count("'p0' lacks 25 % of the items") == 1
    assert "LB053" not in said(items, likelihood="dirichlet")


def of_kinds(rng, *, separate):
    """Weak players on easy rounds only, which tell players apart less, or are only easier."""
    epp, hard, noise = rng.normal(size=20), rng.normal(size=40), rng.gumbel(size=(20, 40))
    scores = np.exp(separate * hard) * epp[:, None] + noise - hard
    gone = (hard > 0.0) & (epp[:, None] < 0.0) & (rng.random((20, 40)) < 0.8)
    factor = np.exp(separate * norm.ppf((np.arange(200) + 0.5) / 200))
    true = expit((epp[:, None] - epp)[..., None] * factor).mean(axis=-1)
    return board(np.where(gone, np.nan, scores)), true


@pytest.mark.filterwarnings("ignore:LB053")
@pytest.mark.parametrize("separate", [0.8, 0.0])
def test_rounds_that_weak_players_lack_tell_players_apart_more(separate):
    found = []
    for seed in range(6):
        scores, true = of_kinds(np.random.default_rng(seed), separate=separate)
        dt = lb.fit(scores, draws=250, seed=seed, replicates=1)
        win = lb.win_probability(dt)
        said_of = win.attrs["estimand"]  # of all boards: who plays where has to do with strength
        assert said_of.endswith("strengths are extrapolated to all rounds.")
        told = "lack separate players more" in said_of
        inside = ((win["lower"] <= true) & (true <= win["upper"])).to_numpy()
        found.append(["LB053" in dt.attrs["warnings"], told, inside[np.triu_indices(20, 1)].mean()])
    sure, told, covered = np.mean(found, axis=0)
    assert (sure > 0.6 and told > 0.8) if separate else (sure == 0.0 and told < 0.2)
    assert covered > 0.9  # 0.83 as if scores were missing at random


def test_scores_missing_at_random_are_seldom_extrapolated():
    rng, told = np.random.default_rng(4), 0
    for _ in range(60):
        scores = rng.normal(size=8)[:, None] + rng.gumbel(size=(8, 20))
        gone = rng.random((8, 20)) < rng.random(8)[:, None]  # of some players more than of others
        there = np.where(gone, np.nan, scores)[:, (~gone).sum(axis=0) > 1]
        told += len(apart(separation_of(lb.matches(board(there)))))
    assert told <= 14  # of 60, twice 5 % each
