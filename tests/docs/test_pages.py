"""The Python of README and of the pages of docs/ runs as it is printed, page by page."""

import contextlib
import io
import json
import re
import runpy
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import click
import numpy as np
import optuna
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import prose
from leaderbayes._cli import cli

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "adapters" / "data"
BLOCK = re.compile(r"^```python\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"\s*^```text\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)  # what it prints
NUMBER = re.compile(r"-?\d+\.\d+")
TEXTS = {
    path.relative_to(ROOT).as_posix().removeprefix("docs/"): path
    for path in (ROOT / "README.md", *prose.PAGES)
}
PAGES = {name: path for name, path in TEXTS.items() if BLOCK.search(path.read_text("utf-8"))}
# Blocks that begin so, and why.
SKIPPED = {
    ("how_to/public_boards.md", "import leaderbayes"): "downloads",
    ("how_to/judge.md", "import krippendorff"): "a package that tests do not install",
}


@pytest.mark.parametrize("page", TEXTS.values(), ids=TEXTS)
def test_links_to_files_hold_in_the_repository(page):
    """Where README sends its readers; docs/conf.py turns those that the site needs otherwise."""
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#:\s]+\.(?:md|ipynb|py|csv))[)#]", text):
        assert (page.parent / link).exists(), link


@pytest.mark.parametrize("script", ["run", "full", "smoke.txt"])
def test_ci_names_files_that_are_there(script):
    """A script that runs at night alone would fail unseen."""
    text = (ROOT / ".ci" / script).read_text(encoding="utf-8")
    for path in re.findall(r"\b(?:tests|benchmarks|models|docs)/[\w/]+\.\w+", text):
        assert (ROOT / path).exists(), path


def long_table(*tournaments, **columns):
    """Scores of four players in ten rounds of these tournaments, with columns so named."""
    rng = np.random.default_rng(0)
    players = ["forest", "boosting", "tree", "knn"]
    rows = [(t, p, k) for t in tournaments or [""] for p in players for k in range(10)]
    table = pd.DataFrame(rows, columns=["tournament", "player", "round"])
    strength = -table["player"].map(players.index)
    table["score"] = 0.8 + 0.03 * (strength + rng.gumbel(size=len(table)))
    return (table if tournaments else table.drop(columns="tournament")).rename(columns=columns)


def write_board(path, *, teams=200, n=13840):
    """Write a board of Kaggle's, of shares of n right answers with five decimals."""
    rng = np.random.default_rng(0)
    right = rng.binomial(n, rng.beta(90.0, 10.0, size=teams))
    table = pd.DataFrame({"TeamId": range(teams), "Score": (right / n).round(5)})
    table["TeamName"] = [f"team {i}" for i in range(teams)]
    table.to_csv(path, index=False)


def write_samples(folder, *, tasks, items=40):
    """Write what two models answered to each item, as lm-evaluation-harness logs it."""
    rng = np.random.default_rng(0)
    for model, share in {"org__small": 0.5, "org__large": 0.7}.items():
        (folder / model).mkdir()
        for task in tasks:
            lines = (
                {"doc_id": i, "doc_hash": f"{task}-{i}", "acc": float(rng.random() < share)}
                for i in range(items)
            )
            log = folder / model / f"samples_{task}_2026-05-01T10-00-00.000000.jsonl"
            log.write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_items(folder):
    """Write what other programs log of items, and results by split and by task."""
    rng = np.random.default_rng(0)
    (folder / "logs").mkdir()
    for k, (model, share) in enumerate({"small": 0.5, "large": 0.7}.items()):
        samples = [
            {"id": i, "epoch": 1, "scores": {"match": {"value": "CI"[int(rng.random() > share)]}}}
            for i in range(40)
        ]
        log = {"status": "success", "eval": {"model": model, "task": "quiz"}, "samples": samples}
        name = f"2026-05-01T10-00-0{k}_quiz_x.json"
        (folder / "logs" / name).write_text(json.dumps(log))
        details = folder / "evals" / "details" / "org" / model / "2026-05-01T10-00-00"
        details.mkdir(parents=True)
        rows = [{"doc": {"id": str(i)}, "metric": {"acc": rng.random() < share}} for i in range(40)]
        pd.DataFrame(rows).to_parquet(details / "details_arc:easy|0_2026-05-01T10-00-00.parquet")
        graded = [
            {"question_id": f"q{i}", "graded_list": [bool(rng.random() < share)]} for i in range(9)
        ]
        (folder / f"{model}_eval_all.json").write_text(json.dumps(graded))
        (folder / "runs" / model).mkdir(parents=True)
        tried = [{"task_id": f"t{i}", "is_resolved": bool(rng.random() < share)} for i in range(9)]
        (folder / "runs" / model / "results.json").write_text(json.dumps({"results": tried}))
        about = {"agent_name": "terminus", "model_name": model}
        (folder / "runs" / model / "run_metadata.json").write_text(json.dumps(about))
    shutil.copytree(DATA / "helm", folder / "benchmark_output" / "runs")
    shutil.copytree(DATA / "mteb", folder / "mteb_results")
    for report in (DATA / "swe_bench" / "reports").iterdir():
        size = "large" if "large" in report.name else "small"
        shutil.copy(report, folder / f"{size}.night.json")
    shutil.copytree(DATA / "swe_bench" / "verified", folder / "experiments/evaluation/verified")
    shutil.copy(DATA / "tabarena_results.csv", folder / "tabarena.csv")


def given_to_adapters(folder, monkeypatch):
    runs = pd.read_csv(DATA / "openml_evaluations.csv").drop_duplicates(["setup_id", "task_id"])
    evaluations = SimpleNamespace(list_evaluations=lambda *_, **__: runs)
    monkeypatch.setitem(sys.modules, "openml", SimpleNamespace(evaluations=evaluations))

    results = folder / "results"
    results.mkdir()
    amlb = long_table(
        "iris", "kc2", tournament="task", player="framework", round="fold", score="result"
    )
    amlb.assign(metric="acc", constraint="1h8c").to_csv(results / "results.csv", index=False)
    for model, name in {"org__small": "a.json", "org__large": "b.json"}.items():
        (source,) = (DATA / "lm_eval" / model).glob("*.json")
        shutil.copy(source, folder / name)
        made = json.loads(source.read_text())
        del made["results"]["wikitext"]  # has no accuracy
        (results / f"results_{name}").write_text(json.dumps(made))
    write_samples(results, tasks=["arc_easy", *(f"mmlu_{k}" for k in range(12))])
    write_items(folder)
    shutil.copy(DATA / "mlr3_aggregate.csv", folder / "scores.csv")
    write_board(folder / "publicleaderboard.csv")

    X, y = load_wine(return_X_y=True)
    study = optuna.create_study(direction="maximize")
    for number in range(3):
        reported = {fold: number + 0.1 * fold for fold in range(5)}
        study.add_trial(optuna.trial.create_trial(value=number, intermediate_values=reported))
    return {
        "X": X, "y": y, "study": study, "splits": StratifiedKFold(5, shuffle=True, random_state=1),
        "model": DecisionTreeClassifier(random_state=1), "grid": {"max_depth": [1, 2, 4]},
        "tree": DecisionTreeClassifier(random_state=1),
        "forest": RandomForestClassifier(5, random_state=1),
        "instances": json.loads(
            (folder / "large.night.json").read_text(encoding="utf-8")
        )["submitted_ids"],
    }  # fmt: skip


def given_to_read(folder, _):
    table = pd.DataFrame(
        {
            "model": ["a", "b", "c"], "License": ["mit", "apache", "mit"], "Size (B)": [7, 70, 13],
            "mmlu": [61.2, 71.3, 64.9], "arc": [55.0, 68.1, 60.3], "gsm8k": [41.7, 66.0, 50.2],
        }
    )  # fmt: skip
    table.assign(Average=table.iloc[:, 3:].mean(axis=1)).to_csv(folder / "board.csv", index=False)
    return {}


def given_to_plan(folder, _):
    table = long_table(player="model", round="fold", score="auc")
    table.to_csv(folder / "scores.csv", index=False)
    return {"new_scores": pd.Series(np.linspace(0.75, 0.9, 10), index=map(str, range(10)))}


def given_to_time(folder, monkeypatch):
    rng = np.random.default_rng(0)
    names, days = np.array(["owl", "elk", "fox"]), pd.Timestamp("2026-01-01")
    i = rng.integers(3, size=300)
    winner, loser = names[i], names[(i + rng.integers(1, 3, size=300)) % 3]
    time = days + pd.to_timedelta(rng.integers(90, size=300), unit="D")
    table = pd.DataFrame({"winner": winner, "loser": loser, "time": time.astype(str)})
    table.to_csv(folder / "votes.csv", index=False)
    return given_to_plan(folder, monkeypatch)


def given_to_sota(folder, _):
    write_board(folder / "board.csv")
    rng = np.random.default_rng(0)
    share = 1.0 / (1.0 + np.exp(-rng.normal(size=(300, 1)) - np.linspace(0.3, 1.0, 12)))
    answers = pd.DataFrame((rng.random(share.shape) < share).astype(int)).add_prefix("model ")
    answers.to_csv(folder / "answers.csv", index_label="question_id")
    return {}


def given_to_tournaments(folder, _):
    long_table("iris", "wine").to_csv(folder / "scores.csv", index=False)
    return {}


def given_to_tuning(_, __):
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    return {
        "X": X, "y": y, "model": GradientBoostingClassifier(n_estimators=3, random_state=1),
        "folds": list(KFold(10).split(X)), "score": lambda *_: rng.normal(),
    }  # fmt: skip


GIVEN = {
    "how_to/adapters.md": given_to_adapters,
    "how_to/read.md": given_to_read,
    "how_to/cost.md": given_to_plan,
    "how_to/plan.md": given_to_plan,
    "how_to/over_time.md": given_to_time,
    "how_to/best.md": given_to_sota,
    "sota.md": given_to_sota,
    "how_to/data_sets.md": given_to_tournaments,
    "how_to/tuning.md": given_to_tuning,
}


# One divergent transition among thousands depends on the processor, and is said.
@pytest.mark.filterwarnings("ignore:LB001")
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:LB010")  # how_to/read.md says so of its regressors
@pytest.mark.parametrize("page", PAGES)
def test_page_runs_as_printed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("matplotlib.pyplot.show", lambda *_, **__: None)  # there is no screen
    # Not "__main__": blocks that start processes are not entered.
    names = {"__name__": "page"}
    if page in GIVEN:
        names |= GIVEN[page](tmp_path, monkeypatch)
    text = PAGES[page].read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        if any(page == name and block[1].startswith(line) for name, line in SKIPPED):
            continue
        lines_before = text[: block.start(1)].count("\n")  # so that a traceback has the page's line
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile("\n" * lines_before + block[1], PAGES[page], "exec"), names)
        if shown := OUTPUT.match(text, block.end()):
            assert_same(shown[1], said.getvalue())


def assert_same(shown, said):
    """Compare texts, in which numbers differ by Monte Carlo error."""
    (words, numbers), (others, found) = (
        (NUMBER.sub("0", text).split(), [*map(float, NUMBER.findall(text))])
        for text in (shown, said)
    )
    assert words == others
    np.testing.assert_allclose(numbers, found, rtol=0.02, atol=0.05)


def test_what_is_given_or_skipped_is_of_a_page():
    assert {*GIVEN, *(name for name, _ in SKIPPED)} <= set(PAGES)


@pytest.mark.parametrize("page", TEXTS)
def test_commands_have_the_options_that_are_printed(page):
    text = TEXTS[page].read_text(encoding="utf-8").replace("\\\n", " ")
    for name, rest in re.findall(r"leaderbayes ([a-z]+) ([^\n`]*--[^\n`]*)", text):
        command = cli.get_command(click.Context(cli), name)
        known = {option for p in command.params for option in (*p.opts, *p.secondary_opts)}
        assert set(re.findall(r"(?<!\S)--[\w-]+", rest)) <= known, name


def test_numbers_of_disagreement_are_those_of_its_table():
    rows = runpy.run_path(str(ROOT / "docs" / "figures.py"))["rows"]
    table = pd.read_csv(ROOT / "docs" / "_static" / "disagreement.csv")
    text = (ROOT / "docs" / "disagreement.md").read_text(encoding="utf-8")
    assert f"There are {len(table)} boards from {table['source'].nunique()} sources" in text
    assert "\n".join(rows(table)) in text
    assert (table["epp_same"] == 1.0).all()
