"""What commands print on a terminal."""

import os

from command import run


def test_names_do_not_steer_the_terminal(folder):
    table = (folder / "scores.csv").read_text().replace('b "x"', "Z\x1b[31mü")
    (folder / "odd.csv").write_text(table)
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = run("rank", "odd.csv", "--ml", cwd=folder, env=ascii_only, text=False)
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout
    assert rb"Z\x1b[31m\xfc" in done.stdout
