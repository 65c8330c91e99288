"""The one view of a posterior: what it reads, and what it says of one that lacks something."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
import posteriors
from conftest import TRUTH, flat, simulate, tree
from leaderbayes._fits.matches import boards_of
from leaderbayes._fits.posterior import Posterior


@pytest.fixture(scope="module")
def scores():
    made = simulate([0.8, 0.4, 0.0, -0.4, -0.8], 12, np.random.default_rng(5))
    made[1, 3] = np.nan
    return made


@pytest.fixture(scope="module")
def dt(scores):
    return lb.fit(scores, draws=50, seed=1, replicates=20)


def changed(dt, group="posterior", attrs=(), **variables):
    """A copy with other variables and attributes; None drops them."""
    made = dt.copy()
    inside = made[group].to_dataset()
    inside = inside.drop_vars([k for k, v in variables.items() if v is None])
    made[group] = xr.DataTree(inside.assign({k: v for k, v in variables.items() if v is not None}))
    made.attrs = {k: v for k, v in (dt.attrs | dict(attrs)).items() if v is not None}
    return made


def test_of_a_fit(dt, scores):
    post = Posterior(dt)
    assert (post.parameter, post.who, post.model.name) == ("epp", "player", "bradley_terry")
    assert not post.several
    assert post.standing is post.draws
    np.testing.assert_array_equal(post.players[post.order], lb.leaderboard(dt)["player"])
    np.testing.assert_array_equal(post.ranks, (-post.draws).argsort(axis=1).argsort(axis=1) + 1)
    xr.testing.assert_equal(post.scores.transpose("player", "round"), scores)
    assert post.data is post.scores
    xr.testing.assert_equal(post.matches(), lb.matches(scores).drop_vars("scores"))
    pair = post.matches(["p3", "p1"])
    assert pair["wins"].sel(player="p3", opponent="p1") == post.matches()["wins"][3, 1]
    ((board, draws),) = boards_of(post)
    np.testing.assert_array_equal(draws, flat(dt))
    assert board.attrs == {"within_round": 1, "ties": "half"}
    assert post.seed == 1
    assert post.option("prior_df") == 4.0
    assert post.option("absent", "x") == "x"
    assert post.test_fraction is None


def test_of_draws_alone():
    """Without anything beside them, as from a model of the user's own."""
    post = Posterior(tree(np.random.default_rng(1).normal(size=(1, 20, 3))))
    assert post.trust == {"converged": 1, "warnings": '["w"]'}
    assert post.scores is None
    assert post.test_fraction is None
    assert post.seed == 0
    with pytest.raises(lb.LeaderbayesError, match="no observed_data/place; sample a model of"):
        post.matches()
    with pytest.raises(lb.LeaderbayesError, match="no group 'constant_data'; to add it"):
        post.constant  # noqa: B018


def test_places_stand_for_scores_that_are_unknown(dt):
    bare = changed(dt, "constant_data", scores=None)
    post = Posterior(bare)
    xr.testing.assert_equal(post.matches(), Posterior(dt).matches())
    assert not post.data.attrs["higher_is_better"]
    xr.testing.assert_equal(lb.matches(post.data)["wins"], Posterior(dt).matches()["wins"])


def test_several_tournaments(tournaments):
    """Each has its own players, rounds and strengths."""
    dt = posteriors.tournaments(tournaments, TRUTH)
    epp = dt["posterior"]["epp_tournament"].to_numpy().reshape(-1, 6, 5)
    post = Posterior(dt)
    assert post.several
    boards = boards_of(post)
    assert len(boards) == 6
    for t, (board, draws) in enumerate(boards):
        alone = lb.matches(tournaments.isel(tournament=t, drop=True))
        np.testing.assert_array_equal(board["player"], alone["player"])
        np.testing.assert_array_equal(board["wins"], alone["wins"])
        at = post.players.get_indexer(pd.Index(alone["player"]))
        np.testing.assert_array_equal(draws, epp[:, t][:, at])


def test_less_is_better_of_losses():
    score = np.arange(3.0) + np.random.default_rng(1).normal(size=(1, 20, 3))
    made = tree(score)
    made["posterior"] = xr.DataTree(made["posterior"].to_dataset().rename(epp="score"))
    known = xr.Dataset(
        {"scores": (("player", "round"), [[0.1, np.nan], [0.2, 1.0], [0.3, 2.0]]),
         "higher_is_better": ("model", [0])},
        {"player": ["p0", "p1", "p2"]},
    )  # fmt: skip
    made["constant_data"] = xr.DataTree(known)
    made.attrs = {}
    post = Posterior(made)
    np.testing.assert_array_equal(post.standing, -post.draws)
    assert post.order.tolist() == [0, 1, 2]
    # A pm.Model holds minus infinity for a missing score.
    filled = changed(made, "constant_data", scores=known["scores"].fillna(-np.inf))
    xr.testing.assert_identical(Posterior(filled).scores, post.scores)


def test_players_by_name_and_not_by_place(dt):
    """In another order, in one group or all, the answers are the same."""
    order = [3, 0, 4, 1, 2]
    for group in ("posterior", "observed_data", "constant_data"):
        other = dt.copy()
        other[group] = xr.DataTree(dt[group].to_dataset().isel(player=order))
        assert lb.deviance(other)["value"] == pytest.approx(float(lb.deviance(dt)["value"]))
        made, own = (lb.leaderboard(each).set_index("player") for each in (other, dt))
        pd.testing.assert_frame_equal(made.sort_index(), own.sort_index())
    fewer = dt.copy()
    fewer["observed_data"] = xr.DataTree(dt["observed_data"].to_dataset().isel(player=slice(3)))
    with pytest.raises(lb.LeaderbayesError, match="has players that place does not have"):
        lb.deviance(fewer)


@pytest.mark.parametrize(
    ("given", "message"),
    [(xr.Dataset(), "a DataTree from leaderbayes.fit or pm.sample, not Dataset"),
     (None, "not NoneType"), (xr.DataTree(), "has no posterior: of a study choose one fit"),
     (xr.DataTree.from_dict({"posterior": xr.Dataset({"b": 1.0})}), "none of epp .player., score")],
)  # fmt: skip
def test_what_is_no_posterior(given, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        Posterior(given)


def test_draws_that_are_no_numbers(dt):
    epp = dt["posterior"]["epp"]
    lost = epp.copy()
    lost[:, 20:, 1] = np.nan  # Zarr fills a chunk that is gone so
    for wrong, message in {
        "lost": (lost, "values in posterior/epp that are not finite"),
        "inf": (epp.where(epp["player"] != "p0", np.inf), "not finite"),
        "text": (epp.astype(str), "not finite"),
        "complex": (epp.astype(complex), "not finite"),
        "no draw": (epp.isel(draw=slice(0)), "not finite"),
        "one draw": (epp.isel(draw=0, drop=True), "lost the dimensions chain and draw"),
    }.values():
        made = changed(dt, epp=None, epp_scale=None)
        made["posterior"] = xr.DataTree(xr.Dataset({"epp": wrong}))
        for answer in (lb.leaderboard, lb.win_probability, lb.groups, lb.deviance, lb.plan):
            with pytest.raises(lb.LeaderbayesError, match=message):
                answer(made)


def test_places_of_another_board_are_not_those_of_the_scores(dt):
    other = dt["observed_data"]["place"]
    made = changed(dt, "observed_data", place=other.copy(data=other.to_numpy()[:, ::-1]))
    assert Posterior(dt).scores is not None
    assert Posterior(made).scores is None
    assert lb.elo(made, seed=1)["player"].tolist() == ["p4", "p3", "p2", "p1", "p0"]


def test_no_posterior_of_draws_is_an_estimate(dt):
    with pytest.raises(lb.LeaderbayesError, match="takes an estimate"):
        lb.leaderboard(dt["posterior"].to_dataset())


@pytest.mark.parametrize("answer", [lb.check, lb.loo])
def test_items_have_no_replicates_to_be_added(answer, scores):
    items = lb.fit((scores.fillna(0.0) > 0.0).astype(float), draws=50, seed=1)
    with pytest.raises(lb.LeaderbayesError, match="use model='rasch' for items"):
        answer(items)


def test_players_of_one_name(dt):
    twice = dt.copy()
    twice["posterior"] = xr.DataTree(dt["posterior"].to_dataset().isel(player=[0, 0, 1]))
    with pytest.raises(lb.LeaderbayesError, match="without a name, or a name twice"):
        lb.leaderboard(twice)


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        ({"converged": "no"}, "attribute converged='no', which cannot be read"),
        ({"converged": np.nan}, "attribute converged=nan"),
        ({"warnings": "{"}, "attribute warnings='{'"),
        ({"arguments": ""}, "attribute arguments=''"),
        ({"seed": "x"}, "attribute seed='x'"),
    ],
)
def test_attributes_that_cannot_be_read(dt, attrs, message):
    post = Posterior(changed(dt, attrs=attrs))
    with pytest.raises(lb.LeaderbayesError, match=message):
        [getattr(post, name) for name in ("trust", "seed", "arguments")]


def test_what_it_came_from_is_named(dt):
    wrong = changed(dt, attrs={"tournament": "iris", "converged": "x"})
    wrong.encoding = {"source": "here/posterior.nc"}
    said = r"^here/posterior\.nc: the posterior of 'iris' has the attribute converged='x'"
    with pytest.raises(lb.LeaderbayesError, match=said):
        lb.leaderboard(wrong)


@pytest.mark.parametrize("apart", [0.0, 0.5])
def test_draws_of_other_samplers_are_diagnosed(apart):
    draws = np.random.default_rng(1).normal(size=(4, 500, 3)) + apart * np.arange(4)[:, None, None]
    made = tree(draws)
    made.attrs = {}
    table = lb.leaderboard(made)
    assert table.attrs["converged"] == int(apart == 0.0)


def test_attributes_may_be_absent(dt):
    bare = dt.copy()
    bare.attrs = {}
    post = Posterior(bare)
    assert post.model.name == "bradley_terry"  # as the coordinate of constant_data says
    table = lb.leaderboard(bare)
    own = {"converged": 0, "warnings": "[]"}  # so few draws by themselves show no convergence
    said = ("disagreement", "estimand")  # of a board that lacks scores
    assert table.attrs == own | {k: v for k, v in table.attrs.items() if k in said}
    pd.testing.assert_frame_equal(table, lb.leaderboard(dt))
    assert json.loads(post.trust["warnings"]) == []


def test_a_model_completes_what_a_sampler_left_out(dt, monkeypatch):
    """Such as thetas of teams where boards were simulated."""
    from leaderbayes.models._registry import MODELS

    def complete(tree):
        if "epp" in tree["posterior"].data_vars:
            return tree
        made = tree.copy()
        made["posterior"] = xr.DataTree(tree["posterior"].to_dataset().rename(b="epp"))
        return made

    whole = dataclasses.replace(MODELS["bradley_terry"], complete=complete)
    monkeypatch.setitem(MODELS, "bradley_terry", whole)
    part = dt.copy()
    part["posterior"] = xr.DataTree(dt["posterior"].to_dataset().rename(epp="b"))
    pd.testing.assert_frame_equal(lb.leaderboard(part), lb.leaderboard(dt))


def test_accuracies_of_an_easy_data_set_are_no_answers(scores):
    """More than half of them are 1, and none is 0: as on 7 of 142 time-series data sets."""
    easy = (1.0 + scores.fillna(0.0) / 20.0).clip(max=1.0)
    assert float((easy == 1.0).mean()) > 0.5
    assert lb.fit(easy, draws=50, seed=1, replicates=20).attrs["model"] == "bradley_terry"
    assert lb.fit((easy == 1.0) * 1.0, draws=50, seed=1).attrs["model"] == "mean_score"


def test_pairs_of_very_many_players_are_not_counted(dt, monkeypatch):
    monkeypatch.setattr("leaderbayes._fits.posterior.MOST_COMPARED", 3)
    monkeypatch.setattr(Posterior, "matches", None)
    np.testing.assert_array_equal(Posterior(dt).draws, flat(dt))
