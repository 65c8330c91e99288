"""The command sota."""

import json

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from command import call, loaded, run

KEYS = [
    "n", "rho", "m", "observed_max", "theta_sota", "theta_sota_lower", "theta_sota_upper",
    "teams_above", "law_free", "diagnostics", "warnings",
]  # fmt: skip


@pytest.fixture(scope="module")
def teams(folder):
    """A board of 60 teams, as one would from a beta law."""
    score = [0.80 + 0.1 * (1.0 - (k / 60) ** 0.5) for k in range(60)]
    rows = "\n".join(f"{k + 1},t{k},{round(500 * x) / 500}" for k, x in enumerate(score))
    (folder / "teams.csv").write_text(f"Rank,TeamName,Score\n{rows}\n")
    return ["teams.csv", "--n", 500]


def test_sota(folder):
    rows = "\n".join(f"{k + 1},t{k},{0.9 - 0.001 * k:.3f}" for k in range(60))
    (folder / "board.csv").write_text(f"Rank,TeamName,Score\n{rows}\n")
    done = call("sota", "board.csv", "--n", 1000, "--rho", 0.3, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert list(result) == ["rule", *KEYS]
    assert result["theta_sota_lower"] < result["theta_sota"] < result["observed_max"] == 0.9
    free = lb.sota.winner(lb.sota.read_board(folder / "board.csv", n=1000), rho=0.3)
    assert result["law_free"]["theta_sota_lower"] == float(free["theta_sota_lower"])
    assert result["law_free"]["winner"] == "t0"
    crop = ["sota", "board.csv", "--n", 1000, "--rule", "crop", "--convention", "published"]
    text = call(*crop, cwd=folder)
    assert "Estimate of the best classifier (crop)" in text.stdout
    assert "Without a law of the teams, whoever is the best is between 0.8" in text.stdout
    errors = call("sota", "board.csv", "--se", 0.01, "--chance", 0.5, "--rho", 0.3, cwd=folder)
    assert "Best of 60 teams, rho 0.30: 0.9000" in errors.stdout
    rows = "\n".join(f"t{k},{0.3 + 0.001 * k:.3f}" for k in range(60))
    (folder / "losses.csv").write_text(f"TeamName,rmse\n{rows}\n")
    losses = ["losses.csv", "--se", 0.01, "--score", "rmse", "--rule", "crop"]
    lower = json.loads(call("sota", *losses, "--lower-is-better", "--json", cwd=folder).stdout)
    assert lower["observed_max"] == -0.3
    assert lower["scale"] == "Less is better of these scores; what follows is of -score."
    wrong = ["losses.csv", "--n", 1000, "--score", "rmse", "--rule", "crop", "--lower-is-better"]
    text = call("sota", *wrong, cwd=folder).stdout
    assert text.startswith("Less is better of these scores; what follows is of 1 - score.")
    (folder / "sizes.csv").write_text("team,score,size\na,0.10,500\nb,0.12,400\nc,0.15,500\n")
    sizes = ["sizes.csv", "--n", "size", "--rule", "crop", "--lower-is-better"]
    assert call("sota", *sizes, cwd=folder).stdout.startswith(text[: text.index(".") + 1])
    for arguments, message in (
        (losses, "'rmse' is the name of a loss"),
        (["board.csv"], "Give n (--n), the instances of the test set, or se (--se)"),
        (["board.csv", "--se", 0.01], "--chance"),
        (["board.csv", "--n", 10, "--rho", 2], "rho=2.0"),
        (["absent.csv", "--n", 10], "absent.csv: cannot be read"),
    ):
        bad = call("sota", *arguments, cwd=folder)
        assert bad.returncode == 2
        assert message in bad.stderr
        assert bad.stdout == ""


def test_sota_posterior(folder, teams):
    asked = ["sota", *teams, "--sampler", "exact", "--rho", 0.3, "--draws", 100, "--seed", 1]
    done = call(*asked, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert list(result) == ["sampler", *KEYS]
    assert list(result["diagnostics"]) == [
        "converged", "ess", "max_rhat", "expected_max", "max_lower", "max_upper", "seed",
    ]  # fmt: skip
    assert result["theta_sota_lower"] < result["theta_sota"] < result["theta_sota_upper"]
    assert result["diagnostics"]["converged"] is True
    assert result["diagnostics"]["seed"] == 1
    text = call(*asked, cwd=folder)
    assert "Estimate of the best classifier (exact)" in text.stdout
    assert "As good as that, most probably: t" in text.stdout
    assert "Converged: R-hat" in text.stdout
    assert "That is not below" not in text.stdout
    # Leaving teams out, and another law, are other posteriors of fewer teams.
    fewer = call(*asked, "--law", "empirical", "--floor", 0.82, "--json", cwd=folder)
    assert json.loads(fewer.stdout)["m"] < 60


def test_a_best_above_every_score_is_said(folder):
    """Equal teams, and a beta law that is far too wide: a word beside the number."""
    rows = [f"t{i},{s}" for i, s in enumerate([0.9] * 30 + [0.55, 0.4, 0.3, 0.2])]
    (folder / "wide.csv").write_text("team,score\n" + "\n".join(rows) + "\n")
    asked = ["sota", "wide.csv", "--n", 100, "--chance", 0.1, "--sampler", "exact", "--seed", 1]
    text = call(*asked, "--law", "beta", "--draws", 100, cwd=folder).stdout
    assert "That is not below the highest score" in text


def test_a_best_below_the_median_is_said(folder):
    """Teams that are all equal, whose best is about the middle."""
    score = np.random.default_rng(10).binomial(400, 0.85, 150) / 400
    rows = "\n".join(f"t{k},{x}" for k, x in enumerate(score))
    (folder / "equal.csv").write_text(f"team,score\n{rows}\n")
    asked = ["sota", "equal.csv", "--n", 400, "--sampler", "exact", "--seed", 1]
    done = json.loads(call(*asked, "--json", cwd=folder).stdout)
    assert done["theta_sota"] < np.median(score)
    assert not done["warnings"]
    said = f"The estimate, {done['theta_sota']:.4f}, is below the median score, "
    assert said in call(*asked, cwd=folder).stdout


def test_perfect_scores_do_not_contradict_themselves(folder):
    (folder / "perfect.csv").write_text("team,score\n" + "a,1.0\nb,1.0\nc,0.98\nd,0.97\n")
    text = call("sota", "perfect.csv", "--n", 200, cwd=folder).stdout
    assert "Estimate of the best classifier (shrink): 1.0000" in text
    assert "The estimate, 1.0000, is above 1.0000" not in text


def test_answers(folder):
    """Answers to items say n and rho, and are read as rank reads them."""
    path = lb.datasets.path("answers")
    board = lb.sota.read_answers(path, classes=10)
    asked = ["sota", str(path), "--answers", "--classes", 10]
    done = call(*asked, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    best = lb.sota.shrink(board)
    assert (result["n"], result["rho"]) == (600, board.attrs["rho"])
    assert result["theta_sota"] == float(best["theta_sota"])
    given = json.loads(call(*asked, "--rho", 0.0, "--json", cwd=folder).stdout)
    assert given["rho"] == 0.0
    assert given["theta_sota"] == float(lb.sota.shrink(board, rho=0.0)["theta_sota"])
    text = call(*asked, cwd=folder)
    assert f"on 600 instances, rho {board.attrs['rho']:.2f}: " in text.stdout
    (folder / "log.csv").write_text(
        "who,which,passage,fine\n"
        + "".join(
            f"t{j},{i},{i // 2},{int(i % (j + 3) > 0)}\n" for j in range(3) for i in range(40)
        )
    )
    named = ["--team", "who", "--round", "which", "--score", "fine", "--cluster", "passage"]
    done = call("sota", "log.csv", "--answers", *named, "--json", cwd=folder)
    assert json.loads(done.stdout)["warnings"][0].startswith("LB029 the items are in 20 clusters")
    for arguments, message in (
        ([*asked[1:], "--n", 600], "--n is of a table of scores"),
        (["log.csv", "--n", 40, "--round", "which"], "--round is of --answers and --losses"),
    ):
        bad = call("sota", *arguments, cwd=folder)
        assert bad.returncode == 2
        assert message in bad.stderr


def test_losses(folder):
    """Losses by instance say all that a board needs, and their covariance who may win."""
    rng = np.random.default_rng(1)
    error = rng.normal(size=200) + np.linspace(0.5, 1.5, 6)[:, None] * rng.normal(size=(6, 200))
    losses = xr.DataArray(error**2, dims=("player", "round"))
    rows = "\n".join(f"t{j},{i},{losses[j, i].item()!r}" for j in range(6) for i in range(200))
    (folder / "by_item.csv").write_text(f"model,item,loss\n{rows}\n")
    asked = ["sota", "by_item.csv", "--losses", "--root", "--rule", "crop"]
    done = call(*asked, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    board = lb.sota.read_losses(losses, root=True)
    assert result["observed_max"] == pytest.approx(float(board.max()))
    assert result["rho"] == pytest.approx(board.attrs["rho"])
    found = lb.sota.winner(board, covariance=lb.sota.covariance(losses, root=True))
    for name in ("theta_sota_lower", "theta_winner_upper"):
        assert result["law_free"][name] == pytest.approx(float(found[name]))
    named = ["--team", "model", "--round", "item", "--score", "loss", "--chance", 9.0]
    text = call("sota", "by_item.csv", "--losses", *named, cwd=folder)
    assert "Best of 6 teams, rho" in text.stdout, text.stderr
    for arguments, message in (
        ([*asked, "--n", 5], "--n is of a table of scores: leave it or --losses out"),
        ([*asked, "--classes", 5], "--classes is of shares"),
        ([*asked, "--answers"], "--answers or --losses, not both"),
        (["sota", "by_item.csv", "--n", 5, "--root"], "--root is of --losses"),
    ):
        bad = call(*arguments, cwd=folder)
        assert bad.returncode == 2
        assert message in bad.stderr


def test_two_looks(folder):
    rng = np.random.default_rng(3)
    theta = rng.beta(85, 15, 100)
    for name, n in (("public", 300), ("private", 900)):
        rows = "\n".join(f"t{k},{x / n:.6f}" for k, x in enumerate(rng.binomial(n, theta)))
        (folder / f"{name}.csv").write_text(f"team,score\n{rows}\n")
    asked = ["sota", "private.csv", "--n", 900, "--public", "public.csv"]
    done = call(*asked, "--public-n", 300, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)["two_looks"]
    boards = [lb.sota.read_board(folder / f"{k}.csv", n=n) for k, n in
              (("public", 300), ("private", 900))]  # fmt: skip
    found = lb.sota.two_looks(*boards, seed=result["seed"])
    assert result["overfitting_lower"] == float(found["overfitting_lower"])
    text = call(*asked, "--public-n", "lattice", "--seed", result["seed"], cwd=folder)
    assert "The public board's best 10 promised" in text.stdout
    assert result["message"] in text.stdout  # of an estimate, too, a seed gives it again
    for arguments, message in (
        (asked, "--public needs --public-n"),
        (["sota", "private.csv", "--n", 900, "--public-n", 9], "--public-n is of --public"),
        (
            ["sota", "private.csv", "--se", 0.1, "--public", "public.csv"],
            "two boards of accuracies",
        ),
    ):
        bad = call(*arguments, cwd=folder)
        assert bad.returncode == 2
        assert message in bad.stderr


def test_real_boards(folder):
    """Baselines, leaks and copies are left out by options; n is what the scores tell."""
    rng = np.random.default_rng(2)
    score = rng.binomial(997, rng.beta(90, 10, 200)) / 997
    rows = [f"t{k},{x:.6f}" for k, x in enumerate(score)]
    rows += [f"copy{k},{score.max():.6f}" for k in range(20)] + ["leak,1.0", "base,0.100301"]
    (folder / "real.csv").write_text("team,score\n" + "\n".join(rows) + "\n")
    asked = ["sota", "real.csv", "--n", "lattice", "--json"]
    whole = json.loads(call(*asked, cwd=folder).stdout)
    assert (whole["n"], whole["observed_max"]) == (997, 1.0)
    assert [said[:5] for said in whole["warnings"]] == ["LB031", "LB032"]
    out = ["--exclude", "base", "--exclude", "t3", "--ceiling", 1.0, "--clones", "one"]
    made = json.loads(call(*asked, *out, cwd=folder).stdout)
    assert made["m"] == 199
    assert made["observed_max"] == pytest.approx(score.max(), abs=1e-6)
    assert "are left out" in made["warnings"][0]


@pytest.mark.slow
def test_sota_posterior_warns_and_fails(folder):
    # No beta law has so many equal teams, and one so much better.
    rows = "\n".join(f"t{k},{0.9 if k == 0 else 0.7}" for k in range(200))
    (folder / "odd_board.csv").write_text(f"TeamName,Score\n{rows}\n")
    asked = ["--sampler", "exact", "--seed", 1, "--json"]
    done = call("sota", "odd_board.csv", "--n", 1000, *asked, "--draws", 100, cwd=folder)
    assert done.stderr.startswith("Warning: LB021")
    assert json.loads(done.stdout)["warnings"][0].startswith("LB021")
    # Three laws cannot be told apart here.
    rows = "\n".join(f"t{k},{0.9 - 0.001 * k:.3f}" for k in range(60))
    (folder / "even_board.csv").write_text(f"TeamName,Score\n{rows}\n")
    law = ["--law", "mixture", "--components", 3]
    done = call("sota", "even_board.csv", "--n", 1000, *asked, *law, cwd=folder)
    assert done.returncode == 1, done.stdout
    assert "Warning: LB001" in done.stderr
    result = json.loads(done.stdout)
    assert result["diagnostics"]["converged"] is False
    assert result["warnings"][0].startswith("LB001")


@pytest.mark.slow
def test_sota_simulated(folder, teams):
    asked = [
        "--sampler",
        "abc-smc",
        "--law",
        "beta",
        "--draws",
        20,
        "--chains",
        2,
        "--epsilon",
        2,
        "--seed",
        1,
    ]
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
    bad = call("sota", *teams, *arguments, cwd=folder)
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
    assert not set(absent) & loaded("sota", *teams, *how, cwd=folder)
