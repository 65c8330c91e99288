"""What commands print on a terminal."""

import os

import numpy as np
import pandas as pd

import leaderbayes as lb
from command import call, run
from conftest import cycle
from leaderbayes._inference import diagnostics, metropolis


def test_names_do_not_steer_the_terminal(folder):
    table = (folder / "scores.csv").read_text().replace('b "x"', "Z\x1b[31mü")
    (folder / "odd.csv").write_text(table)
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = run("rank", "odd.csv", "--ml", cwd=folder, env=ascii_only, text=False)
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout
    assert rb"Z\x1b[31m\xfc" in done.stdout


def test_a_board_that_does_not_fit(folder):
    cycle().to_pandas().T.rename_axis("task").to_csv(folder / "cycle.csv")
    asked = ("--sampler", "laplace", "--seed", 1)
    ranked = call("rank", "cycle.csv", *asked, cwd=folder)
    assert ranked.returncode == 0, ranked.stderr
    assert (
        "Check of fit: p = 0.00, the model does NOT describe this board (LB016)." in ranked.stdout
    )
    assert "Warning: LB016" in ranked.stderr
    compared = call("compare", "cycle.csv", "p0", "p1", *asked, cwd=folder)
    # Beta(15.5, 0.5).
    assert "Of their own 15 matches p0 won 15: by these alone 0.969 (0.848 to 1.000)." in (
        compared.stdout
    )


def test_why_nuts_took_over(folder, monkeypatch):
    for module in (metropolis, diagnostics):
        monkeypatch.setattr(module, "MAX_PARETO_K", -1.0)
    done = call("rank", "scores.csv", "--seed", 1, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Converged (nutpie, in place of Laplace's proposals: Pareto k " in done.stdout


def test_who_interrupts_has_no_result(folder, monkeypatch):
    """Nor a doubtful one, whose status is 1."""

    def interrupted(*scores, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(lb, "fit", interrupted)
    done = call("rank", "scores.csv", "--out", "interrupted", cwd=folder)
    assert done.returncode == 130
    assert done.stdout == ""
    assert done.stderr.endswith("Interrupted.\n")
    assert not (folder / "interrupted").exists()


def test_no_number_is_cut_on_a_narrow_terminal(tmp_path, monkeypatch):
    """Names give way, then the gaps between columns; then lines are longer than the terminal."""
    right = np.arange(60)[:, None] % 10 < [9, 6, 2]  # answers: their mean scores are drawn at once
    names = [f"a-player-of-long-name-{k}" for k in "abc"]
    table = pd.DataFrame(right.astype(int), columns=names)
    table.rename_axis("item").to_csv(tmp_path / "scores.csv")
    for width in (40, 80, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        done = call("rank", "scores.csv", "--model", "mean_score", "--seed", 1, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        heading = next(line for line in done.stdout.splitlines() if "P(best)" in line)
        assert heading.split()[:2] == ["#", "player"]
        assert heading.split()[-3:] == ["won", "P(best)", "ranks"]
        assert len(heading) <= max(width, 80)
        assert "3 to 3" in done.stdout
