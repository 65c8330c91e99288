"""The evidence beside the models says what the cards claim."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, kstest

import leaderbayes as lb

MODELS = Path(__file__).parents[2] / "models"
KEPT = 99
# Of all models together.
TABLES = (
    "coverage", "fits", "learning", "new_data", "populations", "sizes", "votes", "vote_models",
    "vote_tournaments",
)  # fmt: skip


def ranks(name):
    return pd.read_csv(MODELS / name / "evidence" / "sbc_ranks.csv").drop(columns="simulation")


@pytest.fixture(scope="module")
def sources(script):
    """The module models/sources.py."""
    return script("sources")


@pytest.fixture(scope="module")
def modules(sources):
    """What has been read of our code, for all names."""
    return sources.Modules(sources.ROOT)


@pytest.mark.parametrize("name", [*lb.models.__all__, *TABLES])
def test_evidence_is_of_this_code(sources, modules, name):
    folder = MODELS / "evidence" / name if name in TABLES else MODELS / name / "evidence"
    about = folder / (f"{name}.json" if name in TABLES else "sbc.json")
    made_by = json.loads((folder / "run.json").read_text()).get("sources")
    now = sources.digest(name, modules)
    assert made_by == now, (
        f"{folder.relative_to(MODELS.parent)} is evidence of other code ({made_by}): what its "
        "numbers depend on has changed since (models/sources.py says on what they do). Remake it: "
        f"uv run --group evidence {json.loads(about.read_text())['command']}"
    )


CODE = '''
from leaderbayes import numerics as nm
from leaderbayes._errors import LeaderbayesError

__all__ = ["one"]
_TABLE = {"left": nm.half, "right": nm.whole}
_SHARE: float = 0.25


def one(x: float) -> float:
    """Say what."""
    _check(x)
    # A comment.
    if x < 0:
        raise LeaderbayesError("Give more.")
    return _TABLE["left"](x) + _SHARE


def _check(x: float) -> None:
    """Refuse."""
    for y in (x, -x):
        if y != y:
            raise LeaderbayesError(f"{y}: no number.")
'''
NUMERICS = "def half(x):\n    return x / 2\n\n\ndef whole(x):\n    return x\n"
EDITS = {  # what is edited, how, and whether evidence is of other code then
    "a docstring": (("Say what.", "Say more."), False),
    "a comment": (("# A comment.", "# Another."), False),
    "a message": (('"Give more."', '"Give at least 0."'), False),
    "an annotation": (("x: float) -> float", "x: int) -> int"), False),
    "what is refused": (("if x < 0:", "if x <= 0:"), False),
    "another's entry": (("nm.whole", "nm.half"), False),
    "how a module is imported": (
        ("from leaderbayes import numerics as nm", "import leaderbayes.numerics as nm"),
        False,
    ),
    "a constant": (("0.25", "0.26"), True),
    "a formula": (('_TABLE["left"](x) +', '_TABLE["left"](x) -'), True),
    "an entry": (("nm.half", "nm.whole"), True),
    "the key": (('_TABLE["left"](x)', '_TABLE["right"](x)'), True),
    "a refusal that becomes an answer": (('raise LeaderbayesError("Give more.")', "x = 0"), True),
}


def hash_of(sources, folder, code, numerics=NUMERICS, module="_one"):
    """Hash of a small package's code."""
    package = folder / "src" / "leaderbayes"
    (package / "models").mkdir(parents=True, exist_ok=True)
    for file in package.rglob("*.py"):
        file.unlink()
    calibration = folder / "models" / "calibration.py"
    calibration.parent.mkdir(exist_ok=True)
    calibration.write_text("def calibrate():\n    pass\n\n\ndef build():\n    pass\n")
    (package / "__init__.py").write_text("")
    (package / "models" / "__init__.py").write_text(
        f"from leaderbayes.models.{module} import one\n"
    )
    (package / "models" / f"{module}.py").write_text(code)
    (package / "numerics.py").write_text(numerics)
    return sources.digest("one", sources.Modules(folder))


@pytest.mark.parametrize("edited", EDITS)
def test_hash_is_of_what_determines_numbers(sources, tmp_path, edited):
    (old, new), other = EDITS[edited]
    assert CODE.count(old) == 1
    before = hash_of(sources, tmp_path, CODE)
    assert (hash_of(sources, tmp_path, CODE.replace(old, new)) != before) == other


def test_hash_follows_imports_and_not_places(sources, tmp_path):
    before = hash_of(sources, tmp_path, CODE)
    assert hash_of(sources, tmp_path, CODE, module="_moved") == before
    assert hash_of(sources, tmp_path, CODE, NUMERICS.replace("x / 2", "x / 3")) != before
    # Defined where it is used, and not imported.
    here = CODE.replace("from leaderbayes import numerics as nm\n", "").replace("nm.", "")
    assert hash_of(sources, tmp_path, NUMERICS + here) == before


def test_ranks_are_uniform():
    """Over all quantities of all models, by Bonferroni's correction."""
    p = []
    for name in lb.models.__all__:
        table = ranks(name)
        assert len(table) >= 400
        assert table.min().min() >= 0
        assert table.max().max() <= KEPT
        p += [kstest((table[c] + 0.5) / (KEPT + 1), "uniform").pvalue for c in table]
    assert min(p) * len(p) > 0.01


@pytest.fixture(scope="module")
def coverage():
    return pd.read_csv(MODELS / "evidence" / "coverage" / "coverage.csv")


def test_coverage_of_the_models_on_their_own_noise(coverage):
    own = coverage[coverage["scenario"].isin(["gumbel", "missing"])]
    assert len(own) == 18
    for method in ("composite", "Plackett-Luce"):
        slack = 2 * own[f"{method}: error"]
        assert (own[method] > 0.93 - slack).all()
        assert (own[method] < 0.98 + slack).all()


def test_published_widths_do_not_cover(coverage):
    many = coverage[coverage["players"] == 20]
    for method in ("EloML", "weight 1", "round intercept"):
        assert (many[method] < 0.85).all()


def test_shared_training_data_need_the_test_fraction(coverage):
    shared = coverage[(coverage["scenario"] == "repeated CV") & (coverage["rounds"] == 50)]
    assert (shared["composite"] < 0.93).all()
    assert (shared["composite, test_fraction"] >= 0.93).all()
    assert np.isfinite(coverage.select_dtypes("number")).all().all()


@pytest.fixture(scope="module")
def bests():
    """Boards of known best theta: whether the posterior's interval and the naive one hold it."""
    table = pd.read_csv(MODELS / "sota" / "evidence" / "coverage.csv")
    assert (table["converged"] == 1).all()
    best = table["theta_sota"]
    table["posterior"] = best.between(table["lower"], table["upper"])
    table["naive"] = best.between(table["naive_lower"], table["naive_upper"])
    return table.groupby(["law", "rho"])[["posterior", "naive"]].agg(["mean", "size"])


@pytest.mark.parametrize("law", ["narrow", "wide", "alike"])
@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_coverage_of_the_best_theta(bests, law, rho):
    """0.93 to 0.97, within two Monte Carlo errors of the boards; at least that of near-equals."""
    found, boards = bests.loc[(law, rho), "posterior"]
    assert boards >= (500 if law == "narrow" else 150)
    slack = 2 * np.sqrt(0.95 * 0.05 / boards)
    assert found > 0.93 - (0 if law == "narrow" else slack)
    if law != "alike":
        assert found < 0.97 + (0 if law == "narrow" else slack)


def test_the_best_score_alone_misses_the_best_theta(bests):
    """The more the teams are alike, the more of the best score is luck."""
    naive = bests["naive"]["mean"]
    assert naive[("alike", 0.0)] < 0.1
    assert (naive["alike"] < naive["narrow"]).all()
    assert (naive["narrow"] < 0.9).all()


TIED = ["30 % ties", "own scales, ties"]  # half of which are in either's record


@pytest.fixture(scope="module")
def fits():
    table = pd.read_csv(MODELS / "evidence" / "fits" / "fits.csv")
    return table[table["model"] == "bradley_terry"]


def test_the_default_covers_where_noise_is_alike(fits):
    """All sizes, from 3 x 3 to 50 x 100; a dominant player, ties and missing scores too."""
    wrong = ["own scales", "own scales, ties", "families", "varying signal"]
    plain = fits[~fits["noise"].isin([*wrong, "equal"])]
    assert len(plain) == 225
    assert (plain["converged"] > 0.95).all()
    for name in ("pairs", "each player"):
        assert (plain[name] > 0.93 - 3 * plain[f"{name}: error"]).all()
        by_size = plain.groupby(["players", "rounds"])[name].mean()
        assert by_size.between(0.93, 0.97).all()
    # Of its own strength, who is far ahead of few others, or for five rounds or more.
    far = fits.query("noise.str.startswith('one far') and (players <= 8 or rounds >= 5)")
    assert far["best player"].mean() > 0.93


def test_the_record_covers_whatever_the_noise(fits):
    """A Beta interval with Jeffreys' prior is not exact: of few matches it leans to covering."""
    plain = fits[(fits["rounds"] > 3) & ~fits["noise"].isin(["equal", *TIED])]
    assert (plain["record"] > 0.93 - 3 * plain["record: error"]).all()
    assert abs(plain["record"].mean() - 0.95) < 0.01


def test_misfit_is_flagged_where_the_model_is_wrong_and_not_where_it_is_right(fits):
    own_noise = ["Gumbel", "equal", "one far above", "one far below", "30 % missing"]
    right = fits[fits["noise"].isin([*own_noise, "30 % ties", "missing in blocks"])]
    assert right["misfit"].mean() < 0.05
    wrong = fits.query("noise.str.startswith('own scales') and players == 20 and rounds == 30")
    assert len(wrong) == 2
    assert (wrong["misfit"] > 0.9).all()


@pytest.fixture(scope="module")
def learning():
    return pd.read_csv(MODELS / "evidence" / "learning" / "learning.csv")


def test_trained_learners_need_the_test_fraction_too(learning):
    """For statements about fresh data."""
    assert (learning["fresh"] < learning["fresh, test_fraction"]).all()
    assert (learning["wrong, test_fraction"] <= learning["wrong"]).all()


@pytest.mark.parametrize(("who", "errors"), [("every player", 0.0), ("first", 2.0)])
def test_the_best_is_the_best_as_often_as_said(who, errors):
    """Within 0.05, in classes of 200 cases or more; of the few that stand first but for chance."""
    table = pd.read_csv(MODELS / "evidence" / "fits" / "fits_best.csv")
    table = table[(table["model"] == "bradley_terry") & (table["who"] == who)]
    sums = table[["said", "happened"]].mul(table["cases"], axis=0).groupby(table["class"]).sum()
    cases = table.groupby("class")["cases"].sum()
    shares = sums.div(cases, axis=0)[cases >= 200]
    assert len(shares) >= 7
    chance = (shares["happened"] * (1.0 - shares["happened"]) / cases[cases >= 200]) ** 0.5
    assert (abs(shares["said"] - shares["happened"]) < 0.05 + errors * chance).all()


def test_the_best_theta_is_covered_whatever_the_population(script):
    """By the flexible law, of boards of all sizes, so far as so many boards tell."""
    table = script("populations").pooled(MODELS / "evidence" / "populations")
    found = table[table["law"] == "flexible"]
    hits = (found["covered"] * found["boards"]).round()
    # Were 0.95 covered everywhere, the least probable of all cells would be so one time in 20.
    assert (binom.cdf(hits, found["boards"], 0.95) > 0.05 / len(found)).all()
    assert (found["boards"] >= 6).all()
    sizes = found.assign(hits=hits).groupby(["teams", "n", "rho"])[["hits", "boards"]].sum()
    assert (binom.cdf(sizes["hits"], sizes["boards"], 0.95) > 0.05 / len(sizes)).all()
    assert sizes["hits"].sum() / sizes["boards"].sum() > 0.94
    beta = table[table["law"] == "beta"].set_index("population")["covered"]
    assert (beta[["two groups", "edge and tail", "soft edge"]] < 0.1).all()


def test_blocks_of_boards_are_taken_together(script, tmp_path):
    populations = script("populations")
    row = "wide,20,200,0.0,{},flexible,{},{},0,0.1,0.0,{},1.0"
    lines = [
        "population,teams,n,rho,first,law,boards,covered,error,width,bias,rmse,converged",
        row.format(0, 30, 0.9, 0.01),
        row.format(30, 10, 0.5, 0.03),
    ]
    (tmp_path / "populations.csv").write_text("\n".join(lines))
    (one,) = populations.pooled(tmp_path).to_dict("records")
    assert (one["boards"], one["covered"], one["width"]) == pytest.approx((40, 0.8, 0.1))
    assert one["rmse"] ** 2 == pytest.approx((30 * 0.01**2 + 10 * 0.03**2) / 40)
