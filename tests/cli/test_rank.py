"""The commands rank and compare, as their user sees them."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from command import call, loaded, run
from conftest import often_by_little, simulate
from leaderbayes.datasets import path


@pytest.fixture(scope="module")
def ranked(folder):
    done = call(
        "rank", "scores.csv", "--seed", 1, "--json", "--out", "results",
        "--figures", "png", "--figures", "svg", cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_json_has_exactly_the_promised_keys(ranked):
    assert list(ranked) == [
        "model", "weight", "seed", "players", "disagreement", "deviance", "diagnostics", "warnings",
        "read",
    ]  # fmt: skip
    assert list(ranked["players"][0]) == [
        "player", "epp", "epp_lower", "epp_upper", "score", "p_average", "p_best",
        "rank", "rank_lower", "rank_upper",
    ]  # fmt: skip
    assert list(ranked["deviance"]) == ["value", "df", "p_value", "standardised"]
    assert list(ranked["diagnostics"]) == [
        "max_rhat", "min_ess", "divergences", "p_check", "converged", "sampler", "why_nuts",
    ]  # fmt: skip
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


def test_a_test_fraction_is_about_fresh_data(folder):
    arguments = ("rank", "scores.csv", "--test-fraction", 0.2, "--seed", 1)
    said = call(*arguments, cwd=folder).stdout
    assert "bradley_terry, 95% intervals, about fresh data sets of this size" in said
    assert json.loads(call(*arguments, "--json", cwd=folder).stdout)["test_fraction"] == 0.2
    assert "fresh" not in call(*arguments[:2], "--seed", 1, cwd=folder).stdout


def test_maximum_likelihood_prints_a_table(folder):
    done = run("rank", "scores.csv", "--ml", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "[red]a" in done.stdout
    assert 'b "x"' in done.stdout


def test_maximum_likelihood_imports_nothing_it_does_not_need(folder):
    heavy = {"arviz", "matplotlib", "pymc", "scipy.optimize", "scipy.stats"}
    assert not heavy & loaded("rank", "scores.csv", "--ml", cwd=folder)


def test_ties_count_half_by_default_as_in_python(tmp_path):
    """PMRA's too: its published rule is asked for."""
    rng = np.random.default_rng(5)
    scores = simulate([1.0, 0.0, 0.0, -1.0], 12, rng).round()
    scores.to_series().reset_index().to_csv(tmp_path / "tied.csv", index=False)
    given = ["rank", "tied.csv", "--ml", "--model", "round_intercept", "--json"]
    for options, ties in (([], {}), (["--ties", "loss"], {"ties": "loss"})):
        done = call(*given, *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            fit = lb.likelihood.round_intercept(lb.matches(scores, **ties))
        epp = {row["player"]: row["epp"] for row in result["players"]}
        assert epp == pytest.approx(fit["epp"].to_series().to_dict(), abs=1e-9)
        assert result["warnings"] == json.loads(fit.attrs["warnings"])
        assert ("LB014" in done.stderr) == bool(ties)


def test_elimination_and_plackett_luce(folder):
    arguments = ["scores.csv", "--ml", "--json", "--model"]
    done = call("rank", *arguments, "round_intercept", "--eliminate", "accelerated", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["model"] == "round_intercept"
    assert {"intercept", "sd_round", "eliminated", "steps"} <= set(result)
    assert all(step["test"] == "LR" for step in result["steps"])
    done = call("rank", *arguments, "plackett_luce", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["players"][0]["p_best"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.csv"], "absent.csv: cannot be read"),
        (["scores.csv", "--player", "modle"], "no column 'modle'"),
        (["scores.csv", "--weight", "much"], "'much' is neither 'composite' nor a number"),
        (["scores.csv", "--model", "elo"], "model='elo' is not known"),
        (["scores.csv", "--ml", "--model", "davidson"], "has no model 'davidson'"),
        (["scores.csv", "--ml", "--sampler", "laplace"], "--ml has no --sampler"),
        (["scores.csv", "--ml", "--test-fraction", "0.2"], "--ml has no --test-fraction"),
        (["scores.csv", "--eliminate", "heuristic"], "--eliminate is for --ml"),
        (["scores.csv", "--ties", "loss"], "ties='loss' has no meaning for models.bradley_terry"),
        (
            ["scores.csv", "--ml", "--model", "round_intercept", "--ties", "drop"],
            "choose 'half' or 'loss'",
        ),
        (["scores.csv", "--only", "x"], "there is one tournament"),
        ([path("classifiers"), "--only", "irs"], "did you mean 'iris'? There are 'breast"),
        (["scores.csv", "--each"], "--each is for a table of several"),
        (
            [path("classifiers"), "--only", "x"],
            "no tournament 'x'; there are 'breast_cancer'",
        ),
        (["scores.csv", "--model", "plackett_luce", "--weight", "composite"], "power is 1"),
        (["scores.csv", "--test-fraction", "2"], "test_fraction=2.0"),
        (["scores.csv", "--nonsense"], "No such option"),
        (["scores.csv", "--prob", "nan"], "nan is not between 0 and 1"),
        (
            [path("classifiers")],
            "--model tournaments or score_tournaments: breast_cancer, diabetes, digits, iris, wine",
        ),
    ],
)
def test_bad_input_exits_with_2_and_leaves_nothing(folder, arguments, message):
    done = call("rank", *arguments, "--out", "never", cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not (folder / "never").exists()


def test_compare(folder):
    asked = ("compare", "scores.csv", "c", "d", "--rope", 0.1, "--seed", 1)
    done = call(*asked, "--sampler", "laplace", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    total = result["p_better"] + result["p_equivalent"] + result["p_worse"]
    assert total == pytest.approx(1.0)
    unknown = call("compare", "scores.csv", "c", "e", cwd=folder)
    assert unknown.returncode == 2
    assert "no player 'e'" in unknown.stderr
    for arguments, message in ((["c", "c"], "itself"), (["c", "d", "--rope", "0.7"], "rope=0.7")):
        bad = call("compare", "scores.csv", *arguments, cwd=folder)
        assert bad.returncode == 2
        assert message in bad.stderr


def test_each_tournament_by_itself(two):
    done = call("rank", "two.csv", "--each", "--ml", "--json", "--out", "each", cwd=two)
    # One of them has no estimate: it is named, and the other is there.
    assert done.returncode == 2
    assert "tournament 'y': LB010 " in done.stderr
    (result,) = json.loads(done.stdout)["tournaments"]
    assert result["tournament"] == "x/1"
    assert [path.name for path in (two / "each").iterdir()] == ["001_x_1"]


@pytest.mark.slow
def test_all_tournaments_together(two):
    done = call(
        "rank", "two.csv", "--model", "tournaments", "--seed", 1, "--draws", 2000, "--json",
        "--out", "together", cwd=two,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["model"] == "tournaments"
    header, *rows = (two / "together" / "tournaments.csv").read_text().splitlines()
    assert header.startswith("tournament,player,epp")
    assert len(rows) == 8


def test_help_names_every_model(folder):
    from leaderbayes._inference.fit import MODELS

    shown = call("rank", "--help", cwd=folder).stdout
    assert all(name in shown for name in MODELS)


def test_every_table_says_whether_it_can_be_trusted(doubtful):
    done = call(
        "rank", "doubtful.csv", "--each", "--sampler", "laplace", "--seed", 1, "--json", "--out",
        "marked", cwd=doubtful,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Warning: tournament 'y': LB010 " in done.stderr
    assert "tournament 'x': LB010" not in done.stderr
    assert "LB040" in done.stderr
    x, y = json.loads(done.stdout)["tournaments"]
    assert {w[:5] for w in x["warnings"]} == {"LB016", "LB040"}
    assert [w[:5] for w in y["warnings"]] == ["LB040", "LB010"]
    for folder, codes in {"001_x": "LB016 LB040", "002_y": "LB010 LB040"}.items():
        table = pd.read_csv(doubtful / "marked" / folder / "leaderboard.csv")
        assert set(table["converged"]) == {True}
        assert set(table["warnings"]) == {codes}
        matrix = pd.read_csv(doubtful / "marked" / folder / "win_probability.csv", index_col=0)
        assert set(matrix["warnings"]) == {codes}
        square = matrix[matrix.index].to_numpy()
        assert square + square.T == pytest.approx(1.0)


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """A folder with answers to questions, in a long table."""
    rng = np.random.default_rng(1)
    odds = np.array([1.5, 1.0, 0.0])[:, None] + rng.normal(size=80)
    right = rng.random(odds.shape) < 1.0 / (1.0 + np.exp(-odds))
    table = pd.DataFrame(right.T, columns=list("abc")).rename_axis("item").reset_index()
    place = tmp_path_factory.mktemp("answers")
    long = table.melt("item", var_name="model", value_name="correct")
    long.assign(passage=long["item"] // 4).to_csv(place / "answers.csv", index=False)
    return place


def test_mean_scores_are_printed_and_written(answered):
    done = call(
        "rank", "answers.csv", "--model", "mean_score", "--seed", 1, "--out", "out", cwd=answered
    )
    assert done.returncode == 0, done.stderr
    assert "mean_score (dirichlet), 95% intervals" in done.stdout
    assert "cluster=passage" in done.stderr
    assert "LB0" not in done.stderr
    table = pd.read_csv(answered / "out" / "leaderboard.csv")
    first = table.iloc[0]
    assert f"{first['score']:.2f}" in done.stdout
    assert {path.name for path in (answered / "out").iterdir()} == {
        "leaderboard.csv", "win_probability.csv", "posterior.nc", "run.json", "leaderboard.png",
        "win_probability.png", "rank_distribution.png",
    }  # fmt: skip
    found = json.loads((answered / "out" / "run.json").read_text())
    assert found["deviance"] is None
    assert found["likelihood"] == "dirichlet"


def test_mean_scores_are_compared_in_their_unit(answered):
    asked = ("compare", "answers.csv", "a", "c", "--model", "mean_score", "--seed", 1)
    done = call(*asked, "--rope", 0.6, cwd=answered)
    assert done.returncode == 0, done.stderr
    assert "a less c: +0." in done.stdout
    assert "equivalent 1.000" in done.stdout
    printed = json.loads(call(*asked, "--json", cwd=answered).stdout)
    assert printed["difference_lower"] < printed["difference"] < printed["difference_upper"]
    assert printed["p_better"] > 0.95


@pytest.mark.slow
def test_mean_scores_of_several_tournaments(tmp_path):
    rng = np.random.default_rng(1)
    rows = [
        (f"data {q}", name, k, 0.8 + 0.05 * i + 0.01 * rng.normal())
        for q in range(3) for i, name in enumerate("abc") for k in range(5)
    ]  # fmt: skip
    columns = ["dataset", "model", "seed", "accuracy"]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "scores.csv", index=False)
    asked = ("--model", "score_tournaments", "--seed", 1)
    done = call("rank", "scores.csv", *asked, "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "score_tournaments, 95% intervals" in done.stdout
    each = pd.read_csv(tmp_path / "out" / "tournaments.csv", comment="#")
    assert len(each) == 9
    done = call("compare", "scores.csv", "c", "a", *asked, "--rope", 0.01, cwd=tmp_path)
    assert "On a new data set" in done.stdout


def test_matches_of_answers_point_to_mean_scores(answered):
    done = call("rank", "answers.csv", "--seed", 1, cwd=answered)
    assert "Warning: LB026" in done.stderr
    assert call("rank", "answers.csv", "--likelihood", "normal", cwd=answered).returncode == 2
    alien = call("rank", "answers.csv", "--ml", "--likelihood", "normal", cwd=answered)
    assert "--ml has no --likelihood" in alien.stderr


@pytest.mark.slow
def test_both_leaders_are_printed(tmp_path):
    """Strength and mean score side by side, and why they disagree."""
    often_by_little().to_pandas().T.rename_axis("task").to_csv(tmp_path / "scores.csv")
    why = "'p0' wins 18 of their 25 rounds, by 0.004 on average, and loses 7, by 0.03."
    asked = ("rank", "scores.csv", "--seed", 1)
    for model, heading, value, said in (
        ("bradley_terry", "score", "0.8255", "By mean score 'p1' leads, by 0.0055 over 'p0': "),
        ("mean_score", "won", "0.62", "By matches won 'p0' leads, with 0.84 of its matches "
         "against 0.62 of 'p1': "),
    ):  # fmt: skip
        shown = call(*asked, "--model", model, cwd=tmp_path)
        assert shown.returncode == 0, shown.stderr
        assert f" {heading} " in shown.stdout
        assert f" {value} " in shown.stdout
        assert said + why in shown.stdout
        printed = json.loads(call(*asked, "--model", model, "--json", cwd=tmp_path).stdout)
        assert printed["disagreement"] == said + why
    printed = json.loads(call(*asked, "--ml", "--json", cwd=tmp_path).stdout)
    assert printed["disagreement"] is None
    assert "score" not in printed["players"][0]
