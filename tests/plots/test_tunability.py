"""The figure of what tuning gains."""

import numpy as np

import leaderbayes as lb
from figures import drawn


def test_tunability_draws_quantiles(across):
    collection = lb.plots.tunability(across["tunability"], backend="none")
    epp = across["tunability"]["epp"].sel(player=["p0", "p1", "p2"])
    whole, box = (e for e in drawn(collection, "a", "line"))
    np.testing.assert_allclose(whole["x"][::3], epp.min("player"))
    np.testing.assert_allclose(whole["x"][1::3], epp.max("player"))
    np.testing.assert_allclose(box["x"][1::3], epp.quantile(0.75, "player"))
    limits = [drawn(collection, name, "xlim")[0]["lims"] for name in ("a", "b", "c")]
    assert limits[0] == limits[1] == limits[2]


def test_every_panel_of_a_column_names_its_rows(across):
    for figsize, named in ((None, 1), ("column", 3)):
        made = lb.plots.tunability(across["tunability"], figsize=figsize, backend="none")
        labels = [drawn(made, name, "yticks")[0]["labels"] for name in ("a", "b", "c")]
        assert sum(bool(each) for each in labels) == named
