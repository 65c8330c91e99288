"""Results of TabArena."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb

read_tabarena = partial(lb.read_results, program="tabarena")

RESULTS = Path(__file__).parent / "data" / "tabarena_results.csv"


def test_data_sets_are_tournaments_and_less_error_is_better():
    scores = read_tabarena(RESULTS)
    assert scores.dims == ("tournament", "player", "round")
    assert scores.attrs["higher_is_better"] == 0
    assert "tournament=dataset, player=method, round=fold" in scores.attrs["columns"]
    wine = scores.sel(tournament="wine").to_pandas()
    assert wine.loc["GBM (tuned)"].tolist() == [0.1, 0.11, 0.12]


def test_imputed_results_are_missing():
    scores = read_tabarena(RESULTS)
    assert np.isnan(scores.sel(tournament="boston", player="TabPFN")).all()
    assert scores.sel(tournament="wine", player="TabPFN").notnull().all()


def test_frames_parquet_and_older_names_agree(tmp_path):
    table = pd.read_csv(RESULTS)
    table.to_parquet(tmp_path / "results.parquet")
    expected = read_tabarena(RESULTS)
    np.testing.assert_array_equal(read_tabarena(tmp_path / "results.parquet"), expected)
    older = table.rename(columns={"method": "framework"}).drop(columns=["metric"])
    scores = read_tabarena(older)
    np.testing.assert_array_equal(scores, expected)
    assert "tournament=dataset, player=framework, round=fold" in scores.attrs["columns"]


def test_repeats_and_folds():
    table = pd.read_csv(RESULTS)
    table = pd.concat([table.assign(repeat=0), table.assign(repeat=1)])
    scores = read_tabarena(table)
    assert scores["round"].values[[0, -1]].tolist() == ["0.0", "1.2"]


def test_another_column():
    assert read_tabarena(RESULTS, metric="time_train_s").attrs["higher_is_better"] == 0


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda t: t.drop(columns="metric_error"), {}, "no column 'metric_error', which results"),
        (lambda t: t.drop(columns="method"), {}, "no column 'method', which results of TabArena"),
        (lambda t: t, {"metric": "f1"}, "no metric 'f1'"),
        (lambda t: t, {"higher_is_better": True}, "for metric_error lower is always"),
        (lambda t: pd.concat([t, t[:1]]), {}, "second score for tournament 'wine'"),
        (
            lambda t: t.assign(metric=["log_loss", *t["metric"][1:]]), {},
            r"dataset 'wine' has results by 'roc_auc' and by 'log_loss'; use the table",
        ),
        (lambda t: t.assign(metric_error="good"), {}, "holds 'good', which is not a number"),
    ],
)  # fmt: skip
def test_refusals(change, options, message):
    with pytest.raises(lb.ScoresError, match=message):
        read_tabarena(change(pd.read_csv(RESULTS)), **options)
