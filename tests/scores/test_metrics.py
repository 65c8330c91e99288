"""Whether more of a metric is better, wherever a table has its name."""

import pandas as pd
import pytest

import leaderbayes as lb
from leaderbayes._scores.metrics import among, metric_of, more_is_better, words

LOSSES = [
    *"boston_rmse rmse mae mape errors losses NRMSE CRPS RMSD misclassification_rate wMAPE".split(),
    *"test_logLoss MSELoss RMSETest neg_accuracy neg_log_likelihood one_minus_auc".split(),
    *("1-accuracy", "1 - AUC", "100% - acc", "- log likelihood", "Error Rate", "negloglik"),
]
COSTS = ["rank", "avg_rank", "time", "latency", "cost", "edit_distance", "training time (s)"]
GAINS = [
    *"auc r2 F1 AUCs neg_log_loss -RMSE 1-error rank_correlation time_saved pass@1".split(),
    "balanced accuracy",
]


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name):
    assert more_is_better(name) is False
    assert more_is_better(name, score=False) is False


@pytest.mark.parametrize("name", COSTS)
def test_costs_are_losses_of_scores_and_names_of_data_sets(name):
    assert more_is_better(name) is False
    assert more_is_better(name, score=False) is None


@pytest.mark.parametrize("name", GAINS)
def test_gains(name):
    assert more_is_better(name) is True


@pytest.mark.parametrize("name", ["lossless", "terror", "1-NN", "value", "points", "", "-", "neg"])
def test_names_that_say_nothing(name):
    assert more_is_better(name) is None


def test_words_of_a_name():
    assert words("MSELoss") == ["mse", "loss"]
    assert words("AUCs") == ["aucs"]
    assert words("cvFold 3") == ["cv", "fold", "3"]
    assert among("errors", {"error"})
    assert among("losses", {"loss"})
    assert among("latencies", {"latency"})
    assert not among("lossless", {"loss"})


@pytest.mark.parametrize("name", ["rmse", "1 - AUC", "training time (s)"])
def test_a_loss_needs_a_direction(write, name):
    path = write(f'model,fold,"{name}"\na,1,.1\nb,1,.2\n')
    with pytest.raises(lb.ScoresError, match=r"the name of a loss, .*--lower-is-better"):
        lb.read_scores(path)
    assert lb.read_scores(path, higher_is_better=False).attrs["higher_is_better"] == 0
    with pytest.raises(lb.ScoresError, match="the name of a loss"):
        lb.read_scores(pd.read_csv(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,boston_rmse,diab_rmse\na,.1,.2\nb,.3,.4\n", "'boston_rmse', 'diab_rmse' are the"),
        ("boston_rmse,diab_rmse\n.1,.2\n.3,.4\n", "'boston_rmse', 'diab_rmse' are the names of l"),
        ("metric,svm,rf\nrmse,.1,.2\nmae,.3,.4\n", "'rmse', 'mae' are the names of losses"),
        (
            ",svm,rf\nmape,.1,.2\nr2,.3,.4\n",
            r"'mape' is the name of a loss.*but higher is better for 'r2'",
        ),
        (
            "model,r2,mape\na,.1,.2\nb,.3,.4\n",
            r"'mape' is the name of a loss.*but higher is better for 'r2'",
        ),
        ("dataset,fold,a,b\nx_mae,1,.1,.2\nx_mae,2,.1,.2\n", "'x_mae' is the name of a loss"),
        ("model,round,value\na,x_mae,.1\nb,x_mae,.2\n", "'x_mae' is the name of a loss"),
        ("model,fold,scorer,value\na,1,rmse,.1\nb,1,rmse,.2\n", "'rmse' is the name of a loss"),
    ],
)
def test_every_name_in_play_counts(write, text, message):
    with pytest.raises(lb.ScoresError, match=message):
        lb.read_scores(write(text))
    with pytest.raises(lb.ScoresError, match=message):
        lb.read_scores(pd.read_csv(write(text)).rename(columns={"Unnamed: 0": ""}))


def test_the_name_of_the_file_counts_where_nothing_else_tells(write):
    wide = "fold,svm,rf\n1,.1,.2\n2,.3,.1\n"
    with pytest.raises(lb.ScoresError, match=r"'boston_rmse.csv' is the name of a loss"):
        lb.read_scores(write(wide, "boston_rmse.csv"))
    long = write("model,fold,auc\na,1,.1\nb,1,.2\n", "rmse.csv")
    assert lb.read_scores(long).attrs["higher_is_better"] == 1


def test_one_direction_for_two_kinds_of_metrics_is_warned_of(write):
    path = write(",svm,rf\nmape,.1,.2\nr2,.3,.4\n")
    with pytest.warns(lb.LeaderbayesWarning, match="LB042 .*'mape' .* but more of 'r2'"):
        lb.read_scores(path, higher_is_better=False, round="Unnamed: 0")


def test_players_may_be_called_as_losses(write):
    text = "dataset,focal loss,label smoothing,svm\nx,.1,.2,.3\ny,.2,.1,.4\n"
    assert lb.read_scores(write(text)).sizes["player"] == 3
    long = "model,fold,auc\nrmse,1,.1\nmae,1,.2\n"
    assert list(lb.read_scores(write(long))["player"].values) == ["rmse", "mae"]


@pytest.mark.parametrize(
    ("columns", "metric"),
    [
        ("player=model, round=task, score=log_loss", "log_loss"), ("score=accuracy", "accuracy"),
        ("player=model, round=task, score=score", ""), ("score=value", ""), ("rows", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_metric_is_named_where_a_column_is(columns, metric):
    assert metric_of(columns) == metric


@pytest.mark.parametrize(
    ("name", "better"),
    [
        ("fold 12", None), ("rmse 12", False), ("rmse12", False), ("f1", True), ("f12", None),
        ("error reduction 2019", True), ("100 - accuracy", False), ("boston_rmse_2020", False),
    ],
)  # fmt: skip
def test_last_digits_of_rounds_change_nothing(name, better):
    assert more_is_better(name, score=False) is better
