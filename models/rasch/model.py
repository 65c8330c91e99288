"""Executable specification of Rasch's model: slow and obviously right."""

import numpy as np
import pymc as pm


def model(answers, prior_scale=2.0, difficulty_scale=2.0):
    """Build the model of answers (player, item): 1 right, 0 wrong, nan where nobody asked."""
    players, items = answers.shape
    with pm.Model(coords={"player": range(players), "item": range(items)}) as specification:
        scale = pm.HalfNormal("ability_scale", prior_scale)
        ability = pm.Normal("ability", 0.0, scale, dims="player")
        level = pm.Normal("difficulty_level", 0.0, difficulty_scale)
        selection = pm.Normal("selection", 0.0, difficulty_scale, dims="player")
        spread = pm.HalfNormal("difficulty_scale", difficulty_scale)
        asked = np.isfinite(answers)
        own = level + (asked - asked.mean(axis=1, keepdims=True)).T @ selection
        difficulty = pm.Normal("difficulty", own, spread, dims="item")
        p = pm.math.invlogit(ability[:, None] - difficulty)
        pm.Deterministic("score", p.mean(axis=1), dims="player")
        for i, k in np.argwhere(np.isfinite(answers)):
            pm.Bernoulli(f"answer_{i}_{k}", p[i, k], observed=int(answers[i, k]))
    return specification
