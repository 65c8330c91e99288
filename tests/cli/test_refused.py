"""Commands that are refused: by a line of ours, before anything is written."""

import shlex

import pytest

from command import call

REFUSED = {
    "audit scores.csv --across-rounds": "Rounds cannot be removed from matches across",
    "compare scores.csv c e": "scores.csv: there is no player 'e'; the first are '[red]a'",
    "compare scores.csv c c": "compared with itself",
    "compare scores.csv c d --rope 0.7": "rope=0.7",
    "frontier ranked --cost costs.csv": "which column is the cost? Name it (--cost-column NAME",
    "frontier ranked --cost costs.csv --cost-column mid": "no column of costs 'mid'",
    "frontier ranked --cost wrong.csv": (
        "cost: no value for 'b \"x\"', 'd'; no player 'e'; below 0 for '[red]a'"
    ),
    "frontier ranked --cost none.csv": "none.csv: cannot be read",
    "plan scores.csv --pair c": "2 arguments",
    "plan scores.csv --rounds 5,x": "whole numbers",
    "plan scores.csv --rounds 0": "from 1 up",
    "plan scores.csv --pair c nobody": "no player 'nobody'",
    "plan scores.csv --prob 0.4": "prob=0.4",
    "plan scores.csv --votes 5": "Use votes= for votes, and rounds=",
    "plan scores.csv --difference 0.5": "--difference is for a plan without FILE",
    "plan --players 3 --model mean_score": "--model is for a plan with FILE",
    "report fits": "Use one of",
    "report fits --site site --out page.html": "Use one of",
    "report fits --site site --sota x.nc": "--sota is for a page",
    "report nowhere --site site": "no such folder",
    "report fits --site site": "no posterior",
    "sensitivity two.csv": "several tournaments",
    "sensitivity scores.csv --weights much": "neither 'composite' nor a number",
    "sota few.csv": "few.csv: give n (--n)",
    "sota few.csv --n 200 --draws 10": "--draws does not apply to",
    "sota few.csv --n 200 --sampler exact --rule crop": "--rule does not apply to",
    "sota few.csv --n 200 --round x": "--round does not apply to",
    "sota few.csv --answers --n 200": "--n does not apply to",
    "sota few.csv --n 200 --public few.csv": "belong together",
    "sota few.csv --n size": "Invalid value for '--n'",
    "tournaments scores.csv --store never": "only one tournament",
    "tournaments two.csv --store two.csv": "not a study",
    "tournaments two.csv --store two.csv/x": "two.csv/x: cannot be written (a file stands",
    "tournaments two.csv --store never --option statistic=median": "has no option 'statistic'",
    "tournaments two.csv --store never --model tournaments": "use leaderbayes.fit",
    "tournaments two.csv": "Missing option '--store'",
}


@pytest.mark.usefixtures("two", "board", "priced")
@pytest.mark.parametrize("line", REFUSED)
def test_refused(folder, line):
    (folder / "fits").mkdir(exist_ok=True)
    before = {path.name for path in folder.iterdir()}
    done = call(*shlex.split(line), cwd=folder)
    assert done.returncode == 2, done.stderr
    assert REFUSED[line] in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert {path.name for path in folder.iterdir()} == before
