"""Each model thrice: the plain specification in models/, the pm.Model, and the fast engine's."""

import runpy
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from graphs import AS_IT_STANDS
from leaderbayes._numerics.mean_score import noise_of
from leaderbayes._numerics.score_tournaments import SHARE, axes_of, tables_of
from leaderbayes.models import _tournaments
from leaderbayes.models._prior import rank_reliability, reliability
from leaderbayes.models._registry import MODELS

FOLDER = Path(__file__).parents[2] / "models"
POINTS = 10
ONE_BOARD = ["bradley_terry", "davidson", "plackett_luce", "round_intercept"]


def specification(name):
    return runpy.run_path(str(FOLDER / name / "model.py"))["model"]


@pytest.fixture(scope="module")
def board(tied_scores):
    """Four players, three rounds; a tie, and a player missing from a round."""
    values = [[3.0, 1.0, 2.0], [2.0, 1.0, np.nan], [1.0, 3.0, 1.0], [0.0, 2.0, 3.0]]
    return tied_scores.isel(player=slice(0, 4), round=slice(0, 3)).copy(data=values)


def built(name, board, **options):
    with warnings.catch_warnings():
        # So small a board falls into groups; its likelihood is the same.
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        matches = lb.matches(board)
        return matches, MODELS[name].build(matches, **options)


def centring(name, matches, eta):
    """How the model samples strengths, which leaves them the same."""
    place = matches["place"].to_numpy()
    return rank_reliability(place) if name == "plackett_luce" else reliability(matches, eta)


@pytest.mark.parametrize("name", ONE_BOARD)
def test_pymc_model_equals_the_specification(name, board):
    weight = 0.4 if name == "plackett_luce" else "composite"
    matches, fast = built(name, board, weight=weight)
    eta = fast["weight"].get_value()
    slow = specification(name)(board.to_numpy(), eta, centring=centring(name, matches, eta))
    rng = np.random.default_rng(0)
    logp = [m.compile_logp(mode=AS_IT_STANDS) for m in (slow, fast)]
    points = [
        {key: rng.normal(size=np.shape(value)) for key, value in fast.initial_point().items()}
        for _ in range(POINTS)
    ]
    gaps = [logp[0](point) - logp[1](point) for point in points]
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-8)


@pytest.mark.parametrize("name", ["bradley_terry", "davidson", "plackett_luce"])
def test_fast_engine_has_the_density_of_the_pymc_model(name, board):
    matches, model = built(name, board)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        problem = MODELS[name].problem(matches)
    eta = model["weight"].get_value()
    c = centring(name, matches, eta)
    logp = model.compile_logp(mode=AS_IT_STANDS)
    rng, gaps = np.random.default_rng(1), []
    extra = len(problem.target.extra_scale)
    for _ in range(POINTS):
        t, unit, tie = rng.normal(), rng.normal(size=4), rng.normal(size=extra)
        point = {"epp_scale_log__": t, "epp_unit": unit} | ({"tie": tie[0]} if extra else {})
        # Strengths are scale ** (1 - c) units: the Jacobian of four of them.
        a = np.exp((1.0 - c) * t) * unit
        x = np.append(a, tie)[None]
        own = problem.target.log_density(x, t)[0] + (1.0 - c) * 4 * t
        gaps.append(own - logp(point))
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-8)


def test_rounds_have_the_same_log_likelihood_with_and_without_pymc(board):
    """PMRA's, whose intercepts the fast engine integrates out, given all of its variables."""
    matches, model = built("round_intercept", board)
    problem = MODELS["round_intercept"].problem(matches)
    logp = model.compile_logp(model["outcome"], sum=False, mode=AS_IT_STANDS)
    wanted = [model[name] for name in ("epp", "intercept", "intercept_round")]
    values = model.compile_fn(
        model.replace_rvs_by_values(wanted), inputs=model.value_vars, point_fn=True,
        mode=AS_IT_STANDS, on_unused_input="ignore",
    )  # fmt: skip
    rng = np.random.default_rng(2)
    for _ in range(POINTS):
        point = {k: rng.normal(size=np.shape(v)) for k, v in model.initial_point().items()}
        drawn = dict(zip(("epp", "intercept", "intercept_round"), values(point), strict=True))
        own = problem.log_likelihood({k: np.asarray(v)[None] for k, v in drawn.items()})[0]
        np.testing.assert_allclose(own, logp(point)[0], atol=1e-10)


def test_tournaments_equal_the_specification(scores):
    two = [scores[:4, :2], -scores[:4, 2:4]]
    two[1] = two[1].assign_coords(round=two[0]["round"])
    two[1][0] = np.nan
    boards = xr.concat(two, pd.Index(["x", "y"], name="tournament")).assign_attrs(scores.attrs)
    matches = lb.matches(boards)
    with pytest.warns(lb.LeaderbayesWarning, match="LB011 2 tournaments"):
        fast = lb.models.tournaments(matches, weight=0.4)
    found = _tournaments._boards(matches, 0.4, None)
    c, mean_c = _tournaments._reliabilities(found, matches["player"].to_numpy())
    slow = specification("tournaments")(
        boards.to_numpy(), np.full((2, 2), 0.4), mean_centring=mean_c
    )
    logp = [m.compile_logp(mode=AS_IT_STANDS) for m in (slow, fast)]
    mean_of = fast.compile_fn(
        fast.replace_rvs_by_values([fast["epp"]])[0], inputs=fast.value_vars, point_fn=True,
        mode=AS_IT_STANDS, on_unused_input="ignore",
    )  # fmt: skip
    rng, gaps = np.random.default_rng(1), []
    present = found.present
    cells = np.nonzero(present)
    share = present / present.sum(axis=1, keepdims=True)
    for _ in range(POINTS):
        point = {k: rng.normal(size=np.shape(v)) for k, v in fast.initial_point().items()}
        mean, spread = mean_of(point), np.exp(point["epp_spread_log__"])
        expected = (mean - (share @ mean)[:, None])[cells]
        strength = np.tile(mean, (2, 1))
        # Deviations as the fast model samples them; absent players at their mean.
        strength[cells] += spread ** (1.0 - c) * (point["spread_unit"] - c * expected)
        there = {k: point[k] for k in ("epp_scale_log__", "epp_unit_zerosum__", "epp_spread_log__")}
        lacking = -(~present).sum() * np.log(spread)
        jacobian = (1.0 - c) * len(cells[0]) * np.log(spread)
        gaps.append(logp[0](there | {"strength": strength}) - lacking + jacobian - logp[1](point))
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-7)


def test_strengths_over_time_equal_the_specification(board):
    """And rounds stand in the order of their periods."""
    rounds = board["round"].to_numpy()
    period = dict(zip(rounds, ["b", "a", "b"], strict=True))
    fast = built("dynamic", board, period=period)[1]
    assert list(fast.coords["period"]) == ["a", "b"]
    assert list(fast.coords["round"]) == [rounds[1], rounds[0], rounds[2]]
    slow = specification("dynamic")(
        board.to_numpy()[:, [1, 0, 2]], fast["weight"].get_value(), [0, 1, 1]
    )
    values = [fast[name] for name in ("epp_period", "epp_unit", "step_unit")]
    strengths_of = fast.compile_fn(
        fast.replace_rvs_by_values(values), inputs=fast.value_vars, point_fn=True,
        mode=AS_IT_STANDS, on_unused_input="ignore",
    )  # fmt: skip
    logp = [m.compile_logp(mode=AS_IT_STANDS) for m in (slow, fast)]
    rng, gaps = np.random.default_rng(1), []
    for _ in range(POINTS):
        point = {k: rng.normal(size=np.shape(v)) for k, v in fast.initial_point().items()}
        b, unit, step = strengths_of(point)
        there = {k: point[k] for k in ("epp_scale_log__", "epp_step_log__")}
        jacobian = 0.0
        for name, own, sampled, scale in (
            ("epp_0", b[0], unit, "epp_scale_log__"),
            ("step_1", b[1] - b[0], step[0], "epp_step_log__"),
        ):
            # PyMC's coordinates of what sums to zero.
            there[f"{name}_zerosum__"] = own[:-1] - own[-1] * 2.0 / (2.0 + 4.0)
            # Three of four that sum to zero; 1 or a power of the scale, as it is centred.
            ratio = np.log(np.linalg.norm(own) / np.linalg.norm(sampled))
            np.testing.assert_allclose(own, np.exp(ratio) * sampled)
            jacobian += 3.0 * ratio
            assert -1e-9 <= ratio / point[scale] <= 1.0 + 1e-9
        gaps.append(logp[0](there) + jacobian - logp[1](point))
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-7)


def random_scores(*shape):
    dims = ("tournament", "player", "round")[-len(shape) :]
    values = np.random.default_rng(0).normal(size=(*shape[:-1], 1))
    values = values + np.random.default_rng(1).normal(size=shape)
    coords = {dim: [f"{dim[0]}{k}" for k in range(n)] for dim, n in zip(dims, shape, strict=True)}
    return xr.DataArray(values, coords, dims)


def test_mean_scores_equal_the_specification():
    """Of rounds that share luck; `test_mean_score` has the closed form that fits draw from."""
    board, fraction = random_scores(3, 4), 0.2
    plain = runpy.run_path(str(FOLDER / "mean_score" / "model.py"))
    y, luck = board.to_numpy(), fraction / (1.0 - fraction)
    root = np.linalg.cholesky(plain["noise"](y)[0])
    fast, slow = lb.models.mean_score(board, test_fraction=fraction), plain["model"](y, fraction)
    logp = [m.compile_logp(mode=AS_IT_STANDS) for m in (slow, fast)]
    rng, gaps = np.random.default_rng(1), []
    for _ in range(POINTS):
        point = {k: rng.normal(size=np.shape(v)) for k, v in fast.initial_point().items()}
        other, size = dict(point), luck * np.exp(point["noise_spread_log__"])
        other["effect"] = root @ other.pop("score_unit")
        other["luck"] = np.sqrt(size) * (root @ other.pop("luck_unit"))
        gaps.append(logp[0](other) + 0.5 * len(y) * np.log(size) - logp[1](point))
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-5)


def test_mean_scores_over_data_sets_equal_the_specification():
    boards = random_scores(3, 3, 4)
    y = boards.to_numpy()
    found = tables_of(y, 0.0)
    at = axes_of(noise_of(found.mean).covariance, found.within)
    fast, slow = lb.models.score_tournaments(boards), specification("score_tournaments")(y)
    logp = [m.compile_logp(mode=AS_IT_STANDS) for m in (slow, fast)]
    means_of = fast.compile_fn(
        fast.replace_rvs_by_values([fast["score_tournament"]])[0], inputs=fast.value_vars,
        point_fn=True, mode=AS_IT_STANDS, on_unused_input="ignore",
    )  # fmt: skip
    rng, gaps = np.random.default_rng(1), []
    for _ in range(POINTS):
        point = {k: rng.normal(size=np.shape(v)) for k, v in fast.initial_point().items()}
        c, other = np.exp(point["noise_spread_log__"]), dict(point)
        del other["deviation_unit"]
        other["effect"] = at.v @ other.pop("score_unit")
        other["score_tournament"] = means_of(point)
        jacobian = 0.5 * len(y) * np.log(np.maximum(c - at.e, SHARE * c)).sum()
        gaps.append(logp[0](other) + jacobian - logp[1](point))
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-5)


def test_every_model_has_a_folder():
    folders = {path.name for path in FOLDER.iterdir() if (path / "model.py").exists()}
    assert folders - {"votes"} == set(lb.models.__all__)
    for name in folders:
        assert (FOLDER / name / "README.md").read_text().startswith("# ")
