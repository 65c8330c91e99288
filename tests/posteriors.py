"""Posteriors that are written here: of every parameter, at once, the same on every machine."""

import json

import numpy as np
import xarray as xr

import leaderbayes as lb
from conftest import board, simulate

SHAPE = (4, 250)  # chains, draws
VERSIONS = {"leaderbayes": "0.1.0", "pymc": "6.4.0", "arviz": "1.3.0", "nutpie": "0.16.11"}
PRIMES = (7919, 104729, 1299709, 15485863)


def scattered(size, *index):
    """Whole numbers 0 to size - 1 that look drawn: no generator, and no floating point."""
    mixed = sum(np.asarray(k, np.int64) * prime for k, prime in zip(index, PRIMES, strict=False))
    return mixed**2 // 1000 % size


def about(centres, step, part=0):
    """Draws (chain, draw, ...) of whole numbers of steps about these, with a spread of 16."""
    k, i = np.arange(np.prod(SHAPE)), np.arange(np.size(centres))
    off = sum(scattered(41, k[:, None] + 1, i + 1, part + turn + 1) for turn in range(4)) - 80
    drawn = (np.round(np.ravel(centres) / step).astype(int) + off) * step
    return drawn.reshape(*SHAPE, *np.shape(centres))


def tree(names, variables, groups, **attrs):
    """A posterior of variables (dims, draws), with what a fit records."""
    coords = names | {"chain": np.arange(SHAPE[0]), "draw": np.arange(SHAPE[1])}
    drawn = {key: (("chain", "draw", *dims), values) for key, (dims, values) in variables.items()}
    made = xr.DataTree.from_dict({"posterior": xr.Dataset(drawn, coords), **groups})
    made.attrs = {
        "versions": json.dumps(VERSIONS), "seed": 1, "sampler": "metropolis", "converged": 1,
        "warnings": "[]", "max_rhat": 1.0012, "min_ess": 1790.4, "divergences": 0,
    } | attrs  # fmt: skip
    return made


def model(name, **options):
    """Constants along the dimension of the model, which they name."""
    values = {key: ("model", [value]) for key, value in options.items()}
    return xr.Dataset(values, {"model": [name]})


def strengths(scores, epp, *, name="bradley_terry", weight=0.35, within_round=True, **options):
    """A posterior of strengths by matches."""
    matches = lb.matches(scores, within_round=within_round, ties=options.pop("ties", "half"))
    known = model(
        name, within_round=int(within_round), higher_is_better=1,
        ties=("half", "drop", "floor", "loss").index(matches.attrs["ties"]),
        prior_scale=2.0, prior_df=4.0, **options,
    ).assign(weight=("round", np.full(scores.sizes["round"], weight)), scores=scores)  # fmt: skip
    players = {"player": scores["player"].to_numpy(), "round": scores["round"].to_numpy()}
    drawn = {"epp": (("player",), about(epp, 0.01)), "epp_scale": ((), about(2.0, 0.01))}
    if name == "davidson":
        drawn["tie"] = (), about(0.5, 0.01)
    return tree(
        {"player": players["player"]},
        drawn,
        {"constant_data": known.assign_coords(players), "observed_data": matches[["place"]]},
        p_check=0.41,
        deviance_ratio=1.1,
        misfit=0.02,
    )


def tournaments(boards, epp, spread=0.7):
    """A posterior of strengths over tournaments."""
    matches = lb.matches(boards)
    place = matches["place"].stack(tournament_round=("tournament", "round")).T
    number = np.repeat(np.arange(boards.sizes["tournament"]), boards.sizes["round"])
    rows = {"tournament_round": [f"{t}: {k}" for t, k in place["tournament_round"].to_numpy()]}
    names = {"player": boards["player"].to_numpy(), "tournament": boards["tournament"].to_numpy()}
    known = model(
        "tournaments", within_round=1, higher_is_better=1, ties=0, prior_scale=2.0, spread_scale=2.0
    ).assign(
        weight=("tournament_round", np.full(len(number), 0.35)), scores=boards,
        tournament_of_round=("tournament_round", number),
    )  # fmt: skip
    each = np.asarray(epp) + 0.3 * np.arange(-1, len(names["tournament"]) - 1)[:, None]
    return tree(
        names,
        {
            "epp": (("player",), about(epp, 0.01)),
            "epp_tournament": (("tournament", "player"), about(each, 0.01, 4)),
            "epp_spread": ((), about(spread, 0.001)),
        },
        {
            "constant_data": known.assign_coords(rows | names),
            "observed_data": xr.Dataset(
                {"place": (("tournament_round", "player"), place.to_numpy())},
                rows | {"player": names["player"]},
            ),
        },
        p_check=0.41,
        deviance_ratio=1.1,
        misfit=0.02,
    )


def several():
    """A posterior of strengths over three tournaments, of which one has an odd name."""
    rng, epp = np.random.default_rng(3), [1.0, 0.5, 0.0, -1.5]
    names = xr.Variable("tournament", ["iris", "wine", "b<a>d"])
    return tournaments(xr.concat([simulate(epp, 6, rng) for _ in range(3)], names), epp)


def means(scores, *, step=0.01, items=False, **attrs):
    """A posterior of mean scores."""
    names = {dim: scores[dim].to_numpy() for dim in scores.dims}
    higher = int(scores.attrs.get("higher_is_better", 1))
    known = model("mean_score", higher_is_better=higher).assign(scores=scores)
    drawn = {
        "score": (("player",), about(scores.mean("round").to_numpy(), step)),
        "score_scale": ((), about(2.0, 0.01)),
    }
    if not items:
        drawn["noise"] = ("player",), about(np.full(scores.sizes["player"], 4.0), 0.01)
    seen = scores.transpose("round", "player")
    again = seen.to_numpy() + about(np.zeros(seen.shape), 0.01)[:, ::25]
    predicted = xr.Dataset({"round_score": (("chain", "draw", "round", "player"), again)}, names)
    return tree(
        {"player": names["player"]},
        drawn,
        {
            "constant_data": known.assign_coords(names),
            "observed_data": xr.Dataset({"round_score": seen.drop_attrs()}),
            "posterior_predictive": predicted,
        },
        sampler="exact",
        **attrs,
    )


def teams(n=500):
    """A posterior of the best of twelve teams."""
    right = np.array([445, 444, 442, 441, 438, 437, 437, 423, 423, 415, 409, 397])
    theta = about(0.8 * right / n + 0.2 * 0.84, 0.0004)
    coords = {"team": [f"team_{k}" for k in range(len(right))]}
    facts = {"metric": "accuracy", "n": n, "classes": 2}
    dims = ("chain", "draw", "team")
    return tree(
        coords,
        {"theta": (("team",), theta), "theta_sota": ((), theta.max(axis=-1))},
        {
            "constant_data": model("sota", n=n, classes=2)
            .assign(score=("team", right / n))
            .assign_coords(coords),
            "observed_data": xr.Dataset({"score": ("team", right / n, facts)}, coords),
            "posterior_predictive": xr.Dataset(
                {
                    "score": (dims, about(right / n, 0.002)),
                    "new_score": (dims, about(right / n, 0.002, 4)),
                },
                coords,
            ),
        },
        model="sota", sampler="gibbs", max_rhat=1.0, min_ess=1662.0,
        arguments=json.dumps({"law": "flexible", "rho": 0.5}),
    )  # fmt: skip


def losses():
    """A board of which lower scores are better."""
    values = np.add.outer([1.0, 0.2, -0.4, -0.3, 2.0], np.arange(8) % 3)
    return board(
        values + scattered(21, np.arange(5)[:, None], np.arange(8)) / 50, higher_is_better=False
    )


def of_posteriors_own(dt):
    """The same tree as ``pm.sample`` would give it: nothing in its attributes."""
    made = dt.copy()
    made.attrs = {}
    return made


# Of reports: posteriors of every kind, and estimates of each model.
POSTERIORS = [
    "bradley_terry", "across_rounds", "davidson", "plackett_luce", "round_intercept", "tournaments",
    "mean_score", "items", "sota", "votes",
]  # fmt: skip
KINDS = [
    *POSTERIORS, "estimate", "estimate of plackett_luce", "estimate of round_intercept"
]  # fmt: skip


def walks(scores, epp):
    """A posterior of strengths (period, player) over periods of the same number of rounds."""
    epp = np.asarray(epp, dtype=float)
    names, rounds = [f"s{t}" for t in range(len(epp))], scores["round"].to_numpy()
    made = strengths(scores, epp[-1], name="dynamic")
    drawn = about(epp, 0.01, part=3)
    posterior = made["posterior"].to_dataset().assign_coords(period=names)
    posterior["epp_period"] = ("chain", "draw", "period", "player"), drawn
    posterior["epp"] = ("chain", "draw", "player"), drawn[:, :, -1]
    known = made["constant_data"].to_dataset()
    known["period_of_round"] = "round", np.arange(len(rounds)) * len(epp) // len(rounds)
    attrs = made.attrs
    made = xr.DataTree.from_dict({**{k: v.to_dataset() for k, v in made.children.items()},
                                  "posterior": posterior, "constant_data": known})  # fmt: skip
    made.attrs = attrs
    return made
