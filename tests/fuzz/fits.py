"""Damage fits, their files and stores: errors of ours or the answer as it was, and nothing else.

``python tests/fuzz/fits.py --surgery 100000 --bytes 10000`` from the root of the repository.
"""

import argparse
import faulthandler
import json
import math
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import leaderbayes as lb

LONGEST = 2000  # characters of a message
JUNK: list[Any] = ["", "x", "[]", "{}", "{", "null", "1", '"a"', "[1]", '{"a": 1}', -1, 0, 2, 0.5,
                   float("nan"), float("inf"), [1, 2], np.array([1.0]), None, "0", b"x",
                   "[" * 100_000]  # fmt: skip
STRENGTHS = ("epp", "epp_spread", "theta", "theta_sota")


# -- fits ------------------------------------------------------------------------------------------


def scores(rounds: int = 8, seed: int = 1) -> xr.DataArray:
    """Five players, one score missing."""
    rng = np.random.default_rng(seed)
    values = rng.gumbel(size=(5, rounds)) + np.array([[1.0], [0.6], [0.2], [-0.2], [-1.0]])
    values[2, 1] = np.nan
    names = {"player": list("abcde"), "round": [f"r{k}" for k in range(rounds)]}
    return xr.DataArray(values, names, name="score", attrs={"higher_is_better": 1, "scheme": "s",
                                                            "source": "t"})  # fmt: skip


def votes() -> xr.Dataset:
    """Votes on four players, by a few judges on prompts; some are that both are bad."""
    rng = np.random.default_rng(2)
    first = rng.integers(0, 4, 120)
    second = (first + rng.integers(1, 4, 120)) % 4
    outcome = rng.choice([0.0, 0.5, 1.0], 120, p=[0.3, 0.2, 0.5])
    outcome[:10] = np.nan
    return xr.Dataset(
        {
            "first": ("vote", first.astype(np.int32)),
            "second": ("vote", second.astype(np.int32)),
            "outcome": ("vote", outcome),
            "covariates": (("vote", "covariate"), rng.normal(size=(120, 1))),
        },
        {
            "player": list("abcd"), "covariate": ["length"],
            "judge": ("vote", rng.integers(0, 12, 120)),
            "prompt": ("vote", rng.integers(0, 20, 120)),
        },
        {"kind": "votes", "ordered": 1, "read_as": "x", "both_bad": "own", "source": "t"},
    )  # fmt: skip


def fits() -> dict[str, xr.DataTree]:
    """Small ones, in memory, that take no PyMC."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        board = lb.fit(scores(), sampler="laplace", draws=30, chains=2, seed=1)
        shares = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.88]
        voted = lb.fit(votes(), order_effect=True, draws=30, chains=2, seed=1)
        best = lb.sota.posterior(lb.sota.read_board(shares, n=200), draws=20, chains=2, seed=1)
    return {"leaderboard": board, "best": best, "votes": voted}


def study_in(folder: Path) -> Path:
    """Write a study of two tournaments."""
    both = xr.concat([scores(seed=1), scores(seed=2)], xr.Variable("tournament", ["a", "b/c"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        lb.study.fit(
            both.assign_attrs(scores().attrs), store=folder / "study", sampler="laplace",
            draws=10, chains=2, replicates=4, seed=1, progressbar=False,
        )  # fmt: skip
    return folder / "study"


def _plan(dt: xr.DataTree) -> Any:
    return lb.plan(dt, ("a", "b"), rounds=(3,), simulations=2, seed=1).to_dataframe()


def _audit(dt: xr.DataTree) -> Any:
    """What a plan draws at random goes by the order of the players."""
    asked = lb.audit(dt, simulations=1)
    return asked["players"].to_dataset()[["rank_lower", "rank_upper"]].to_dataframe().sort_index()


def _page(dt: xr.DataTree) -> None:
    """The page is too long to be compared."""
    with tempfile.TemporaryDirectory() as folder:
        lb.report.html(dt, Path(folder) / "page.html")


def _site(dt: xr.DataTree) -> None:
    """A site has the same page, and its numbers."""
    with tempfile.TemporaryDirectory() as folder:
        lb.report.site({"page": dt}, Path(folder) / "site")


def _figures(dt: xr.DataTree) -> None:
    """Of which the numbers are those of functions that are here too."""
    lb.plots.groups(dt, backend="none")
    lb.plots.compare(dt, "a", "b", backend="none")
    lb.plots.record(dt, backend="none")


ANSWERS: dict[str, dict[str, Callable[[xr.DataTree], Any]]] = {
    "leaderboard": {
        # By the posterior alone no score stands beside.
        "leaderboard": lambda dt: (
            lb.leaderboard(dt)
            .set_index("player")
            .sort_index()
            .drop(columns="score", errors="ignore")
        ),
        "win_probability": lambda dt: lb.win_probability(dt)["mean"].to_series().sort_index(),
        "rank_probability": lambda dt: lb.rank_probability(dt).to_series().sort_index(),
        "p_top": lambda dt: lb.p_top(dt, 2).sort_index(),
        "tied_for_top": lambda dt: lb.tied_for_top(dt),
        "groups": lambda dt: lb.groups(dt),
        # By the posterior alone there is no record.
        "compare": lambda dt: lb.compare(dt, "a", "b").to_pandas().filter(regex="^(?!record)"),
        "record": lambda dt: lb.win_probability(dt, by="record")["mean"].to_series().sort_index(),
        "deviance": lambda dt: lb.deviance(dt).to_pandas().drop("p_value_normal"),
        "check": lambda dt: float(lb.check(dt)["p_round"]),
        "loo": lambda dt: float(lb.loo(dt).elpd),
        "plan": _plan,
        "audit": _audit,
        "new_player": lambda dt: lb.leaderboard(
            lb.new_player(dt, scores()[0].rename("new"), seed=1)
        ).set_index("player").sort_index(),
        "text": lambda dt: lb.report.text(dt),
        "latex": lambda dt: lb.report.latex(dt),
        "site": _site,
        "figures": _figures,
        "select": lambda dt: lb.study.select(dt, "a"),
    },
    "best": {
        "summary": lambda dt: lb.sota.summary(dt).to_array().to_series(),
        "teams": lambda dt: lb.leaderboard(dt).set_index("team").sort_index(),
        "check": lambda dt: lb.check(dt).to_dataframe(),
        "text": lambda dt: lb.report.text(dt),
        "html": _page,
    },
}  # fmt: skip
_NOT_OF_VOTES = ("plan", "new_player", "loo", "select")
ANSWERS["votes"] = {k: ask for k, ask in ANSWERS["leaderboard"].items() if k not in _NOT_OF_VOTES}
RARE = (
    "html",
    "site",
    "text",
    "latex",
    "loo",
    "plan",
    "audit",
    "new_player",
    "check",
    "deviance",
)  # many times as slow as the others


def same(a: Any, b: Any) -> bool:
    """Whether two answers are the same, to rounding."""
    if isinstance(a, pd.DataFrame | pd.Series):
        numbers = a.apply(pd.to_numeric, errors="coerce"), b.apply(pd.to_numeric, errors="coerce")
        return a.shape == b.shape and np.allclose(
            *(n.to_numpy(dtype=float) for n in numbers), rtol=1e-6, atol=1e-6, equal_nan=True
        ) and list(a.index) == list(b.index)  # fmt: skip
    if isinstance(a, float):
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6)
    if isinstance(a, str):
        return a == b
    return bool(a == b)


# -- surgery ---------------------------------------------------------------------------------------


def operate(dt: xr.DataTree, rng: random.Random) -> tuple[xr.DataTree, str, bool]:
    """Give a changed copy, what was done, and whether answers may differ from what they were."""
    groups = {name: node.to_dataset() for name, node in dt.children.items()}
    attrs, free = dict(dt.attrs), False
    group = rng.choice([*groups, "posterior"])
    inside = groups[group]
    name = rng.choice(list(inside.data_vars))
    dim = rng.choice(list(inside.dims) or ["player"])
    kind = rng.randrange(16)
    done = f"{kind} {group}/{name} {dim}"
    if kind == 0:
        groups[group] = inside.drop_vars(name)
    elif kind == 1:
        del groups[group]
    elif kind == 2 and inside.dims:
        groups[group] = inside.rename({dim: rng.choice(["competitor", "sample", "Player"])})
    elif kind == 3:
        groups[group] = inside.rename({name: rng.choice(["EPP", "beta", "x"])})
    elif kind in (4, 5):
        values = inside[name].to_numpy().astype(float, copy=True)
        if values.ndim and kind == 5:  # a whole chunk
            values[tuple(slice(rng.randrange(n), None) for n in values.shape)] = np.nan
        else:
            odd = rng.choice([np.nan, np.inf, -np.inf])
            values[tuple(rng.randrange(n) for n in values.shape)] = odd
        groups[group] = inside.assign({name: inside[name].copy(data=values)})
    elif kind == 6:
        to = rng.choice(["int64", "str", "object", "complex128", "bool", "datetime64[ns]"])
        groups[group] = inside.assign({name: inside[name].astype(to)})
        done += to
        free = to in ("int64", "bool")
    elif kind == 7 and inside.dims:  # a part of it, in one group
        size = inside.sizes[dim]
        keep = sorted(rng.sample(range(size), rng.randrange(size)))
        groups[group] = inside.isel({dim: keep})
        free = True
    elif kind == 8:  # a part of it, everywhere
        dim, most = rng.choice([("player", 5), ("draw", 30), ("chain", 2), ("team", 8)])
        keep = sorted(rng.sample(range(most), rng.randrange(most)))
        groups = {
            g: ds.isel({dim: [k for k in keep if k < ds.sizes[dim]]}) if dim in ds.dims else ds
            for g, ds in groups.items()
        }
        done, free = f"8 {dim} {keep}", True
    elif kind == 9 and inside.dims:  # other order
        order = rng.sample(range(inside.sizes[dim]), inside.sizes[dim])
        groups[group] = inside.isel({dim: order})
        # Rounds have no names in what is computed by position, draws are thinned by it.
        free = dim in ("round", "chain", "draw", "pair")
    elif kind == 10 and inside.coords:
        groups[group] = inside.drop_vars(rng.choice(list(inside.coords)))
        free = True
    elif kind == 11 and dim in inside.coords:
        names = list(inside[dim].to_numpy())
        names[rng.randrange(len(names))] = rng.choice([names[0], names[-1], "", None, np.nan, ()])
        odd_names = np.empty(len(names), object)
        odd_names[:] = names
        groups[group] = inside.assign_coords({dim: odd_names})
        free = True
    elif kind == 12 and attrs:
        del attrs[rng.choice(list(attrs))]
        free = True
    elif kind == 13 and attrs:
        key = rng.choice(list(attrs))
        attrs[key] = rng.choice(JUNK)
        done, free = f"13 {key}={attrs[key]!r:.40}", True
    elif kind == 14:
        for key in ("arguments", "versions", "warnings"):
            if rng.random() < 0.5:
                made = json.loads(attrs[key])
                if isinstance(made, dict) and made:
                    inner = rng.choice(list(made))
                    made[inner] = rng.choice([j for j in JUNK if _plain(j)])
                    done += f" {key}.{inner}={made[inner]!r:.40}"
                attrs[key] = json.dumps(made)
        free = True
    elif kind == 15 and inside[name].ndim > 1:
        groups[group] = inside.assign({name: inside[name].transpose(*inside[name].dims[::-1])})
    made_of = xr.DataTree.from_dict(groups)
    made_of.attrs = attrs
    return made_of, done, free


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | list)


def attempt_surgery(kind: str, dt: xr.DataTree, answers: dict[str, Any], rng: random.Random) -> str:
    """Ask one question of a changed fit: "answered" or "refused"; anything else raises."""
    names = list(ANSWERS[kind])
    question = rng.choice(names)
    if question in RARE and rng.random() < 0.95:
        question = names[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the operations themselves
        changed, done, free = operate(dt, rng)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            answer = ANSWERS[kind][question](changed)
    except lb.LeaderbayesError as problem:
        return _refused(problem)
    except Exception as problem:
        problem.add_note(f"{question} after {done}")
        raise
    # These draw players by their place.
    by_place = question in ("plan", "new_player") and done.startswith("9 ")
    if free or by_place:
        assert not isinstance(answer, pd.DataFrame) or not _gaps(answer), f"{question}, {done}"
        return "answered"
    assert same(answers[question], answer), f"{question} after {done}: {answer}"
    return "answered"


def _refused(problem: Exception, name: str = "") -> str:
    """Verdict of an error of ours, which names the file."""
    message = str(problem)
    assert 0 < len(message) < LONGEST, message[:500]
    assert name in message, message
    return "refused"


def _gaps(table: pd.DataFrame) -> bool:
    known = [c for c in ("epp", "p_best", "theta", "p_average") if c in table]
    return bool(table[known].isna().any().any())


def answers_of(kind: str, dt: xr.DataTree) -> dict[str, Any]:
    """What is answered of a fit that nobody has changed."""
    made = {}
    for question, ask in ANSWERS[kind].items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            try:
                made[question] = ask(dt)
            except lb.LeaderbayesError:
                made[question] = None
    return made


# -- bytes -----------------------------------------------------------------------------------------


def damage(content: bytes, rng: random.Random) -> bytes:
    """Flip a bit or a byte, cut, drop or repeat a part."""
    if not content:
        return b"x"
    at = rng.randrange(len(content))
    kind = rng.randrange(6)
    if kind == 0:
        return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]
    if kind == 1:
        return content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
    if kind == 2:
        return content[:at]
    end = min(len(content), at + rng.randrange(1, 200))
    if kind == 3:
        return content[:at] + content[end:]
    if kind == 4:
        return content[:at] + bytes(end - at) + content[end:]
    return content[:end] + content[at:]


def attempt_file(content: bytes, board: pd.DataFrame, file: Path, rng: random.Random) -> str:
    """Read a damaged file: "answered", as before, or "refused"; anything else raises."""
    file.write_bytes(damage(content, rng))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            made = lb.leaderboard(lb.read_fit(file))
    except lb.LeaderbayesError as problem:
        return _refused(problem, file.name)
    pd.testing.assert_frame_equal(made, board)
    return "answered"


def attempt_store(store: Path, boards: dict[str, pd.DataFrame], rng: random.Random) -> str:
    """Open a study of which a file is damaged, lost or another's, and mend it again."""
    files = sorted(path for path in store.rglob("*") if path.is_file())
    file, other = rng.choice(files), rng.choice(files)
    content = file.read_bytes()
    kind = rng.randrange(4)
    if kind == 0:
        file.unlink()
    elif kind == 1:
        file.write_bytes(other.read_bytes())
    else:
        file.write_bytes(damage(content, rng))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            study = lb.study.open(store)
            made = {name: lb.leaderboard(fit) for name, fit in study.children.items()}
    except lb.LeaderbayesError as problem:
        return _refused(problem, store.name)
    finally:
        file.write_bytes(content)
    assert list(made) == list(boards)
    for name, board in boards.items():
        pd.testing.assert_frame_equal(made[name], board)
    return "answered"


def boards_of(store: Path) -> dict[str, pd.DataFrame]:
    """Leaderboards of a study."""
    study = lb.study.open(store)
    return {name: lb.leaderboard(fit) for name, fit in study.children.items()}


# -- many ------------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--surgery", type=int, default=100_000, help="changed fits in memory")
    parser.add_argument("--bytes", type=int, default=10_000, help="damaged files, and stores")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60.0, help="of each kind, at most")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    try:
        _run(arguments, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(arguments: argparse.Namespace, folder: Path) -> None:
    known = fits()
    store = study_in(folder)
    boards = boards_of(store)
    content = lb.write_fit(known["leaderboard"], folder / "fit.nc").read_bytes()
    board = lb.leaderboard(known["leaderboard"])
    kinds: dict[str, tuple[int, Callable[[random.Random], str]]] = {}
    for kind, dt in known.items():
        answers = answers_of(kind, dt)
        kinds[f"surgery of a {kind}"] = (
            arguments.surgery * (4 if kind == "leaderboard" else 1) // 5,
            lambda rng, kind=kind, dt=dt, answers=answers: attempt_surgery(kind, dt, answers, rng),
        )
    kinds["file"] = (
        arguments.bytes,
        lambda rng: attempt_file(content, board, folder / "damaged.nc", rng),
    )
    kinds["store"] = (arguments.bytes, lambda rng: attempt_store(store, boards, rng))
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    broken: Counter[str] = Counter()
    for kind, (inputs, attempt) in kinds.items():
        begin = time.perf_counter()
        for number in range(inputs):
            if time.perf_counter() - begin > 60.0 * arguments.minutes:
                break
            faulthandler.dump_traceback_later(120, exit=True)  # a hang
            try:
                verdict = attempt(random.Random(f"{arguments.seed}-{kind}-{number}"))
            except Exception as problem:
                verdict = "broken"
                place = traceback.extract_tb(problem.__traceback__)
                ours = [f for f in place if f"{os.sep}leaderbayes{os.sep}" in f.filename] or place
                where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
                what = f"{kind}: {type(problem).__name__} at {where}"
                broken[what] += 1
                if broken[what] == 1:
                    print(f"--- input {number}, {what}")
                    traceback.print_exception(problem, limit=-4, file=sys.stdout)
                    sys.stdout.flush()
            counts[kind][verdict] += 1
        print(f"{kind}: {sum(counts[kind].values())} in {time.perf_counter() - begin:.0f} s")
        sys.stdout.flush()
    faulthandler.cancel_dump_traceback_later()
    table = pd.DataFrame(counts).T.reindex(columns=["answered", "refused", "broken"]).fillna(0)
    print(table.astype(int).to_string())
    for what, times in broken.most_common():
        print(times, what)
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
