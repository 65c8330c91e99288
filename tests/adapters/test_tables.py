"""Tables whose columns play known roles."""

import pandas as pd
import pytest

import leaderbayes as lb
from leaderbayes._adapters.tables import choose, collect, direction, one_metric, read_frame
from leaderbayes._scores.tables import Table

TABLE = Table("here", pd.DataFrame({"task": ["a", "a", "b"], "metric": ["acc", None, "f1"]}), str)


def test_a_table_has_the_columns_of_its_kind(tmp_path):
    (tmp_path / "t.csv").write_text("task,score\na,1\n")
    assert list(read_frame(tmp_path / "t.csv", 1.0, ["task"], "results").frame) == ["task", "score"]
    with pytest.raises(lb.ScoresError, match=r"no column 'tool', which results have.*'task'"):
        read_frame(tmp_path / "t.csv", 1.0, ["tool"], "results")
    with pytest.raises(lb.ScoresError, match="a header but no scores"):
        read_frame(TABLE.frame[:0], 1.0, ["task"], "results")
    with pytest.raises(lb.ScoresError, match="not a int"):
        read_frame(3, 1.0, [], "results")


def test_scores_of_several_files_are_one_table():
    table = collect(["x", "y"], [{"score": 1, "where": "x, line 3"}])
    assert (table.where, table.row(0)) == ("x and 1 more", "x, line 3")
    with pytest.raises(lb.ScoresError, match="x: there are no scores"):
        collect(["x"], [])


def test_a_metric_is_never_guessed():
    assert choose(TABLE, None, ["acc"]) == "acc"
    with pytest.raises(lb.ScoresError, match=r"which metric .*'acc', 'f1'"):
        choose(TABLE, None, ["acc", "f1"])
    with pytest.raises(lb.ScoresError, match="no metric 'ac'; did you mean 'acc'"):
        choose(TABLE, "ac", ["acc", "f1"])
    assert direction(TABLE, "acc", None)
    assert not direction(TABLE, "acc", False)
    with pytest.raises(lb.ScoresError, match="direction of 'shine' unknown"):
        direction(TABLE, "shine", None)


def test_a_task_has_one_metric():
    assert one_metric(TABLE, "task", "").tolist() == ["acc", "", "f1"]
    two = TABLE._replace(frame=TABLE.frame.assign(task="a"))
    with pytest.raises(lb.ScoresError, match="2: task 'a' has results by 'f1' and by 'acc'; x, or"):
        one_metric(two, "task", "x")
