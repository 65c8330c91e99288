"""Models beside each other: several tournaments; rankings and pairs."""

import numpy as np
import pytest
from scipy.special import expit

import leaderbayes as lb
from conftest import TRUTH, board


@pytest.fixture(scope="module")
def fitted_tournaments(tournaments):
    return lb.fit(tournaments, "tournaments", seed=1, draws=2000, progressbar=False)


@pytest.mark.filterwarnings(
    "ignore:Estimated shape parameter of Pareto:UserWarning",
    "ignore:LB013:leaderbayes.LeaderbayesWarning",
)
@pytest.mark.slow
def test_rounded_scores_mean_the_same_to_rankings_and_to_pairs():
    """Twelve percent of pairs tie; strengths and checks are those of pairs, ties half."""
    rng = np.random.default_rng(4)
    noisy = TRUTH[:, None] + rng.gumbel(size=(5, 150))
    scores = board(np.floor(noisy / 0.8 + rng.random(150)))
    pairs = lb.fit(scores, sampler="metropolis", seed=1)
    ranking = lb.fit(scores, "plackett_luce", seed=1, replicates=200, progressbar=False)
    assert ranking.attrs["converged"]
    assert "tie" not in ranking["posterior"]
    wins = [lb.win_probability(dt)["mean"] for dt in (pairs, ranking)]
    # Either has an error of some 0.035 from the same rounds, and apart they are a third of that.
    np.testing.assert_allclose(wins[0], wins[1], atol=0.035)
    boards = [lb.leaderboard(dt) for dt in (pairs, ranking)]
    assert boards[0]["player"].tolist() == boards[1]["player"].tolist()
    # Replicates tie as often as the board, and as often in each round.
    place = ranking["posterior_predictive"]["place"].stack(sample=("chain", "draw"))
    drawn = np.sort(place.transpose("sample", "round", "player"))
    seen = np.sort(ranking["observed_data"]["place"].transpose("round", "player"))
    np.testing.assert_array_equal(drawn, np.broadcast_to(seen, drawn.shape))
    # Scores that round to the same were near each other, replicates' ties are anywhere: a board
    # that ties varies less than its replicates, and no upper bound is right.
    assert float(lb.check(ranking, draws=200)["p_value"]) > 0.05
    assert lb.deviance(ranking)["value"] == pytest.approx(lb.deviance(pairs)["value"])
    assert lb.loo(ranking).elpd == pytest.approx(lb.loo(pairs).elpd, abs=3.0)


@pytest.mark.slow
def test_tournaments_recover_means_and_spread(fitted_tournaments):
    posterior = fitted_tournaments["posterior"]
    sums = posterior["epp_tournament"].isel(player=slice(0, 4)).sum("player")
    np.testing.assert_allclose(sums.sel(tournament="data 1"), 0.0, atol=1e-9)
    for name, truth in (("epp", TRUTH - TRUTH.mean()), ("epp_spread", 0.7)):
        draws = posterior[name]
        z = (draws.mean(("chain", "draw")) - truth) / draws.std(("chain", "draw"))
        assert float(np.abs(z).max()) < 3.5


@pytest.mark.slow
def test_a_new_tournament_is_a_mean_over_its_deviations(fitted_tournaments):
    posterior = fitted_tournaments["posterior"].to_dataset().stack(sample=("chain", "draw"))
    rng = np.random.default_rng(0)
    gap = posterior["epp"].sel(player="p0") - posterior["epp"].sel(player="p1")
    spread = posterior["epp_spread"].to_numpy()
    simulated = expit(gap.to_numpy() + np.sqrt(2.0) * spread * rng.normal(size=(200, 8000)))
    answer = lb.compare(fitted_tournaments, "p0", "p1")["win_probability"]
    assert answer == pytest.approx(simulated.mean(), abs=0.002)


@pytest.mark.slow
def test_functions_on_a_study_take_a_fit_of_many(fitted_tournaments):
    names = [f"data {t}" for t in range(6)]
    table = lb.study.compare(fitted_tournaments, draws=5)
    assert list(table["tournament"]) == names
    assert list(table["players"]) == [5, 4, 5, 5, 5, 5]
    assert table["deviance"].sum() == pytest.approx(lb.deviance(fitted_tournaments)["value"])
    mean = lb.study.average(fitted_tournaments)["mean"]
    epp = fitted_tournaments["posterior"]["epp_tournament"]
    np.testing.assert_allclose(mean[0], expit(epp[..., 0, :]).mean(("chain", "draw")))
    assert np.isnan(mean.sel(tournament="data 1", player="p4"))
    assert np.abs(lb.study.unusual(fitted_tournaments)["z"]).max() < 3.0
    assert lb.study.embedding(fitted_tournaments)["score"].shape == (6, 2)
    groups = {"p0": "a", "p1": "a", "p2": "b", "p3": "b", "p4": "b"}
    assert lb.study.tunability(fitted_tournaments, groups)["gain"].notnull().all()
