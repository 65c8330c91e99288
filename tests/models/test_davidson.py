"""Davidson's model: one trinomial a match, by hand, and replicates that tie."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board
from graphs import AS_IT_STANDS


def test_two_players():
    """Three wins, a loss and two ties: log-likelihood of six trinomials."""
    scores = board([[2.0, 2.0, 2.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 2.0, 1.0, 1.0]])
    model = lb.models.davidson(lb.matches(scores), weight=1.0, centring=0.0)
    (graph,) = model.logp(vars=[model["place"]], sum=False)
    values = model.replace_rvs_by_values([model["epp"], model["tie"]])
    function = model.compile_fn(
        [*values, graph], inputs=model.value_vars, point_fn=True, mode=AS_IT_STANDS
    )
    rng = np.random.default_rng(3)
    point = {k: rng.normal(size=np.shape(v)) for k, v in model.initial_point().items()}
    b, nu, found = function(point)
    odds = np.exp([b[0], b[1], nu + b.mean()])
    win, loss, tie = np.log(odds / odds.sum())
    np.testing.assert_allclose(found, [win, win, win, loss, tie, tie])


@pytest.mark.parametrize("nu", [-1.0, 1.0])
def test_equal_players_tie_at_davidsons_rate(nu):
    import pymc as pm

    rounds = 4000
    made = lb.matches(board(np.tile([[1.0, 2.0], [2.0, 1.0]], rounds // 2)))
    model = pm.do(
        lb.models.davidson(made, weight=1.0, centring=0.0),
        {"tie": nu, "epp_unit": np.zeros(2)},
    )
    place = pm.draw(model["place"], random_seed=1, mode=AS_IT_STANDS)
    share = (place[:, 0] == place[:, 1]).mean()
    p = np.exp(nu) / (2.0 + np.exp(nu))
    assert share == pytest.approx(p, abs=4.0 * np.sqrt(p * (1.0 - p) / rounds))
