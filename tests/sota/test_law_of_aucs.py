"""The law of the best AUC."""

import numpy as np
import pytest

import leaderbayes as lb


def test_best_auc():
    """Section 5.2.2, by 10 000 simulations: E max 0.9562, sd 0.0045, interval 0.9486 to 0.9662."""
    law = lb.sota.maximum(0.9, 1000, n=3000, positive_rate=0.017)
    assert (law.attrs["positives"], law.attrs["negatives"]) == (51, 2949)
    assert float(law["mean"]) == pytest.approx(0.9562, abs=5e-4)
    assert float(law["sd"]) == pytest.approx(0.00446, abs=1e-4)
    quantile = law["quantile"].sel(probability=[0.025, 0.975])
    np.testing.assert_allclose(quantile, [0.9486, 0.9662], atol=6e-4)
    for rate, message in ((0.0, "positive_rate=0.0"), (1e-5, "leaves one class")):
        with pytest.raises(lb.LeaderbayesError, match=message):
            lb.sota.maximum(0.9, 10, n=3000, positive_rate=rate)
