"""How NUTS is set for boards of every size."""

import pytest

from leaderbayes._inference.nuts import adaptation


@pytest.mark.parametrize(
    ("parameters", "variables", "accept", "matrix"),
    [(150, 2, 0.9, "low_rank"), (150, 4, 0.97, "low_rank"), (151, 4, 0.9, "diag")],
)
def test_a_low_rank_matrix_while_it_pays(parameters, variables, accept, matrix):
    nuts = adaptation("nutpie", parameters, variables)["nuts"]
    assert nuts == {"target_accept": accept, "adaptation": matrix}


def test_other_samplers_have_no_such_matrix():
    assert adaptation("pymc", 10)["nuts"] == {"target_accept": 0.9}
