# ruff: noqa: E501
"""Fuzz every reader: valid sources, mutated; only errors of ours may come out.

``python tests/fuzz/readers.py --inputs 100000 --seed 1`` prints how many inputs each reader took,
refused and read, and every input that broke it. Mutations know the structure: bytes and lines of
any file, cells and columns of a CSV or a table, keys and values of JSON and of Python objects.
"""

import argparse
import bz2
import copy
import csv
import faulthandler
import gzip
import io
import json
import lzma
import random
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

import leaderbayes as lb
from leaderbayes._scores.board import read_board

DATA = Path(__file__).parents[1] / "adapters" / "data"
HELM, MTEB = DATA / "helm", DATA / "mteb"
SLOW = 10.0  # seconds that no input of a few kilobytes may take
LONGEST = 4000  # characters of a message

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
        [
            ("x", "y", "model_a"),
            ("y", "z", "tie"),
            ("z", "x", "model_b"),
            ("x", "z", "tie (bothbad)"),
        ]
        * 3
    )
)
GAMES = "white,black,result,count\nx,y,1-0,1\ny,z,0-1,2\nz,x,1/2-1/2,1\n"
GOALS = "HomeTeam,AwayTeam,FTHG,FTAG\nx,y,1,0\ny,z,2,2\nz,x,0,4\n"
WON = "winner,loser,tie\nx,y,0\nz,y,0\nx,z,1\n"
ARENA_HARD = [
    {
        "question_id": f"q{k}",
        "model": m,
        "judge": "j",
        "games": [{"score": a, "judgment": "x"}, {"score": b}],
    }
    for k, (m, a, b) in enumerate(
        [("x", "A>B", "B>A"), ("y", "A>>B", "A=B"), ("z", "B>A", "A>B"), ("x", "A=B", "A<B")]
    )
]
PGN = "".join(
    f'[Event "Cup"]\n[Date "2026.01.{k + 10}"]\n[White "{a}"]\n[Black "{b}"]\n[Result "{r}"]\n\n1. e4 {r}\n\n'
    for k, (a, b, r) in enumerate([("x", "y", "1-0"), ("y", "z", "0-1"), ("z", "x", "*")])
)
BOARD = "team,score,n,se\nx,0.9,100,0.01\ny,0.85,100,0.02\nz,0.8,50,0.03\n"

CELLS = [
    *"|0|1|-1|0.5|1e5|1e308|1e400|-1e400|nan|NaN|NA|inf|-inf|None|null|True|?|-| |  |1,5|1;5".split(
        "|"
    ),
    *"a b x é 東京 💥 \u200b \ufeff \\ \\n 1e-320 0x10 1_000 ٣ 1.2.3 2024-02-29 N/A #REF! =1+1 ../..".split(
        " "
    ),
    *'[] [1,2] [1,null] {} ["a"] [[1]] 9007199254740993 123456789012345678901234567890'.split(" "),
    *"player round score fold task iteration".split(" "),
    *("9" * 400, "x" * 5000, "\r", "\n", "\t", "a\nb", '"a"', '"', "'", "[" * 500),
]
# Names of what is no player, no round and no gain, for cells and headers anywhere.
SUMMED = "total mean_accuracy avg._acc macro_avg geometric_mean p_value w/t/l avg_rank std".split()
KNOWN = (
    "n_samples training_time_(s) #params_(b) n_features fit_time cost svm_std tree_stderr".split()
)
LOST = "rmse mae log_loss error_rate nrmse crps rmsd misclassification_rate neg_accuracy".split()
LOSSES = [
    *LOST,
    *"rank avg_rank time latency training_time_(s) cost edit_distance 1-accuracy".split(),
]
CELLS += [
    *SUMMED, *KNOWN, *LOSSES, "'=1+1", "'", "Zoe\u0308", "Zo\u00eb", "a\u00a0b", "a\u00adb", "\u202ea", "0\u00a05",
    "０.５", "\u22120.5", "90%", "1,000", "SVM", "svm ", "1.0", "+1", "@a", "-a", "9007199254740992.0",
]  # fmt: skip
BYTES = [c.encode() for c in CELLS] + [
    b"\0", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x1a", b"\r\n", b"\r", b"\n\n",
    b",", b",,,,", b'"', b'""', b";", b"\t", b"\x85", "\u2028".encode(), b"{", b"}", b"[", b"]", b":",
]  # fmt: skip
OBJECTS: list[Any] = [
    None, np.nan, pd.NA, pd.NaT, np.inf, -np.inf, True, 0, 1, -1, 2**53 + 1, 10**400, 0.5, 1e308, 1 + 2j,
    "", "a", "x", "0.5", "high", "\ud800", "a\0b", b"bytes", bytearray(b"b"), [], [1.0, 2.0], ["a"], [[1]], (),
    (1, 2), {}, {"a": 1}, {1}, frozenset({1}), object(), datetime(2024, 2, 29), np.datetime64("2024"), Decimal("1.5"),
    Decimal("NaN"), np.float32(1.5), np.array([1.0, 2.0]), np.array(3.0), np.array([[1.0]]), np.ma.masked,
    range(3), lambda: 1, type, Ellipsis, pd.Timestamp("2024", tz="UTC"), pd.Interval(0, 1), pd.Period("2024"),
    np.str_("s"), np.int64(3), np.bool_(True), "[1, 2]", "x" * 5000, float("1e-320"),
]  # fmt: skip


class Reader(NamedTuple):
    """A reader, what it reads without mutation, and options that it may be given."""

    read: Callable[..., Any]
    sources: tuple[Any, ...]  # bytes with a suffix, or an object
    options: dict[str, tuple[Any, ...]]


def from_file(read: Callable[..., Any]) -> Callable[..., Any]:
    """Reader of bytes by way of a file."""
    folder = Path(tempfile.mkdtemp(prefix="leaderbayes-fuzz-"))

    def reader(source: tuple[bytes, str], **options: Any) -> Any:
        path = folder / ("fuzz" + source[1])
        path.write_bytes(source[0])
        return read(path, **options)

    return reader


FROM_CSV = from_file(lb.read_scores)


def parquet(text: str) -> tuple[bytes, str]:
    buffer = io.BytesIO()
    pd.read_csv(io.StringIO(text)).to_parquet(buffer)
    return buffer.getvalue(), ".parquet"


def readers() -> dict[str, Reader]:
    def file(name: str) -> tuple[bytes, str]:
        return (DATA / name).read_bytes(), Path(name).suffix

    def frame(name: str) -> pd.DataFrame:
        return pd.read_csv(DATA / name)

    texts = [(t.encode(), ".csv") for t in (LONG, WIDE, ROWS, SEARCH)]
    frames = [pd.read_csv(io.StringIO(t)) for t in (LONG, WIDE, ROWS, SEARCH)]
    columns = (None, None, None, "player", "round", "score", "tournament", "svm", "absent", 3, "")
    roles = dict.fromkeys(("player", "round", "score", "tournament"), columns)
    vote_texts = (VOTES, GAMES, GOALS, WON)
    vote_frames = tuple(pd.read_csv(io.StringIO(t)) for t in vote_texts)
    of_votes = (*[None] * 40, "model_a", "winner", "judge", "absent", 3, "", ["len_a", "len_b"])
    names = "first second outcome prompt judge time weight tournament".split()
    vote_options = dict.fromkeys(names, of_votes) | {
        "covariates": (*[None] * 9, ["len"], ["len"], ["len_a", "len"], "len", [3], 3, []),
        "both_bad": ("tie", "drop", "own", "own", "own", "x"),
    }
    models = [json.loads(p.read_text()) for p in sorted((DATA / "lm_eval").rglob("*.json"))]
    old = json.loads((DATA / "lm_eval_old.json").read_text())
    small = [{"model_name": n, "results": {"t": {"acc,none": 0.5}}} for n in "ab"]
    samples = sorted((DATA / "lm_eval_samples").rglob("*.jsonl"))
    direction = {"higher_is_better": (None, None, True, False, "yes", 2)}
    items = direction | {
        "tasks": (None, None, ["quiz_law"], ["absent"], "fuzz", [1], []),
        "clusters": (False, True),
    }
    lm_options = direction | {
        "metric": (None, "acc", ["acc_norm", "acc"], "word_perplexity", "", 3, [1]),
        "tasks": (None, None, ["arc_easy"], ["mmlu"], ["absent"], "mmlu", [1], []),
    }
    lm_file = from_file(lambda path, **o: models_of([path, small[0]], **o))
    board_options = {
        "n": (None, 100, "n", "absent"), "se": (None, 0.1, "se", "absent"),
        "metric": ("accuracy", "accuracy", "auc"), "classes": (None, None, 2, 1, "7"),
        "chance": (None, None, 0.5, 2.0), "positive_rate": (None, None, 0.3), "team": (None, "team"), "score": (None, "score"),
    }  # fmt: skip
    boards = [pd.read_csv(io.StringIO(BOARD)), pd.Series([0.5, 0.6], index=["a", "b"]), [0.5, 0.6]]
    stats, sts = (
        HELM / "small-law" / "per_instance_stats.json",
        MTEB / "org__small" / "r1" / "QuizSTS.json",
    )
    swe = DATA / "swe_bench"
    splits = {"a": {"test_f1": [0.1, 0.2], "fit_time": [1, 2]}, "b": {"test_f1": [0.3, 0.4]}}
    search = pd.read_csv(io.StringIO(SEARCH)).to_dict("list")
    trial = {"number": 0, "state": "COMPLETE", "intermediate_values": {0: 0.1, 1: 0.2}}
    trials = [trial, trial | {"number": 1, "state": "PRUNED"}, trial | {"number": 2}]
    study = {"study_name": "s", "directions": ["MINIMIZE"], "trials": trials}
    tables = {
        "amlb": (lb.adapters.from_amlb, ["amlb_results.csv", "amlb_2019.csv"],
                 ("acc", "logloss", "result", "absent")),
        "openml": (lb.adapters.from_openml, ["openml_evaluations.csv", "openml_per_fold.csv"],
                   ("predictive_accuracy", "absent")),
        "mlr3": (lb.adapters.from_mlr3, ["mlr3_score.csv", "mlr3_aggregate.csv"],
                 ("classif.ce", "classif.auc", "absent")),
    }  # fmt: skip
    tables["tabarena"] = (
        lb.adapters.from_tabarena,
        ["tabarena_results.csv"],
        ("time_train_s", "absent"),
    )
    made = {
        "read_scores, files": Reader(
            from_file(lb.read_scores),
            (*texts, *((gzip.compress(t), ".csv.gz") for t, _ in texts[:1]), parquet(LONG), parquet(WIDE)),
            roles | {"higher_is_better": (None, True, False, "yes"), "max_mb": (200, 200, 200, 1, 1e-4, "1")},
        ),
        "read_scores, objects": Reader(lb.read_scores, (*frames, search), roles),
        "read_votes, files": Reader(
            from_file(lb.read_votes),
            (*((t.encode(), ".csv") for t in vote_texts), (VOTES.replace(",", "\t").encode(), ".tsv"),
             (json.dumps(vote_frames[0].to_dict("records")).encode(), ".json"), (vote_frames[0].to_json().encode(), ".json"),
             (vote_frames[0].to_json(orient="records", lines=True).encode(), ".jsonl"), (PGN.encode(), ".pgn"),
             ("\n".join(map(json.dumps, ARENA_HARD)).encode(), ".jsonl"),
             (gzip.compress(PGN.encode()), ".pgn.gz"), parquet(VOTES)),
            vote_options | {"format": (*[None] * 20, "csv", "tsv", "json", "jsonl", "parquet", "pgn", "x"),
                            "max_mb": (200, 200, 200, 1, 1e-4, "1")},
        ),
        "read_votes, objects": Reader(
            lb.read_votes, (*vote_frames, pd.DataFrame(ARENA_HARD)), vote_options
        ),
        "scores or votes": Reader(
            from_file(read_board),
            (*((t.encode(), ".csv") for t in vote_texts), *texts, parquet(VOTES), (PGN.encode(), ".pgn")), {},
        ),
        "read_board, files": Reader(
            from_file(board), ((BOARD.encode(), ".csv"), parquet(BOARD)), board_options
        ),
        "read_board, objects": Reader(board, tuple(boards), board_options),
        "sklearn": Reader(
            lb.adapters.from_sklearn, (search, splits, frames[3]), {"metric": (None, None, "f1", "x", 3)}
        ),
        "lm_eval, files": Reader(
            lm_file, (file("lm_eval_old.json"), (json.dumps(models[0]).encode(), ".json"),
                      (json.dumps(small[1]).encode(), ".json")), lm_options
        ),
        "lm_eval, objects": Reader(
            models_of, (models, [old, models[0]], small, {"a": small[0], "b": small[1]}), lm_options
        ),
        "lm_eval_samples, files": Reader(
            from_file(samples_of), tuple((p.read_bytes(), ".jsonl") for p in samples),
            direction | {
                "metric": ("exact_match,strict-match", "exact_match,strict-match", "exact_match", "acc", "", None, 3),
                "tasks": (None, None, ["fuzz"], ["absent"], "fuzz", [1], []), "clusters": (False, True),
            },
        ),
        "inspect_ai, files": Reader(
            from_file(logs_of), tuple((p.read_bytes(), p.suffix) for p in (DATA / "inspect_ai").glob("*T10*Small*")),
            items | {"metric": ("match", "match", "match", "judge,clarity", "judge", "", None, 3)},
        ),
        "helm, files": Reader(
            from_file(run_of), ((stats.read_bytes(), ".json"),), items | {"metric": ("exact_match", "f1", None)}
        ),
        "swe_bench, files": Reader(
            from_file(report_of), tuple((p.read_bytes(), ".json") for p in sorted(swe.rglob("*.json"))
                                        if "resolved_by" not in p.name),
            direction | {"instances": (None, None, ["x-1"], "x-1", [1]), "clusters": (True, False)},
        ),
        "lighteval, files": Reader(
            from_file(details_of), (details(),), items | {"metric": ("acc", "acc", "f1", None)}
        ),
        "mteb, files": Reader(
            from_file(result_of), ((sts.read_bytes(), ".json"),),
            direction | {"metric": (None, None, "f1", "x", 3), "tasks": (None, ["QuizSTS"], ["x"], "x", [1]),
                         "splits": (None, None, ["test"], ["dev"], "x", [1])},
        ),
        "optuna": Reader(lambda it: lb.adapters.from_optuna(as_study(it)), (study,), {}),
    }  # fmt: skip
    for name, (read, files, metrics) in tables.items():
        options = {} if metrics is None else direction | {"metric": (None, None, 3, *metrics)}
        if name == "amlb":
            options["constraint"] = (None, None, "test", "absent", 3)
        made[f"{name}, files"] = Reader(from_file(read), tuple(map(file, files)), options)
        made[f"{name}, objects"] = Reader(read, tuple(map(frame, files)), options)
    evaluations = {
        r["run_id"]: r for r in frame("openml_evaluations.csv").iloc[[0, 1, 2]].to_dict("records")
    }
    made["openml, evaluations"] = Reader(
        lambda it, **o: lb.adapters.from_openml(as_evaluations(it), **o),
        (evaluations,),
        direction | {"metric": (None, "predictive_accuracy", "absent")},
    )
    return made


def board(source: Any, **options: Any) -> Any:
    """Read a board, of 100 instances unless something else is said."""
    return lb.sota.read_board(
        source, **options if {"n", "se"} & set(options) else {"n": 100} | options
    )


def models_of(source: Any, **options: Any) -> Any:
    """Read models, by metrics that most tasks have unless something else is said."""
    usual = {"metric": ["acc", "word_perplexity"], "higher_is_better": True}
    return lb.adapters.from_lm_eval(source, **usual | options)


def samples_of(path: Path, **options: Any) -> Any:
    """Read a file of answers beside one that is sound."""
    (sound,) = (DATA / "lm_eval_samples" / "org__large").glob("samples_quiz_law*")
    usual = {"metric": "exact_match,strict-match"}
    return lb.adapters.from_lm_eval_samples({"fuzz": path, "sound": sound}, **usual | options)


def logs_of(path: Path, **options: Any) -> Any:
    """Read a log of inspect-ai beside sound ones."""
    sound = sorted((DATA / "inspect_ai").glob("*Large*"))
    return lb.adapters.from_inspect_ai([path, *sound], **{"metric": "match"} | options)


def run_of(path: Path, **options: Any) -> Any:
    """Read statistics of HELM beside a sound run."""
    (path.parent / "run_spec.json").write_bytes((HELM / "small-law" / "run_spec.json").read_bytes())
    return lb.adapters.from_helm([path, HELM / "large-law"], **{"metric": "exact_match"} | options)


def report_of(path: Path, **options: Any) -> Any:
    """Read results of SWE-bench beside a sound report."""
    sound = DATA / "swe_bench" / "reports" / "org__large-1.5.night.json"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)  # LB043
        return lb.adapters.from_swe_bench({"fuzz": path, "sound": sound}, **options)


def details() -> tuple[bytes, str]:
    """Details of lighteval."""
    rows = [
        {"doc": {"id": str(k), "query": f"{k}?"}, "metric": {"acc": k % 2, "f1": 0.5}}
        for k in range(4)
    ]
    buffer = io.BytesIO()
    pd.DataFrame(rows).to_parquet(buffer)
    return buffer.getvalue(), ".parquet"


def details_of(path: Path, **options: Any) -> Any:
    """Read details of lighteval beside sound ones."""
    sound = path.with_name("sound.parquet")
    sound.write_bytes(details()[0])
    return lb.adapters.from_lighteval({"fuzz": path, "sound": sound}, **{"metric": "acc"} | options)


def result_of(path: Path, **options: Any) -> Any:
    """Read a result of MTEB beside a sound one."""
    sound = MTEB / "org__large" / "r1" / "QuizSTS.json"
    return lb.adapters.from_mteb({"fuzz": path, "sound": sound}, **options)


def as_study(it: Any) -> Any:
    """Objects with attributes, where the mutations left dictionaries."""
    if not isinstance(it, dict):
        return it
    trials = it.get("trials")
    if isinstance(trials, list):
        it = it | {"trials": [attributes(t) for t in trials]}
    return attributes(it)


def as_evaluations(it: Any) -> Any:
    return {k: attributes(v) for k, v in it.items()} if isinstance(it, dict) else it


def attributes(it: Any) -> Any:
    return SimpleNamespace(**{str(k): v for k, v in it.items()}) if isinstance(it, dict) else it


# -- mutations -------------------------------------------------------------------------------------


def mutate(source: Any, rng: random.Random) -> Any:
    """Mutate once to several times, mostly a little."""
    if isinstance(source, tuple) and source and isinstance(source[0], bytes):
        content, suffix = source
        if rng.random() < 0.02:
            return zipped(content + bytes(rng.choice((10**4, 3 * 10**6)))), suffix
        if rng.random() < 0.02:
            compress = rng.choice((zipped, bz2.compress, lzma.compress, zlib.compress))
            return mutate_bytes(compress(content), rng), suffix
        is_zipped = suffix == ".csv.gz" and rng.random() < 0.7
        if is_zipped:
            content = gzip.decompress(content)
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 6))):
            structured = rng.random() < 0.6 and suffix != ".parquet"
            if structured and suffix == ".eval":
                content = mutate_zip(content, rng)
            elif structured and suffix == ".json":
                content = mutate_json(content, rng)
            elif structured:
                content = mutate_csv(content, rng)
            else:
                content = mutate_bytes(content, rng)
        return (zipped(content) if is_zipped else content), suffix
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 6))):
        if isinstance(source, pd.DataFrame):
            try:
                source = mutate_frame(source, rng)
            except Exception:
                continue  # pandas refuses the mutation itself
        else:
            source = mutate_object(source, rng)
    return source


def zipped(content: bytes) -> bytes:
    """Compress to the same bytes whatever the time."""
    return gzip.compress(content, 1, mtime=0)


def mutate_bytes(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    i = rng.randrange(len(content) + 1)
    j = min(len(content), i + rng.choice((1, 1, 2, 8, 64)))
    k = rng.randrange(len(lines))
    kind = rng.randrange(13)
    if kind == 0:
        return content[:i] + bytes([rng.randrange(256)]) + content[i + 1 :]
    if kind == 1:
        return content[:i] + content[j:]
    if kind == 2:
        return content[:i] + rng.choice(BYTES) + content[i:]
    if kind == 3:
        return content[:i] + content[i:j] * rng.choice((2, 3, 50)) + content[j:]
    if kind == 4:
        return content[:i]
    if kind == 5:
        return b"\n".join([*lines[:k], *lines[k + 1 :]])
    if kind == 6:
        return b"\n".join([*lines[:k], lines[k], *lines[k:]])
    if kind == 7:
        return b"\n".join(rng.sample(lines, len(lines)))
    if kind == 8:
        return b"".join(line + rng.choice((b"\n", b"\r\n", b"\r")) for line in lines)
    if kind == 9:
        text = content.decode("utf-8", "replace")
        return text.encode(
            rng.choice(("utf-16", "utf-8-sig", "latin-1", "utf-32", "cp037")), "replace"
        )
    if kind == 10:
        return rng.choice((b"", b"\n", b" ", rng.randbytes(rng.randrange(80)), rng.choice(BYTES)))
    if kind == 11:
        return content.replace(rng.choice((b",", b"\n", b'"', b".", b"0")), rng.choice(BYTES))
    return content + content[i:]


def mutate_zip(content: bytes, rng: random.Random) -> bytes:
    """Mutate the JSON of one file in an archive, if it is still one."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except Exception:
        return mutate_bytes(content, rng)
    if not members:
        return mutate_bytes(content, rng)
    name = rng.choice(list(members))
    if rng.random() < 0.1:
        del members[name]
    else:
        members[name] = mutate_json(members[name], rng)
    made = io.BytesIO()
    with zipfile.ZipFile(
        made, "w", rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA))
    ) as archive:
        for name, of in members.items():
            archive.writestr(zipfile.ZipInfo(name), of)
    return made.getvalue()


def mutate_csv(content: bytes, rng: random.Random) -> bytes:
    try:
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig", "replace"))))
    except csv.Error:
        return mutate_bytes(content, rng)
    rows = [row for row in rows if row] or [[""]]
    a, b = rng.randrange(len(rows)), rng.randrange(len(rows))
    column = rng.randrange(len(rows[0]))
    kind = rng.randrange(9)
    if kind <= 2:
        rows[a][rng.randrange(len(rows[a]))] = rng.choice(CELLS)
    elif kind == 3:
        c, d = rng.randrange(len(rows[a])), rng.randrange(len(rows[b]))
        rows[a][c], rows[b][d] = rows[b][d], rows[a][c]
    elif kind == 4:
        rows = [row[:column] + row[column + 1 :] or [""] for row in rows]
    elif kind == 5:
        rows = [[*row, *row[column : column + 1]] for row in rows]
    elif kind == 6:
        rows.append(list(rows[a]))
    elif kind == 7:
        value = rng.choice(CELLS)
        rows = [rows[0], *([*r[:column], value, *r[column + 1 :]] for r in rows[1:])]
    else:
        rows = rng.sample(rows, len(rows))
    text = io.StringIO()
    csv.writer(text, lineterminator=rng.choice(("\n", "\r\n"))).writerows(rows)
    return text.getvalue().encode("utf-8", "replace")


def mutate_json(content: bytes, rng: random.Random) -> bytes:
    try:
        made = json.loads(content)
    except (ValueError, RecursionError):
        return mutate_bytes(content, rng)
    if rng.random() < 0.1:
        deep = rng.choice((10, 1000, 100_000))
        return b"[" * deep + content + b"]" * deep
    odd = [None, True, False, 0, -1, 0.5, 1e308, "", "a", "N/A", "0.5", "\ud800", [], {}, [1], {"a": 1}, {"": {}},
           10**30, float("inf"), float("nan"), "x" * 5000]  # fmt: skip
    return json.dumps(mutate_object(made, rng, odd)).encode()


def mutate_object(source: Any, rng: random.Random, odd: list[Any] | None = None) -> Any:
    """Change one place of nested lists and dictionaries."""
    odd = OBJECTS if odd is None else odd
    if rng.random() < 0.03:
        return rng.choice(odd)
    if isinstance(source, pd.Series):
        values = [rng.choice(odd) if rng.random() < 0.3 else v for v in source]
        index = [rng.choice(odd) if rng.random() < 0.2 else v for v in source.index]
        return pd.Series(values, index=pd.Index(index, dtype=object), dtype=object)
    source = copy.copy(source)
    if isinstance(source, dict) and source:
        key = rng.choice(list(source))
        kind = rng.randrange(8)
        if kind == 0:
            del source[key]
        elif kind == 1:
            named = rng.choice(
                [o for o in odd if isinstance(o, str)] + ["1", "results", "acc,none"]
            )
            source[named] = source.pop(key)
        elif kind == 2:
            source[key] = rng.choice(odd)
        elif kind == 3:
            source[rng.choice(["new", "", "a,b", "score", "results"])] = rng.choice(odd)
        else:
            source[key] = mutate_object(source[key], rng, odd)
        return source
    if isinstance(source, list) and source:
        k, kind = rng.randrange(len(source)), rng.randrange(6)
        if kind == 0:
            del source[k]
        elif kind == 1:
            source.append(source[k])
        elif kind == 2:
            source[k] = rng.choice(odd)
        else:
            source[k] = mutate_object(source[k], rng, odd)
        return source
    return rng.choice(odd)


def mutate_frame(source: pd.DataFrame, rng: random.Random) -> pd.DataFrame:
    frame = source.copy()
    rows, columns = frame.shape
    if not rows or not columns:
        return frame
    row, column = rng.randrange(rows), rng.randrange(columns)
    values = frame.iloc[:, column]
    kind = rng.randrange(13)
    if kind <= 2:
        cells = list(values)
        for _ in range(rng.choice((1, 1, rows))):
            cells[rng.randrange(rows)] = rng.choice(OBJECTS)
        return _replace(frame, column, cells)
    if kind == 3:
        odd = rng.choice(OBJECTS)
        return _replace(frame, column, [odd] * rows)
    if kind == 4:
        names = list(frame.columns)
        names[column] = rng.choice([o for o in OBJECTS if _hashable(o)] + list(frame.columns))
        frame.columns = pd.Index(names, dtype=object)
        return frame
    if kind == 5:
        return frame.drop(columns=frame.columns[column])
    if kind == 6:
        return pd.concat([frame, frame.iloc[[row]]], ignore_index=rng.random() < 0.5)
    if kind == 7:
        return frame.iloc[rng.sample(range(rows), rng.randrange(rows + 1))]
    if kind == 8:
        many = rng.choice((1, 2))
        if not all(_hashable(it) for _, column in frame.iloc[:, :many].items() for it in column):
            return frame
        return frame.set_index([c for c in frame.columns[:many]])
    if kind == 9:
        frame.index = pd.Index([rng.choice(OBJECTS[:40]) for _ in range(rows)], dtype=object)
        return frame
    if kind == 10:
        return _replace(frame, column, list(frame.iloc[:, rng.randrange(columns)]))
    if kind == 11:
        try:
            cast = values.astype(rng.choice(("category", "string", "object", "float32", "Int64", "bool",
                                             "complex128", "datetime64[ns]", "double[pyarrow]")))  # fmt: skip
        except (ValueError, TypeError, ArithmeticError):
            return frame
        return pd.concat([frame.iloc[:, :column], cast, frame.iloc[:, column + 1 :]], axis=1)
    frame.columns = pd.MultiIndex.from_tuples([(str(c), k) for k, c in enumerate(frame.columns)])
    return frame


def _replace(frame: pd.DataFrame, column: int, cells: list[Any]) -> pd.DataFrame:
    values = np.empty(len(cells), dtype=object)
    for k, cell in enumerate(cells):
        values[k] = cell
    new = pd.Series(values, index=frame.index, name=frame.columns[column], dtype=object)
    return pd.concat([frame.iloc[:, :column], new, frame.iloc[:, column + 1 :]], axis=1)


def _hashable(it: Any) -> bool:
    try:
        hash(it)
    except TypeError:
        return False
    return True


# -- planted ---------------------------------------------------------------------------------------


PLANTS = ("score", "rows of losses", "columns of losses", "column", "row", "whole", "mean")


def odd(name: str, rng: random.Random) -> str:
    """Same words in another case and with other signs around them."""
    cased = rng.choice((str.lower, str.upper, str.title, str.capitalize))(name)
    joined = cased.replace("_", rng.choice(("_", " ", "-", ".", "  ", "\u00a0")))
    before, after = rng.choice(
        [("", ""), (" ", "\u200b"), ("(", ")"), ("*", "*"), ("\ufeff", " ↓")]
    )
    return before + joined + after


def planted(rng: random.Random, kinds: tuple[str, ...] = PLANTS) -> tuple[str, str]:
    """Table in which more of a loss would win, or something plays that does not; and what it is."""
    values = np.random.default_rng(rng.randrange(2**32)).uniform(0.5, 1.0, (9, 9)).round(4)
    kind = rng.choice(kinds)
    rows, columns = rng.randrange(3, 8), rng.randrange(2, 6)
    values = values[:rows, :columns]
    head = [f"svm{k}" if k else "svm" for k in range(columns)]
    side = [f"d{k}a" for k in range(rows)]
    corner = rng.choice(("model", "Models", "approach", "dataset", "Datasets", ""))
    place = rng.randrange(columns)
    if kind == "score":
        name = odd(rng.choice(LOSSES), rng)
        body = [("model", "fold", name)] + [
            (p, r, values[i, j]) for i, p in enumerate(side) for j, r in enumerate(head)
        ]
        return kind, in_csv(body)
    if kind == "rows of losses":
        corner, side[rng.randrange(rows)] = (
            rng.choice(("metric", "dataset", "")),
            odd(rng.choice(LOST), rng),
        )
    elif kind == "columns of losses":
        head = [f"{odd(rng.choice(LOST), rng)}_{k}x" for k in range(columns)]
    elif kind == "column":
        head[place] = odd(rng.choice(SUMMED + KNOWN[:-2]), rng)
    elif kind == "row":
        side[rng.randrange(rows)] = odd(rng.choice(SUMMED), rng)
    elif kind == "whole":
        head = [*head, "extra"]
        values = np.column_stack([values, np.arange(rows) * 37 + rng.choice((150, 2019, 40000))])
    elif kind == "mean":
        side = [*side, "Ø"]
        values = np.vstack([values, values.mean(axis=0).round(4)])
    body = [(corner, *head), *((name, *row) for name, row in zip(side, values, strict=True))]
    return kind, in_csv(body)


def in_csv(rows: list[tuple[Any, ...]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def attempt_planted(rng: random.Random) -> str:
    """Read a planted table: "refused", or "read" with a warning; anything else raises."""
    kind, text = planted(rng)
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            FROM_CSV((text.encode(), ".csv"))
    except lb.LeaderbayesError:
        return "refused"
    told = any(issubclass(it.category, lb.LeaderbayesWarning) for it in said)
    assert told, f"{kind} was read in silence:\n{text}"
    return "read"


# -- verdicts --------------------------------------------------------------------------------------


def attempt(reader: Reader, rng: random.Random) -> str:
    """Read one mutated source: "read" or "refused"; anything else raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the mutations themselves
        source = mutate(rng.choice(reader.sources), rng)
    options = {k: rng.choice(v) for k, v in reader.options.items() if rng.random() < 0.3}
    begin = time.process_time()  # the machine may be busy with other things
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            check(reader.read(source, **options))
        verdict = "read"
    except lb.LeaderbayesError as problem:
        message = str(problem)
        assert message.strip(), "an error without a message"
        message.encode()
        assert len(message) < LONGEST, f"a message of {len(message)} characters: {message[:500]}"
        verdict = "refused"
    except Exception as problem:
        problem.add_note(f"source: {_shown(source)}\noptions: {options}")
        raise
    assert time.process_time() - begin < SLOW, f"slow: {_shown(source)}"
    return verdict


def _shown(source: Any) -> str:
    try:
        return f"{source!r:.3000}"
    except Exception as problem:
        return f"a {type(source).__name__} that does not print ({problem})"


def check(made: Any) -> None:
    """What is read is a board or scores as promised."""
    if isinstance(made, pd.Series):
        assert made.dtype == float
        assert not np.isinf(made).any()
        assert made.notna().any()
        return
    if isinstance(made, xr.Dataset):
        check_votes(made)
        return
    assert isinstance(made, xr.DataArray)
    assert made.dtype == float
    assert not np.isinf(made).any()
    assert made.notnull().any()
    if made.dims == ("team",):
        assert "metric" in made.attrs
        return
    assert made.dims in (("player", "round"), ("tournament", "player", "round"))
    assert made.sizes["player"] >= 2
    runs = {"runs", "answers"} if "run_variance" in made.coords else set()
    assert set(made.attrs) - {"tournament", "unused"} == {
        "higher_is_better", "scheme", "columns", "source"
    } | runs  # fmt: skip
    assert made.attrs["higher_is_better"] in (0, 1)
    for dim in made.dims:
        names = list(made[dim].to_numpy())
        assert len(set(names)) == len(names)
        for name in names:
            assert isinstance(name, str)
            assert name
            name.encode()


def check_votes(made: xr.Dataset) -> None:
    """Votes as promised."""
    players = list(made["player"].to_numpy())
    assert len(set(players)) == len(players) >= 2
    assert all(isinstance(name, str) and name for name in players)
    first, second, outcome = (made[k].to_numpy() for k in ("first", "second", "outcome"))
    assert first.dtype == second.dtype == np.int32
    assert (first != second).all()
    assert set(first) | set(second) == set(range(len(players)))
    assert outcome.dtype == float
    own = made.attrs["both_bad"] == "own"
    assert (np.isin(outcome, (0.0, 0.5, 1.0)) | (own & np.isnan(outcome))).all()
    assert set(made.attrs) - {"unused"} == {"kind", "read_as", "both_bad", "ordered", "source"}
    if "weight" in made:
        assert (made["weight"] > 0.0).all()
        assert np.isfinite(made["weight"]).all()
    if "covariates" in made:
        assert np.isfinite(made["covariates"]).all()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000, help="in all, over the readers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="readers whose name has this in it")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    known = {k: v for k, v in readers().items() if arguments.only in k}
    counts: dict[str, Counter[str]] = {name: Counter() for name in [*known, "planted"]}
    broken: Counter[str] = Counter()
    begin = time.perf_counter()
    for number in range(arguments.inputs):
        name = [*known, "planted"][number % (len(known) + 1)]
        rng = random.Random(f"{arguments.seed}-{number}")
        faulthandler.dump_traceback_later(60, exit=True)  # a hang
        try:
            verdict = attempt_planted(rng) if name == "planted" else attempt(known[name], rng)
        except Exception as problem:
            verdict = "broken"
            place = traceback.extract_tb(problem.__traceback__)
            ours = [f for f in place if "leaderbayes" in f.filename] or place
            kind = f"{name}: {type(problem).__name__} at {Path(ours[-1].filename).name}:{ours[-1].lineno}"
            broken[kind] += 1
            if broken[kind] == 1:
                print(f"--- input {number}, {kind}")
                traceback.print_exception(problem, limit=-4, file=sys.stdout)
        counts[name][verdict] += 1
    faulthandler.cancel_dump_traceback_later()
    print(f"{arguments.inputs} inputs, seed {arguments.seed}, {time.perf_counter() - begin:.0f} s")
    table = pd.DataFrame(counts).T.reindex(columns=["read", "refused", "broken"]).fillna(0)
    print(table.astype(int).to_string())
    for kind, times in broken.most_common():
        print(times, kind)
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
