"""Draws of a board's model under their names, as a DataTree."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from leaderbayes._types import Floats
from leaderbayes.sota import _parameters as prior

# Draws, in effect, without which nothing is read off them: with 60 the best theta's interval is a
# twentieth too narrow, and by as much as three tenths.
FEWEST = 80.0


def assemble(
    board: xr.DataArray,
    values: dict[str, Floats],
    drawn: dict[str, Floats],
    shape: tuple[int, int],
) -> xr.DataTree:
    """Name parameters (chain x draw, component), and what was drawn of them by `Board.draw`."""
    chains, draws = shape

    def named(values: Floats, *dims: str) -> xr.DataArray:
        coords = {"chain": np.arange(chains), "draw": np.arange(draws)}
        if "team" in dims:
            coords["team"] = board["team"].to_numpy()
        values = values.reshape(chains, draws, *values.shape[1:])
        return xr.DataArray(values, dims=("chain", "draw", *dims), coords=coords)

    def parameter(values: Floats) -> xr.DataArray:
        return named(values, "component") if values.shape[1] > 1 else named(values[:, 0])

    posterior_group = {name: parameter(v) for name, v in values.items()}
    posterior_group["theta_sota"] = named(drawn["theta_sota"])
    posterior_group["theta"] = named(drawn["theta"], "team")
    known = {"n": board.attrs["n"]} if "n" in board.attrs else {"se": board["se"]}
    groups = {
        "posterior": posterior_group,
        "posterior_predictive": {
            name: named(drawn[name], "team") for name in ("score", "new_score")
        },
        "log_likelihood": {"score": named(drawn["log_likelihood"], "team")},
        "observed_data": {"score": board},
        "constant_data": known,
    }
    tree = xr.DataTree.from_dict({name: xr.Dataset(group) for name, group in groups.items()})
    tree.attrs = {"model": "sota"}
    return tree


def joined(trees: Sequence[xr.DataTree]) -> xr.DataTree:
    """Put draws of several n behind each other, in each chain; the rest as of the middle one."""
    if len(trees) == 1:
        return trees[0]
    tree = trees[len(trees) // 2].copy()
    for name in ("posterior", "posterior_predictive", "log_likelihood", "log_prior"):
        tree[name] = xr.DataTree(behind([each[name].to_dataset() for each in trees]))
    n = np.array([float(each["constant_data"]["n"]) for each in trees])
    draws = [each["posterior"].sizes["draw"] for each in trees]
    posterior = tree["posterior"].to_dataset()
    each_n = np.broadcast_to(np.repeat(n, draws), posterior["theta_sota"].shape)
    tree["posterior"] = xr.DataTree(posterior.assign(n=(("chain", "draw"), each_n)))
    return tree


def behind(groups: Sequence[xr.Dataset]) -> xr.Dataset:
    """Put draws behind each other."""
    if len(groups) == 1 or "draw" not in groups[0].sizes:  # nothing that has a prior
        return groups[0]
    group = xr.concat(groups, "draw", coords="minimal", compat="override", join="override")
    return group.assign_coords(draw=np.arange(group.sizes["draw"]))


def log_prior(
    parameters: Sequence[prior.Parameter], points: Floats, shape: tuple[int, int]
) -> xr.DataTree:
    """Give the group of log priors of points (chain x draw, number)."""
    found = prior.log_priors(parameters, points).items()
    named = {name: (("chain", "draw"), value.reshape(shape)) for name, value in found}
    return xr.DataTree(xr.Dataset(named))
