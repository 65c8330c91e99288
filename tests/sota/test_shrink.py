"""Boards shrunk and cropped."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import leaderbayes as lb
from conftest import REFERENCE
from leaderbayes.sota._laws import EstimateLaw, ShareLaw

SOTA = lb.sota


@pytest.fixture
def board():
    def read(name, n, classes):
        path = REFERENCE / "sota" / f"{name}_private.csv"
        if not path.exists():
            pytest.skip(f"../shared/reference/sota/{name}_private.csv is not beside this checkout")
        return SOTA.read_board(path, n=n, classes=classes)

    return read


@pytest.mark.filterwarnings("ignore:LB020")
@pytest.mark.slow
def test_obesity_risk(board):
    """Table 2: every printed digit of the upper limit's row, and of the mean's but the teams.

    At the exact root theta is 0.90707, and 23 teams scored 0.90706; the paper counts them as above.
    """
    scores = board("obesity_risk", 13840, classes=7)
    mean = SOTA.shrink(scores, rho=0.6)
    assert mean.attrs["solved"] == 1
    assert int(mean["m"]) == 3556
    assert float(mean["naive_lower"]) == pytest.approx(0.9067, abs=5e-5)
    assert float(mean["naive_upper"]) == pytest.approx(0.9162, abs=5e-5)
    assert float(mean["observed_max"] + mean["bias"]) == pytest.approx(0.9159, abs=7e-5)
    assert float(mean["weight"]) == pytest.approx(0.9941, abs=1e-4)
    assert float(mean["theta_sota"]) == pytest.approx(0.9070, abs=1e-4)
    assert (float(mean["max_lower"]), float(mean["max_upper"])) == (
        pytest.approx(0.9084, abs=7e-5), pytest.approx(0.9148, abs=7e-5),
    )  # fmt: skip
    # At the paper's printed weights the team counts are its own.
    for weight, teams in ((0.9941, 841), (0.9896, 1726)):
        top = weight * float(mean["observed_max"]) + (1 - weight) / 7
        assert int((scores > top).sum()) == teams
    upper = SOTA.shrink(scores, rho=0.6, criterion="upper")
    assert float(upper["weight"]) == pytest.approx(0.9896, abs=5e-5)
    assert float(upper["theta_sota"]) == pytest.approx(0.9036, abs=5e-5)
    assert int(upper["teams_above"]) == 1726
    assert float(upper["expected_max"]) == pytest.approx(0.9082, abs=5e-5)
    assert float(upper["max_lower"]) == pytest.approx(0.9050, abs=5e-5)
    assert float(upper["max_upper"]) == pytest.approx(0.9116, abs=1e-4)
    assert float(mean["theta_sota_lower"]) == pytest.approx(float(upper["theta_sota"]), abs=1e-6)
    crop = SOTA.shrink(scores, rule="crop", rho=0.6)
    assert float(crop["threshold"]) == pytest.approx(0.9063, abs=1e-4)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:LB020")
def test_obesity_risk_as_published(board):
    """Table 4 with teams drawn as the authors' program draws them: theirs is 0.90275, by hand."""
    scores = board("obesity_risk", 13840, classes=7)
    given = {"rho": 0.6, "convention": "published"}
    upper = SOTA.shrink(scores, rule="crop", criterion="upper", **given)
    assert float(upper["threshold"]) == pytest.approx(0.9027, abs=5e-5)
    assert int(upper["teams_above"]) == 1844
    assert float(upper["expected_max"]) == pytest.approx(0.9083, abs=5e-5)
    assert float(upper["max_lower"]) == pytest.approx(0.9050, abs=1e-4)
    assert upper.attrs["convention"] == "published"
    mean = SOTA.shrink(scores, rule="crop", **given)
    # Theirs is 0.90615, above which 1134 scored; printed is the end of its bin, 0.9063.
    assert float(mean["threshold"]) == pytest.approx(0.90615, abs=1e-4)
    assert int((scores > 0.90615).sum()) == 1134
    # Of shrunk scores many are nearly the best: the draw matters little.
    shrunk, once = (SOTA.shrink(scores, **given | {"convention": c}) for c in CONVENTIONS)
    assert float(shrunk["weight"]) == pytest.approx(float(once["weight"]), abs=2e-5)
    assert float(shrunk["naive_upper"]) == float(once["naive_upper"])


CONVENTIONS = ("published", "correct")


def test_each_team_is_taken_once_unless_asked():
    """One team far above: drawn with replacement it is missing in 1 of e boards."""
    board = SOTA.read_board([0.9] + [0.6] * 99, n=1000)
    published, once = (SOTA.shrink(board, rule="crop", convention=c) for c in CONVENTIONS)
    missing = (1 - 1 / 100) ** 100
    low = float(SOTA.maximum(0.6, 100, n=1000)["mean"])
    assert float(once["expected_max"]) == pytest.approx(0.9, abs=1e-6)
    assert float(published["expected_max"]) == pytest.approx(
        missing * low + (1 - missing) * 0.9, abs=2e-3
    )
    assert float(SOTA.shrink(board, rule="crop")["expected_max"]) == float(once["expected_max"])
    with pytest.raises(lb.LeaderbayesError, match=r"published.* is for shares"):
        SOTA.shrink(SOTA.read_board([0.9, 0.8], se=0.1), convention="published")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:LB020")
def test_cassava_leaf_has_no_solution(board):
    for rule in ("shrink", "crop"):
        made = SOTA.shrink(board("cassava_leaf", 15000, classes=5), rule=rule, rho=0.6)
        assert made.attrs["solved"] == 0
        assert "does not explain" in made.attrs["message"]
        assert float(made["theta_sota"]) == float(made["observed_max"])
        assert int(made["teams_above"]) == 0


@pytest.mark.slow
def test_shrinking_finds_the_best_of_equals():
    """300 teams of 0.8: the estimate is near 0.8, the observed maximum is not."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(10):
        scores = SOTA.read_board(rng.binomial(1000, 0.8, size=300) / 1000, n=1000)
        found.append([float(SOTA.shrink(scores)[k]) for k in ("theta_sota", "observed_max")])
    estimate, observed = np.mean(found, axis=0)
    assert observed > 0.83
    # Shrinking keeps the spread of the scores, and so takes too much away.
    assert 0.8 < estimate < observed - 0.005


def test_interval_covers_the_best_of_equals():
    """Boards of equal teams, shrunk to one theta: limits are those of the exact law."""
    rng, inside = np.random.default_rng(3), []
    for _ in range(60):
        scores = np.full(30, rng.binomial(400, 0.7, size=30).max() / 400)
        made = SOTA.shrink(SOTA.read_board(scores, n=400))
        inside.append(float(made["theta_sota_lower"]) <= 0.7 <= float(made["theta_sota_upper"]))
    # 95 %, and counts are discrete; three binomial errors.
    assert np.mean(inside) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 60)


def test_one_team_and_equal_teams():
    one = SOTA.shrink(SOTA.read_board([0.9], n=100))
    assert one.attrs["solved"] == 0
    # One team: the limits are the exact binomial's, up to half an instance.
    assert float(one["theta_sota_lower"]) == pytest.approx(float(one["naive_lower"]), abs=0.01)
    assert float(one["theta_sota_upper"]) == pytest.approx(float(one["naive_upper"]), abs=0.01)
    equal = SOTA.shrink(SOTA.read_board([0.9] * 50, n=100))
    assert equal.attrs["solved"] == 1
    assert float(equal["expected_max"]) == pytest.approx(0.9, abs=1e-6)
    for rho in (0.0, 0.6):
        perfect = SOTA.shrink(SOTA.read_board([1.0, 0.9, 0.8], n=10), rho=rho)
        # A theta of 1 has no luck: nothing beats it.
        assert perfect.attrs["solved"] == 0
        assert float(perfect["theta_sota"]) == 1.0
        assert float(perfect["theta_sota_lower"]) < 0.9


@pytest.mark.parametrize(
    ("options", "message"),
    [({"rule": "trim"}, "rule='trim'"), ({"rho": -0.1}, "rho=-0.1"),
     ({"criterion": "median"}, "criterion='median'"), ({"prob": 1.0}, "prob=1.0"),
     ({"theta_0": 1.5}, "theta_0=1.5"), ({"dependence": "vine"}, "dependence='vine'"),
     ({"convention": "ours"}, "convention='ours'")],
)  # fmt: skip
def test_bad_options(options, message):
    board = SOTA.read_board([0.9, 0.8], n=100)
    with pytest.raises(lb.LeaderbayesError, match=message):
        SOTA.shrink(board, **options)
    with pytest.raises(lb.LeaderbayesError, match="No team scores above chance"):
        SOTA.shrink(SOTA.read_board([0.1], n=10))
    with pytest.raises(lb.LeaderbayesError, match="sota\\.read_board"):
        SOTA.shrink(board.drop_attrs())


def test_equal_estimates():
    """Fifty teams that scored alike: theta is E max of fifty normals, 2.2491 se, below."""
    board = SOTA.read_board([-3.0] * 50, se=0.2, chance=-10.0)
    assert board.attrs["metric"] == "estimate"
    for rho in (0.0, 0.6):
        made = SOTA.shrink(board, rho=rho)
        own = np.sqrt(1.0 - rho**2)
        assert float(made["theta_sota"]) == pytest.approx(-3.0 - 0.2 * own * 2.2491, abs=1e-3)
        assert float(made["expected_max"]) == pytest.approx(-3.0, abs=1e-6)
        assert float(made["naive_lower"]) == pytest.approx(-3.0 - 0.2 * 1.96, abs=1e-3)
        assert float(made["naive_upper"]) == pytest.approx(-3.0 + 0.2 * 1.96, abs=1e-3)
        assert made.attrs["chance"] == -10.0
        assert made.attrs["rho"] == rho
        assert "classes" not in made.attrs


def test_a_noisy_team_explains_its_own_maximum():
    """The best score is one team's with a large error: of ten such, luck is part of it."""
    table = pd.DataFrame({"score": [30.0, *np.linspace(20.0, 24.0, 40)], "sd": [8.0] + [1.0] * 40})
    precise = SOTA.shrink(SOTA.read_board(table, se=1.0, chance=0.0))
    noisy = SOTA.read_board(table, se="sd", chance=0.0)
    made = SOTA.shrink(noisy)
    assert float(made["theta_sota"]) < float(precise["theta_sota"])
    width = made["naive_upper"] - made["naive_lower"]
    assert float(width) == pytest.approx(2 * 1.96 * 8.0, rel=1e-3)  # the best one's own error
    cropped = SOTA.shrink(noisy.assign_attrs(chance=-1.0), rule="crop")
    assert float(cropped["observed_max"]) == 30.0
    assert cropped.attrs["rule"] == "crop"


def test_scales_of_estimates():
    """A precise leader far above noisy teams, and scores of any size."""
    far = pd.DataFrame({"score": [10.0, -900.0, -900.0], "sd": [0.001, 50.0, 50.0]})
    alone = SOTA.shrink(SOTA.read_board(far, se="sd", chance=-1000.0))
    assert alone.attrs["solved"] == 0
    assert float(alone["naive_upper"]) == pytest.approx(10.0 + 1.96 * 0.001, abs=2e-5)
    rng = np.random.default_rng(6)
    scores = 1.0 + 0.01 * rng.normal(size=40)
    found = [
        float(SOTA.shrink(SOTA.read_board(scale * scores, se=scale * 0.01, chance=0.0))["weight"])
        for scale in (1e-6, 1.0, 1e6)
    ]
    np.testing.assert_allclose(found, found[1], atol=1e-6)


def test_nothing_but_luck():
    """Scores that random classifiers reach: the estimate is chance, not an error."""
    board = SOTA.read_board([0.6, 0.55] + [0.51] * 3000, n=100)
    made = SOTA.shrink(board)
    assert made.attrs["solved"] == 1
    assert float(made["theta_sota"]) == pytest.approx(0.5, abs=1e-6)


@pytest.mark.slow
def test_auc_board():
    """A hundred classifiers of AUC 0.85: the best looks better than it is."""
    drawn = np.random.default_rng(2).normal(size=(100, 600))
    drawn[:, :60] += np.sqrt(2.0) * stats.norm.ppf(0.85)
    scores = (drawn[:, :60, None] > drawn[:, None, 60:]).mean(axis=(1, 2))
    board = SOTA.read_board(scores, n=600, metric="auc", positive_rate=0.1)
    made = SOTA.shrink(board)
    assert made.attrs["solved"] == 1
    assert float(made["observed_max"]) > 0.89
    assert 0.85 < float(made["theta_sota"]) < float(made["observed_max"]) - 0.005
    assert float(made["naive_lower"]) < float(made["observed_max"]) < float(made["naive_upper"])
    # Dependent classifiers are lucky together: less of the maximum is luck in choosing.
    dependent = SOTA.shrink(board, rho=0.8)
    assert float(made["theta_sota"]) < float(dependent["theta_sota"])
    assert dependent.attrs["rho"] == 0.8
    with pytest.raises(lb.LeaderbayesError, match="theta_0"):
        SOTA.shrink(board, theta_0=0.9)


def test_chance_of_unequal_classes():
    """Chance is what is given: two classes of which one is 0.7 of the instances."""
    board = SOTA.read_board([0.9, 0.89, 0.88, 0.6], n=100, chance=0.7)
    given = SOTA.shrink(board)
    assert int(given["m"]) == 3
    assert given.attrs["chance"] == 0.7
    np.testing.assert_allclose(
        SOTA.shrink(board.assign_attrs(chance=0.5))["theta_sota"],
        SOTA.shrink(board.drop_attrs().assign_attrs(metric="accuracy", n=100))["theta_sota"],
    )


def test_bad_estimates():
    board = SOTA.read_board([0.5, 1.0], se=0.1)
    with pytest.raises(lb.LeaderbayesError, match=r"chance=.*, or use rule='crop' .--rule crop."):
        SOTA.shrink(board, rule="shrink")
    assert SOTA.shrink(board).attrs["rule"] == "crop"  # where chance is unknown
    for attrs, options, message in (
        ({}, {"theta_0": 0.9}, "theta_0 is for shares"),
        ({"positive_rate": 0.1}, {}, "positive_rate is for boards of AUC"),
        ({"chance": np.inf}, {}, "chance=inf"),
        ({"chance": 2.0}, {}, "No team scores above chance"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=message):
            SOTA.shrink(board.assign_attrs(attrs), rule="crop", **options)


THETA = np.array([0.5, 0.7, 0.72])


@pytest.mark.parametrize("draws", [0, 3])
def test_independent_shares_multiply(draws):
    """Of every team once, or of as many draws from the thetas."""
    law = ShareLaw(n=40, rho=0.0)
    tabled = law(THETA, draws)
    counts = tabled.low + np.arange(len(tabled.cdf))
    each = np.array([stats.binom.cdf(counts, 40, t) for t in THETA])
    expected = each.mean(axis=0) ** 3 if draws else each.prod(axis=0)
    np.testing.assert_allclose(tabled.cdf, expected, atol=1e-9)
    assert law(np.append(THETA, -np.inf)).mean == law(THETA).mean


def test_estimates_are_normal_each_with_its_own_error():
    se = np.array([0.02, 0.01, 0.03])
    tabled = EstimateLaw(se=se, rho=0.0)(THETA)
    score = (tabled.low + 0.5 + np.arange(len(tabled.cdf))) / tabled.steps
    expected = np.prod([stats.norm.cdf(score, t, s) for t, s in zip(THETA, se, strict=True)], 0)
    np.testing.assert_allclose(tabled.cdf, expected, atol=1e-6)
