"""What a wide table holds beside scores is no player and no round."""

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from leaderbayes._scores.belongs import by_number, is_summary, odd_columns, summaries

SUMMARIES = [
    *"TOTAL Mean average std avg_rank pvalue overall Rank time p_value".split(),
    *("Mean accuracy", "Avg. acc", "macro avg", "Geometric mean", "weighted avg", "p value"),
]
PLAYERS = [
    *"timegan TimeGAN SumProductNet meanshift RankNet VAR MaxEnt svm SE-ResNet mean_model".split(),
    *"fold_3 Mean3 total_17 r2 7 query_12 rank_1 Time2Vec best_model p".split(),
]


@pytest.mark.parametrize("name", SUMMARIES)
def test_summaries_by_name(write, name):
    assert is_summary(name)
    for first in ("dataset", "model"):
        text = f'{first},svm,rf\nx,.5,.9\ny,.4,.1\n"{name}",7,8\n'
        with pytest.raises(lb.ScoresError, match=r"row .*: a summary .* drop="):
            lb.read_scores(write(text))
        text = f'{first},a,b,"{name}"\nx,.5,.9,.1\ny,.4,.1,.2\n'
        with pytest.raises(lb.ScoresError, match=r"column .*: a summary, .* drop="):
            lb.read_scores(write(text))
    long = f"model,fold,auc\na,1,1\nb,1,1\na,{name},1\n"
    with pytest.raises(lb.ScoresError, match=r"row .*: a summary of the others"):
        lb.read_scores(write(long))


@pytest.mark.parametrize("name", PLAYERS)
def test_players_remain_players(write, name):
    assert not is_summary(name)
    text = f"dataset,{name},forest,b\nx,.52,.9,.1\ny,.43,.1,.3\nz,.13,.7,.9\n"
    assert lb.read_scores(write(text))["player"].values[0] == name


def test_statistics_of_another_column():
    for name in ("svm_std", "svm ±", "svm_time", "mean_svm", "acc_se", "svm std"):
        assert is_summary(name, ["svm", "knn"])
    for name in ("svm", "forest_time", "svm_linear", "knn_se_block", "audiology-std"):
        assert not is_summary(name, ["svm", "knn"])


def test_all_are_named_at_once(write):
    text = (
        "dataset,svm,rf,svm_std,Mean,seed\nx,.51,.91,.1,.7,1\ny,.42,.12,.1,.2,5\nTotal,1,1,1,1,7\n"
    )
    with pytest.raises(lb.ScoresError) as caught:
        lb.read_scores(write(text))
    for name in ("svm_std", "Mean", "Total"):
        assert repr(name) in str(caught.value)
    assert "'rf'" not in str(caught.value)


# -- by number -------------------------------------------------------------------------------------

RNG = np.random.default_rng(7)


def honest():
    """Tables of scores by what they are, (row, column), and whether more is better."""
    n, m = 20, 8
    tasks, players = RNG.normal(size=(n, 1)), RNG.normal(size=m)
    noise = RNG.normal(size=(n, m))
    percent = np.clip(60 + 15 * tasks + 6 * players + 3 * noise, 1, 99)
    beside_bad = np.column_stack([percent, percent[:, 0] * 0.7])
    constant = np.column_stack([percent, np.full(n, 50.0)])
    boards = lb.datasets.load("classifiers")
    shipped = {
        str(name): (boards.sel(tournament=name).dropna("player", how="all").values.T, True)
        for name in boards["tournament"].values
    }
    return {
        "accuracy": (percent.round(1), True),
        "shares": ((percent / 100).round(3), True),
        "rounds as columns": (percent.T.round(1), True),
        "a weak player": (beside_bad.round(1), True),
        "a constant predictor": (constant.round(1), True),
        "perplexity": (np.exp(3 + 1.5 * tasks + 0.3 * players + 0.1 * noise).round(2), False),
        "R2": (np.clip(0.4 + 0.3 * tasks + 0.1 * players + 0.1 * noise, -2, 1).round(3), True),
        "right or wrong": ((noise + tasks > 0).astype(float), True),
        "ranks": (np.argsort(np.argsort(noise, axis=1), axis=1) + 1.0, False),
        "errors": (lb.datasets.load("regressors").values.T, False),
        **shipped,
    }


HONEST = honest()


@pytest.mark.parametrize("name", HONEST)
def test_honest_tables_are_read(name):
    x, gains = HONEST[name]
    assert odd_columns(x, gains=gains) == []
    rng = np.random.default_rng(3)
    for _ in range(4):  # a part of it
        rows = rng.choice(len(x), min(len(x), 12), replace=False)
        columns = rng.choice(x.shape[1], min(x.shape[1], 6), replace=False)
        found = odd_columns(x[np.ix_(rows, columns)], gains=gains)
        assert all(odd.points < 4 for odd in found)


def foreign(n, rng):
    """Columns that are no scores beside percentages."""
    return {
        "seconds": np.exp(rng.normal(4, 1, n)).round(1),
        "parameters": np.exp(rng.normal(16, 1.5, n)).round(),
        "p-values": rng.uniform(0, 1, n).round(3),
        "t statistics": rng.normal(0, 2, n).round(2),
        "instances": rng.integers(100, 60_000, n).astype(float),
        "years": rng.integers(2012, 2025, n).astype(float),
        "ranks": rng.permutation(n) + 1.0,
        "speed": np.exp(rng.normal(5, 0.7, n)).round(),
        "price": np.exp(rng.normal(-1, 1.5, n)).round(2),
        "downloads": (np.exp(rng.normal(8, 3, n)) * (rng.random(n) > 0.1)).round(),
        "ratings": rng.normal(1200, 80, n).round(),
        "rates": rng.choice([1e-5, 1e-4, 1e-3], n),
        "counts": rng.integers(0, 12, n).astype(float),
        "flags": rng.integers(0, 2, n).astype(float),
        "the same": np.full(n, 5.0),
    }


@pytest.mark.parametrize("name", foreign(1, RNG))
def test_foreign_columns_are_refused_or_named(name):
    """In 20 tables of accuracies of 12 rows and 5 players each; one is unnoticed at most in 10."""
    unnoticed = others = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = 60 + 15 * rng.normal(size=(12, 1)) + 6 * rng.normal(size=5)
        x = np.clip(x + 3 * rng.normal(size=(12, 5)), 1, 99).round(1)
        found = odd_columns(np.column_stack([x, foreign(12, rng)[name]]), gains=True)
        unnoticed += 5 not in {odd.column for odd in found}
        others += any(odd.column != 5 and odd.points >= 4 for odd in found)
    assert unnoticed <= 2
    assert others <= 1


@pytest.mark.slow
def test_several_foreign_columns_at_once():
    """Four beside five columns of accuracies of 12 rows, once one is known to be none."""
    unnoticed = others = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = 60 + 15 * rng.normal(size=(12, 1)) + 6 * rng.normal(size=5)
        x = np.clip(x + 3 * rng.normal(size=(12, 5)), 1, 99).round(1)
        beside = rng.choice(np.column_stack([*foreign(12, rng).values()]), 4, axis=1, replace=False)
        refused, named = by_number(np.column_stack([x, beside]), gains=True, mixed=True)
        unnoticed += len({5, 6, 7, 8} - {*refused, *named})
        others += len({*refused} & {*range(5)})
    assert unnoticed / 240 < 0.08
    assert others / 300 < 0.02


def test_a_column_is_refused_by_name_or_named(write):
    text = "dataset,svm,rf,knn,k7\n" + "".join(
        f"d{k}a,{50 + 3 * k}.5,{52 + 3 * k}.1,{49 + 3 * k}.7,{k * 3971 + 150}\n" for k in range(6)
    )
    with pytest.raises(lb.ScoresError, match=r"column 'k7': on another scale, .*above 100"):
        lb.read_scores(write(text))
    table = pd.DataFrame(HONEST["accuracy"][0]).add_prefix("m")
    table = table.assign(odd=(0.055 * table["m0"]).round(2))
    with pytest.warns(lb.LeaderbayesWarning, match="LB051 .*player 'odd': on another scale"):
        assert lb.read_scores(table).sizes["player"] == 9


@pytest.mark.parametrize("digits", [3, 4, 15])
@pytest.mark.parametrize("total", [np.mean, np.sum, np.median])
@pytest.mark.parametrize("place", [0, 6])
def test_a_column_that_summarises_the_others(digits, total, place):
    scores = np.round(np.random.default_rng(1).uniform(size=(4, 6)), digits)
    column = np.round(total(scores, axis=1), digits)
    assert summaries(np.insert(scores, place, column, axis=1)) == [place]
    assert summaries(np.insert(scores, place, column + 0.01, axis=1)) == []
    assert summaries(np.insert(scores, 3, column, axis=1)) == []


@pytest.mark.parametrize(
    "values",
    [
        np.ones((3, 5)),  # all tied
        np.arange(15.0).reshape(3, 5),
        np.outer(np.ones(3), [1, 1, 0, 0, 1]),  # separated
        np.full((3, 4), np.nan),
        np.array([[1e308, 1e308, 1e308, 1.0], [-1e308, 1e308, 0.0, 1.0]]),
        np.zeros((3, 0)),
        np.zeros((0, 4)),
    ],
)
def test_what_summarises_by_chance_only(values):
    assert summaries(values) == []


def test_summaries_of_a_table(write):
    body = "x,.513,.911\ny,.422,.124\nz,.137,.335\n"
    for first in ("dataset", "model"):
        with pytest.raises(lb.ScoresError, match="row 'Ø': a summary of the others"):
            lb.read_scores(write(f"{first},svm,rf\n{body}Ø,.357,.457\n"))
    wide = "model,d1,d2,Ø\nx,.513,.911,.712\ny,.422,.124,.273\nz,.137,.335,.236\n"
    with pytest.raises(lb.ScoresError, match="column 'Ø': a summary of the others"):
        lb.read_scores(write(wide))


def test_long_tables_keep_players_of_any_name():
    table = pd.DataFrame({"player": ["mean", "n", "W/T/L"], "round": "1", "score": [1.0, 2.0, 3.0]})
    assert list(lb.read_scores(table)["player"].values) == ["mean", "n", "W/T/L"]
