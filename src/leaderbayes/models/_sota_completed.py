"""Thetas of all teams, and replicated boards, added to a posterior of the best."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy.special import betainc, ndtr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.board_scale import Scale, place
from leaderbayes._types import Floats
from leaderbayes.models._theta import scale_of

_FINE = 0.25  # width of cells, for laws that are narrower than a score's error
_BASE = 1e-6  # share of a flexible law that is spread evenly: no team is without a theta
# What else a board says of itself.
_FACTS = ("n", "chance", "classes", "positive_rate", "rho", "higher_is_better")


class Law(NamedTuple):
    """P(theta) of each draw."""

    below: Callable[[int, Floats], Floats]  # distribution function of a draw, at thetas
    draw: Callable[[np.random.Generator, int], Floats]  # (draw, team)


def board_of(dt: xr.DataTree) -> xr.DataArray:
    """Return the board of a posterior, from ``constant_data``; or raise."""
    if "constant_data" not in dt.children or "score" not in dt["constant_data"]:
        raise LeaderbayesError("This posterior has no constant_data/score (team), the board.")
    data = dt["constant_data"].dataset
    attrs = {name: data[name].to_numpy().item() for name in _FACTS if name in data}
    attrs["metric"] = "auc" if "positive_rate" in data else "accuracy"
    board = data["score"].drop_vars([c for c in data["score"].coords if c != "team"])
    if "se" in data:
        board, attrs["metric"] = board.assign_coords(se=data["se"]), "estimate"
    board.attrs = attrs
    return board


def luck_of(dt: xr.DataTree) -> tuple[Scale, dict[str, Floats], Floats, Floats]:
    """Return the scale of a board, draws by name, and draws of rho and ease."""
    posterior, data = dt["posterior"].dataset, dt["constant_data"].dataset
    # The smallest correlation leaves scores the widest errors of their own, and cells.
    least = float(posterior["rho"].min()) if "rho" in posterior else None
    theta_0 = data["theta_0"].item() if "theta_0" in data else None
    _, scale = scale_of(board_of(dt), least, theta_0, fine=_FINE)
    stacked = posterior.stack(sample=("chain", "draw"))
    given = {str(k): v.transpose("sample", ...).to_numpy() for k, v in stacked.items()}
    rho = given.get("rho", np.full(stacked.sizes["sample"], scale.rho))
    return scale, given, rho, given.get("ease", np.zeros(len(rho)))


def complete(dt: xr.DataTree, *, seed: int = 0, likelihood: bool = False) -> xr.DataTree:
    """Add every team's theta, and replicated boards, to a posterior.

    What a general sampler leaves out is drawn, always the same: thetas of the teams where boards
    were simulated, scores on another test set, and where P(theta) is known scores of other teams;
    if asked for also the likelihood of the scores with thetas integrated out.
    """
    posterior = dt["posterior"].dataset
    again = dt["posterior_predictive"].dataset if "posterior_predictive" in dt.children else {}
    if {"theta", "theta_sota"} <= set(posterior) and "score" in again:
        return dt
    if "constant_data" not in dt.children or "score" not in dt["constant_data"]:
        return dt
    board, rng = board_of(dt), np.random.default_rng(seed)
    if "theta" in posterior and not posterior.indexes["team"].equals(board.indexes["team"]):
        raise LeaderbayesError(
            "This posterior has other teams, or in another order, than constant_data/score: take "
            "the same of both groups, dt.sel(team=...)."
        )
    scale, given, rho, ease = luck_of(dt)
    law, drawn = _law_of(given, scale, rho, ease), {}
    if law is None and "theta" not in given:
        raise LeaderbayesError(
            "This posterior has no theta (team), and no parameters of its distribution: keep "
            "theta in the model, or use sota.posterior(board)."
        )
    if law is not None:
        if likelihood or "theta" not in given:
            drawn = _placed(scale, law, rho, ease, rng, likelihood=likelihood)
        drawn["new_score"] = scale.replicate(law.draw(rng, len(scale.of)), rho, rng, above=True)
    drawn["theta"] = theta = given["theta"] if "theta" in given else drawn["theta"]
    drawn["theta_sota"] = given.get("theta_sota", theta.max(axis=1))
    drawn["score"] = scale.replicate(scale.unscore(theta), rho, rng)
    return with_draws(dt, drawn, board)


def with_draws(dt: xr.DataTree, drawn: dict[str, Floats], board: xr.DataArray) -> xr.DataTree:
    """Add draws (chain x draw, team) to their groups."""
    posterior, dims = dt["posterior"].dataset, ("chain", "draw", "team")
    size = posterior.sizes["chain"], posterior.sizes["draw"]
    made = xr.Dataset(
        {k: (dims[: v.ndim + 1], v.reshape(*size, *v.shape[1:])) for k, v in drawn.items()},
        {**{dim: posterior[dim] for dim in dims[:2]}, "team": board["team"].to_numpy()},
    )
    tree = dt.copy()
    new = [name for name in ("theta_sota", "theta") if name not in posterior]
    tree["posterior"] = xr.DataTree(posterior.assign(made[new]))
    tree["posterior_predictive"] = xr.DataTree(
        made[[n for n in ("score", "new_score") if n in made]]
    )
    if "log_likelihood" in made:
        likelihood = made[["log_likelihood"]].rename(log_likelihood="score")
        tree["log_likelihood"] = xr.DataTree(likelihood)
    return tree


def _placed(
    scale: Scale, law: Law, rho: Floats, ease: Floats, rng: np.random.Generator, *,
    likelihood: bool,
) -> dict[str, Floats]:  # fmt: skip
    """Draw thetas of teams given P(theta), and optionally their likelihood."""
    theta, log, luck = [], [], None
    for i in range(len(rho)):
        if luck is None or (rho[i], ease[i]) != (luck.rho, luck.ease):
            luck = scale.luck(float(rho[i]), float(ease[i]))
        edge = scale.theta(scale.cells.edge, luck.rho, luck.ease)
        weight = np.maximum(np.diff(law.below(i, edge)), 0.0)
        weight += _BASE * np.diff(edge) / np.ptp(edge)
        placed = place(scale, weight / weight.sum(), luck, rng)
        theta.append(placed.at)
        log.append(placed.log_likelihood)
    found = {"theta": scale.score(np.array(theta))}
    return found | ({"log_likelihood": np.array(log)} if likelihood else {})


def _law_of(given: dict[str, Floats], scale: Scale, rho: Floats, ease: Floats) -> Law | None:
    """Find P(theta) by its parameters, as `models.sota` names them."""
    size = len(rho)
    if {"mean", "concentration"} <= given.keys():
        a = given["mean"] * given["concentration"]
        b = given["concentration"] - a
        return Law(
            lambda i, at: betainc(a[i], b[i], at),
            lambda rng, m: rng.beta(a[:, None], b[:, None], (size, m)),
        )
    if {"location", "scale"} <= given.keys():
        location, spread = given["location"], given["scale"]
        return Law(
            lambda i, at: ndtr((at - location[i]) / spread[i]),
            lambda rng, m: rng.normal(location[:, None], spread[:, None], (size, m)),
        )
    if {"at", "weight"} <= given.keys():
        atom = [scale.theta(at, *luck) for at, *luck in zip(given["at"], rho, ease, strict=True)]
        weight = given["weight"]
        return Law(
            lambda i, at: (weight[i] * (atom[i] <= at[:, None])).sum(axis=1),
            lambda rng, m: np.array(
                [rng.choice(x, m, p=w / w.sum()) for x, w in zip(atom, weight, strict=True)]
            ),
        )
    return None
