# ruff: noqa: E501
"""Readers raise errors of ours only, whatever they are given."""

import io
import json
import random
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import leaderbayes as lb
from fuzz.mutations import mutate
from leaderbayes._scores.votes import read_board

DATA = Path(__file__).parents[1] / "adapters" / "data"
SLOW, LONGEST = 10.0, 4000  # seconds of a small input, characters of a message

LONG = "tournament,player,round,score\n" + "".join(
    f"{t},{p},{r},{(i * 7 % 11) / 11:.3f}\n"
    for i, (t, p, r) in enumerate((t, p, r) for t in "AB" for p in "xyz" for r in "123")
)
WIDE = "dataset,svm,forest,tree\niris,0.9,0.95,0.8\nwine,0.97,0.99,0.9\niris,0.91,0.94,0.85\n"
ROWS = "model,d1,d2,d3\nA,.5,.2,.9\nB,.4,.3,.1\nC,.1,,.3\n"
SEARCH = "params,mean_fit_time,split0_test_f1,split1_test_f1\n{'a': 1},1,.5,.6\n{'a': 2},1,.7,.8\n"
VOTES = "model_a,model_b,winner,question_id,judge,tstamp,len_a,len_b\n" + "".join(
    f"{a},{b},{w},q{k % 3},j{k % 2},2026-01-{k + 10},{k},{k * 3 % 5}\n"
    for k, (a, b, w) in enumerate(
        [("x", "y", "model_a"), ("y", "z", "tie"), ("z", "x", "model_b"), ("x", "z", "both bad")]
        * 3
    )
)
GAMES = "white,black,result,n_votes\nx,y,1-0,1\ny,z,0-1,2\nz,x,1/2-1/2,1\n"
GOALS = "HomeTeam,AwayTeam,FTHG,FTAG\nx,y,1,0\ny,z,2,2\nz,x,0,4\n"
WON = "winner,loser,tie\nx,y,0\nz,y,0\nx,z,1\n"
BOARD = "team,score,n,se\nx,0.9,100,0.01\ny,0.85,100,0.02\nz,0.8,50,0.03\n"


class Reader(NamedTuple):
    """A reader, what it reads unchanged, and options that it may be given."""

    read: Callable[..., Any]
    sources: list[Any]  # bytes with a file's name, or an object
    options: dict[str, tuple[Any, ...]]


def from_file(read: Callable[..., Any]) -> Callable[..., Any]:
    """Reader of bytes by way of a file."""
    folder = Path(tempfile.mkdtemp(prefix="leaderbayes-fuzz-"))

    def reader(source: Any, **options: Any) -> Any:
        if not (isinstance(source, tuple) and source and isinstance(source[0], bytes)):
            return read(source, **options)
        path = folder / source[1]
        path.write_bytes(source[0])
        return read(path, **options)

    return reader


def beside(read: Callable[..., Any], sound: Path, **usual: Any) -> Callable[..., Any]:
    """Reader of a file beside one that is sound."""

    def reader(path: Any, **options: Any) -> Any:
        if sound.parent.parent.name == "helm" and isinstance(path, Path):
            spec = sound.parents[1] / "small-law" / "run_spec.json"
            path.with_name("run_spec.json").write_bytes(spec.read_bytes())
        return read({"fuzz": path, "sound": sound}, **usual | options)

    return from_file(reader)


def parquet(frame: pd.DataFrame) -> tuple[bytes, str]:
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue(), "fuzz.parquet"


def file(pattern: str) -> tuple[bytes, str]:
    path = sorted(DATA.glob(pattern))[-1]
    return path.read_bytes(), path.name


def attributes(it: Any) -> Any:
    """Objects with attributes, where the changes left dictionaries."""
    if not isinstance(it, dict):
        return it
    trials = it.get("trials")
    held = it | ({"trials": [attributes(t) for t in trials]} if isinstance(trials, list) else {})
    return SimpleNamespace(**{str(k): v for k, v in held.items()})


def in_memory(text: str) -> list[Any]:
    return [(text.encode(), "fuzz.csv"), pd.read_csv(io.StringIO(text))]


def board(source: Any, **options: Any) -> Any:
    known = {"n", "se"} & set(options)
    return lb.sota.read_board(source, **options if known else {"n": 100} | options)


def results_of(program):
    return lambda source, **options: lb.read_results(source, program, **options)


def readers() -> dict[str, Reader]:
    """Every reader of results, by name."""
    columns = (None, None, None, "player", "round", "score", "tournament", "absent", 3, "")
    roles = dict.fromkeys(("player", "round", "score", "tournament"), columns)
    limits = {"higher_is_better": (None, True, False, "yes"), "max_mb": (200, 200, 1e-4, "1")}
    of_votes = (*[None] * 40, "model_a", "winner", "judge", "absent", 3, "")
    vote_options = dict.fromkeys("first second outcome prompt judge time weight".split(), of_votes)
    vote_options |= {
        "covariates": (*[None] * 9, ["len"], ["len_a", "len"], "len", [3], 3, []),
        "both_bad": ("tie", "drop", "own", "own", "x"),
    }
    votes = [it for text in (VOTES, GAMES, GOALS, WON) for it in in_memory(text)]
    table = votes[1]
    votes += [
        (json.dumps(table.to_dict("records")).encode(), "fuzz.json"), parquet(table),
        (table.to_json(orient="records", lines=True).encode(), "fuzz.jsonl"),
    ]  # fmt: skip
    scores = [it for text in (LONG, WIDE, ROWS, SEARCH) for it in in_memory(text)]
    scores += [parquet(scores[1]), pd.read_csv(io.StringIO(SEARCH)).to_dict("list")]
    of_board = {
        "n": (None, 100, "n", "absent"), "se": (None, 0.1, "se"), "chance": (None, 0.5, 2.0),
        "metric": ("accuracy", "accuracy", "auc"), "classes": (None, 2, "7"),
    }  # fmt: skip
    direction = {"higher_is_better": (None, None, True, False)}
    items = direction | {
        "metric": (None, "match", "acc", "absent", 3), "clusters": (False, True),
        "tasks": (None, None, ["quiz_law"], "fuzz", [1], []),
    }  # fmt: skip
    small = [{"model_name": n, "results": {"t": {"acc,none": 0.5}}} for n in "ab"]
    models = [json.loads(p.read_text()) for p in sorted((DATA / "lm_eval").rglob("*.json"))]
    usual = {"metric": ["acc", "word_perplexity"], "higher_is_better": True}
    splits = {"a": {"test_f1": [0.1, 0.2], "fit_time": [1, 2]}, "b": {"test_f1": [0.3, 0.4]}}
    trial = {"number": 0, "state": "COMPLETE", "intermediate_values": {0: 0.1, 1: 0.2}}
    study = {"study_name": "s", "directions": ["MINIMIZE"],
             "trials": [trial, trial | {"number": 1, "state": "PRUNED"}, trial | {"number": 2}]}  # fmt: skip
    details = pd.DataFrame(
        {"doc": [{"id": str(k), "query": "?"} for k in range(3)], "metric": [{"acc": 1}] * 3}
    )
    sound = Path(tempfile.mkdtemp()) / "sound.parquet"
    details.to_parquet(sound)
    made = {
        "read_scores": Reader(from_file(lb.read_scores), scores, roles | limits),
        "read_votes": Reader(from_file(lb.read_votes), votes, vote_options),
        "either": Reader(from_file(read_board), votes + scores, {}),
        "read_board": Reader(
            from_file(board), [*in_memory(BOARD), pd.Series([0.5, 0.6], index=["a", "b"])], of_board
        ),
        "sklearn": Reader(results_of("sklearn"), [splits, scores[-1]], {"metric": (None, "f1", 3)}),
        "optuna": Reader(lambda it: lb.read_results(attributes(it), "optuna"), [study], {}),
        "lm_eval": Reader(
            lambda it, **o: lb.read_results(it, "lm-eval", **usual | o),
            [models, small, {"a": small[0], "b": small[1]}],
            items | {"clusters": ()},
        ),
    }
    del made["lm_eval"].options["clusters"]
    law = DATA / "lm_eval_samples" / "org__large"
    for name, read, sources, one, options in (
        ("lm_eval_samples", results_of("lm-eval-samples"), "lm_eval_samples/*/*law*",
         next(law.glob("samples_quiz_law*")), {"metric": "exact_match,strict-match"}),
        ("inspect_ai", results_of("inspect-ai"), "inspect_ai/*law*.eval",
         next((DATA / "inspect_ai").glob("*llLarge.json")), {"metric": "match"}),
        ("helm", results_of("helm"), "helm/small-law/per*",
         DATA / "helm" / "large-law" / "per_instance_stats.json", {"metric": "exact_match"}),
    ):  # fmt: skip
        made[name] = Reader(beside(read, one, **options), [file(sources)], items)
    made["lighteval"] = Reader(
        beside(results_of("lighteval"), sound, metric="acc"), [parquet(details)], items
    )
    made["mteb"] = Reader(
        beside(results_of("mteb"), DATA / "mteb" / "org__large" / "r1" / "QuizSTS.json"),
        [file("mteb/org__small/r1/QuizSTS.json")],
        {"splits": (None, ["test"], "test"), "tasks": (None, ["QuizSTS"], [])},
    )
    reports = DATA / "swe_bench" / "reports"
    made["swe_bench"] = Reader(
        beside(results_of("swe-bench"), sorted(reports.iterdir())[0]),
        [file("swe_bench/reports/small*"), file("swe_bench/verified/*/results*/results.json")],
        {"clusters": (True, False), "instances": (None, None, ["django__django-1"], "x")},
    )
    for name, read, files, metrics in (
        ("amlb", results_of("amlb"), ["amlb_results.csv", "amlb_2019.csv"], ("acc", "x")),
        ("openml", results_of("openml"), ["openml_evaluations.csv", "openml_per_fold.csv"],
         ("predictive_accuracy", "x")),
        ("mlr3", results_of("mlr3"), ["mlr3_score.csv", "mlr3_aggregate.csv"], ("classif.ce", 3)),
        ("tabarena", results_of("tabarena"), ["tabarena_results.csv"], ("time_train_s", "x")),
    ):  # fmt: skip
        sources = [it for one in files for it in (file(one), pd.read_csv(DATA / one))]
        made[name] = Reader(from_file(read), sources, direction | {"metric": (None, *metrics)})
    return made


READERS = readers()


def attempt(reader: Reader, rng: random.Random) -> str:
    """Read one changed source: "read" or "refused"; anything else raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the changes themselves
        source = mutate(rng.choice(reader.sources), rng)
    options = {k: rng.choice(v) for k, v in reader.options.items() if rng.random() < 0.3}
    begin = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            check(reader.read(source, **options))
        verdict = "read"
    except lb.LeaderbayesError as problem:
        message = str(problem)
        assert message.strip()
        message.encode()
        assert len(message) < LONGEST, message[:500]
        verdict = "refused"
    except Exception as problem:
        problem.add_note(f"options: {options}, source: {str(source)[:3000]}")
        raise
    assert time.process_time() - begin < SLOW, f"slow: {str(source)[:3000]}"
    return verdict


def check(made: Any) -> None:
    """Assert that what is read is a board, scores or votes as promised."""
    if isinstance(made, xr.Dataset):
        first, second, outcome = (made[k].to_numpy() for k in ("first", "second", "outcome"))
        assert (first != second).all()
        assert set(first) | set(second) == set(range(made.sizes["player"]))
        assert np.isin(outcome[~np.isnan(outcome)], (0.0, 0.5, 1.0)).all()
        assert "weight" not in made or np.isfinite(made["weight"]).all()
    else:
        assert made.dtype == float
        assert not np.isinf(made).any()
        assert made.notnull().any()
        if made.dims == ("team",):
            return
        assert made.dims[-2:] == ("player", "round")
        assert made.attrs["higher_is_better"] in (0, 1)
    for dim in set(made.dims) & {"tournament", "player", "round"}:
        names = list(made[dim].to_numpy())
        assert all(isinstance(name, str) and name for name in names)
        assert len(set(names)) == len(names)
    assert made.sizes["player"] >= 2


@pytest.mark.parametrize("name", READERS)
def test_a_few_inputs(name):
    verdicts = [attempt(READERS[name], random.Random(f"{name}-{k}")) for k in range(25)]
    assert set(verdicts) == {"read", "refused"}


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
@settings(max_examples=700, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False))
def test_many_inputs(name, rng):
    attempt(READERS[name], rng)
