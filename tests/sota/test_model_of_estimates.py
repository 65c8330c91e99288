"""Boards of estimates and of AUCs."""

import numpy as np
import pandas as pd
from scipy import stats

import leaderbayes as lb
from leaderbayes._numerics import auc


def test_estimates_are_normal():
    """One normal law, independent errors: given its parameters the posterior is conjugate."""
    rng, m = np.random.default_rng(7), 60
    theta = rng.normal(3.0, 0.5, m)
    se = rng.uniform(0.2, 0.6, m)
    table = pd.DataFrame({"team": range(m), "score": rng.normal(theta, se), "se": se})
    board = lb.sota.read_board(table, se="se")
    dt = lb.sota.posterior(board, law="beta", draws=1000, seed=1)
    post = dt["posterior"].to_dataset().stack(s=("chain", "draw"))
    scale, location = post["scale"].to_numpy(), post["location"].to_numpy()
    kept = scale**2 / (scale**2 + se[:, None] ** 2)
    mean = location + kept * (board.to_numpy()[:, None] - location)
    drawn = post["theta"].transpose("team", "s").to_numpy()
    gap = (drawn - mean) / (np.sqrt(kept) * se[:, None])
    assert stats.kstest(gap[:, ::40].ravel(), "norm").pvalue > 1e-3
    made = lb.sota.summary(dt)
    assert made["theta_sota_lower"] < theta.max() < made["theta_sota_upper"]
    assert float(made["theta_sota"]) < float(board.max())


def test_auc_board():
    rng = np.random.default_rng(8)
    theta = np.clip(rng.normal(0.85, 0.02, 200), 0.0, 0.99)
    board = lb.sota.read_board(
        auc.draw(theta, 60, 940, rng), n=1000, metric="auc", positive_rate=0.06
    )
    dt = lb.sota.posterior(board, seed=1)
    made = lb.sota.summary(dt)
    assert made["theta_sota_lower"] < theta.max() < made["theta_sota_upper"]
    assert float(made["theta_sota"]) < float(board.max()) - 0.01
