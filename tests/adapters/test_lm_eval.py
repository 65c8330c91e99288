"""Results of lm-evaluation-harness."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import leaderbayes as lb

read_lm_eval = partial(lb.read_results, program="lm-eval")

DATA = Path(__file__).parent / "data"
FOLDER = DATA / "lm_eval"
SMALL, LARGE = (next((FOLDER / name).glob("*.json")) for name in ("org__small", "org__large"))
TASKS = ["arc_easy", "mmlu_anatomy", "mmlu_astronomy"]


def load(path=SMALL):
    return json.loads(path.read_text())


def simple(model, **metrics):
    return {"model_name": model, "results": {"task": metrics}}


def test_models_are_players_and_tasks_rounds():
    scores = read_lm_eval([SMALL, LARGE], metric="acc", tasks=TASKS)
    assert scores.dims == ("player", "round")
    assert list(scores["player"].values) == ["org/small", "org/large"]
    assert list(scores["round"].values) == TASKS
    np.testing.assert_array_equal(scores, [[0.6, 0.3, 0.4], [0.7, 0.5, 0.6]])
    assert scores.attrs["higher_is_better"] == 1
    assert scores.attrs["source"] == f"{SMALL} and 1 more"


def test_a_folder_a_list_and_results_in_memory_agree():
    expected = read_lm_eval([LARGE, SMALL], metric="acc", tasks=TASKS)
    for source in (
        FOLDER,
        str(FOLDER),
        [FOLDER],
        [load(LARGE), load()],
        {"org/large": LARGE, "org/small": load()},
    ):
        made = read_lm_eval(source, metric="acc", tasks=TASKS)
        assert made.equals(expected)


def test_groups_are_left_out_unless_named():
    scores = read_lm_eval(FOLDER, metric=["acc_norm", "acc", "word_perplexity"],
                          higher_is_better=True)  # fmt: skip
    assert list(scores["round"].values) == [*TASKS, "wikitext"]
    assert scores.sel(player="org/large", round="arc_easy") == 0.68
    groups = read_lm_eval(FOLDER, metric="acc", tasks=["arc_easy", "mmlu"])
    assert list(groups["round"].values) == ["arc_easy", "mmlu"]


def test_directions_do_not_mix():
    with pytest.raises(lb.ScoresError, match="lower for 'word_perplexity,none'"):
        read_lm_eval(FOLDER, metric=["acc", "word_perplexity"])
    perplexity = read_lm_eval(FOLDER, tasks=["wikitext"])
    assert perplexity.attrs["higher_is_better"] == 0
    np.testing.assert_array_equal(perplexity.sel(player="org/small"), [31.5])


def test_a_metric_is_never_guessed():
    with pytest.raises(lb.ScoresError, match=r"'arc_easy' has .*'acc_norm,none'; name a metric"):
        read_lm_eval(FOLDER)
    with pytest.raises(lb.ScoresError, match=r"'wikitext' has 'word_perp.*; none is 'acc'"):
        read_lm_eval(FOLDER, metric="acc")
    filters = {"exact_match,strict-match": 0.3, "exact_match,flexible-extract": 0.4}
    results = [simple("a", **filters), simple("b", **filters)]
    with pytest.raises(lb.ScoresError, match="by several filters: 'exact"):
        read_lm_eval(results, metric="exact_match")
    scores = read_lm_eval(results, metric="exact_match,strict-match")
    np.testing.assert_array_equal(scores, [[0.3], [0.3]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n-shot": {"wikitext": 5}}, "differs from that in .*n-shot"),
        ({"versions": {"wikitext": 3.0}}, "differs from that in .*version"),
        ({"results": {"wikitext": {"byte_perplexity,none": 2}}}, "differs from that in .*metric"),
    ],
)
def test_models_are_asked_alike(change, message):
    metric = ["word_perplexity", "byte_perplexity"]
    with pytest.raises(lb.ScoresError, match=message):
        read_lm_eval([load(), load(LARGE) | change], tasks=["wikitext"], metric=metric)
    unsaid = {name: {} for name in change if name != "results"}
    assert read_lm_eval([load(), load(LARGE) | unsaid], tasks=["wikitext"]).shape == (2, 1)


def test_older_files():
    old = load(DATA / "lm_eval_old.json")
    other = json.loads(json.dumps(old))
    other["config"] = {"model": "dummy", "model_args": ""}
    scores = read_lm_eval([DATA / "lm_eval_old.json", other])
    assert list(scores["player"].values) == ["old/model", "dummy"]
    np.testing.assert_array_equal(scores, [[0.7, 0.6], [0.7, 0.6]])
    for config, name in (
        ({"model_args": {"pretrained": "p", "peft": "q"}}, "q"),
        ({}, "model 1"),
        (None, "model 1"),
    ):
        other["config"] = config
        assert read_lm_eval([old, other])["player"].values[1] == name


def test_a_metric_of_unknown_direction():
    results = [simple("a", shine=1.0), simple("b", shine=2.0)]
    with pytest.raises(lb.ScoresError, match="direction of 'shine' unknown"):
        read_lm_eval(results)
    assert read_lm_eval(results, higher_is_better=False).attrs["higher_is_better"] == 0
    with pytest.warns(lb.LeaderbayesWarning, match="LB040 .*'a' has no score"):
        assert np.isnan(read_lm_eval([simple("a", acc="N/A"), simple("b", acc=1)])[0, 0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not readable as JSON"),
        ("[1]", "no object with results"),
        ("{}", "no object 'results'"),
        ('{"results": {}}', "there are no scores"),
        ('{"results": {"a": 1}}', "task 'a' holds no metrics"),
        ('{"results": {"a": {"alias": "a"}}}', "task 'a' has no metric; .*exclude the task"),
        ('{"results": {"a": {"acc": "high"}}}', "task 'a': column 'score' holds 'high'"),
        ('{"results": {"a": {"acc": Infinity}}}', "is infinite"),
        ('{"results": {"a": {"acc": 1}}, "results": {}}', "the key 'results' appears twice"),
        ('{"results": {"a": {"acc": 0.5}}}', "the only player is 'bad'"),
        ("[" * 100_000, "too deeply nested"),
        ('{"results": {"a": {"acc": %s}}}' % ("9" * 5000), "not readable as JSON"),
    ],
)
def test_errors_name_the_file(tmp_path, text, message):
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(lb.ScoresError, match=message) as caught:
        read_lm_eval(path)
    assert "bad" in str(caught.value)


def test_sources_of_no_kind(tmp_path):
    with pytest.raises(lb.ScoresError, match=r"no results\*.json in this folder"):
        read_lm_eval(tmp_path)
    with pytest.raises(lb.ScoresError, match="cannot be read"):
        read_lm_eval(tmp_path / "absent.json")
    with pytest.raises(lb.ScoresError, match="cannot be read from '3'"):
        read_lm_eval(3)
    with pytest.raises(lb.ScoresError, match="result 1 is a int"):
        read_lm_eval([load(), 3], tasks=["wikitext"])
    with pytest.raises(lb.ScoresError, match="cannot be read from"):
        read_lm_eval([])
    with pytest.raises(lb.ScoresError, match="no task 'mmlux'; did you mean 'mmlu'"):
        read_lm_eval(FOLDER, tasks=["mmlux"])
    with pytest.raises(lb.ScoresError, match="must be a list of names"):
        read_lm_eval(FOLDER, tasks="mmlu")
    with pytest.raises(lb.ScoresError, match="a second score for player 'org/small'"):
        read_lm_eval([SMALL, SMALL], tasks=["wikitext"])
