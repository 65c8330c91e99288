"""Answers to items, from the files of any program."""

import numpy as np
import pytest

import leaderbayes as lb
from leaderbayes._adapters.items import Answer, Run, at, list_at, read_items, text_at
from leaderbayes._adapters.tables import Asked

FOLDERS = ["helm", "inspect-ai", "lighteval", "livecodebench", "lm-eval-samples", "mteb",
           "swe-bench", "terminal-bench"]  # fmt: skip


def run(model, *scores, task="quiz", same=None, metric="acc"):
    answers = [
        Answer(f"{model}, {k}", str(k), {metric: it}, same=same) for k, it in enumerate(scores)
    ]
    return Run(model, model, task, answers)


def read(*runs, **options):
    more = {name: options.pop(name) for name in ("grades", "by") if name in options}
    return read_items(runs, Asked(**options), item="question", **more)


def test_items_are_rounds_and_tasks_tournaments_or_clusters():
    one = read(run("a", 1, 0), run("b", 1))
    np.testing.assert_array_equal(one, [[1, 0], [1, np.nan]])
    assert one.attrs["tournament"] == "quiz"
    several = run("a", 1), run("b", 0), run("a", 0, task="law"), run("b", 1, task="law")
    assert read(*several).dims == ("tournament", "player", "round")
    clustered = read(*several, clusters=True)
    assert clustered["round"].values.tolist() == ["quiz.0", "law.0"]
    assert clustered["cluster"].values.tolist() == ["quiz", "law"]
    np.testing.assert_array_equal(read(*several, tasks=["law"]), [[0], [1]])


def test_words_that_are_grades_say_the_direction():
    graded = [run("a", "C", "I", metric="match"), run("b", "P", "C", metric="match")]
    np.testing.assert_array_equal(
        read(*graded, grades={"C": 1.0, "P": 0.5, "I": 0.0}), [[1, 0], [0.5, 1]]
    )


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ([run("a", 1)], {"tasks": ["law"]}, "no task 'law' in these files; there is only 'quiz'"),
        ([run("a", 1), run("b", 1, metric="f1")], {}, "several metrics: 'acc', 'f1'; name one"),
        ([run("a", 1)], {"metric": "f1"}, "a: no metric 'f1'; there is only 'acc'"),
        ([run("a")], {}, "a: there is no metric"),
        ([run("a", 1, same="x"), run("b", 1, same="y")], {"by": "hash"},
         "b, 0: item '0' of task 'quiz' differs from that in a, 0 .hash.; evaluate"),
        ([run("a", 1), run("a", 1)], {}, "a, 0: a second score for player 'a'"),
        ([run("a", "good"), run("b", 1)], {}, "a, 0: column 'score' holds 'good'"),
        ([run("a", 1, metric="x"), run("b", 0, metric="x")], {}, "direction of 'x' unknown"),
    ],
)  # fmt: skip
def test_refused(runs, options, message):
    with pytest.raises(lb.ScoresError, match=message):
        read(*runs, **options)


def test_what_stands_in_results_of_any_shape():
    results = {"a": {"b": " text ", "c": [1]}}
    assert at(results, "a", "b") == " text "
    assert at(results, "a", "b", "c") is None
    assert (text_at(results, "a", "b"), text_at(results, "a", "c")) == ("text", "")
    assert (list_at(results, "a", "c"), list_at(results, "a")) == ([1], [])


@pytest.mark.parametrize("name", FOLDERS)
def test_sources_without_answers(name, tmp_path):
    for source in (3, [], {}, [3], b"x"):
        with pytest.raises(lb.ScoresError, match="Pass paths of files of"):
            lb.read_results(source, name)
    with pytest.raises(lb.ScoresError, match="in this folder; "):
        lb.read_results(tmp_path, name)
    with pytest.raises(lb.ScoresError):
        lb.read_results(tmp_path / "absent", name)
