"""The command line as its user sees it."""

import inspect
import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import simulate, uncounted
from leaderbayes._cli import cli
from leaderbayes._cli._output import write_table
from leaderbayes.datasets import example_path

BOARD = "player,round,score\n" + "".join(
    f"{name},{k},{(7 * i + 3 * k * (i + 1)) % 11}\n"
    for i, name in enumerate(["[red]a", 'b "x"', "c", "d"])
    for k in range(12)
)


def run(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "leaderbayes", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli")
    (path / "scores.csv").write_text(BOARD)
    return path


@pytest.fixture(scope="module")
def ranked(folder):
    done = run("rank", "scores.csv", "--seed", 1, "--json", "--out", "results", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_json_has_exactly_the_promised_keys(ranked):
    assert list(ranked) == [
        "model", "weight", "seed", "players", "deviance", "diagnostics", "warnings", "read",
    ]  # fmt: skip
    assert list(ranked["players"][0]) == [
        "player", "epp", "epp_lower", "epp_upper", "p_average", "p_best",
        "rank", "rank_lower", "rank_upper",
    ]  # fmt: skip
    assert list(ranked["deviance"]) == ["value", "df", "p_value", "standardised"]
    assert list(ranked["diagnostics"]) == ["max_rhat", "min_ess", "divergences", "converged"]
    epp = [player["epp"] for player in ranked["players"]]
    assert epp == sorted(epp, reverse=True)
    assert ranked["seed"] == 1


def test_out_holds_tables_posterior_and_figures(ranked, folder):
    names = {path.name for path in (folder / "results").iterdir()}
    figures = ("leaderboard", "win_probability", "rank_distribution", "win_rate", "deviance")
    assert names == {
        "leaderboard.csv", "win_probability.csv", "posterior.nc", "run.json",
        *(f"{figure}.{suffix}" for figure in figures for suffix in ("png", "svg")),
    }  # fmt: skip
    assert not list(folder.glob(".leaderbayes-*"))
    made = json.loads((folder / "results" / "run.json").read_text())
    assert made["seed"] == 1
    assert "pymc" in made["versions"]


def test_maximum_likelihood_prints_a_table(folder):
    done = run("rank", "scores.csv", "--method", "ml", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "[red]a" in done.stdout
    assert 'b "x"' in done.stdout


def test_what_was_read_is_said(folder):
    done = run("rank", "scores.csv", "--method", "ml", cwd=folder)
    read = "read: player=player, round=round, score=score (higher is better), 4 players x 12 rounds"
    assert done.stderr == read + ", 0 missing\n"
    assert "read:" not in done.stdout
    quiet = run("rank", "scores.csv", "--method", "ml", "--json", cwd=folder)
    assert quiet.stderr == ""


def test_what_was_read_is_in_the_json(folder):
    done = run("rank", "scores.csv", "--method", "ml", "--json", "--out", "read", cwd=folder)
    read = json.loads(done.stdout)["read"]
    assert read == {
        "columns": "player=player, round=round, score=score",
        "higher_is_better": True,
        "sizes": {"player": 4, "round": 12},
        "missing": 0,
    }
    assert json.loads((folder / "read" / "run.json").read_text())["read"] == read


def test_a_file_above_the_limit(folder):
    limit = ("--max-mb", "0.0001")
    for command in (("rank", "--method", "ml"), ("sota", "--n", 100), ("rank", "--format", "amlb")):
        done = run(command[0], "scores.csv", *command[1:], *limit, cwd=folder)
        assert done.returncode == 2, done.stderr
        assert "scores.csv: holds more than the limit of 0.0001 MB" in done.stderr
        assert "--max-mb" in done.stderr


def test_a_loss_needs_its_direction(folder):
    (folder / "rmse.csv").write_text(BOARD.replace("score", "rmse"))
    orders = []
    for option in ("--lower-is-better", "--higher-is-better"):
        done = run("rank", "rmse.csv", "--method", "ml", "--json", option, cwd=folder)
        orders.append([row["player"] for row in json.loads(done.stdout)["players"]])
    assert orders[0] == orders[1][::-1]
    done = run("rank", "rmse.csv", "--method", "ml", cwd=folder)
    assert done.returncode == 2
    assert "rmse.csv: 'rmse' is the name of a loss" in done.stderr
    assert "--lower-is-better" in done.stderr


def test_maximum_likelihood_imports_nothing_it_does_not_need(folder):
    code = (
        "import sys; from leaderbayes._cli import cli;"
        "cli(['rank', 'scores.csv', '--method', 'ml', '--json'], standalone_mode=False);"
        "heavy = {'arviz', 'matplotlib', 'pymc', 'scipy.optimize', 'scipy.stats'};"
        "assert not heavy & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


COUNTERPARTS = {
    "rank": [lb.fit, lb.leaderboard, lb.matches, lb.likelihood.round_intercept],
    "compare": [lb.fit, lb.compare],
    "plan": [lb.plan, lb.matches, lb.models.bradley_terry],
    "tournaments": [lb.study.fit, lb.matches, lb.study.compare],
    "report": [lb.report.text],
}  # fmt: skip


@pytest.mark.parametrize("command", COUNTERPARTS)
def test_defaults_are_those_of_python(command):
    """Where the command line has a default of its own, and Python has one, they are the same."""
    own = {
        option.name: option.to_info_dict().get("default") for option in cli.commands[command].params
    }
    compared = 0
    for function in COUNTERPARTS[command]:
        for name, parameter in inspect.signature(function).parameters.items():
            default = own.get(name)
            if not isinstance(default, str | int | float) or isinstance(default, bool):
                continue
            wanted = parameter.default
            if isinstance(wanted, tuple):
                wanted = ",".join(map(str, wanted))
            assert default == wanted, (name, function.__name__)
            compared += 1
    assert compared > 0


def test_ties_count_half_by_default_as_in_python(tmp_path):
    """PMRA's too: its published rule is asked for."""
    rng = np.random.default_rng(5)
    scores = simulate([1.0, 0.0, 0.0, -1.0], 12, rng).round()
    scores.to_series().reset_index().to_csv(tmp_path / "tied.csv", index=False)
    given = ["rank", "tied.csv", "--method", "ml", "--model", "round_intercept", "--json"]
    for options, ties in (([], {}), (["--ties", "loss"], {"ties": "loss"})):
        done = run(*given, *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.EstimateWarning)
            fit = lb.likelihood.round_intercept(scores, **ties)
        epp = {row["player"]: row["epp"] for row in result["players"]}
        assert epp == pytest.approx(fit["epp"].to_series().to_dict(), abs=1e-9)
        assert result["warnings"] == json.loads(fit.attrs["warnings"])
        assert ("LB014" in done.stderr) == bool(result["warnings"])


def test_elimination_and_plackett_luce(folder):
    arguments = ["scores.csv", "--method", "ml", "--json", "--model"]
    done = run("rank", *arguments, "round_intercept", "--eliminate", "accelerated", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["model"] == "round_intercept"
    assert {"intercept", "sd_round", "eliminated", "steps"} <= set(result)
    assert all(step["test"] == "LR" for step in result["steps"])
    done = run("rank", *arguments, "plackett_luce", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["players"][0]["p_best"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.csv"], "absent.csv: cannot be read"),
        (["scores.csv", "--player", "modle"], "no column 'modle'"),
        (["scores.csv", "--weight", "much"], "'much' is neither 'composite' nor a number"),
        (["scores.csv", "--model", "elo"], "model='elo' is not known"),
        (["scores.csv", "--method", "ml", "--model", "davidson"], "has no model 'davidson'"),
        (["scores.csv", "--eliminate", "heuristic"], "--eliminate is for --method ml"),
        (["scores.csv", "--ties", "loss"], "--ties loss is for --model round_intercept"),
        (
            ["scores.csv", "--method", "ml", "--model", "round_intercept", "--ties", "drop"],
            "--ties half or loss",
        ),
        (["scores.csv", "--only", "x"], "there is one tournament"),
        ([example_path("classifiers"), "--only", "irs"], "did you mean 'iris'? There are 'breast"),
        (["scores.csv", "--each"], "--each is for a table of several"),
        (
            [example_path("classifiers"), "--only", "x"],
            "no tournament 'x'; there are 'breast_cancer'",
        ),
        (["scores.csv", "--model", "plackett_luce", "--weight", "composite"], "power is 1"),
        (["scores.csv", "--test-fraction", "2"], "test_fraction=2.0"),
        (["scores.csv", "--nonsense"], "No such option"),
        (["scores.csv", "--prob", "nan"], "nan is not between 0 and 1"),
        (
            [example_path("classifiers")],
            "--model tournaments: breast_cancer, diabetes, digits, iris, wine",
        ),
    ],
)
def test_bad_input_exits_with_2_and_leaves_nothing(folder, arguments, message):
    done = run("rank", *arguments, "--out", "never", cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not (folder / "never").exists()


def test_compare(folder):
    done = run("compare", "scores.csv", "c", "d", "--rope", 0.1, "--seed", 1, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    total = result["p_better"] + result["p_equivalent"] + result["p_worse"]
    assert total == pytest.approx(1.0)
    unknown = run("compare", "scores.csv", "c", "e", cwd=folder)
    assert unknown.returncode == 2
    assert "no player 'e'" in unknown.stderr
    for arguments, message in ((["c", "c"], "itself"), (["c", "d", "--rope", "0.7"], "rope=0.7")):
        bad = run("compare", "scores.csv", *arguments, cwd=folder)
        assert bad.returncode == 2
        assert message in bad.stderr


def test_sota(folder):
    rows = "\n".join(f"{k + 1},t{k},{0.9 - 0.001 * k:.3f}" for k in range(60))
    (folder / "board.csv").write_text(f"Rank,TeamName,Score\n{rows}\n")
    done = run("sota", "board.csv", "--n", 1000, "--rho", 0.3, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert list(result) == ["rule", *KEYS]
    assert result["theta_sota_lower"] < result["theta_sota"] < result["observed_max"] == 0.9
    crop = ["sota", "board.csv", "--n", 1000, "--rule", "crop", "--convention", "published"]
    text = run(*crop, cwd=folder)
    assert "Estimate of the best classifier (crop)" in text.stdout
    errors = run("sota", "board.csv", "--se", 0.01, "--chance", 0.5, "--rho", 0.3, cwd=folder)
    assert "Best of 60 teams: 0.9000" in errors.stdout
    rows = "\n".join(f"t{k},{0.3 + 0.001 * k:.3f}" for k in range(60))
    (folder / "losses.csv").write_text(f"TeamName,rmse\n{rows}\n")
    losses = ["losses.csv", "--se", 0.01, "--score", "rmse", "--rule", "crop"]
    lower = json.loads(run("sota", *losses, "--lower-is-better", "--json", cwd=folder).stdout)
    assert lower["observed_max"] == -0.3
    for arguments, message in (
        (losses, "'rmse' is the name of a loss"),
        (["board.csv"], "Give n, the instances of the test set, or se"),
        (["board.csv", "--se", 0.01], "--chance"),
        (["board.csv", "--n", 10, "--rho", 2], "rho=2.0"),
        (["absent.csv", "--n", 10], "absent.csv: cannot be read"),
    ):
        bad = run("sota", *arguments, cwd=folder)
        assert bad.returncode == 2
        assert message in bad.stderr
        assert bad.stdout == ""


@pytest.fixture(scope="module")
def teams(folder):
    """A board of 60 teams, as one would from a beta law."""
    score = [0.80 + 0.1 * (1.0 - (k / 60) ** 0.5) for k in range(60)]
    rows = "\n".join(f"{k + 1},t{k},{round(500 * x) / 500}" for k, x in enumerate(score))
    (folder / "teams.csv").write_text(f"Rank,TeamName,Score\n{rows}\n")
    return ["teams.csv", "--n", 500]


KEYS = [
    "n", "m", "observed_max", "theta_sota", "theta_sota_lower", "theta_sota_upper",
    "teams_above", "diagnostics", "warnings",
]  # fmt: skip


def test_sota_posterior(folder, teams):
    asked = ["sota", *teams, "--sampler", "exact", "--rho", 0.3, "--draws", 100, "--seed", 1]
    done = run(*asked, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert list(result) == ["sampler", *KEYS]
    assert list(result["diagnostics"]) == [
        "converged", "pareto_k", "ess", "expected_max", "max_lower", "max_upper", "seed",
    ]  # fmt: skip
    assert result["theta_sota_lower"] < result["theta_sota"] < result["theta_sota_upper"]
    assert result["diagnostics"]["converged"] is True
    assert result["diagnostics"]["seed"] == 1
    text = run(*asked, cwd=folder)
    assert "Estimate of the best classifier (exact)" in text.stdout
    assert "As good as that, most probably: t" in text.stdout
    assert "Converged: Pareto k" in text.stdout
    # Leaving teams out, and another law, are other posteriors of fewer teams.
    fewer = run(*asked, "--law", "empirical", "--floor", 0.82, "--json", cwd=folder)
    assert json.loads(fewer.stdout)["m"] < 60


@pytest.mark.slow
def test_sota_posterior_warns_and_fails(folder):
    # No beta law has so many equal teams, and one so much better.
    rows = "\n".join(f"t{k},{0.9 if k == 0 else 0.7}" for k in range(200))
    (folder / "odd_board.csv").write_text(f"TeamName,Score\n{rows}\n")
    asked = ["--sampler", "exact", "--seed", 1, "--json"]
    done = run("sota", "odd_board.csv", "--n", 1000, *asked, "--draws", 100, cwd=folder)
    assert done.stderr.startswith("Warning: LB021")
    assert json.loads(done.stdout)["warnings"][0].startswith("LB021")
    # Three laws cannot be told apart here.
    rows = "\n".join(f"t{k},{0.9 - 0.001 * k:.3f}" for k in range(60))
    (folder / "even_board.csv").write_text(f"TeamName,Score\n{rows}\n")
    law = ["--law", "mixture", "--components", 3]
    done = run("sota", "even_board.csv", "--n", 1000, *asked, *law, cwd=folder)
    assert done.returncode == 1, done.stdout
    assert "Warning: LB001" in done.stderr
    result = json.loads(done.stdout)
    assert result["diagnostics"]["converged"] is False
    assert result["warnings"][0].startswith("LB001")


@pytest.mark.slow
def test_sota_simulated(folder, teams):
    asked = ["--sampler", "abc-smc", "--draws", 20, "--chains", 2, "--epsilon", 2, "--seed", 1]
    done = run("sota", *teams, *asked, "--json", cwd=folder)
    result = json.loads(done.stdout)
    assert list(result) == ["sampler", *KEYS]
    assert list(result["diagnostics"]) == [
        "converged", "max_rhat", "expected_max", "max_lower", "max_upper", "seed",
    ]  # fmt: skip
    # So few draws may do or not; the status says which.
    assert done.returncode == (0 if result["diagnostics"]["converged"] else 1), done.stderr
    assert all(said.startswith("LB") for said in result["warnings"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--law", "beta"], "--law is of a posterior: give --sampler exact or abc-smc"),
        (["--rule", "crop", "--seed", 1], "--seed is of a posterior"),
        (["--sampler", "exact", "--rule", "crop"], "--rule is of the estimate"),
        (["--sampler", "exact", "--criterion", "mean"], "--criterion is of the estimate"),
        (["--sampler", "abc-smc", "--dependence", "copula"], "--dependence is of the estimate"),
        (["--sampler", "exact", "--convention", "published"], "--convention is of the estimate"),
        (["--sampler", "exact", "--epsilon", 1], "--epsilon is for --sampler abc-smc, not exact"),
        (["--sampler", "exact", "--components", 3], "--components is for --law mixture"),
        (["--sampler", "exact", "--floor", "nan"], "floor=nan"),
        (
            ["--sampler", "exact", "--components", 3, "--law", "beta"],
            "--components is for --law mixture",
        ),
        (["--sampler", "exact", "--floor", 0.99], "No team scores above 0.99"),
        (["--sampler", "abc-smc", "--epsilon", "nan"], "epsilon=nan"),
        (["--sampler", "exact", "--rho", 2], "rho=2.0"),
        (["--metric", "auc"], "positive_rate"),
        (["--workers", 2], "--workers is of a posterior"),
    ],
)
def test_sota_options_of_another_method(folder, teams, arguments, message):
    bad = run("sota", *teams, *arguments, cwd=folder)
    assert bad.returncode == 2
    assert message in bad.stderr
    assert "Traceback" not in bad.stderr
    assert bad.stdout == ""


@pytest.mark.parametrize(
    ("how", "absent"),
    [
        (["--rule", "shrink"], ["arviz", "matplotlib", "pymc"]),
        (["--rule", "crop"], ["arviz", "matplotlib", "pymc"]),
        (["--sampler", "exact"], ["pymc", "pytensor"]),
    ],
)
def test_sota_imports_nothing_it_does_not_need(folder, teams, how, absent):
    arguments = [*map(str, teams), *how]
    code = (
        f"import sys; from leaderbayes._cli import cli;"
        f"cli(['sota', *{arguments}], standalone_mode=False);"
        f"assert not set({absent}) & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_out_that_cannot_be_written_leaves_nothing(folder):
    (folder / "taken" / "run.json").mkdir(parents=True)
    for out in ("new/" + 300 * "a", "taken"):
        done = run("rank", "scores.csv", "--method", "ml", "--out", out, cwd=folder)
        assert done.returncode == 2
        assert "cannot be written" in done.stderr
    assert not (folder / "new").exists()
    assert [path.name for path in (folder / "taken").iterdir()] == ["run.json"]
    assert not list(folder.glob(".leaderbayes-*"))


@pytest.mark.parametrize("command", ["rank", "tournaments"])
def test_out_is_tried_before_the_work(two, command):
    """No table is read, no fit made."""
    (two / "a_file").write_text("precious")
    store = ("--store", "never") if command == "tournaments" else ()
    for out in ("a_file", "a_file/in/it"):
        done = run(command, "two.csv", *store, "--out", out, "--player", "none", cwd=two)
        assert done.returncode == 2
        assert done.stderr == (
            f"Error: {out}: cannot be written (a file stands where a folder is needed); give "
            "another path.\n"
        )
    assert (two / "a_file").read_text() == "precious"
    assert not (two / "never").exists()


def test_names_do_not_steer_the_terminal(folder):
    table = BOARD.replace('b "x"', "Z\x1b[31mü")
    (folder / "odd.csv").write_text(table)
    done = subprocess.run(
        [sys.executable, "-m", "leaderbayes", "rank", "odd.csv", "--method", "ml"],
        cwd=folder,
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout
    assert rb"Z\x1b[31m\xfc" in done.stdout


@pytest.fixture(scope="module")
def two(folder):
    header, *rows = BOARD.splitlines()
    table = ["dataset," + header, *("x/1," + row for row in rows)]
    # In y the first player of x is the worst.
    table += [
        "y," + (row if k >= 12 else row.rsplit(",", 1)[0] + ",-1") for k, row in enumerate(rows)
    ]
    (folder / "two.csv").write_text("\n".join(table) + "\n")
    return folder


def test_each_tournament_by_itself(two):
    done = run("rank", "two.csv", "--each", "--method", "ml", "--json", "--out", "each", cwd=two)
    # One of them has no estimate: it is named, and the other is there.
    assert done.returncode == 2
    assert "tournament 'y': LB010 " in done.stderr
    (result,) = json.loads(done.stdout)["tournaments"]
    assert result["tournament"] == "x/1"
    assert [path.name for path in (two / "each").iterdir()] == ["001_x_1"]


@pytest.mark.slow
def test_all_tournaments_together(two):
    done = run(
        "rank", "two.csv", "--model", "tournaments", "--seed", 2, "--draws", 2000, "--json",
        "--out", "together", cwd=two,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["model"] == "tournaments"
    header, *rows = (two / "together" / "tournaments.csv").read_text().splitlines()
    assert header.startswith("tournament,player,epp")
    assert len(rows) == 8


def test_tournaments(two):
    """Fitted, compared, placed; continued without fitting again; figures and tables."""
    arguments = (
        "tournaments", "two.csv", "--store", "study", "--sampler", "laplace", "--seed", 1,
        "--workers", 2, "--json", "--out", "study_out",
    )  # fmt: skip
    done = run(*arguments, cwd=two)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert list(result) == [
        "model", "seed", "tournaments", "players", "embedding", "failed", "diagnostics",
        "warnings", "read",
    ]  # fmt: skip
    assert [row["tournament"] for row in result["tournaments"]] == ["x/1", "y"]
    assert result["embedding"] is None  # of two tournaments there is none
    assert result["players"][0]["p_average"] >= result["players"][-1]["p_average"]
    names = {path.name for path in (two / "study_out").iterdir()}
    assert {"leaderboards.csv", "average_player.png", "run.json"} <= names
    assert run(*arguments, cwd=two).stdout == done.stdout
    other = run(*arguments[:-3], "--draws", 10, cwd=two)
    assert other.returncode == 2
    assert "made with arguments" in other.stderr
    assert run(*arguments[:-3], cwd=two).stdout.count("\n") > 6


def test_tournaments_that_share_no_player(two):
    """They have no embedding, and all else."""
    alone = "".join(
        f"z,{player},{k},{k % 3 + n}\n" for k in range(5) for n, player in enumerate("XYZ")
    )
    (two / "three.csv").write_text((two / "two.csv").read_text() + alone)
    done = run(
        "tournaments", "three.csv", "--store", "three", "--sampler", "laplace", "--seed", 1,
        "--json", cwd=two,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "no embedding. Tournaments 'x/1' and 'z' share no player" in done.stderr
    result = json.loads(done.stdout)
    assert result["embedding"] is None
    assert len(result["tournaments"]) == 3
    assert result["tournaments"][2]["agreement"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scores.csv", "--store", "never"], "there is one tournament"),
        (["two.csv", "--store", "two.csv"], "this is no study"),
        (["two.csv", "--store", "two.csv/x"], "two.csv/x: cannot be written (a file stands"),
        (["two.csv", "--store", "never", "--dask", "nonsense://1"], "no scheduler answers"),
        (["two.csv"], "Missing option '--store'"),
    ],
)
def test_tournaments_bad_input(two, arguments, message):
    done = run("tournaments", *arguments, "--sampler", "laplace", cwd=two)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert not (two / "never").exists()


def test_help_names_every_model(folder):
    from leaderbayes._inference.fit import MODELS

    shown = run("rank", "--help", cwd=folder).stdout
    assert all(name in shown for name in MODELS)


def test_plan_says_how_many_rounds(folder):
    options = ("--a", "[red]a", "--b", "d", "--rounds", "5,20", "--simulations", 20, "--seed", 1)
    done = run("plan", "scores.csv", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "[red]a against d" in done.stdout
    assert "+20" in done.stdout
    made = json.loads(run("plan", "scores.csv", *options, "--json", cwd=folder).stdout)
    assert list(made) == [
        "question", "message", "prob", "target", "simulations", "seed", "contested", "p_now",
        "width_now", "rounds_needed", "rows", "warnings", "read",
    ]  # fmt: skip
    assert [(row["who"], row["rounds"], row["runs"]) for row in made["rows"]] == [
        ("all", 5, 20), ("all", 20, 80), ("contested", 5, 10), ("contested", 20, 40),
    ]  # fmt: skip
    assert made["message"].replace("[red]a", "") in done.stdout.replace("[red]a", "")


def test_plan_of_what_is_decided(folder):
    rows = "".join(f"{p},{k},{100 * (p == 'a') + (7 * i + 3 * k * (i + 1)) % 11}\n"
                   for i, p in enumerate("abc") for k in range(20))  # fmt: skip
    (folder / "clear.csv").write_text("player,round,score\n" + rows)
    done = run("plan", "clear.csv", "--seed", 1, "--simulations", 10_000, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "decided already" in done.stdout
    assert "Warning: LB010 a never lost to anybody else" in done.stderr
    made = json.loads(run("plan", "clear.csv", "--seed", 1, "--json", cwd=folder).stdout)
    assert made["rows"] == []
    assert made["rounds_needed"] == {"all": 0.0, "contested": 0.0}


def test_plan_of_several_tournaments_names_them(folder):
    done = run("plan", example_path("classifiers"), cwd=folder)
    assert done.returncode == 2
    assert "--only: breast_cancer, diabetes" in done.stderr


def test_plan_imports_no_pymc(folder):
    code = (
        "import sys; from leaderbayes._cli import cli;"
        "cli(['plan', 'scores.csv', '--rounds', '5', '--simulations', '2'], standalone_mode=False);"
        "assert not {'pymc', 'pytensor', 'arviz'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--a", "b"], "belong together"),
        (["--rounds", "5,x"], "whole numbers"),
        (["--rounds", "0"], "from 1 up"),
        (["--a", "c", "--b", "nobody"], "nobody"),
        (["--only-players", "c"], "lack"),
        (["--prob", "0.4"], "above 0.5 and below 1"),
    ],
)
def test_plan_refuses(folder, options, message):
    done = run("plan", "scores.csv", *options, cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_results_of_other_programs(tmp_path):
    rows = [
        f"credit,{learner},cv,{k},{(7 * i + 3 * k * (i + 1)) % 11},0"
        for i, learner in enumerate(["tree", "forest", "svm"])
        for k in range(12)
    ]
    header = "task_id,learner_id,resampling_id,iteration,classif.ce,classif.auc"
    (tmp_path / "bmr.csv").write_text("\n".join([header, *rows]))
    arguments = ("rank", "bmr.csv", "--method", "ml", "--json", "--format", "mlr3")
    done = run(*arguments, "--score", "classif.ce", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    # Less error is better: what the columns of a table give with --lower-is-better.
    table = ("--player", "learner_id", "--round", "iteration", "--score", "classif.ce")
    again = run("rank", "bmr.csv", "--method", "ml", "--json", *table, "--lower-is-better",
                cwd=tmp_path)  # fmt: skip
    assert json.loads(done.stdout)["players"] == json.loads(again.stdout)["players"]
    failed = run(*arguments, "--player", "learner_id", cwd=tmp_path)
    assert failed.returncode == 2
    assert "for --format table" in failed.stderr


@pytest.fixture(scope="module")
def doubtful(folder):
    """Two tournaments, without a score of one player; in the second another loses everything."""
    rows = ["dataset,player,round,score"]
    for data in "xy":
        for k in range(8):
            rows += [
                f"{data},{name},{k},{(3 * i + k * (i + 1)) % 7}" for i, name in enumerate("abc")
            ]
            rows += [f"{data},last,{k},{-1 if data == 'y' else k % 7}", f"{data},gone,{k},"]
    (folder / "doubtful.csv").write_text("\n".join(rows) + "\n")
    return folder


def test_every_table_says_whether_it_can_be_trusted(doubtful):
    done = run(
        "rank", "doubtful.csv", "--each", "--method", "laplace", "--seed", 1, "--json", "--out",
        "marked", cwd=doubtful,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Warning: tournament 'y': LB010 " in done.stderr
    assert "tournament 'x': LB010" not in done.stderr
    assert "LB040" in done.stderr
    x, y = json.loads(done.stdout)["tournaments"]
    assert [w[:5] for w in x["warnings"]] == ["LB040"]
    assert [w[:5] for w in y["warnings"]] == ["LB040", "LB010"]
    for folder, codes in {"001_x": "LB040", "002_y": "LB010 LB040"}.items():
        table = pd.read_csv(doubtful / "marked" / folder / "leaderboard.csv")
        assert set(table["converged"]) == {True}
        assert set(table["warnings"]) == {codes}
        matrix = pd.read_csv(doubtful / "marked" / folder / "win_probability.csv", index_col=0)
        assert set(matrix["warnings"]) == {codes}
        square = matrix[matrix.index].to_numpy()
        assert square + square.T == pytest.approx(1.0)


def test_tables_of_studies_say_it_too(doubtful):
    done = run(
        "tournaments", "doubtful.csv", "--store", "doubtful", "--sampler", "laplace", "--seed", 1,
        "--json", "--out", "marks", cwd=doubtful,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    warned = json.loads(done.stdout)["warnings"]
    assert warned[0].startswith("LB040")
    assert warned[1].startswith("tournament 'y': LB010")
    table = pd.read_csv(doubtful / "marks" / "leaderboards.csv", keep_default_na=False)
    assert table["warnings"].tolist() == ["LB040", "LB010 LB040"]
    average = pd.read_csv(doubtful / "marks" / "average_player.csv", index_col=0)
    assert set(average["warnings"]) == {"LB010 LB040"}
    assert average["converged"].all()


def test_doubt_is_marked(tmp_path):
    """What did not converge says so in every row; a player may be called like the mark."""
    trusted = {"converged": 0, "warnings": ["LB001 not", "tournament 'LB010x': LB010 a", "LB001 b"]}
    names = ["converged", "b"]
    matrix = xr.DataArray(
        [[0.5, 0.4], [0.6, 0.5]], {"player": names, "opponent": names}, ("player", "opponent")
    )
    write_table(tmp_path / "matrix.csv", matrix, trusted)
    write_table(tmp_path / "table.csv", pd.DataFrame({"player": names}), trusted)
    first, *rows = (tmp_path / "matrix.csv").read_text().splitlines()
    assert first == "player,converged,b,converged,warnings"
    assert rows == ["converged,0.5,0.4,False,LB001 LB010", "b,0.6,0.5,False,LB001 LB010"]
    assert (tmp_path / "table.csv").read_text().splitlines()[1] == "converged,False,LB001 LB010"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
@pytest.mark.parametrize("command", ["rank", "tournaments"])
def test_a_full_disk_is_one_line(doubtful, command):
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, 3_000))\n"
        "from leaderbayes._cli import main; main()\n"
    )
    options = {
        "rank": ["--only", "x", "--method", "laplace", "--out", "full"],
        "tournaments": ["--sampler", "laplace", "--store", "full"],
    }[command]
    done = subprocess.run(
        [sys.executable, "-c", code, command, "doubtful.csv", "--json", *options],
        cwd=doubtful, env=uncounted(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, (done.returncode, done.stderr)
    (said,) = [line for line in done.stderr.splitlines() if not line.startswith("Warning: ")]
    assert said.startswith("Error: full: cannot be written (File too large)")
    assert not list(doubtful.glob("*full*"))
