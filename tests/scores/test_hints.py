"""Hints: rounds that are folds, many ties, one score a player; and none where none is due."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import board
from leaderbayes._scores.hints import Folds, column_of, hint, hints, look_like_folds, tied_share

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
        (named("{r}_{k}"), "column", 5),
        (named("Fold{k:02d}.Rep{r}", 10, 10), "", 10),
        (named("rep {r} fold {k}"), "", 5),
        (named("repeat_{r}_fold_{k}"), "", 5),
        (named("cv{r}_fold{k}"), "", 5),
        (named("run {r}, fold {k}"), "", 5),
        (named("r{r}f{k}"), "", 5),
        (named("Repeat{r}-F{k}"), "", 5),
        (named("({r}, {k})"), "", 5),  # pairs that were written as text
        ([f"Fold {k} of 10" for k in range(1, 11)], "", 10),
        ([f"split{k}_test_score" for k in range(5)], "", 5),
        ([f"train_test_split_{k}" for k in range(1, 11)], "", None),
        ([f"fold {k}" for k in range(1, 11)], "", 10),
        ([f"Fold_{k}" for k in range(4)], "", 4),
        ([f"split{k}" for k in range(5)], "", 5),
        ([f"CV-{k}" for k in range(1, 4)], "", 3),
        ([f"holdout_{k}" for k in range(5)], "split", None),
        (RUN, "fold", 10),
        (RUN, "split_num", 10),
        (list("abcde"), "fold", 5),
        (list("ACE"), "fold", None),
        ([f"bootstrap_{k}" for k in range(5)], "", None),
        (RUN, "bootstrap", None),
        (RUN, "cvFold", 10),
        (RUN, "outer_fold", 10),
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
        (RUN, "row"),
        (RUN, "seed"),
        (RUN, "run"),
        (RUN, "repeat"),
        (RUN, "iteration"),
        (RUN, "task"),
        (["31", "59", "3"], "did"),
        ([f"seed {k}" for k in range(5)], ""),
        ([f"run {k}" for k in range(5)], ""),
        ([f"round {k}" for k in range(5)], ""),
        (["CIFAR-100", "Caltech101", "Camelyon"], "task"),
        (["iris", "wine"], "fold"),
        (list("abcde"), ""),
        (list("abcde"), "task"),
        (["iris fold 1", "iris fold 2", "wine fold 1"], ""),
        (["test-clean", "test-other"], "split"),
        (["train", "validation", "test"], "split"),
        (["2019", "2020", "2021"], "split"),
        (["f1", "f2", "f3"], ""),  # functions of a benchmark of optimisers
        (["twofold 1", "twofold 2"], ""),
        (["scaffold 1", "scaffold 2"], ""),
        (["0.1", "0.2", "0.3"], ""),  # levels of noise, say
        (["0.1", "0.5", "1.1", "1.5"], ""),  # no run of folds
        (["1.1", "1.2", "2.1"], ""),
        (["1.1", "1.2", "2.1", "2.2"], "task"),
        (["1.1", "1.2", "2.1", "2.2"], "version"),
        (["fold 1"], "fold"),
        (["fold 1 of A", "fold 2 of A"], ""),
        (["fold 1 of 1000", "fold 2 of 1000"], ""),
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


def test_fit_hints_and_keeps_its_hints():
    scores = lb.datasets.load("classifiers", "wine")
    with pytest.warns(lb.HintWarning, match=r"LB017 .*test_fraction=0\.2 \(--test-f.*5 folds"):
        dt = lb.fit(scores, sampler="laplace", draws=10, seed=1)
    assert [text[:5] for text in json.loads(dt.attrs["warnings"])] == ["LB017", "LB018"]
    assert lb.leaderboard(dt).attrs["warnings"] == dt.attrs["warnings"]
    dt = lb.fit(scores, sampler="laplace", draws=10, seed=1, test_fraction=0.2)
    assert [text[:5] for text in json.loads(dt.attrs["warnings"])] == ["LB018"]


def test_a_guess_is_said_as_one():
    scores = board(np.arange(20.0).reshape(2, 10)).assign_attrs(
        columns="player=p, round=fold, score=s"
    )
    with pytest.warns(lb.HintWarning, match=r"=0\.1 .*if they are the 10 folds of one"):
        hint(lb.matches(scores), "bradley_terry", {"test_fraction": None}, scores)
    resampled = scores.assign_attrs(columns="player=p, round=resample, score=s")
    with pytest.warns(lb.HintWarning, match="Give test_fraction .*the share of the rows"):
        hint(lb.matches(resampled), "bradley_terry", {"test_fraction": None}, resampled)


def test_estimates_hint_too():
    matches = lb.matches(lb.datasets.load("classifiers", "iris"))
    with pytest.warns(
        lb.HintWarning, match=r"LB017 .*Take leaderbayes\.fit with test_fraction=0\.2"
    ):
        estimate = lb.likelihood.bradley_terry(matches)
    assert [text[:5] for text in json.loads(estimate.attrs["warnings"])] == ["LB017", "LB018"]
    assert lb.leaderboard(estimate).attrs["warnings"] == estimate.attrs["warnings"]
    for estimator in (lb.likelihood.plackett_luce, lb.likelihood.round_intercept):
        with pytest.warns(lb.HintWarning, match="LB018 44 %"):
            estimator(matches)


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


def test_nobody_met():
    scores = board([[1.0, np.nan], [np.nan, 1.0]])
    assert tied_share(lb.matches(scores)) == 0.0


def ties_of(share):
    """Two players, 100 rounds, so many of them tied."""
    second = np.where(np.arange(100) < 100 * share, 0.0, np.where(np.arange(100) % 2, 1.0, -1.0))
    return board(np.stack([np.zeros(100), second]))


@pytest.mark.parametrize(
    ("model", "ties", "said"),
    [
        ("bradley_terry", "half", "10 % .*half a win.*model='davidson'"),
        ("bradley_terry", "drop", "10 % .*left out.*model='davidson'"),
        ("plackett_luce", "half", "10 % .*half a win.*model='davidson'"),
        ("round_intercept", "loss", "10 % .*the loss of.*model='davidson'"),
        ("tournaments", "half", "10 % .*study.fit"),
    ],
)
def test_many_ties(model, ties, said):
    (text,) = hints(lb.matches(ties_of(0.1), ties=ties), model)
    assert re.match(f"LB018 {said}", text)


def test_no_hint_of_ties():
    assert hints(lb.matches(ties_of(0.09)), "bradley_terry") == []
    assert hints(lb.matches(ties_of(0.5)), "davidson") == []


@pytest.mark.filterwarnings("ignore::leaderbayes._errors.DisconnectedWarning")
@pytest.mark.filterwarnings("ignore::leaderbayes._errors.WeightWarning")
def test_one_score_a_player():
    scores = board([[3.0], [2.0], [1.0]])
    with pytest.warns(lb.HintWarning, match="LB019 .*one ranking"):
        dt = lb.fit(scores, sampler="laplace", draws=10, seed=1)
    assert [text[:5] for text in json.loads(dt.attrs["warnings"])] == ["LB019", "LB010", "LB011"]


def test_one_score_a_player_in_each_tournament():
    scores = xr.concat([board([[3.0], [2.0]])] * 4, pd.Index(list("abcd"), name="tournament"))
    *_, text = hints(lb.matches(scores), "tournaments")
    assert text.startswith("LB019")
    # What it says to call does that.
    call = re.search(r"leaderbayes\.fit\((.*)\)\.$", text)[1]
    rounds = eval(call, {"scores": scores})
    assert lb.matches(rounds)["place"].sizes == {"round": 4, "player": 2}


@pytest.fixture(scope="module")
def items():
    return board((np.random.default_rng(1).random((3, 60)) < 0.8).astype(float))


def test_right_or_wrong_is_no_size(items):
    with pytest.warns(lb.HintWarning, match="LB025"):
        lb.fit(items, "mean_score", likelihood="normal", seed=1, prior_scale=np.inf)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lb.fit(items, "mean_score", seed=1)
        other = items + 0.01 * np.random.default_rng(2).random((3, 60))
        lb.fit(other, "mean_score", seed=1, prior_scale=np.inf)


@pytest.mark.parametrize("model", ["bradley_terry", "davidson"])
def test_right_or_wrong_is_for_mean_scores(items, model):
    with pytest.warns(lb.HintWarning) as said:
        hint(lb.matches(items), model, {"test_fraction": None}, items)
    (text,) = (str(one.message) for one in said)
    share = tied_share(lb.matches(items))
    assert text.startswith("LB026 scores are answers, right or wrong (or look like it): "
                           f"{100.0 * share:.0f} % of the matches")  # fmt: skip


def test_two_accuracies_are_no_answers():
    """A small board may have two values; those of which one is an end of the scale look like it."""
    of_two = board(np.array([[0.6, 0.8, 0.6], [0.8, 0.6, 0.8]]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hint(lb.matches(of_two), "bradley_terry", {"test_fraction": None}, of_two)
    for looks in ((of_two - 0.6) / 0.2, (of_two - 0.6) * 500.0, 2.0 * (of_two - 0.7) / 0.2):
        looks = looks.round(6)
        with pytest.warns(lb.HintWarning, match="LB026"):
            hint(lb.matches(looks), "bradley_terry", {"test_fraction": None}, looks)


def test_means_of_runs_are_answers_too():
    """And numbered items of clusters are no folds of repeats."""
    rng = np.random.default_rng(5)
    rounds = [f"{passage}.{item}" for passage in range(10) for item in range(5)]
    values = rng.integers(0, 4, size=(3, 50)) / 3.0
    scores = board(values).assign_coords(round=rounds)
    scores = scores.assign_coords(cluster=("round", np.arange(50) // 5))
    with pytest.warns(lb.HintWarning, match="LB017"):
        lb.fit(scores.drop_vars("cluster"), draws=10, seed=1)
    with pytest.warns(lb.HintWarning) as said:
        lb.fit(scores.assign_attrs(answers=1), draws=10, seed=1)
    codes = {str(one.message)[:5] for one in said if issubclass(one.category, lb.HintWarning)}
    assert {"LB026", "LB027"} <= codes
    assert not {"LB017", "LB018"} & codes


def test_clusters_are_not_seen_by_matches():
    scores = board(np.random.default_rng(3).normal(size=(3, 12)))
    scores = scores.assign_coords(cluster=("round", np.arange(12) // 3))
    with pytest.warns(lb.HintWarning, match="LB027 rounds have clusters"):
        lb.fit(scores, sampler="laplace", draws=10, seed=1)


@pytest.mark.parametrize(("players", "rounds", "of"), [(3, 15, 1), (3, 60, 6)])
def test_few_items(players, rounds, of):
    values = (np.random.default_rng(4).random((players, rounds)) < 0.7).astype(float)
    scores = board(values)
    if of > 1:
        scores = scores.assign_coords(cluster=("round", np.arange(rounds) // of))
    with pytest.warns(lb.HintWarning, match=f"LB028 {rounds // of} "):
        lb.fit(scores, "mean_score", prior_scale=np.inf, seed=1)


@pytest.mark.parametrize("slope", [1.0, 2.0])
def test_missing_where_hard(items, slope):
    """Of items always; of rounds if the player's lead goes with them."""
    rng = np.random.default_rng(6)
    moves = np.array([slope, 1.0, 1.0, 1.0, 1.0])[:, None] * 2.0 * rng.normal(size=60)
    for scores in (items, board(rng.normal(size=(5, 1)) + moves + 0.5 * rng.normal(size=(5, 60)))):
        hard = scores.mean("player").argsort().to_numpy()[:15]
        gone = scores.where(
            (scores["player"] != "p0") | ~scores["round"].isin(scores["round"][hard])
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            dt = lb.fit(gone, "mean_score", draws=200, seed=1)
        said = [str(w.message) for w in caught if str(w.message).startswith("LB053")]
        assert len(said) == (scores is items or slope > 1.0)
        assert all(text in dt.attrs["warnings"] for text in said)
        assert all(text.count("'p0' lacks 25 % of the rounds") == 1 for text in said)
