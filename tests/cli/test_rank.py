"""The command rank, as its user sees it."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from command import call
from conftest import cycle, often_by_little, simulate


@pytest.fixture(scope="module")
def ranked(folder):
    done = call(
        "rank", "scores.csv", "--seed", 1, "--json", "--out", "results", "--figures", "svg",
        cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_json_is_what_python_returns(ranked, folder):
    assert list(ranked) == [
        "model", "arguments", "seed", "players", "estimand", "disagreement", "deviance",
        "diagnostics", "warnings", "read",
    ]  # fmt: skip
    assert list(ranked["diagnostics"]) == [
        "max_rhat", "min_ess", "p_check", "deviance_ratio", "misfit", "divergences",
        "converged", "sampler", "why_nuts",
    ]  # fmt: skip
    dt = lb.fit(lb.read_scores(folder / "scores.csv"), seed=1)
    assert pd.DataFrame(ranked["players"]).equals(pd.DataFrame(lb.leaderboard(dt)))
    assert ranked["deviance"]["df"] == int(lb.deviance(dt)["df"])
    assert ranked["seed"] == 1


def test_out_holds_tables_posterior_and_figures(ranked, folder):
    names = {path.name for path in (folder / "results").iterdir()}
    figures = (
        "leaderboard", "groups", "win_probability", "rank_distribution", "record", "deviance"
    )  # fmt: skip
    assert names == {
        "leaderboard.csv", "win_probability.csv", "posterior.nc", "run.json",
        *(f"{figure}.svg" for figure in figures),
    }  # fmt: skip
    assert not list(folder.glob(".leaderbayes-*"))
    made = json.loads((folder / "results" / "run.json").read_text())
    assert made["command"]["seed"] == 1
    assert "pymc" in made["versions"]
    dt = lb.read_fit(folder / "results")
    assert lb.leaderboard(dt)["player"].tolist() == [row["player"] for row in ranked["players"]]


def test_the_model_that_was_taken_is_printed(folder, answers):
    done = call("rank", "scores.csv", "--seed", 1, "--test-fraction", 0.2, cwd=folder)
    assert "model: bradley_terry (who beats whom in each round); others: leaderbayes models" in (
        done.stderr
    )
    assert "bradley_terry, 95% intervals for new data sets of this size" in done.stdout
    done = call("rank", "scores.csv", "--seed", 1, "--model", "bradley_terry", cwd=folder)
    assert "model:" not in done.stderr
    assert "fresh" not in done.stdout
    done = call("rank", "answers.csv", "--seed", 1, cwd=answers)
    assert "model: mean_score (right-or-wrong answers" in done.stderr
    assert "cluster=passage" in done.stderr


def test_options_of_the_model(folder):
    given = ("rank", "scores.csv", "--seed", 1, "--option", "prior_df=3", "--prior-scale", 0.5)
    made = json.loads(call(*given, "--json", cwd=folder).stdout)
    assert made["arguments"]["prior_df"] == 3
    assert made["arguments"]["prior_scale"] == 0.5


def test_maximum_likelihood(folder):
    done = call("rank", "scores.csv", "--ml", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "[red]a" in done.stdout
    assert 'b "x"' in done.stdout
    for model in ("plackett_luce", "round_intercept"):
        done = call("rank", "scores.csv", "--ml", "--json", "--model", model, cwd=folder)
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        assert result["model"] == model
        assert result["players"][0]["p_best"] is None


def test_ties_count_half_by_default_as_in_python(tmp_path):
    """EloML's rule is asked for."""
    scores = simulate([1.0, 0.0, 0.0, -1.0], 12, np.random.default_rng(5)).round()
    scores.to_series().reset_index().to_csv(tmp_path / "tied.csv", index=False)
    for options, ties in (([], {}), (["--ties", "floor"], {"ties": "floor"})):
        done = call("rank", "tied.csv", "--ml", "--json", "--weight", 1, *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        met = lb.matches(scores, **ties)
        estimate = lb.likelihood.bradley_terry(met, covariance="model")
        epp = {row["player"]: row["epp"] for row in json.loads(done.stdout)["players"]}
        assert epp == pytest.approx(estimate["epp"].to_series().to_dict(), abs=1e-9)


def test_names_do_not_steer_the_terminal(folder):
    table = (folder / "scores.csv").read_text().replace('b "x"', "Z\x1b[31mü")
    (folder / "odd.csv").write_text(table)
    done = call("rank", "odd.csv", "--ml", cwd=folder, encoding="ascii")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert r"Z\x1b[31m\xfc" in done.stdout


def test_a_board_that_does_not_fit(folder):
    cycle().to_pandas().T.rename_axis("task").to_csv(folder / "cycle.csv")
    ranked = call("rank", "cycle.csv", "--model", "bradley_terry", "--seed", 1, cwd=folder)
    assert ranked.returncode == 0, ranked.stderr
    assert "LB016" not in ranked.stdout + ranked.stderr
    misfit = re.search("differ from the model by (.*); win probabilities allow", ranked.stdout)
    assert 0.45 < float(misfit[1]) < 0.5  # who wins all or none of a pair's rounds, which is even
    fits = call("rank", "scores.csv", "--seed", 1, cwd=folder)
    assert "differ from the model" not in fits.stdout
    pair = call(
        "compare", "cycle.csv", "p0", "p1", "--model", "bradley_terry", "--seed", 1, cwd=folder
    )
    assert "stronger, over all opponents, with probability 0.5" in pair.stdout


def mark(monkeypatch, **attrs):
    """Have each fit say this of itself."""
    fit = lb.fit

    def marked(*data, **options):
        made = fit(*data, **options)
        made.attrs |= attrs
        return made

    monkeypatch.setattr(lb, "fit", marked)


def test_why_nuts_took_over(folder, monkeypatch):
    mark(monkeypatch, sampler="nutpie", why_nuts="Pareto k 0.91 (below 0.7)")
    done = call("rank", "scores.csv", "--seed", 1, cwd=folder)
    assert "Converged (nutpie; NUTS because of Pareto k 0.91 (below 0.7)): max R-hat" in done.stdout


def test_a_doubtful_result_exits_with_1(folder, monkeypatch):
    mark(monkeypatch, converged=0, warnings='["LB001 not converged"]')
    done = call("rank", "scores.csv", "--seed", 1, "--out", "doubtful", cwd=folder)
    assert done.returncode == 1
    assert "Not converged: do not report these numbers." in done.stdout
    table = pd.read_csv(folder / "doubtful" / "leaderboard.csv")
    assert not table["converged"].any()
    assert set(table["warnings"]) == {"LB001"}


def test_who_interrupts_has_no_result(folder, monkeypatch):
    """Nor a doubtful one, whose status is 1."""

    def interrupted(*scores, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(lb, "fit", interrupted)
    done = call("rank", "scores.csv", "--out", "interrupted", cwd=folder)
    assert done.returncode == 130
    assert done.stdout == ""
    assert done.stderr.endswith("Interrupted.\n")
    assert not (folder / "interrupted").exists()


def test_one_of_several_tournaments(two):
    done = call("rank", "two.csv", "--only", "y", "--seed", 1, "--json", "--out", "y", cwd=two)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert {text[:5] for text in result["warnings"]} >= {"LB010", "LB040"}
    for name in ("leaderboard", "win_probability"):
        table = pd.read_csv(two / "y" / f"{name}.csv", index_col=0)
        assert table["warnings"].str.contains("LB010 .*LB040").all()
        assert table["converged"].all()
    matrix = pd.read_csv(two / "y" / "win_probability.csv", index_col=0)
    square = matrix[matrix.index].to_numpy()
    assert square + square.T == pytest.approx(1.0)


@pytest.mark.slow
def test_all_tournaments_together(two):
    done = call(
        "rank", "two.csv", "--seed", 1, "--draws", 2000, "--json", "--out", "together", cwd=two
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["model"] == "tournaments"
    each = pd.read_csv(two / "together" / "tournaments.csv")
    assert list(each)[:2] == ["tournament", "player"]
    assert len(each) == 8


def test_mean_scores_are_printed_and_written(answers):
    done = call("rank", "answers.csv", "--seed", 1, "--out", "out", cwd=answers)
    assert done.returncode == 0, done.stderr
    assert "mean_score, 95% intervals" in done.stdout
    table = pd.read_csv(answers / "out" / "leaderboard.csv")
    assert f"{table['score'][0]:.2f}" in done.stdout
    assert {path.name for path in (answers / "out").iterdir()} == {
        "leaderboard.csv", "win_probability.csv", "posterior.nc", "run.json", "leaderboard.png",
        "groups.png", "win_probability.png", "rank_distribution.png",
    }  # fmt: skip
    assert json.loads((answers / "out" / "run.json").read_text())["deviance"] is None


def test_no_number_is_cut_on_a_narrow_terminal(tmp_path, monkeypatch):
    """Names give way, then the gaps between columns; then lines are longer than the terminal."""
    right = np.arange(60)[:, None] % 10 < [9, 6, 2]
    names = [f"a-player-of-long-name-{k}" for k in "abc"]
    table = pd.DataFrame(right.astype(int), columns=names)
    table.rename_axis("item").to_csv(tmp_path / "scores.csv")
    for width in (40, 80, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        done = call("rank", "scores.csv", "--model", "mean_score", "--seed", 1, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        heading = next(line for line in done.stdout.splitlines() if "P(best)" in line)
        assert heading.split()[:2] == ["rank", "player"]
        assert heading.split()[-2:] == ["P(best)", "ranks"]
        assert len(heading) <= max(width, 85)
        assert "3 to 3" in done.stdout


def test_clusters_are_new_ones_or_none(tmp_path):
    """As is asked for; by default few are meant themselves."""
    right = np.arange(90)[:, None] * 7 % 10 < [9, 6, 2]
    table = pd.DataFrame(right.astype(int), columns=["a", "b", "c"]).rename_axis("item")
    long = table.reset_index().melt("item", var_name="model", value_name="correct")
    long.assign(subject=long["item"] % 3).to_csv(tmp_path / "log.csv", index=False)
    said, about = [], []
    for more in (["--cluster", "new"], ["--option", "cluster=new"], ["--cluster", "none"], []):
        done = call("rank", "log.csv", "--seed", 1, "--json", *more, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        said.append(" ".join(found["warnings"]))
        about.append(found["estimand"])
        assert found["players"][0]["observed"] == pytest.approx(0.9)
    assert ["Only 3 clusters" in texts for texts in said] == [True, True, False, False]
    assert "LB028" not in said[2]
    assert about[:3] == [None] * 3
    done = call("rank", "log.csv", "--seed", 1, cwd=tmp_path)
    assert about[3] in done.stdout
    assert about[3].startswith("Scores hold for items of these 3 clusters; cluster='new' (--clust")


def test_both_leaders_are_printed(tmp_path):
    """Strength and mean score side by side, and why they disagree."""
    often_by_little().to_pandas().T.rename_axis("task").to_csv(tmp_path / "scores.csv")
    for model, heading in (("bradley_terry", "score"), ("mean_score", "won")):
        asked = ("rank", "scores.csv", "--seed", 1, "--model", model)
        shown = call(*asked, cwd=tmp_path)
        assert shown.returncode == 0, shown.stderr
        assert f" {heading} " in shown.stdout
        why = json.loads(call(*asked, "--json", cwd=tmp_path).stdout)["disagreement"]
        assert "of their 25 rounds" in why
        assert why in shown.stdout


def test_votes(votes):
    asked = ("rank", "votes.csv", "--seed", 1, "--order-effect", "--covariates", "length")
    done = call(*asked, "--out", "swayed", cwd=votes)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("read as votes: first=")
    assert "shown first" in done.stdout
    effects = pd.read_csv(votes / "swayed" / "effects.csv")
    assert effects["effect"].tolist() == ["order", "length"]
    np.testing.assert_allclose(np.exp(effects["coefficient"]), effects["odds_ratio"])
    assert 0.1 < effects["coefficient"][0] < 0.9
    assert "votes" in pd.read_csv(votes / "swayed" / "leaderboard.csv")
    done = call("report", "swayed", "--out", "page.html", cwd=votes)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "options",
    [["--ml"], ["--ml", "--order-effect"], ["--model", "davidson"], ["--cluster", "none"],
     ["--option", "matched=False"],
     ["--first", "model_a", "--second", "model_b", "--outcome", "winner"],
     ["--tournament", "group", "--only", "x"]],
)  # fmt: skip
def test_votes_are_ranked_in_many_ways(votes, options):
    done = call("rank", "votes.csv", *options, "--json", cwd=votes)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["read"]["kind"] == "votes"
    assert result["players"][0]["player"] == "fox"
    assert len(result.get("effects", [])) == ("--order-effect" in options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "mean_score"], "is not for votes; choose from"),
        (["--cluster", "passage"], "cluster"),
        (["--only", "x"], "votes.csv: no tournament 'x'"),
        (["--tournament", "group", "--only", "z"], "no tournament 'z'; there are 'x', 'y'"),
        (["--first", "model_a"], "name both or neither"),
        (["--covariates", "lists"], "lists"),
        (["--ml", "--model", "plackett_luce"], "votes"),
    ],
)
def test_what_votes_have_not(votes, options, message):
    done = call("rank", "votes.csv", *options, cwd=votes)
    assert done.returncode == 2
    assert message in done.stderr


def test_an_anchor_and_elo(folder):
    asked = ("rank", "scores.csv", "--draws", 200, "--seed", 1, "--anchor", "c", "--scale", "elo")
    done = call(*asked, "--out", "elo", "--figures", "svg", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "1000 to 1000" in done.stdout
    assert "Elo: 400 points for each factor of ten of the odds, c at 1000." in done.stdout
    assert "elo_lower" in (folder / "elo" / "leaderboard.csv").read_text().splitlines()[0]
    assert "Elo (c at 1000)" in (folder / "elo" / "leaderboard.svg").read_text()
    call("report", "elo", "--out", "elo.txt", "--anchor", "c", "--scale", "elo", cwd=folder)
    assert "The difference in Elo is " in " ".join((folder / "elo.txt").read_text().split())
    for wrong in (["--anchor", "e"], ["--scale", "elo", "--ml"], ["--anchor-at", 1200]):
        assert call(*asked[:6], *wrong, cwd=folder).returncode == 2
