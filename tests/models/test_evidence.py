"""The evidence beside the models says what the cards claim, and its harness counts right."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, kstest

import leaderbayes as lb

MODELS = Path(__file__).parents[2] / "models"
EVIDENCE = MODELS / "evidence"
KEPT = 99


@pytest.fixture(scope="module")
def tables(script):
    return script("tables")


@pytest.mark.parametrize("run", sorted(MODELS.glob("**/run.json")), ids=lambda path: path.parts[-3])
def test_evidence_says_what_made_it(run):
    made = json.loads(run.read_text())
    assert made["command"].startswith("python models/make.py ")
    assert {"date", "versions"} < set(made)
    assert len(list(run.parent.iterdir())) > 1


def test_ranks_are_uniform():
    """Over all quantities of all models, by Bonferroni's correction."""
    p = []
    for path in MODELS.glob("*/evidence/sbc_ranks.csv"):
        table = pd.read_csv(path).drop(columns=["simulation", "converged"], errors="ignore")
        # Of 400, of which boards of one answer alone cannot be fitted; of 200 that NUTS samples.
        assert len(table) >= (200 if path.parts[-3] == "dynamic" else 390)
        assert table.min().min() >= 0
        assert table.max().max() <= KEPT
        p += [kstest((table[c] + 0.5) / (KEPT + 1), "uniform").pvalue for c in table]
    assert min(p) * len(p) > 0.01


@pytest.fixture(scope="module")
def coverage(tables):
    return tables.read(EVIDENCE / "coverage", "coverage")


def test_coverage_of_the_models_on_their_own_noise(coverage):
    own = coverage[coverage["scenario"].isin(["gumbel", "missing"])]
    assert len(own) == 18
    for method in ("composite", "Plackett-Luce"):
        slack = 2 * own[f"{method}: error"]
        assert (own[method] > 0.93 - slack).all()
        assert (own[method] < 0.98 + slack).all()


def test_published_widths_do_not_cover(coverage):
    many = coverage[coverage["players"] == 20]
    for method in ("EloML", "round intercept"):
        assert (many[method] < 0.85).all()
    # Weights of 1 are blended with head-to-head results, which help where noise is a player's own.
    assert (many["weight 1"] < many["composite"] - 0.03).all()


def test_shared_training_data_need_the_test_fraction(coverage, tables):
    shared = coverage[(coverage["scenario"] == "repeated CV") & (coverage["rounds"] == 50)]
    assert (shared["composite"] < 0.93).all()
    assert (shared["composite, test_fraction"] >= 0.93).all()
    learning = tables.read(EVIDENCE / "learning", "learning")
    assert (learning["fresh"] < learning["fresh, test_fraction"]).all()
    assert (learning["wrong, test_fraction"] <= learning["wrong"]).all()


def test_coverage_of_the_best_theta(tables):
    """0.93 to 0.97, within two Monte Carlo errors of the boards; at least that of near-equals."""
    best = tables.read(EVIDENCE / "best", "best")
    assert (best["converged"] == 1).all()
    slack = 2 * np.sqrt(0.95 * 0.05 / best["boards"])
    assert (best["posterior"] > 0.93 - slack).all()
    apart = best["population"] != "Beta, alike"
    assert (best["posterior"] < 0.97 + slack)[apart].all()
    # The more the teams are alike, the more of the best score is luck.
    naive = best.set_index(["population", "rho"])["naive"]
    assert naive["Beta, alike", 0.0] < 0.1
    assert (naive["Beta, alike"] < naive["Beta, narrow"]).all()
    assert (naive["Beta, narrow"] < 0.9).all()


@pytest.fixture(scope="module")
def fits(tables):
    return tables.read(EVIDENCE / "fits", "fits").query("model == 'bradley_terry'")


def test_the_default_covers_where_noise_is_alike(fits):
    """All sizes, from 3 x 3 to 50 x 100; a dominant player, ties and missing scores too."""
    wrong = ["own scales", "own scales, ties", "families", "varying signal", "weak on easy"]
    plain = fits[~fits["noise"].isin([*wrong, "equal"])]
    assert len(plain) == 144
    assert (plain["converged"] > 0.95).all()
    for name in ("pairs", "each player"):
        assert (plain[name] > 0.93 - 3 * plain[f"{name}: error"]).all()
        by_size = plain.groupby(["players", "rounds"])[name].mean()
        assert by_size.between(0.93, 0.97).all()
    # Boards that show it are extrapolated; small ones do not show it.
    assert 0.9 < fits.query("noise == 'weak on easy'")["pairs"].mean() < 0.97
    # Of its own strength, who is far ahead of few others, or for ten rounds or more.
    far = fits.query("noise.str.startswith('one far') and (players <= 8 or rounds >= 10)")
    assert far["best player"].mean() > 0.93


def test_the_record_covers_whatever_the_noise(fits):
    """A Beta interval with Jeffreys' prior is not exact: of few matches it leans to covering."""
    tied = ["30 % ties", "own scales, ties"]  # half of which are in either's record
    other = ["equal", "weak on easy", *tied]  # records of the weak are of the easy rounds alone
    plain = fits[(fits["rounds"] > 3) & ~fits["noise"].isin(other)]
    assert (plain["record"] > 0.93 - 3 * plain["record: error"]).all()
    assert abs(plain["record"].mean() - 0.95) < 0.01


def test_misfit_is_flagged_where_the_model_is_wrong_and_not_where_it_is_right(fits):
    own_noise = ["Gumbel", "equal", "one far above", "one far below", "30 % missing"]
    right = fits[fits["noise"].isin([*own_noise, "30 % ties", "missing in blocks"])]
    assert right["misfit"].mean() < 0.05
    wrong = fits.query("noise.str.startswith('own scales') and players == 20 and rounds == 30")
    assert len(wrong) == 2
    assert (wrong["misfit"] > 0.9).all()


@pytest.mark.parametrize(("who", "errors"), [("every player", 0.0), ("first", 2.0)])
def test_the_best_is_the_best_as_often_as_said(tables, who, errors):
    """Within 0.05, in classes of 200 cases or more; of the few that stand first but for chance."""
    table = tables.read(EVIDENCE / "fits", "fits_best")
    table = table[(table["model"] == "bradley_terry") & (table["who"] == who)]
    shares = tables.happened(table, ["class"]).query("cases >= 200")
    assert len(shares) >= 7
    chance = np.sqrt(shares["happened"] * (1.0 - shares["happened"]) / shares["cases"])
    assert (abs(shares["said"] - shares["happened"]) < 0.05 + errors * chance).all()


def test_the_best_theta_is_covered_whatever_the_population(tables):
    """By the flexible law, of boards of all sizes, so far as so many boards tell."""
    table = tables.read(EVIDENCE / "populations", "populations")
    found = table[table["law"] == "flexible"]
    hits = (found["covered"] * found["boards"]).round()
    # Were 0.95 covered everywhere, the least probable of all cells would be so one time in 20.
    assert (binom.cdf(hits, found["boards"], 0.95) > 0.05 / len(found)).all()
    sizes = found.assign(hits=hits).groupby(["teams", "n", "rho"])[["hits", "boards"]].sum()
    assert (binom.cdf(sizes["hits"], sizes["boards"], 0.95) > 0.05 / len(sizes)).all()
    assert sizes["hits"].sum() / sizes["boards"].sum() > 0.94
    beta = table[table["law"] == "beta"].set_index("population")["covered"]
    assert (beta[["two groups", "edge and tail", "soft edge"]] < 0.1).all()


def board(name, size, number):
    """Say one of two numbers, and of the best of two players that it is sure or not."""
    if (name, number) == ("b", 0):
        return None
    sure = number % 2
    best = {"first": [np.array([0.5 + 0.45 * sure]), np.array([1.0])]}
    return {"value": size + sure, "best": best if name == "a" else {}}


def run_of(tables, folder, asked=board):
    table = tables.Table(("name", "size"), {("a", 1): 4, ("a", 2): 2, ("b", 1): 3}, asked, None)
    with ThreadPoolExecutor(1) as executor:
        tables.make("table", table, folder, executor)
    return table


def test_rows_are_means_over_boards_with_their_errors(tables, tmp_path):
    run_of(tables, tmp_path)
    made = tables.read(tmp_path, "table")
    assert made["boards"].tolist() == [4, 2, 2]  # one of the last had nothing to compare
    assert made["value"].tolist() == [1.5, 2.5, 1.5]
    np.testing.assert_allclose(made["value: error"], 0.5 / np.sqrt(made["boards"]), rtol=1e-3)
    best = tables.read(tmp_path, "table_best")
    assert best["class"].tolist() == [5, 9, 5, 9]
    assert best["cases"].tolist() == [2, 2, 1, 1]
    both = tables.happened(best, ["class"]).set_index("class")
    assert both.loc[9, ["cases", "said", "happened"]].tolist() == pytest.approx([3, 0.95, 1.0])


def test_a_run_that_was_stopped_goes_on(tables, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir(), parts.mkdir()
    run_of(tables, whole)

    def stopped(name, size, number):
        if (name, size) == ("a", 2):
            raise KeyboardInterrupt
        return board(name, size, number)

    def once(name, size, number):
        assert (name, size) != ("a", 1)
        return board(name, size, number)

    with pytest.raises(KeyboardInterrupt):
        run_of(tables, parts, stopped)
    run_of(tables, parts, once)
    for name in ("table.csv", "table_best.csv"):
        assert (parts / name).read_text() == (whole / name).read_text()
    assert sorted(path.name for path in parts.iterdir()) == ["table.csv", "table_best.csv"]


def test_a_check_finds_what_differs(tables, tmp_path):
    table = run_of(tables, tmp_path)
    path = tmp_path / "table.csv"
    for shift, differs in ((0.0, False), (0.5, False), (4.0, True)):

        def other(*cell, shift=shift):
            return {"value": board(*cell)["value"] + shift}

        found = tables.differences(path, other, table.keys, ("a", 1))
        assert bool(found) == differs
    assert "table ('a', 1), 4 boards: value 5.5, was 1.5" in found[0]
    (said,) = tables.differences(path, other, table.keys, ("c", 1))
    assert "has to be remade" in said


def test_a_check_of_cells_with_one_key(script, tables):
    """Of every table that has one: the cell is found, and as it was made."""
    made = {name: table for name, table in script("make").TABLES.items() if len(table.keys) == 1}
    assert {"learning", "rounded", "matched"} <= set(made)
    for name, table in made.items():
        path = EVIDENCE / name / f"{name}.csv"
        row = pd.read_csv(path).iloc[0]
        said = {name: float(row[name]) for name in row.index if f"{name}: error" in row.index}
        assert not tables.differences(
            path, lambda *_, said=said: said, table.keys, (row.iloc[0],), 1
        )


def test_calibration_is_of_uniform_ranks(script):
    uniform = script("calibration").uniform
    rng = np.random.default_rng(1)
    ranks = {"flat": rng.integers(0, KEPT + 1, 400), "high": 50 + rng.integers(0, 50, 400)}
    ranks["spread"] = np.where(rng.random(400) < 0.5, 1, 98)
    table = pd.DataFrame(ranks).assign(simulation=0, converged=1)
    assert {one.split(":")[0] for one in uniform(table)} == {"high", "spread"}


@pytest.mark.parametrize(
    "kind", ["Gumbel", "skewed", "own scales", "families", "varying signal", "30 % ties"]
)
def test_win_probabilities_are_true(script, kind):
    rounds = 4000
    values, won, tied = script("matches").simulate(kind, 4, rounds, np.random.default_rng(1))
    gap = values[:, None] - values
    off, error = ~np.eye(4, dtype=bool), 4.5 * np.sqrt(0.25 / rounds)
    assert (np.abs((gap > 0).mean(axis=-1) - won)[off] < error).all()
    assert (np.abs((gap == 0).mean(axis=-1) - tied)[off] < error).all()
    np.testing.assert_allclose(won + won.T + tied, 1.0, atol=5e-3)


def test_a_cell_of_boards_that_are_fitted(script, tables):
    matches = script("matches")
    row, best = tables.row_of(
        matches.fits_board, matches.FITS.keys, ("bradley_terry", "Gumbel", 3, 5), 3
    )
    assert all(0.0 <= row[name] <= 1.0 for name in ("pairs", "record", "each player", "misfit"))
    # Of 3 boards the first, and of all 9 players; probabilities of the best sum to 1.
    for who, cases, total in (("first", 3, None), ("every player", 9, 3.0)):
        classes = [part for part in best if part["who"] == who]
        assert sum(part["cases"] for part in classes) == cases
        if total is not None:
            for name in ("said", "happened"):
                found = sum(part["cases"] * part[name] for part in classes)
                assert found == pytest.approx(total, abs=2e-3)


def test_learners_and_their_folds(script, monkeypatch):
    learning = script("learning")
    tests = learning.folds_of(20, 3, 5, np.random.default_rng(1))
    for k in range(0, 15, 5):
        assert sorted(np.concatenate(tests[k : k + 5])) == list(range(20))
    rates = learning.chance(np.array([[1.0, 2.0, 2.0, 0.0], [0.0, 2.0, 1.0, 1.0]]))
    np.testing.assert_allclose(rates, [[0.5, 0.6], [0.4, 0.5]])
    for name, value in {"OWN": 1, "SPLITS": 10, "FRESH": 20, "REPEATS": 2}.items():
        monkeypatch.setattr(learning, name, value)
    row = learning.board("regression", 0)
    assert 0.0 <= row["this data set"] <= 1.0
    assert row["width, test_fraction"] > row["width"]
    assert row["claimed, test_fraction"] <= row["claimed"]
    assert np.isnan(learning.board("regression", 1)["this data set"])


def test_what_readme_shows_is_of_the_tables(script):
    make = script("make")
    text = (MODELS / "README.md").read_text(encoding="utf-8")
    for name, table in make.TABLES.items():
        folder = make.folder_of(name)
        if (folder / "run.json").exists():
            for mark, shown in table.shown(folder).items():
                assert f"<!-- {mark} -->\n| {' | '.join(shown.columns)} |" in text
    assert set(lb.models.__all__) == {*make.calibration.NAMES}
