"""The command compare."""

import json

import pytest

import leaderbayes as lb
from command import call


def test_sentences_and_json_agree_with_python(folder):
    asked = ("compare", "scores.csv", "c", "d", "--rope", 0.1, "--seed", 1)
    made = json.loads(call(*asked, "--json", cwd=folder).stdout)
    dt = lb.fit(lb.read_scores(folder / "scores.csv"), seed=1)
    pair = lb.compare(dt, "c", "d", rope=0.1)
    for name, value in pair.data_vars.items():
        assert made[name] == pytest.approx(float(value))
    done = call(*asked, cwd=folder)
    assert done.stdout == pair.attrs["message"] + "\n"
    assert f"c beats d in a new round with probability {made['win_probability']:.2f}" in done.stdout
    assert f"(win probability within 0.1 of 1/2) {made['p_equivalent']:.2f}" in done.stdout
    assert "Head to head c won 5 and tied 1 of 12 rounds; these alone give 0." in done.stdout
    assert repr(pair).startswith(pair.attrs["message"])
    assert len(repr(pair).splitlines()) == 4 + len(pair.data_vars)


def test_mean_scores_are_compared_in_their_unit(answers):
    asked = ("compare", "answers.csv", "a", "c", "--rope", 0.6, "--seed", 1)
    done = call(*asked, cwd=answers)
    assert done.returncode == 0, done.stderr
    assert "a minus c: +0." in done.stdout
    assert "equivalent (difference within 0.6) >0.99" in done.stdout


def test_votes(votes):
    done = call("compare", "votes.csv", "fox", "dog", "--seed", 1, cwd=votes)
    assert "fox beats dog in a new vote with probability 0." in done.stdout
    assert "Head to head fox won " in done.stdout


def test_what_rank_wrote_is_not_fitted_again(ranked):
    pair = lb.read_fit(ranked / "ranked" / "posterior.nc")["posterior"]["player"].values[:2]
    fresh = call("compare", "scores.csv", *pair, "--draws", 200, "--seed", 1, cwd=ranked)
    again = call("compare", "ranked", *pair, cwd=ranked)
    assert again.returncode == 0
    assert again.stdout == fresh.stdout
    refit = call("compare", "ranked", *pair, "--draws", 300, cwd=ranked)
    assert "is not fitted again: omit --draws" in refit.stderr
    audited = call("audit", "ranked", cwd=ranked)
    assert audited.returncode == 0
