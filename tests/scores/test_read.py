"""Reading tables, and refusing what cannot be compared."""

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from conftest import warned
from leaderbayes._scores.read import describe

LONG = "model,fold,auc\na,1,0.5\nb,1,0.6\na,2,0.7\nb,2,\n"


def test_long_csv(write):
    scores = lb.read_scores(write(LONG), higher_is_better=False)
    assert scores.dims == ("player", "round")
    assert list(scores["player"].values) == ["a", "b"]
    np.testing.assert_array_equal(scores, [[0.5, 0.7], [0.6, np.nan]])
    assert scores.attrs["higher_is_better"] == 0
    assert scores.attrs["columns"] == "player=model, round=fold, score=auc"
    assert "scheme" not in scores.attrs
    assert scores.attrs["source"].endswith("scores.csv")


def test_a_player_without_scores_is_no_label(write):
    with pytest.warns(lb.LeaderbayesWarning, match="LB040 .*scores.csv: 'A' has no score and will"):
        scores = lb.read_scores(write("A,B,C\nNA,0.1,0.2\n-,0.3,0.4\n"))
    assert list(scores["player"].values) == ["A", "B", "C"]


ITEMS = """model,question_id,subject,epoch,correct
a,1,x,1,correct
a,1,x,2,incorrect
a,2,x,1,correct
a,2,x,2,correct
a,1,y,1,incorrect
b,1,x,1,correct
b,1,x,2,correct
b,2,x,1,incorrect
b,1,y,1,
"""


def test_items_with_clusters_and_runs(write):
    scores = lb.read_scores(write(ITEMS))
    assert scores.attrs["columns"] == (
        "player=model, round=subject.question_id, score=correct, cluster=subject, repeat=epoch"
    )
    # Each subject has its question 1.
    assert scores["round"].values.tolist() == ["x.1", "x.2", "y.1"]
    assert scores["cluster"].values.tolist() == ["x", "x", "y"]
    np.testing.assert_array_equal(scores, [[0.5, 1.0, 0.0], [1.0, 0.0, np.nan]])
    # Of a's two questions with two runs 1/2 and 0; of b's one 0.
    np.testing.assert_allclose(scores["run_variance"], [0.25, 0.0])
    assert scores.attrs["runs"] == pytest.approx(8 / 5)


def test_runs_of_tasks_are_averaged_where_they_are_named(write):
    table = "model,task,seed,auc\n" + "".join(
        f"{m},{t},{s},0.{k}{s}\n" for k, m in enumerate("ab", 5) for t in "pq" for s in (1, 3)
    )
    scores = lb.read_scores(write(table), round="task", repeat="seed")
    np.testing.assert_allclose(scores, [[0.52, 0.52], [0.62, 0.62]])
    np.testing.assert_allclose(scores["run_variance"], [0.0002, 0.0002])
    # Nobody says that seeds are repeats: they are the rounds of each task.
    assert lb.read_scores(write(table)).sizes == {"tournament": 2, "player": 2, "round": 2}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("model,item,correct\na,1,correct\nb,2,maybe\n", "line 3: column 'correct' holds 'maybe'"),
        ("model,item,epoch,correct\na,1,1,1\na,1,1,0\nb,2,1,1\n", "line 3: .*repeat '1'"),
        ("model,item,incorrect\na,1,1\nb,2,0\n", "'incorrect' is the name of a loss"),
    ],
)
def test_answers_that_are_refused(write, table, message):
    with pytest.raises(lb.ScoresError, match=message):
        lb.read_scores(write(table), score=table.split("\n")[0].split(",")[-1])


def test_a_round_of_two_clusters(write):
    text = "task,topic,a,b\nx,p,0.1,0.2\nx,q,0.3,0.4\ny,p,0.5,0.6\ny,q,0.7,0.8\n"
    with pytest.raises(lb.ScoresError, match="round '0' has several values of cluster: 'p', 'r'"):
        lb.read_scores(write(text.replace("y,p", "y,r")), cluster="topic")


def test_columns_that_are_not_used_are_named():
    table = pd.DataFrame(
        {"model": ["a", "b"] * 2, "question": [0, 0, 1, 1], "score": [0.1, 0.2] * 2}
    )
    assert "unused" not in lb.read_scores(table).attrs
    grouped = table.assign(group="x", time=[1.0, 2.0, 3.0, 4.0])
    scores = lb.read_scores(grouped)
    assert scores.attrs["unused"] == "'group', 'time'"
    assert describe(scores).endswith("; not used: 'group', 'time'")
    wide = table.pivot(index="question", columns="model", values="score").reset_index()
    assert "unused" not in lb.read_scores(wide).attrs


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "model,fold,auc\na,1,1\nb,1,1\na,1,2\n",
            "line 4: a second score for player 'a', round '1'",
        ),
        ("model,fold,auc\na,1,1\na,2,1\n", "the only player is 'a'"),
        ("model,fold,auc\na,1,1\n,1,1\n", "line 3: column 'model' is empty"),
        ("model,fold,auc\na,1,\nb,1,\n", "every score is missing"),
        (
            "model,fold,auc\na,1,1\nb,1,inf\n",
            "line 3: column 'auc' is infinite; .*counts as losing",
        ),
    ],
)
def test_what_cannot_be_compared(write, text, message):
    with pytest.raises(lb.ScoresError, match=message):
        lb.read_scores(write(text))


def test_names_that_look_alike_are_told_of():
    table = pd.DataFrame({"fold": [1, 2], "SVM": [0.1, 0.2], "svm": [0.2, 0.1]})
    with pytest.warns(lb.LeaderbayesWarning, match=r"LB041 .* players .*: 'SVM', 'svm'\. If"):
        assert lb.read_scores(table).sizes["player"] == 2


def test_scores_of_several_metrics_are_named():
    rows = [(p, t, k, k / 10) for p in "xy" for t in "ab" for k in range(3)]
    table = pd.DataFrame(rows, columns=["player", "tournament", "fold", "points"])
    table["metric"] = table["tournament"].map({"a": "shine", "b": "polish"})
    with pytest.warns(lb.LeaderbayesWarning, match="LB042 .*'shine', 'polish'"):
        lb.read_scores(table, score="points")
    lb.read_scores(table, score="points", higher_is_better=True)
    lb.read_scores(table.assign(metric="shine"), score="points")


def test_shares_among_percentages(write):
    text = "model,a,b,c\nx,0.886,85.1,91.2\ny,87.4,84.2,90.0\nz,88.1,0.8431,92.1\n"
    first = r"LB051 .*: 0.886 \(player 'x', round 'a'\) is far from .*, and so are 1 more"
    long = pd.read_csv(write(text)).melt("model", var_name="round", value_name="accuracy")
    for source in (write(text), long):
        with pytest.warns(lb.LeaderbayesWarning, match=first):
            lb.read_scores(source)
    by_player = pd.DataFrame({"model": [*"xyz"], "a": [0.91, 90.0, 88.0], "b": [0.85, 86.0, 82.0]})
    with pytest.warns(lb.LeaderbayesWarning, match=r"0\.91 .* is far from .* 1 more"):
        lb.read_scores(by_player)


@pytest.mark.parametrize("cells", ["10.5 88.6 90.2", "0 88.6 90.2", "0.886 1.2 3.1",
                                   "0.886 88.6 301.5", "-0.886 88.6 90.2"])  # fmt: skip
def test_other_scores_far_below(write, cells):
    lines = [f"m{k},{cell},{70.5 + k * k}" for k, cell in enumerate(cells.split())]
    lb.read_scores(write("\n".join(["model,a,b", *lines]) + "\n"))


def of_data_sets():
    """Two models on two folds of two data sets, as a long table."""
    cells = [(d, m, f) for d in "xyz" for m in "ab" for f in (1, 2)]
    frame = pd.DataFrame(cells, columns=["dataset", "model", "fold"])
    return frame.assign(auc=[0.5, 0.7, 0.6, 0.61, 0.8, 0.6, 0.53, 0.9, 0.71, 0.7, 0.9, 0.62])


def test_schemes_of_the_paper():
    table = of_data_sets()
    mean = table.groupby(["dataset", "model"])["auc"].mean().unstack()
    folds = lb.read_scores(table, scheme="Model/CV")
    assert (folds.dims, folds.attrs["scheme"]) == (("tournament", "player", "round"), "Model/CV")
    tasks = lb.read_scores(table, scheme="Model/Task")
    np.testing.assert_allclose(tasks, mean.T)
    assert tasks.attrs["columns"] == "round=dataset, player=model, score=auc"
    assert tasks.attrs["read"].startswith("round=dataset, player=model, score=auc (higher")
    data_sets = lb.read_scores(table, scheme="Data set/Model")
    np.testing.assert_allclose(data_sets, mean)
    assert data_sets["player"].values.tolist() == ["x", "y", "z"]
    assert data_sets.attrs["columns"] == "player=dataset, round=model, score=auc"
    wide = lb.read_scores(mean.reset_index(), round="dataset", scheme="Data set/Model")
    np.testing.assert_allclose(wide, mean)
    with pytest.raises(lb.LeaderbayesError, match="scheme='nonsense': choose 'Model/CV', 'Mod"):
        lb.read_scores(table, scheme="nonsense")
    with pytest.raises(lb.LeaderbayesError, match=r"attrs\['scheme'\]='nonsense': choose"):
        lb.matches(tasks.assign_attrs(scheme="nonsense"))


def test_a_scheme_asks_for_test_fraction_or_refuses_it():
    scores = lb.read_scores(of_data_sets(), scheme="Model/CV").isel(tournament=0, drop=True)
    plain = scores.assign_coords(round=["north", "south"])
    options = {"draws": 100, "replicates": 5, "seed": 1}
    assert "LB017" in "".join(warned(lb.fit, plain, **options))
    tasks = scores.assign_attrs(scheme="Model/Task")  # called "1" and "2", in a column "fold"
    for model in ("bradley_terry", "mean_score"):
        with pytest.raises(lb.LeaderbayesError, match=r"test_fraction is for folds, .*Model/Task"):
            lb.fit(tasks, model, test_fraction=0.5, **options)
