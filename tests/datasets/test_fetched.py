"""Public boards, as their files have them."""

import warnings

import numpy as np
import pytest

import leaderbayes as lb
from conftest import REFERENCE
from leaderbayes._files import download as _download

BBTCOMP = '"db","svm","rf"\n"iris",0.9,NA\n"iris",0.8,0.7\n"wine",1,0.9\n"wine",1,1\n'
AMLB = (
    "acc,auc,fold,framework,id,info,logloss,result,task,type,score\n"
    "0.9,,0,tpot,t/1,,0.4,0.4,iris,multiclass,-0.4\n"
    "0.8,,0,autoweka,t/1,,0.5,0.5,iris,multiclass,-0.5\n"
    ",,1,tpot,t/1,Error: None,,,iris,multiclass,\n"
)
TSML = {"A": "folds:,0,1\nACSF1,0.5,0.6\nAdiac,0.7,0.8\n", "B": "Resamples:,0,1\nACSF1,0.4,0.3\n"}
PMRA = (
    '"Model","split_num","iter_num","AUC_score"\n'
    '"AB0",0,0,0.1\n"RF0",0,0,0.2\n"AB0",0,1,0.6\n"RF0",0,1,0.5\n"AB0",0,2,0.1\n"RF0",0,2,0.2\n'
)
KAGGLE = "rank,score\n1,0.9132\n2,0.9043\n"


def test_bbtcomp(server):
    server.offer("bbtcomp.csv", BBTCOMP)
    scores = lb.datasets.load("bbtcomp")
    assert scores.dims == ("tournament", "player", "round")
    np.testing.assert_array_equal(scores.sel(tournament="iris"), [[0.9, 0.8], [np.nan, 0.7]])


def test_amlb(server):
    server.offer("amlb_2019_1h.csv", AMLB)
    scores = lb.datasets.load("amlb_1h")
    np.testing.assert_array_equal(scores.sel(tournament="iris", round="0"), [-0.4, -0.5])
    assert scores.attrs["higher_is_better"] == 1
    with pytest.raises(lb.LeaderbayesError, match="No board 'amlb_2h'; there are classifiers, "):
        lb.datasets.load("amlb_2h")


def test_tsml(server):
    for name, text in TSML.items():
        server.offer(f"tsml/multivariate/{name}.csv", text)
    scores = lb.datasets.load("tsml_multivariate")
    assert dict(scores.sizes) == {"tournament": 2, "player": 2, "round": 2}
    np.testing.assert_array_equal(scores.sel(tournament="ACSF1"), [[0.5, 0.6], [0.4, 0.3]])
    assert scores.sel(tournament="Adiac", player="B").isnull().all()
    with pytest.raises(lb.LeaderbayesError, match="No board 'tsml_both'"):
        lb.datasets.load("tsml_both")


def test_pmra_is_the_second_run(server):
    server.offer("pmra.csv", PMRA)
    scores = lb.datasets.load("pmra")
    assert scores.to_pandas()["0"].to_dict() == {"AB0": 0.6, "RF0": 0.5}


def test_tables_in_place_of_the_files(reference, monkeypatch):
    """The registered tables are the reference data's; sizes are those of the docstrings."""
    reference("vtab/scores.csv")
    monkeypatch.setenv(_download.DATA, str(REFERENCE))
    fetch = lb.datasets.load
    sizes = {
        "vtab": (16, 19), "pmra": (49, 10), "bbtcomp": (132, 16, 4), "amlb_4h": (39, 7, 10),
        "tsml_univariate": (142, 40, 30),
    }  # fmt: skip
    with pytest.warns(lb.LeaderbayesWarning, match=r"LB051 .* 0.148 .*'Caltech101'"):
        fetch("vtab")
    for name, shape in sizes.items():
        with warnings.catch_warnings():
            if name == "vtab":
                warnings.filterwarnings("ignore", "LB051")
            scores = fetch(name)
        assert scores.shape == shape
        assert scores.attrs["source"].startswith(str(REFERENCE))
    # Its log loss is an AUC in the original: turned, as all others of the task.
    task = "jungle_chess_2pcs_raw_endgame_complete"
    assert (fetch("amlb_4h").sel(tournament=task) <= 0).all()
    assert len(fetch("kaggle_obesity")) == 3587


def test_kaggle(server):
    server.offer("kaggle/playground-series-s4e2_public.csv", KAGGLE)
    board = lb.datasets.load("kaggle_obesity_public")
    assert board.to_dict() == {"1": 0.9132, "2": 0.9043}
    assert lb.sota.read_board(board, se=0.01).sizes["team"] == 2
    with pytest.raises(lb.LeaderbayesError, match=r"No board 'leaves'; .*kaggle_obesity"):
        lb.datasets.load("leaves")
