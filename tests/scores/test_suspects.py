"""What a wide table holds beside scores is no player and no round."""

import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from leaderbayes._scores.names import is_about, is_statistic, is_summary
from leaderbayes._scores.suspects import _of_another_size, _sums_up

SUMMARIES = [
    *"TOTAL Mean average std avg_rank W/T/L W-D-L wins p-value pvalue overall Rank".split(),
    *("Mean accuracy", "Avg. acc", "macro avg", "Geometric mean", "weighted avg", "Mean F1"),
    *("Average ⬆️", "mean (of 5 folds)", "p value"),
]
ABOUT = [
    *"n_samples time #instances n_features runtime".split(),
    *("#Params (B)", "training time (s)", "cost (USD)", "fit time", "inference latency ms"),
]
PLAYERS = [
    *"timegan TimeGAN SumProductNet TotalBoost meanshift RankNet VAR MaxEnt svm SE-ResNet".split(),
    *("model_a", "Mean model", "instance 1", "rank 1", "Time2Vec", "best model"),
]


@pytest.fixture
def read(tmp_path):
    def from_text(text, **options):
        (tmp_path / "scores.csv").write_text(text)
        return lb.read_scores(tmp_path / "scores.csv", **options)

    return from_text


@pytest.mark.parametrize("name", SUMMARIES)
def test_summaries(read, name):
    assert is_summary(name)
    with pytest.raises(lb.ScoresError, match=r"line 4: the round .* looks like a summary"):
        read(f'dataset,svm,rf\nx,.5,.9\ny,.4,.1\n"{name}",7,8\n')
    with pytest.raises(lb.ScoresError, match=r"line 4: the player .* looks like a summary"):
        read(f'model,d1,d2\nx,.5,.9\ny,.4,.1\n"{name}",7,8\n')
    for first in ("dataset", "model"):
        with pytest.raises(lb.ScoresError, match=r"column .* looks like .*leave it out, or ren"):
            read(f'{first},a,b,"{name}"\nx,.5,.9,.1\ny,.4,.1,.2\n')


@pytest.mark.parametrize("name", ABOUT)
def test_what_is_known_of_the_rows(read, name):
    assert is_about(name)
    for first in ("dataset", "model"):
        with pytest.raises(lb.ScoresError, match=r"looks like something known of the rows"):
            read(f'{first},a,b,"{name}"\nx,.5,.9,1.5\ny,.4,.1,2.5\n')


@pytest.mark.parametrize("name", PLAYERS)
def test_players_remain_players(read, name):
    assert not is_summary(name)
    assert not is_about(name)
    scores = read(f"dataset,{name},forest,b\nx,.52,.9,.1\ny,.43,.1,.3\nz,.13,.7,.9\n")
    assert scores["player"].values[0] == name


def test_statistics_of_another_column():
    for name in ("svm_std", "MMLU_stderr", "x ±", "acc_se", "acc_time"):
        assert is_statistic(name, [])
    for name in ("rf_sd", "rf_time", "rf mean", "mean_rf"):
        assert is_statistic(name, ["rf"])
        assert not is_statistic(name, ["svm"])


def test_years_and_sizes_by_what_they_hold(read):
    with pytest.raises(lb.ScoresError, match="'year', 'size' look like something known"):
        read("model,d1,year,d2,size\nx,.5,2019,.9,7\ny,.4,2020,.1,13\n")
    # The data sets of a benchmark of regressors.
    scores = read("model,boston,energy,power,year\nx,.5,.2,.9,.7\ny,.4,.1,.1,.6\n")
    assert list(scores["round"].values) == ["boston", "energy", "power", "year"]


def test_all_are_named_at_once(read):
    with pytest.raises(lb.ScoresError) as caught:
        read(
            "dataset,svm,rf,svm_std,rf_std,n_samples,Mean,extra\n"
            "x,.51,.91,.1,.1,150,.7,12960\ny,.42,.12,.1,.1,90,.2,4601\n"
            "Total,1,1,1,1,1,1,1000\nW/T/L,1/0/1,1,1,1,1,1,1000\n"
        )
    for name in ("svm_std", "rf_std", "n_samples", "Mean", "extra", "Total", "W/T/L"):
        assert repr(name) in str(caught.value)
    assert "'svm'" not in str(caught.value)
    assert "'rf'" not in str(caught.value)


def test_whole_numbers_beside_shares(read):
    table = "dataset,svm,rf,k7\nx,.51,.91,12960\ny,.42,.12,4601\n"
    with pytest.raises(lb.ScoresError, match="column 'k7' holds whole numbers of another size"):
        read(table)
    shares = np.array([[0.5, 0.9], [0.4, 0.1]])
    for beside in ([0.0, 1.0], [1.0, 1.0], [1e300, 1e301], [1500.5, 2000.0], [5.0, np.nan]):
        values = np.column_stack([shares, beside])
        assert not _of_another_size(values).any()
        assert not _of_another_size(1000.0 * values).any()
    assert list(_of_another_size(np.column_stack([shares, [150, 20]]))) == [False, False, True]
    assert list(_of_another_size(np.column_stack([100 * shares + 0.5, [150, 20]]))) == [False] * 3


@pytest.mark.parametrize("digits", [3, 4, 15])
@pytest.mark.parametrize("total", [np.mean, np.sum])
@pytest.mark.parametrize("place", [0, 6])
def test_a_row_that_sums_up_the_others(digits, total, place):
    rng = np.random.default_rng(1)
    scores = np.round(rng.uniform(size=(6, 4)), digits)
    row = np.round(total(scores, axis=0), digits)
    assert _sums_up(np.insert(scores, place, row, axis=0)) == [place]
    assert _sums_up(np.insert(scores, place, row + 0.01, axis=0)) == []
    assert _sums_up(np.insert(scores, 3, row, axis=0)) == []


def test_a_mean_of_rounded_scores_may_be_rounded_otherwise():
    scores = np.random.default_rng(2).uniform(size=(9, 8))
    table = np.vstack([np.round(scores, 3), np.round(scores.mean(axis=0), 3)])
    assert _sums_up(table) == [9]


@pytest.mark.parametrize(
    "values",
    [
        np.ones((5, 3)),  # all tied
        np.arange(15.0).reshape(5, 3),
        np.outer([1, 1, 0, 0, 1], np.ones(3)),  # separated
        np.vstack([np.full((3, 4), 0.5), [[0.1, 0.2, 0.3, 0.4]]]),
        np.full((4, 3), np.nan),
        np.array([[1e308, -1e308], [1e308, 1e308], [1e308, 0.0], [1.0, 1.0]]),
        np.zeros((0, 3)),
        np.zeros((4, 0)),
    ],
)
def test_what_sums_up_by_chance_only(values):
    assert _sums_up(values) == []


def test_sums_of_a_table(read):
    body = "x,.513,.911\ny,.422,.124\nz,.137,.335\n"
    with pytest.raises(lb.ScoresError, match="line 5: the round 'Ø' holds the mean or the sum"):
        read(f"dataset,svm,rf\n{body}Ø,.357,.457\n")
    with pytest.raises(lb.ScoresError, match="line 5: the player 'Ø' holds the mean or the sum"):
        read(f"model,d1,d2\n{body}Ø,.357,.457\n")
    with pytest.raises(lb.ScoresError, match="column 'Ø' holds the mean or the sum"):
        read("model,d1,d2,Ø\nx,.513,.911,.712\ny,.422,.124,.273\nz,.137,.335,.236\n")
    long = "player,round,score\n" + "".join(
        f"{p},{r},{v}\n" for r, p, v in re.findall(r"(\w),(.)(.*)", "x,a.513\ny,a.422\nz,a.137\n")
    )
    assert read(long + "b,x,.5\nØ,x,.5\n").sizes["player"] == 3


@pytest.mark.parametrize("header", ["Models", "approach", "Model/Dataset", "algorithm_name", "LLM"])
def test_players_by_other_names(read, header):
    scores = read(f"{header},d1,d2\nA,.5,.2\nB,.3,.1\n")
    assert list(scores["player"].values) == ["A", "B"]
    assert list(scores["round"].values) == ["d1", "d2"]


@pytest.mark.parametrize("header", ["Datasets", "task_name", "Data set", "Dataset \\ Model"])
def test_tournaments_by_other_names(read, header):
    scores = read(f"{header},svm,rf\nx,.5,.2\nx,.3,.1\ny,.3,.1\n")
    assert list(scores["tournament"].values) == ["x", "y"]


@pytest.mark.parametrize("header", ["Name", "names", "Label"])
def test_names_of_anything_are_asked_for(read, header):
    text = f"{header},d1,d2\nA,.5,.2\nB,.3,.1\n"
    with pytest.raises(lb.ScoresError, match=r"may name players or rounds; say which"):
        read(text)
    assert list(read(text, player=header)["player"].values) == ["A", "B"]
    assert list(read(text, round=header)["round"].values) == ["A", "B"]


def test_a_name_beside_a_fold_may_be_the_tournament(read):
    text = "name,fold,rf,svm\niris,1,.5,.2\niris,2,.3,.1\nwine,1,.4,.2\n"
    with pytest.raises(lb.ScoresError, match=r"'name' holds text.*tournament=\.\.\."):
        read(text)
    assert list(read(text, tournament="name")["tournament"].values) == ["iris", "wine"]


def test_long_tables_keep_players_of_any_name(read):
    table = pd.DataFrame(
        {"player": ["mean", "n_samples", "W/T/L"], "round": "1", "score": [1.0, 2.0, 3.0]}
    )
    assert list(lb.read_scores(table)["player"].values) == ["mean", "n_samples", "W/T/L"]


def kinds(column, values, tournaments="aabb"):
    rows = [(p, t, k) for p in "xy" for t in dict.fromkeys(tournaments) for k in range(3)]
    table = pd.DataFrame(rows, columns=["player", "tournament", "fold"])
    table["score"] = np.arange(len(table)) / 10.0
    table[column] = [values[t] if t in values else values[p] for p, t, _ in rows]
    return table


@pytest.mark.parametrize("column", ["type", "metric", "Task Type"])
def test_scores_of_several_kinds_are_named(column):
    table = kinds(column, {"a": "binary", "b": "multiclass"})
    with pytest.warns(lb.LeaderbayesWarning, match=r"LB046 .*'?binary'?, '?multiclass'?\)"):
        lb.read_scores(table)
    # Whoever says so has looked.
    lb.read_scores(table, higher_is_better=True)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("type", {"a": "binary", "b": "binary"}),
        ("type", {"x": "linear", "y": "tree"}),
        ("licence", {"a": "free", "b": "none"}),
    ],
)
def test_other_columns_say_nothing_of_scores(column, values):
    lb.read_scores(kinds(column, values))


AMLB = Path(__file__).parents[3] / "shared" / "reference" / "boards" / "amlb_2019_4h.csv"


@pytest.mark.skipif(not AMLB.exists(), reason=f"no {AMLB}")
def test_auc_and_log_loss_of_the_automl_benchmark():
    with pytest.warns(lb.LeaderbayesWarning, match="LB046 .*'?type'? has 2 values"):
        lb.read_scores(AMLB)


def test_means_alone_are_no_rounds(write):
    with pytest.raises(lb.ScoresError, match=r"'mean', 'std' sum up rounds.*leaderbayes sota FILE"):
        lb.read_scores(write("model,mean,std\na,0.81,0.01\nb,0.84,0.02\n"))


def test_shares_among_percentages(read):
    text = "model,a,b,c\nx,0.886,85.1,91.2\ny,87.4,84.2,90.0\nz,88.1,0.8431,92.1\n"
    first = r"LB051 .*: 0.886 \(player 'x', round 'a'\) may be a share .*, and so 1 more: it ranks"
    with pytest.warns(lb.LeaderbayesWarning, match=first):
        read(text)
    by_player = pd.DataFrame({"model": [*"xyz"], "a": [0.91, 90.0, 88.0], "b": [0.85, 86.0, 82.0]})
    with pytest.warns(lb.LeaderbayesWarning, match=r"0.91 .* and so 1 more"):
        lb.read_scores(by_player)


@pytest.mark.parametrize(
    "cells",
    [
        ("0.5", "88.6", "90.2"),  # a failure: of 0.5 %, as many decimals
        ("0.02", "88.6", "90"),  # two per cent of nothing that the others are near
        ("0", "88.6", "90.2"),
        ("0.886", "1.2", "3.1"),  # times
        ("0.886", "88.6", "301.5"),
        ("0.886", "0.87", "0.9"),
        ("-0.886", "88.6", "90.2"),
        ("0.00001", "0.1", "10"),
    ],
)
def test_other_scores_far_below(read, cells):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(
            "model,a,b\n" + "".join(f"m{k},{cell},{70.5 + k * k}\n" for k, cell in enumerate(cells))
        )
