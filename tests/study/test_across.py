"""What draws are summarised to, over tournaments."""

import numpy as np
import pytest

from leaderbayes.study._across import across


def test_a_mean_of_independent_tournaments(study):
    """Draws of tournaments are independent, whatever their numbers; p5 is absent in one."""
    rng = np.random.default_rng(5)

    def normal(fit):
        here = fit["posterior"]["player"].to_index()
        return rng.normal(3.0, size=(4000, len(here))), here

    made = across(study, normal, 0.9)
    assert dict(made.sizes) == {"tournament": 4, "player": 6}
    assert np.isnan(made["mean"].sel(tournament="three", player="p5"))
    for player, count in (("p0", 4), ("p5", 3)):
        own = made.sel(player=player)
        sd = 1.0 / np.sqrt(count)
        # Of 400 draws, the fewest that a fit has.
        assert float(own["overall"]) == pytest.approx(3.0, abs=4.0 * sd / 20.0)
        width = float(own["overall_upper"] - own["overall_lower"])
        assert width == pytest.approx(2.0 * 1.645 * sd, rel=0.25)


def test_ends_of_counts_are_counts(study):
    def draws(fit):
        here = fit["posterior"]["player"].to_index()
        return np.repeat(np.arange(400.0)[:, None], len(here), axis=1), here

    assert set(across(study, draws, 0.9, "inverted_cdf")["lower"].to_numpy()[0]) == {19.0}
    np.testing.assert_allclose(across(study, draws, 0.9)["lower"].to_numpy()[0], 19.95)
