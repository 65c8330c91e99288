"""Damaged fits, files and stores: errors of ours, or the answer as it was."""

import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb

LONGEST = 2000  # characters of a message
OPERATIONS = 100
JUNK: list[Any] = ["", "[]", "{", "null", '{"a": 1}', -1, 0.5, float("nan"), [1, 2], None, b"x",
                   "[" * 100_000]  # fmt: skip


def scores(seed: int = 1) -> xr.DataArray:
    """Five players, one score missing."""
    rng = np.random.default_rng(seed)
    values = rng.gumbel(size=(5, 8)) + np.array([[1.0], [0.6], [0.2], [-0.2], [-1.0]])
    values[2, 1] = np.nan
    names = {"player": list("abcde"), "round": [f"r{k}" for k in range(8)]}
    return xr.DataArray(values, names, name="score", attrs={"higher_is_better": 1})


def votes() -> xr.Dataset:
    """Votes on four players, with judges and prompts."""
    rng = np.random.default_rng(2)
    first = rng.integers(0, 4, 120)
    table = pd.DataFrame({"model_a": first, "model_b": (first + rng.integers(1, 4, 120)) % 4})
    table = "m" + table.astype(str)
    table["winner"] = rng.choice(["model_a", "tie", "model_b"], 120)
    return lb.read_votes(table.assign(judge=rng.integers(0, 12, 120)))


def by_player(answer: pd.DataFrame) -> pd.DataFrame:
    return answer.set_index("player").sort_index()


QUESTIONS: dict[str, Callable[[xr.DataTree], Any]] = {
    # By the posterior alone no scores and no numbers of votes stand beside.
    "leaderboard": lambda dt: by_player(lb.leaderboard(dt)).drop(
        columns=["score", "votes"], errors="ignore"
    ),
    "win_probability": lambda dt: lb.win_probability(dt)["mean"].to_series().sort_index(),
    "rank_probability": lambda dt: lb.rank_probability(dt).to_series().sort_index(),
    "groups": lambda dt: lb.groups(dt),
    "deviance": lambda dt: lb.deviance(dt).to_pandas().drop("p_value_normal"),
}


@pytest.fixture(scope="module", params=["scores", "votes"])
def fit(request):
    data = scores() if request.param == "scores" else votes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        return lb.fit(data, draws=30, chains=2, seed=1)


def attempt(ask: Callable[[], Any]) -> Any:
    """Return an answer, or None where it is refused by an error of ours."""
    problem = ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            return ask()
    except lb.LeaderbayesError as refused:
        problem = str(refused)
    assert 0 < len(problem) < LONGEST
    return None


def operate(dt: xr.DataTree, rng: random.Random) -> tuple[xr.DataTree, str, bool]:
    """Return a changed copy, what was done, and whether answers may differ from what they were."""
    groups = {name: node.to_dataset() for name, node in dt.children.items()}
    attrs = dict(dt.attrs)
    group = rng.choice([*groups, "posterior"])
    inside = groups[group]
    name, dim = rng.choice(list(inside.data_vars)), rng.choice(list(inside.dims))
    kind, free, key = rng.randrange(9), False, rng.choice(list(attrs))
    if kind == 0:
        groups[group] = inside.drop_vars(name)
    elif kind == 1:
        del groups[group]
    elif kind == 2:
        groups[group] = inside.rename({dim: "competitor"})
    elif kind == 3:
        groups[group] = inside.rename({name: "beta"})
    elif kind == 4:
        values = inside[name].to_numpy().astype(float, copy=True)
        values[tuple(rng.randrange(n) for n in values.shape)] = rng.choice([np.nan, np.inf])
        groups[group] = inside.assign({name: inside[name].copy(data=values)})
        free = group == "observed_data"
    elif kind == 5:  # a part of it
        keep = sorted(rng.sample(range(inside.sizes[dim]), rng.randrange(inside.sizes[dim])))
        groups = {g: ds.isel({dim: keep}, missing_dims="ignore") for g, ds in groups.items()}
        free = True
    elif kind == 6:  # other order
        order = rng.sample(range(inside.sizes[dim]), inside.sizes[dim])
        groups[group], free = inside.isel({dim: order}), dim != "player"
    elif kind == 7:
        groups[group], free = inside.drop_vars(rng.choice(list(inside.coords) or [name])), True
    else:
        free, attrs[key] = True, rng.choice(JUNK)
        if rng.random() < 0.5:
            del attrs[key]
    changed = xr.DataTree.from_dict(groups)
    changed.attrs = attrs
    return changed, f"{kind} {group}/{name} {dim} {key}", free


def test_surgery(fit):
    known = {name: attempt(lambda ask=ask: ask(fit)) for name, ask in QUESTIONS.items()}
    answered = 0
    for k in range(OPERATIONS):
        rng = random.Random(f"surgery-{k}")
        question = rng.choice(list(QUESTIONS))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the operations themselves
            changed, done, free = operate(fit, rng)
        answer = attempt(lambda: QUESTIONS[question](changed))  # noqa: B023
        answered += answer is not None
        if answer is not None and not free:
            was, now = (
                it.apply(pd.to_numeric, errors="coerce") for it in (known[question], answer)
            )
            same = was.shape == now.shape and np.allclose(was, now, 1e-6, 1e-6, equal_nan=True)
            assert same, f"{question} after {done}"
    assert 0 < answered < OPERATIONS


def damage(content: bytes, rng: random.Random) -> bytes:
    """Flip a bit, or cut, drop, empty or repeat a part or all."""
    at = rng.randrange(len(content))
    end = min(len(content), at + rng.randrange(1, 200))
    return rng.choice((
        content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :],
        content[:at],
        b"",
        content[:at] + content[end:],
        content[:at] + bytes(end - at) + content[end:],
        content[:end] + content[at:],
    ))  # fmt: skip


def attempt_file(file: Path, read: Callable[[], Any], rng: random.Random) -> None:
    """Read with a file damaged: as before, or an error of ours; and mend the file again."""
    content, before = file.read_bytes(), read()
    file.write_bytes(damage(content, rng))
    after = attempt(read)
    file.write_bytes(content)
    if after is not None:
        pd.testing.assert_frame_equal(after, before)


@pytest.mark.slow
def test_bytes(fit, tmp_path):
    file = lb.write_fit(fit, tmp_path / "fit.nc")
    for k in range(60):
        attempt_file(file, lambda: lb.leaderboard(lb.read_fit(file)), random.Random(k))
    both = xr.concat([scores(1), scores(2)], xr.Variable("tournament", ["a", "b/c"]))
    store = tmp_path / "study"
    lb.study.fit(both.assign_attrs(scores().attrs), store=store, draws=10, chains=2, seed=1)
    files = sorted(path for path in store.rglob("*") if path.is_file())
    for k in range(40):
        rng = random.Random(f"store-{k}")
        attempt_file(
            rng.choice(files),
            lambda: pd.concat(map(lb.leaderboard, lb.study.open(store).children.values())),
            rng,
        )
