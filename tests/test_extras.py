"""Without its extras the package imports and ranks; what needs one names it."""

import json
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
import contextlib, importlib, io, json, pkgutil, sys
from types import SimpleNamespace

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

MISSING = set(json.loads(sys.argv[1]))
sys.meta_path.insert(0, Missing())

import leaderbayes as lb
for module in pkgutil.walk_packages(lb.__path__, "leaderbayes."):
    if not module.name.startswith(("leaderbayes.report._", "leaderbayes.tuning._")):
        if module.name != "leaderbayes.__main__":
            importlib.import_module(module.name)
scores = lb.datasets.load("classifiers", "wine")
dt = lb.fit(scores, sampler="laplace", draws=50, seed=1)
lb.plots.leaderboard(dt, backend="matplotlib").savefig("board.png")
dt.to_netcdf("posterior.nc")
said = {"leader": str(lb.leaderboard(dt)["player"][0])}

def attempt(name, call):
    try:
        call()
    except lb.LeaderbayesError as problem:
        said[name] = [type(problem).__name__, str(problem)]

def command(*given):
    from leaderbayes._cli import main
    with contextlib.redirect_stderr(io.StringIO()) as shown:
        try:
            sys.argv = ["leaderbayes", *given]
            main()
        except SystemExit as ended:
            said[f"command {given[0]}"] = [ended.code, shown.getvalue()]

open("scores.parquet", "wb").write(b"PAR1")
five = lb.datasets.load("classifiers")
study = lambda **more: lb.study.fit(five, store="study", sampler="laplace", **more)
attempt("data", lambda: lb.datasets.fetch("vtab"))
attempt("parquet", lambda: lb.read_scores("scores.parquet"))
attempt("plotly", lambda: lb.plots.leaderboard(dt, backend="plotly"))
attempt("bokeh", lambda: lb.plots.win_probability(dt, backend="bokeh"))
attempt("report", lambda: lb.report.html)
attempt("text", lambda: lb.report.text)
attempt("study", lambda: lb.study.open("study"))
attempt("study.fit", study)
attempt("votes", lambda: lb.count_votes("scores.parquet"))
attempt("tuning", lambda: lb.tuning.LeaderboardSearchCV)
attempt("pruner", lambda: lb.tuning.LeaderboardPruner)
command("report", "posterior.nc", "--out", "page.html")
example = str(lb.datasets.path("classifiers"))
command("tournaments", example, "--store", "study", "--dask", "tcp://127.0.0.1:1")
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    blocked = json.dumps(sorted({module for modules in MODULES.values() for module in modules}))
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BARE, blocked],
        cwd=tmp_path_factory.mktemp("bare"), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def test_the_core_needs_no_extra(said):
    board = lb.fit(lb.datasets.load("classifiers", "wine"), sampler="laplace", draws=50, seed=1)
    assert said["leader"] == lb.leaderboard(board)["player"][0]


@pytest.mark.parametrize(
    ("call", "name", "package"),
    [
        ("data", "data", "pooch"),
        ("parquet", "parquet", "pyarrow"),
        ("votes", "votes", "duckdb"),
        ("plotly", "plots", "plotly"),
        ("bokeh", "plots", "bokeh"),
        ("report", "report", ""),
        ("text", "report", "jinja2"),
        ("study", "study", "zarr"),
        ("study.fit", "study", "zarr"),
        ("tuning", "tuning", "sklearn"),
        ("pruner", "tuning", "optuna"),
    ],
)
def test_a_missing_extra_is_named(said, call, name, package):
    kind, message = said[call]
    assert kind == "MissingExtraError"
    assert f" {package}" in message
    assert message.endswith(f'pip install "leaderbayes[{name}]".')


@pytest.mark.parametrize(("call", "name"), [("report", "report"), ("tournaments", "distributed")])
def test_commands_end_with_two(said, call, name):
    status, message = said[f"command {call}"]
    assert status == 2
    assert f'pip install "leaderbayes[{name}]".' in message


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
