"""Reading tables, and refusing what cannot be compared."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import leaderbayes as lb

LONG = "model,fold,auc\na,1,0.5\nb,1,0.6\na,2,0.7\nb,2,\n"


def test_long_csv(write):
    scores = lb.read_scores(write(LONG), higher_is_better=False)
    assert scores.dims == ("player", "round")
    assert list(scores["player"].values) == ["a", "b"]
    np.testing.assert_array_equal(scores, [[0.5, 0.7], [0.6, np.nan]])
    assert scores.attrs["higher_is_better"] == 0
    assert scores.attrs["scheme"] == "model/fold"
    assert scores.attrs["source"].endswith("scores.csv")


def test_a_player_without_scores_is_no_label(write):
    with pytest.warns(lb.LeaderbayesWarning, match="LB040 .*scores.csv: 'A' has no score and is"):
        scores = lb.read_scores(write("A,B,C\nNA,0.1,0.2\n-,0.3,0.4\n"))
    assert list(scores["player"].values) == ["A", "B", "C"]


@pytest.mark.parametrize("name", ["boards/bbtcomp_ll_wide.csv", "boards/amlb_2019_4h.csv"])
def test_real_boards(name):
    from conftest import REFERENCE

    if not (REFERENCE / name).exists():
        pytest.skip(f"../shared/reference/{name} is not beside this checkout")
    sizes = dict(lb.read_scores(REFERENCE / name).sizes)
    assert (
        sizes
        == {
            "boards/bbtcomp_ll_wide.csv": {"tournament": 132, "player": 16, "round": 4},
            "boards/amlb_2019_4h.csv": {"tournament": 39, "player": 7, "round": 10},
        }[name]
    )


@pytest.mark.parametrize("name", ["neg_log_loss", "auc", "lossless", "terror", "value"])
def test_other_scores_need_no_direction(write, name):
    assert lb.read_scores(write(f"model,fold,{name}\na,1,1\nb,1,2\n")).attrs["higher_is_better"]


def test_a_direction_that_is_given_counts(write):
    path = write("model,fold,rmse\na,1,1\nb,1,2\n")
    for better in (True, False):
        assert lb.read_scores(path, higher_is_better=better).attrs["higher_is_better"] == better


CELLS = st.one_of(
    st.sampled_from(["", "a", "b", "1", "0.5", "-1e9", "inf", "nan", "1,2", '"', ";", "\n", "é"]),
    st.text(max_size=5),
)


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        st.binary(max_size=60),
        st.lists(st.lists(CELLS, max_size=5), max_size=6).map(
            lambda rows: "\n".join(
                ",".join(row) for row in [["model", "fold", "auc"], *rows]
            ).encode(errors="replace")
        ),
        st.lists(st.lists(CELLS, max_size=5), max_size=6).map(
            lambda rows: "\n".join(",".join(row) for row in rows).encode(errors="replace")
        ),
    ),
    suffix=st.sampled_from([".csv", ".csv.gz", ".parquet"]),
)
def test_fuzz_raises_errors_of_ours_only(write, content, suffix):
    try:
        scores = lb.read_scores(write(content, "fuzz" + suffix))
    except lb.ScoresError:
        return
    assert scores.sizes["player"] >= 2
    assert not np.isinf(scores).any()
