"""What is said of a board: the attrs that it becomes, and what does not fit together."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb


@pytest.mark.parametrize(
    ("options", "attrs"),
    [
        ({"n": 10}, {"metric": "accuracy", "n": 10, "classes": 2}),
        ({"n": 10, "classes": 7}, {"metric": "accuracy", "n": 10, "classes": 7}),
        ({"n": 10, "chance": 0.3}, {"metric": "accuracy", "n": 10, "chance": 0.3}),
        (
            {"n": 10, "chance": 0.3, "higher_is_better": False},
            {"metric": "accuracy", "n": 10, "chance": 0.7, "higher_is_better": 0},
        ),
        (
            {"n": 10, "metric": "auc", "positive_rate": 0.3},
            {"metric": "auc", "n": 10, "positive_rate": 0.3},
        ),
        ({"se": 0.1}, {"metric": "estimate", "se": 0.1}),
        ({"se": 0.1, "chance": -2.0}, {"metric": "estimate", "se": 0.1, "chance": -2.0}),
    ],
)
def test_what_is_known_stands_in_attrs(options, attrs, tmp_path):
    board = lb.sota.read_board([0.6, 0.7, 0.9], **options)
    source = board.attrs.pop("source")
    assert isinstance(source, str)
    assert board.attrs == {"higher_is_better": 1} | attrs
    board.to_netcdf(tmp_path / "board.nc")
    xr.testing.assert_identical(xr.load_dataarray(tmp_path / "board.nc").drop_encoding(), board)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"classes": 1}, "classes=1"),
        ({"classes": 3, "chance": 0.3}, "Give classes or chance, not both"),
        ({"classes": 3, "se": 0.1, "n": None}, "give chance instead"),
        ({"classes": 3, "metric": "auc", "positive_rate": 0.2}, "leave it out"),
        ({"chance": 1.0}, "chance=1.0"),
        ({"chance": np.inf, "se": 0.1, "n": None}, "chance=inf"),
        ({"positive_rate": 0.2}, "positive_rate, .* is for boards of AUC"),
        ({"metric": "auc"}, "these need it: metric='auc', positive_rate"),
        ({"metric": "auc", "positive_rate": 1.0}, "positive_rate=1.0"),
        ({"metric": "f1"}, "metric='f1'"),
    ],
)
def test_bad_facts(options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.sota.read_board([0.9, 0.8], **{"n": 100} | options)


@pytest.mark.parametrize(
    ("options", "chance"),
    [
        ({}, None),
        ({"classes": 4}, 0.25),
        ({"chance": 0.3}, 0.3),
        ({"metric": "auc", "positive_rate": 0.4}, 0.5),
    ],
)
def test_chance_of_test_sets_of_their_own(options, chance):
    table = pd.DataFrame({"score": [0.9, 0.8], "size": [100, 200]})
    board = lb.sota.read_board(table, n="size", **options)
    assert board.attrs["metric"] == "estimate"
    assert board.attrs.get("chance") == chance
    assert not {"n", "classes", "positive_rate"} & set(board.attrs)
