"""Which models there are of what, where that makes a difference."""

OF_SCORES = ("mean_score", "score_tournaments")  # in the metric's own unit
OF_SEVERAL = ("tournaments", "score_tournaments")  # of many tournaments at once
WITHOUT_PYMC = ("auto", "laplace", "nutpie")  # samplers, of draws of our own
