import threading

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._numerics.further_votes import covariance_after, now
from leaderbayes._scores import count_votes as counting
from leaderbayes.likelihood._vote_models import weigh_davidson, weigh_intercept
from leaderbayes.likelihood._votes import pair_worth

PLAYERS = np.array(["owl", "fox ", "élan", "cat", "dog"])
KEYS = ["first", "second", "outcome", "judge", "prompt"]


def a_table(rows, rng, *, weights=False):
    a = rng.integers(0, 5, rows)
    table = pd.DataFrame(
        {
            "model_a": PLAYERS[a],
            "model_b": PLAYERS[(a + rng.integers(1, 5, rows)) % 5],
            "winner": rng.choice(["model_a", "model_b", "tie", "tie (bothbad)"], rows),
            "judge": rng.integers(0, 4, rows),
            "question_id": rng.choice(["q1", "q2", "q3"], rows),
            "length": rng.random(rows),
        }
    )
    return table.assign(n_votes=rng.integers(1, 4, rows)) if weights else table


@pytest.fixture
def files(tmp_path):
    """Tables, and the folder of their files."""

    def write(parts=3, rows=400, folder="votes", **options):
        rng = np.random.default_rng(1)
        tables = [a_table(rows, rng, **options) for _ in range(parts)]
        place = tmp_path / folder
        (place / "more").mkdir(parents=True)
        for k, table in enumerate(tables):
            name = f"part-{k}.parquet" if k else "more/part.pq"
            table.to_parquet(place / name)
        # A folder's files go by name.
        return place, pd.concat(tables, ignore_index=True)

    return write


def cells(votes, keys):
    """How many votes there are of each kind."""
    frame = votes[[*(k for k in keys if k in votes), "first"]].to_dataframe()
    names = votes["player"].to_numpy()
    frame = frame.assign(
        first=names[frame["first"]],
        second=names[votes["second"].to_numpy()],
        weight=votes["weight"].to_numpy() if "weight" in votes else 1.0,
    )
    return frame.groupby([k for k in keys if k in frame], dropna=False)["weight"].sum().sort_index()


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("both_bad", ["tie", "drop", "own"])
def test_the_counts_of_votes_that_are_read(files, weights, both_bad):
    folder, table = files(weights=weights)
    counted = lb.count_votes(folder, both_bad=both_bad, progressbar=False)
    read = lb.read_votes(table, both_bad=both_bad)
    pd.testing.assert_series_equal(cells(counted, KEYS), cells(read, KEYS))
    assert counted.sizes["vote"] < read.sizes["vote"]
    assert counted.attrs["read_as"].startswith(read.attrs["read_as"])
    xr.testing.assert_identical(
        lb.matches(counted).sortby(["player", "opponent"]),
        lb.matches(read).sortby(["player", "opponent"]),
    )


@pytest.mark.parametrize("cluster", ["none", "judge", "prompt", "auto"])
def test_the_same_estimate(files, cluster):
    folder, table = files()
    counted = lb.count_votes(folder, cluster=cluster, progressbar=False)
    assert ("judge" in counted.coords) == (cluster in ("auto", "judge"))
    assert ("prompt" in counted.coords) == (cluster in ("auto", "prompt"))
    found = lb.likelihood.bradley_terry(counted, order_effect=True).sortby(["player", "player_"])
    read = lb.likelihood.bradley_terry(lb.read_votes(table), cluster=cluster, order_effect=True)
    read = read.sortby(["player", "player_"])
    for name in ("epp", "covariance", "opinion_variance", "effect_size", "deviance"):
        np.testing.assert_allclose(found[name], read[name], rtol=1e-9, atol=1e-12)


def test_players_in_the_order_of_files(files):
    folder, _ = files()
    tables = [pd.read_parquet(f) for f in sorted(folder.rglob("*.p*q*")) if f.is_file()]
    read = lb.read_votes(pd.concat(tables))
    counted = lb.count_votes(folder, progressbar=False)
    assert counted["player"].values.tolist() == read["player"].values.tolist()


def test_fits_of_counted_and_of_weighted_votes(files):
    folder, _ = files()
    votes = lb.count_votes(folder, progressbar=False)
    dt = lb.fit(votes, seed=1, draws=200, replicates=4)
    assert lb.leaderboard(dt)["votes"].sum() == 2 * 1200
    assert "1,200 votes" in lb.report.text(dt)
    with pytest.raises(lb.LeaderbayesError, match="lost their order"):
        lb.elo(votes)
    with pytest.raises(lb.LeaderbayesError, match="counted"):
        lb.influence(dt)
    assert "judge" in lb.influence(dt, by="judge", max_share=0.9)


def test_one_file(files):
    folder, _ = files(parts=1)
    file = next(folder.rglob("*.pq"))
    assert lb.count_votes(file, progressbar=False)["weight"].sum() == 400


def test_winners_and_losers(tmp_path):
    pd.DataFrame(
        {"winner": ["a", "a", "b"], "loser": ["b", "b", "c"], "tie": [0, 0, 1]}
    ).to_parquet(tmp_path / "v.parquet")
    votes = lb.count_votes(tmp_path, progressbar=False)
    assert votes["outcome"].values.tolist() == [1.0, 0.5]
    assert votes.attrs["ordered"] == 0


def test_an_error_names_file_and_row(files):
    folder, _ = files()
    bad = pd.read_parquet(folder / "part-2.parquet")
    bad.loc[7, "winner"] = "nonsense"
    bad.to_parquet(folder / "part-2.parquet")
    with pytest.raises(lb.ScoresError, match=r"part-2\.parquet: row 7 .*'nonsense' \(1 vote\)"):
        lb.count_votes(folder, progressbar=False)


def test_what_is_refused(files, tmp_path, monkeypatch):
    folder, _ = files()
    count = lb.count_votes
    with pytest.raises(lb.ScoresError, match="no such file"):
        count(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(lb.ScoresError, match=r"no Parquet file.*--format lm-eval"):
        count(tmp_path / "empty")
    (tmp_path / "v.csv").write_text("winner,loser\na,b\n")
    with pytest.raises(lb.ScoresError, match="no Parquet file"):
        count(tmp_path / "v.csv")
    with pytest.raises(lb.ScoresError, match="not of a DataFrame"):
        count(pd.DataFrame())
    with pytest.raises(lb.LeaderbayesError, match="cluster='team'"):
        count(folder, cluster="team")
    with pytest.raises(lb.LeaderbayesError, match="memory_mb"):
        count(folder, memory_mb=0)
    with pytest.raises(lb.ScoresError, match="too little for DuckDB"):
        count(folder, memory_mb=0.01, progressbar=False)
    with monkeypatch.context() as patch:
        patch.setattr("leaderbayes._scores.count_votes._CELL", 1e8)
        with pytest.raises(lb.ScoresError, match=r"different votes, .* count by fewer"):
            count(folder, progressbar=False)
    with pytest.raises(lb.ScoresError, match="no column 'who'"):
        count(folder, judge="who", progressbar=False)
    pd.DataFrame({"other": [1]}).to_parquet(folder / "part-9.parquet")
    with pytest.raises(lb.ScoresError, match="DuckDB cannot count"):
        count(folder, progressbar=False)
    (folder / "part-9.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(lb.ScoresError, match="DuckDB cannot count"):
        count(folder, progressbar=False)
    assert threading.active_count() < 50


def test_a_folder_is_no_file_of_votes(files):
    folder, _ = files()
    with pytest.raises(lb.ScoresError, match="count_votes"):
        lb.read_votes(folder)


def test_progress(files, capsys):
    folder, _ = files()
    lb.count_votes(folder, progressbar=True)
    assert "Counting votes" in capsys.readouterr().err


@pytest.fixture
def lonely(tmp_path):
    """Most votes have a prompt of their own."""
    rng = np.random.default_rng(2)
    n = 3000
    prompt = np.where(rng.random(n) < 0.8, 100 + np.arange(n), rng.integers(0, 100, n))
    table = a_table(n, rng).assign(question_id=prompt)
    table["winner"] = rng.choice(["model_a", "model_b", "tie"], n, p=[0.5, 0.4, 0.1])
    table[:1000].to_parquet(tmp_path / "a.parquet")
    table[1000:].to_parquet(tmp_path / "b.parquet")
    return tmp_path, table


def few(folder, monkeypatch, room=1200):
    with monkeypatch.context() as patched:
        patched.setattr(counting, "_room", lambda _: room)
        return lb.count_votes(folder, progressbar=False)


def test_prompts_of_one_vote_need_no_room(lonely, monkeypatch):
    """What is estimated is what it was, by every model; and who is alone is counted."""
    folder, table = lonely
    whole, less = lb.count_votes(folder, progressbar=False), few(folder, monkeypatch)
    often = table["question_id"].map(table["question_id"].value_counts())
    assert less.sizes["vote"] < 1200 < whole.sizes["vote"]
    assert float(less["weight"][less["alone"] == 1].sum()) == (often == 1).sum()
    assert less["weight"].sum() == len(table)
    assert "prompts of one vote each" in less.attrs["read_as"]
    for options in ({}, {"cluster": "prompt"}, {"order_effect": True}, {"cluster": "judge"}):
        one, other = (
            lb.likelihood.bradley_terry(votes, **options).sortby(["player", "player_"])
            for votes in (whole, less)
        )
        for name in ("epp", "covariance", "opinion_variance", "deviance"):
            np.testing.assert_allclose(one[name], other[name], rtol=1e-9, atol=1e-12)
    for weigh, options in (
        (weigh_davidson, {"ties": "half", "order_effect": False, "covariates": None}),
        (weigh_intercept, {"ties": "drop"}),
    ):
        one, other = (weigh(votes, cluster="auto", **options) for votes in (whole, less))
        np.testing.assert_allclose(
            one.weighed.matched.covariance, other.weighed.matched.covariance, rtol=1e-8, atol=1e-12
        )
        np.testing.assert_allclose(pair_worth(one.weighed), pair_worth(other.weighed), rtol=1e-9)
        parts = [
            now(it.weighed.votes, it.weighed.at, it.weighed.together,
                tuple(it.weighed.clusters.values()), it.law)
            for it in (one, other)
        ]  # fmt: skip
        for pairs in (None, np.array([[0, 1]])):
            for same in (True, False):
                v = [covariance_after(part, 5000.0, pairs, same=same) for part in parts]
                np.testing.assert_allclose(v[0], v[1], rtol=1e-7, atol=1e-12)


def test_fits_of_prompts_of_one_vote(lonely, monkeypatch):
    folder, table = lonely
    whole, less = lb.count_votes(folder, progressbar=False), few(folder, monkeypatch)
    one, other = (lb.fit(votes, seed=1, replicates=100) for votes in (whole, less))
    xr.testing.assert_allclose(one["posterior"].dataset, other["posterior"].dataset, rtol=1e-6)
    wins = [dt["posterior_predictive"]["wins"].std(("chain", "draw")).mean() for dt in (one, other)]
    assert float(wins[1]) == pytest.approx(float(wins[0]), rel=0.1)
    prompts = table["question_id"].nunique()
    assert f"{prompts:,} prompts" in lb.report.text(other).replace("\n", " ")
    with pytest.raises(lb.LeaderbayesError, match="counted together"):
        lb.influence(other, by="prompt")
    assert "judge" in lb.influence(other, by="judge", max_share=0.9)
    assert lb.audit(other, seed=1)


def test_prompts_without_a_name_are_still_refused(lonely, monkeypatch):
    folder, table = lonely
    table = table.assign(question_id=table["question_id"].astype(str))
    table.loc[5, "question_id"] = None
    for file in folder.glob("*.parquet"):
        file.unlink()
    table.to_parquet(folder / "a.parquet")
    with pytest.raises(lb.ScoresError, match=r"row 5"):
        few(folder, monkeypatch)


def test_what_does_not_fit_all_the_same(lonely, monkeypatch):
    folder, _ = lonely
    with pytest.raises(lb.ScoresError, match="count by fewer"):
        few(folder, monkeypatch, room=50)


def test_what_may_be_a_number_of_votes_is_said(tmp_path):
    rng = np.random.default_rng(0)
    table = a_table(60, rng).assign(n=rng.integers(1, 9, 60))
    table.to_parquet(tmp_path / "a.parquet")
    found = lb.count_votes(tmp_path, progressbar=False)
    assert found["weight"].sum() == 60
    assert "n is not taken for how many votes a row stands for" in found.attrs["read_as"]
    counted = lb.count_votes(tmp_path, weight="n", progressbar=False)
    assert counted["weight"].sum() == table["n"].sum()
