"""Answers to items as lm-evaluation-harness logs them."""

import gzip
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import leaderbayes as lb

read_lm_eval_samples = partial(lb.read_results, program="lm-eval-samples")

FOLDER = Path(__file__).parent / "data" / "lm_eval_samples"
STRICT = "exact_match,strict-match"


def test_items_are_rounds():
    scores = read_lm_eval_samples(FOLDER, metric=STRICT, tasks=["quiz_law"])
    assert scores.dims == ("player", "round")
    assert scores["player"].values.tolist() == ["org/large", "org/small"]
    assert scores["round"].values.tolist() == ["0", "1", "2", "3"]
    np.testing.assert_array_equal(scores, [[1, 1, 0, 1], [1, 0, 0, 1]])
    assert scores.attrs["columns"] == "player=model, round=doc_id, score=exact_match"
    assert scores.attrs["higher_is_better"] == 1


def test_files_names_and_packed_files_agree(tmp_path):
    expected = read_lm_eval_samples(FOLDER, metric=STRICT, tasks=["quiz_art"])
    files = sorted(FOLDER.rglob("samples_quiz_art*"))
    np.testing.assert_array_equal(read_lm_eval_samples(files, metric=STRICT), expected)
    packed = tmp_path / "samples_quiz_art.jsonl.gz"
    packed.write_bytes(gzip.compress(files[1].read_bytes()))
    named = read_lm_eval_samples({"org/large": files[0], "org/small": packed}, metric=STRICT)
    np.testing.assert_array_equal(named, expected)


def line(**entries):
    return json.dumps({"doc_id": 0, "acc": 1.0} | entries)


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        (["{"], {}, "line 1: not readable as JSON"),
        (["[1]"], {}, "line 1 is not an object"),
        ([line(), '{"acc": 1}'], {}, "line 2: no 'doc_id'"),
        ([line(f1=0.5)], {}, "which metric is the score.*'acc', 'f1'"),
        ([line(filter="a"), line(filter="b")], {}, "which metric.*'acc,a', 'acc,b'"),
        ([line(doc_hash="x")], {}, "differs from that in .*samples_t.jsonl, line 1"),
        ([], {}, "no metric"),
    ],
)
def test_refusals(tmp_path, lines, options, message):
    for model, hashed in (("a", "x"), ("b", "y")):
        (tmp_path / model).mkdir()
        text = "\n".join(lines).replace('"x"', f'"{hashed}"')
        (tmp_path / model / "samples_t.jsonl").write_text(text)
    with pytest.raises(lb.ScoresError, match=message):
        read_lm_eval_samples(tmp_path, **options)


def test_a_metric_of_all_items_is_no_score_of_one(tmp_path):
    """As masakhaner logs F1 in lm-evaluation-harness: the label and the answer, to be pooled."""
    sample = {
        "doc_id": 0, "doc": {"text": "a"}, "target": "DATE: a", "resps": [["b"]],
        "arguments": {"gen_args_0": {"arg_0": "a", "arg_1": {"do_sample": False}}},
        "filtered_resps": [["b"]], "filter": "flexible-extract", "metrics": ["f1"],
        "doc_hash": "1", "prompt_hash": "2", "target_hash": "3", "f1": ["DATE: a", ["b"]],
    }  # fmt: skip
    path = tmp_path / "samples_masakhaner_2026-01-16T16-02-26.648276.jsonl"
    path.write_text(json.dumps(sample))
    with pytest.raises(lb.LeaderbayesError, match=r"line 1: 'f1' has no score per item"):
        read_lm_eval_samples(path)
