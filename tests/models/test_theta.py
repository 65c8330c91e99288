"""What can be said of P(theta), of a posterior and of a model for simulation alike."""

import pytest

import leaderbayes as lb


@pytest.fixture(scope="module")
def board():
    return lb.sota.read_board([0.91, 0.9, 0.88, 0.85], n=100)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"law": "gamma"}, "law='gamma': choose"),
        ({"law": 0.9}, "a frozen scipy.stats law, such as"),
        ({"components": 1}, "components=1"),
        ({"statistic": "best"}, "statistic='best': choose 'board', 'moments' or 'maximum'"),
        ({"theta_0": 1.5}, "theta_0=1.5"),
        ({"floor": 1.0}, "floor=1.0"),
        ({"epsilon": "wide"}, "epsilon"),
    ],
)
@pytest.mark.parametrize("of", [lb.models.sota, lb.sota.posterior], ids=["model", "posterior"])
def test_what_cannot_be_said(of, given, message, board):
    with pytest.raises(lb.LeaderbayesError, match=message):
        of(board, **given)
