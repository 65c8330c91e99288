"""Tables that commands are tried on."""

import numpy as np
import pandas as pd
import pytest

from command import call

BOARD = "player,round,score\n" + "".join(
    f"{name},{k},{(7 * i + 3 * k * (i + 1)) % 11}\n"
    for i, name in enumerate(["[red]a", 'b "x"', "c", "d"])
    for k in range(12)
)
NAMES = np.array(["fox", "owl", "elk", "cat", "dog"])


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli")
    (path / "scores.csv").write_text(BOARD)
    return path


@pytest.fixture(scope="session")
def two(folder):
    """Two tournaments, without a score of one player; in the second another loses everything."""
    rows = ["dataset,player,round,score"]
    for data in ("x/1", "y"):
        for k in range(8):
            rows += [
                f"{data},{name},{k},{(3 * i + k * (i + 1)) % 7}.{i}" for i, name in enumerate("abc")
            ]
            rows += [f"{data},last,{k},{-1 if data == 'y' else k % 7}.5", f"{data},gone,{k},"]
    (folder / "two.csv").write_text("\n".join(rows) + "\n")
    return folder


@pytest.fixture(scope="session")
def ranked(folder):
    """A fit in a folder of its own, beside its tables and figures."""
    done = call("rank", "scores.csv", "--draws", 200, "--out", "ranked", "--seed", 1, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def priced(ranked):
    """The same fit, and what its players cost."""
    costs = 'model,in,out\n[red]a,1.5,3\n"b ""x""",0.5,1\nc,2,4\nd,2.5,5\n'
    (ranked / "costs.csv").write_text(costs)
    (ranked / "wrong.csv").write_text("model,price\n[red]a,-1\nc,2\ne,1\n")
    return ranked


@pytest.fixture(scope="session")
def board(folder):
    """Scores of teams on one test set."""
    rows = "\n".join(f"t{k},{0.9 - 0.005 * k:.3f}" for k in range(8))
    (folder / "few.csv").write_text(f"team,score\n{rows}\n")
    return folder


@pytest.fixture(scope="session")
def votes(folder):
    """Votes of judges in two groups, swayed by who is shown first."""
    rng = np.random.default_rng(7)
    strength = np.array([1.2, 0.6, 0.0, -0.6, -1.2])
    first = rng.integers(0, 5, 400)
    second = (first + rng.integers(1, 5, 400)) % 5
    p = 1.0 / (1.0 + np.exp(-(strength[first] - strength[second] + 0.5)))
    outcome = np.where(rng.random(400) < 0.1, 2, np.where(rng.random(400) < p, 0, 1))
    table = pd.DataFrame({
        "model_a": NAMES[first], "model_b": NAMES[second],
        "winner": np.array(["a", "b", "tie"])[outcome], "judge": rng.integers(0, 20, 400),
        "group": np.array(["x", "y"])[rng.integers(0, 2, 400)],
        "length_a": rng.integers(50, 900, 400), "length_b": rng.integers(50, 900, 400),
    })  # fmt: skip
    table.to_csv(folder / "votes.csv", index=False)
    return folder


@pytest.fixture(scope="session")
def answers(folder):
    """Right and wrong answers to questions about passages, in a long table."""
    rng = np.random.default_rng(1)
    odds = np.array([1.5, 1.0, 0.0])[:, None] + rng.normal(size=80)
    right = rng.random(odds.shape) < 1.0 / (1.0 + np.exp(-odds))
    table = pd.DataFrame(right.T, columns=list("abc")).rename_axis("item").reset_index()
    long = table.melt("item", var_name="model", value_name="correct")
    long.assign(passage=long["item"] // 4).to_csv(folder / "answers.csv", index=False)
    return folder
