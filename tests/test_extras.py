"""Without its extras the package imports and ranks; what needs one names it."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import leaderbayes as lb
from leaderbayes._extras import MODULES, extra

ROOT = Path(__file__).parents[1]


# A fresh interpreter where nothing that an extra brings can be imported.
BARE = """
import contextlib, importlib, importlib.machinery, io, json, pathlib, pkgutil, sys, zipfile
from types import SimpleNamespace

class Without(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in MISSING else super().find_spec(name, path, target)

MISSING = set(json.loads(sys.argv[1]))
at = sys.meta_path.index(importlib.machinery.PathFinder)
sys.meta_path[at] = Without

import leaderbayes as lb
scores = lb.datasets.load("classifiers", "wine")
dt = lb.fit(scores, sampler="laplace", draws=50, seed=1)
dt.to_netcdf("posterior.nc")
said = {"leader": str(lb.leaderboard(dt)["player"][0])}

def attempt(name, call):
    try:
        call()
    except lb.LeaderbayesError as problem:
        said[name] = [type(problem).__name__, str(problem)]

def command(name, *given):
    from leaderbayes._cli import main
    shown, status = io.StringIO(), 0
    with contextlib.redirect_stderr(shown), contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            sys.argv = ["leaderbayes", *given]
            main()
        except SystemExit as ended:
            status = ended.code
    said[f"command {name}"] = [status or 0, shown.getvalue(), printed.getvalue()]

open("scores.parquet", "wb").write(b"PAR1")
with zipfile.ZipFile("scores.xlsx", "w") as book:
    book.writestr("xl/workbook.xml", "")
five = lb.datasets.load("classifiers")
board = pathlib.Path("board.csv")
board.write_text("team,score\\n" + "".join(f"t{k},{0.9 - 0.01 * k}\\n" for k in range(9)))
study = lambda **more: lb.study.fit(five, store="study", sampler="laplace", **more)
attempt("data", lambda: lb.datasets.load("vtab"))
attempt("parquet", lambda: lb.read_scores("scores.parquet"))
attempt("excel", lambda: lb.read_scores("scores.xlsx"))
attempt("figure", lambda: lb.plots.leaderboard(dt))
attempt("matplotlib", lambda: lb.plots.deviance(dt, draws=-1))
attempt("report", lambda: lb.report.html)
attempt("text", lambda: lb.report.text)
attempt("study", lambda: lb.study.open("study"))
attempt("study.fit", study)
attempt("tuning", lambda: lb.tuning.LeaderboardSearchCV)
attempt("pruner", lambda: lb.tuning.LeaderboardPruner)
command("report", "report", "posterior.nc", "--out", "page.html")
example = str(lb.datasets.load("classifiers").attrs["source"])
ranked = ("rank", example, "--only", "wine", "--seed", "1")
command("rank", *ranked)
command("plan", "plan", *ranked[1:])
command("audit", "audit", *ranked[1:])
command("sota", "sota", "board.csv", "--n", "500")
command("rank --out", *ranked, "--out", "results")
command("rank --figures", *ranked, "--out", "never", "--figures", "pdf")
command("rank --ml", *ranked[:-2], "--ml", "--out", "estimates")
studied = ("tournaments", example, "--store", "study")
command("tournaments --figures", *studied, "--out", "never", "--figures", "png")
said["written"] = sorted(str(path) for path in pathlib.Path().glob("*/*"))
said["compilers"] = sorted({"pymc", "pytensor", "arviz", "nutpie", "numba"} & {*sys.modules})
for module in pkgutil.walk_packages(lb.__path__, "leaderbayes."):
    if not module.name.startswith(("leaderbayes.report._", "leaderbayes.tuning._")):
        if module.name != "leaderbayes.__main__":
            importlib.import_module(module.name)
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    blocked = json.dumps(sorted({module for modules in MODULES.values() for module in modules}))
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BARE, blocked],
        cwd=tmp_path_factory.mktemp("bare"), capture_output=True, text=True, check=False,
        # Where data lie already nothing is missing.
        env={name: value for name, value in os.environ.items() if name != "LEADERBAYES_DATA"},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def test_the_core_needs_no_extra(said):
    board = lb.fit(lb.datasets.load("classifiers", "wine"), sampler="laplace", draws=50, seed=1)
    assert said["leader"] == lb.leaderboard(board)["player"][0]


@pytest.mark.parametrize(
    ("call", "name", "package"),
    [
        ("data", "data", "pooch"), ("parquet", "parquet", "pyarrow"),
        ("excel", "excel", "openpyxl"), ("figure", "plots", "matplotlib"),
        ("matplotlib", "plots", "matplotlib"), ("report", "report", ""),
        ("text", "report", "jinja2"), ("study", "study", "zarr"), ("study.fit", "study", "zarr"),
        ("tuning", "tuning", "sklearn"), ("pruner", "tuning", "optuna"),
    ],
)  # fmt: skip
def test_a_missing_extra_is_named(said, call, name, package):
    kind, message = said[call]
    assert kind == "MissingExtraError"
    assert f" {package}" in message
    assert message.endswith(f'pip install "leaderbayes[{name}]".')


def test_ordinary_commands_load_no_compiler(said):
    for name in ("rank", "plan", "audit", "sota"):
        status, message, printed = said[f"command {name}"]
        assert (status, "Error" in message) == (0, False)
        assert printed
    assert said["compilers"] == []


def test_commands_end_with_two(said):
    status, message, _ = said["command report"]
    assert status == 2
    assert 'pip install "leaderbayes[report]".' in message


def test_rank_needs_no_matplotlib(said):
    status, message, printed = said["command rank"]
    assert status == 0
    assert "matplotlib" not in message
    assert said["leader"] in printed


def test_out_without_matplotlib_leaves_out_figures_and_says_so_once(said):
    status, message, _ = said["command rank --out"]
    assert status == 0
    assert message.count("matplotlib") == 1
    line = "results: no figures, because they need matplotlib: "
    assert f'{line}pip install "leaderbayes[plots]".\n' in message
    written = {path.partition("/")[2] for path in said["written"] if path.startswith("results")}
    assert {"run.json"} < written
    assert not any(name.endswith((".png", ".svg", ".pdf")) for name in written)


def test_estimates_have_no_figures_to_leave_out(said):
    status, message, _ = said["command rank --ml"]
    assert status == 0
    assert "matplotlib" not in message


@pytest.mark.parametrize("call", ["rank", "tournaments"])
def test_figures_that_are_asked_for_are_refused_before_any_work(said, call):
    status, message, printed = said[f"command {call} --figures"]
    assert (status, printed) == (2, "")
    assert message == 'Error: --figures needs matplotlib: pip install "leaderbayes[plots]".\n'
    assert not any(path.startswith(("never", "study")) for path in said["written"])


def test_what_no_extra_brings_is_a_fault_of_its_own():
    with pytest.raises(ModuleNotFoundError, match="nowhere") as caught, extra("plots", "A plot"):
        import nowhere  # noqa: F401
    assert not isinstance(caught.value, lb.LeaderbayesError)


def test_extras_are_those_of_the_installation():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = set(extras["optional-dependencies"]) - {"all"}
    assert names == set(MODULES)
    (everything,) = extras["optional-dependencies"]["all"]
    assert everything == f"leaderbayes[{','.join(sorted(names))}]"
