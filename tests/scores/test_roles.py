"""Which columns are players, rounds, scores and tournaments: recognised, named, or refused."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb

LONG = "model,fold,auc\na,1,0.5\nb,1,0.6\na,2,0.7\nb,2,\n"


def test_wide_rows_are_rounds(write):
    scores = lb.read_scores(write("task,svm,forest\nx,0.1,0.2\ny,0.3,\n"))
    assert list(scores["player"].values) == ["svm", "forest"]
    assert list(scores["round"].values) == ["x", "y"]
    np.testing.assert_array_equal(scores, [[0.1, 0.3], [0.2, np.nan]])


def test_wide_repeats_are_folds(write):
    scores = lb.read_scores(write("db,svm,forest\nx,1,2\nx,3,4\ny,5,6\ny,7,8\n"))
    assert dict(scores.sizes) == {"tournament": 2, "player": 2, "round": 2}
    np.testing.assert_array_equal(scores.sel(tournament="y", player="svm"), [5, 7])


def test_several_tournaments(write):
    text = "dataset,model,fold,acc\nd,a,1,1\nd,b,1,2\ne,a,1,3\ne,b,1,4\n"
    scores = lb.read_scores(write(text))
    assert scores.dims == ("tournament", "player", "round")
    tasks = lb.read_scores(write("dataset,model,acc\nd,a,1\nd,b,2\ne,a,3\ne,b,4\n"))
    assert tasks.dims == ("player", "round")
    assert list(tasks["round"].values) == ["d", "e"]


def test_a_row_for_each_player(write):
    scores = lb.read_scores(write("model,d1,d2,d3\nA,.5,.2,.9\nB,.4,.3,.1\n"))
    assert list(scores["player"].values) == ["A", "B"]
    assert list(scores["round"].values) == ["d1", "d2", "d3"]
    np.testing.assert_array_equal(scores, [[0.5, 0.2, 0.9], [0.4, 0.3, 0.1]])


@pytest.mark.parametrize("corner", ["", "model", "task"])
@pytest.mark.parametrize(
    ("players", "rounds"),
    [("model{}", "task{}"), ("Model {}", "dataset_{}"), ("svm{}", "fold{}"), ("agent-{}", "env{}")],
)
def test_words_with_numbers_say_which_are_players(write, players, rounds, corner):
    names = [[one.format(k) for k in range(1, 4)] for one in (players, rounds)]
    frame = pd.DataFrame(np.random.default_rng(1).random((3, 3)), *names)
    wide = frame if corner != "task" else frame.T
    scores = lb.read_scores(write(wide.rename_axis(corner or None).to_csv()))
    assert [scores[dim].to_numpy().tolist() for dim in ("player", "round")] == names
    np.testing.assert_array_equal(scores, frame)


@pytest.mark.parametrize(
    ("header", "rounds"),
    [("model,domain,bleu", "ab"), ("policy,dataset,return", "ab"), ("model,trial,reward", "12")],
)
def test_three_columns_of_which_one_is_known(write, header, rounds):
    rows = [f"{p},{k},0.{p}{n}" for p in "12" for n, k in enumerate(rounds)]
    text = "\n".join([header, *rows]).replace("\n1", "\nx").replace("\n2", "\ny")
    scores = lb.read_scores(write(text))
    assert scores["player"].to_numpy().tolist() == ["x", "y"]
    assert scores["round"].to_numpy().tolist() == list(rounds)
    np.testing.assert_allclose(scores, [[0.10, 0.11], [0.20, 0.21]])
    # Metrics are no rounds, two columns of scores are none, and an error is no score.
    for names in (
        "model,metric,value",
        "model,f1,value",
        "model,domain,std",
        "model,domain,n_runs",
    ):
        with pytest.raises(lb.ScoresError):
            lb.read_scores(write(f"{names}\nx,3,1.5\nx,4,2.5\ny,3,3.5\ny,4,4.5\n"))


def test_items_that_nearly_all_got_right(write):
    right = np.random.default_rng(3).random((8, 60)) < np.linspace(0.93, 0.995, 8)[:, None]
    frame = pd.DataFrame(right.astype(int), [f"m{k}" for k in range(8)]).add_prefix("q")
    scores = lb.read_scores(write(frame.rename_axis("model").to_csv()), higher_is_better=True)
    np.testing.assert_array_equal(scores, right)


def test_columns_under_other_names(write):
    own = lb.read_scores(write("model,fold,points\na,1,1\nb,1,2\n"))
    np.testing.assert_array_equal(own, [[1], [2]])
    exact = lb.read_scores(write("player,round,score,Score\na,1,1,9\nb,1,2,8\n"))
    np.testing.assert_array_equal(exact, [[1], [2]])
    folds = lb.read_scores(write("dataset,repeat,fold,a,b\nd,1,1,1,2\nd,2,1,3,4\n"))
    assert list(folds["round"].values) == ["1.1", "2.1"]
    assert list(folds["player"].values) == ["a", "b"]
    blanks = lb.read_scores(write('player, round, score\na, 1, 1\nb ,1,2\na,"2",3\n'))
    np.testing.assert_array_equal(blanks, [[1, 3], [2, np.nan]])
    mixed = lb.read_scores(write("data,a,b\niris,1,2\n1049,3,4\n"), round="data")
    assert list(mixed["round"].values) == ["iris", "1049"]
    index = lb.read_scores(write("Unnamed: 0,a,b\n0,1,2\n1,3,4\n"))
    assert list(index["player"].values) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "round_name", "sizes"),
    [
        ("dataset,cv_fold,a,b\nx,0,1,2\nx,1,1,3\ny,0,1,4\ny,1,2,5\n", "cv_fold", (2, 2, 2)),
        ("foldId,a,b\n7,.1,.2\n9,.1,.3\n", "foldId", (2, 2)),
        ("index,a,b\n0,.1,.2\n1,.1,.3\n", "index", (2, 2)),
        ("id,a,b\n1,.1,.2\n2,.1,.3\n", "id", (2, 2)),
        ("dataset,id,a,b\nx,7,1,2\nx,9,1,3\ny,7,1,4\ny,9,2,5\n", "id", (2, 2, 2)),
        # The numbers of the rows are nothing where the rows have names.
        (",dataset,a,b\n0,x,1,2\n1,y,1,3\n2,z,1,4\n", "dataset", (2, 3)),
        (",model,d1,d2\n0,x,.1,.2\n1,y,.1,.3\n2,z,.1,.4\n", "column", (3, 2)),
        ("dataset,cv_fold,model,f1\nx,1,a,.1\nx,1,b,.2\ny,1,a,1\ny,1,b,2\n", "cv_fold", (2, 2, 1)),
        ("model,fold,accuracy,fit_time,train_acc\na,1,1,2,3\nb,1,1,2,3\n", "fold", (2, 1)),
        ("model,arc_acc,boolq_acc\na,1,2\nb,1,2\n", "column", (2, 2)),
    ],
)
def test_rounds_are_recognised(write, text, round_name, sizes):
    scores = lb.read_scores(write(text))
    assert f"round={round_name}," in scores.attrs["columns"]
    assert scores.shape == sizes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fold,id,a,b\n1,7,.1,.2\n2,9,.1,.3\n", "column 'id': rounds or"),
        ("a,b,k\n.1,.2,1\n.1,.3,2\n.1,.1,3\n", "column 'k': numbers of the rows"),
        (
            "t,k,a,b\nx,0,3,4\nx,1,3,4\nx,2,3,4\ny,0,1,2\ny,1,2,3\n",
            "column 'k': numbers of the rows",
        ),
        ("config,fold,accuracy\n1,1,.5\n2,1,.6\n", "column 'accuracy': the scores of a long table"),
        (",1,2\nsvm,.1,.2\nknn,.3,.4\n", "If the columns \\('1', '2', ...\\) are: "),
        ("model,fold,accuracy,f1\na,1,1,1\n", "Name one .*--score NAME.*: 'accuracy', 'f1'"),
        ("model,fold,acc,log_loss\na,1,1,1\n", "Name one .*: 'acc', 'log_loss'"),
        ("model,fold,n_params\na,1,1\nb,1,2\n", "which column is the score.*: 'n_params'"),
        (
            "dataset,part,model,f1\nx,1,a,1\nx,2,a,1\n",
            "line 3: a second .* round=dataset, score=f1",
        ),
        ("fold,a,b\n1,0.9 ± 0.1,1\n", "line 2: .*'0.9 ± 0.1', .* a mean with its error. .* sota"),
        ("fold,a,b\n1,90% +/- 1%,1\n", "line 2: .*, which is not a number, but a mean with its er"),
        ("model,d1,d2\nx,0.9 (0.1),.8\ny,.7,.6\n", "line 2: column 'd1' .* a mean with its error"),
        # Not that it has no round, which a mean does not need.
        ("model,acc\nx,85.1 +- 0.4\ny,84.2 +- 0.4\n", "line 2: column 'acc' .*read_board.*--se"),
        ("model,acc\nx,85.1\ny,84.2\n", "no column was found for the round; .*read_board.*--n"),
    ],
)
def test_what_would_be_read_wrongly_is_refused(write, text, message):
    with pytest.raises(lb.ScoresError, match=message):
        lb.read_scores(write(text))


def test_one_score_a_player_is_sent_to_sota(write):
    kaggle = write("Rank,TeamId,TeamName,Score\n1,7,Ada,0.91\n2,9,Bo,0.9\n")
    for source in (kaggle, pd.read_csv(kaggle)):
        with pytest.raises(lb.ScoresError, match=r"Kaggle leaderboard .* sota FILE --n NUMBER"):
            lb.read_scores(source)
    with pytest.raises(lb.ScoresError, match="no column was found for the round") as several:
        lb.read_scores(write("model,acc,note\nx,1,u\nx,2,v\ny,3,w\ny,4,t\n"))
    assert "sota" not in str(several.value)


def test_pivot_tables():
    rows = [(k, m, 0.1 * k, 0.5) for k in range(3) for m in ("svm", "knn")]
    frame = pd.DataFrame(rows, columns=["cv_fold", "model", "f1", "mae"])
    wide = frame.pivot_table(index="cv_fold", columns="model", values="f1")
    for table in (wide, wide.reset_index()):
        scores = lb.read_scores(table)
        assert list(scores["player"].values) == ["knn", "svm"]
        assert list(scores["round"].values) == ["0", "1", "2"]
    both = frame.pivot_table(index="cv_fold", columns="model")
    with pytest.raises(lb.ScoresError, match="2 levels; use the table of one metric"):
        lb.read_scores(both)
    transposed = both["f1"].T.rename_axis([None])
    with pytest.raises(lb.ScoresError, match="may name players or rounds"):
        lb.read_scores(transposed)
    assert lb.read_scores(transposed.rename_axis("player")).shape == (2, 3)


def test_unknown_columns_and_files(write, tmp_path):
    with pytest.raises(
        lb.ScoresError, match="no column 'modle' for the player; did you mean 'model'"
    ):
        lb.read_scores(write(LONG), player="modle")
    with pytest.raises(lb.ScoresError, match="cannot be read"):
        lb.read_scores(tmp_path / "absent.csv")
    with pytest.raises(lb.ScoresError, match="name it too"):
        lb.read_scores(write("who,points\na,2\n"), player="who")
    with pytest.raises(lb.ScoresError, match="is given as player and as round"):
        lb.read_scores(write(LONG), player="model", round="model")
    with pytest.raises(lb.ScoresError, match=r"row 1 \(from 0\): column 'score' is infinite"):
        lb.read_scores(pd.DataFrame({"player": ["a", "b"], "round": 1, "score": [0.0, np.inf]}))


def crossed(**levels):
    """All combinations, with an accuracy each."""
    every = pd.MultiIndex.from_product(map(list, levels.values()), names=levels)
    table = every.to_frame(index=False)
    return table.assign(accuracy=np.random.default_rng(0).random(len(table)).round(3))


def test_folds_are_no_items():
    table = crossed(model="ab", fold=[0, 1]).assign(question="q", subject="s")
    assert "round=fold" in lb.read_scores(table, score="accuracy").attrs["columns"]
    with pytest.raises(lb.ScoresError):
        lb.read_scores(crossed(model="ab", item=[1, 2], fold=[0, 1]))


def test_players_called_as_items(write):
    text = "dataset,item,question,user\nx,0.1,0.2,0.3\ny,0.4,0.5,0.6\nz,0.7,0.8,0.1\n"
    assert list(lb.read_scores(write(text))["player"].values) == ["item", "question", "user"]
    text = "model,question,passage,subject\na,0.1,0.2,0.3\nb,0.4,0.5,0.6\n"
    assert list(lb.read_scores(write(text))["round"].values) == ["question", "passage", "subject"]
    text = "dataset,left,right,correct\nx,0.1,0.2,0.3\ny,0.4,0.5,0.6\n"
    assert list(lb.read_scores(write(text))["player"].values) == ["left", "right", "correct"]


def test_answers_count_as_scores_of_items_only():
    table = crossed(model="ab", dataset="xy", fold=[0, 1]).assign(passed=True)
    assert "score=accuracy" in lb.read_scores(table).attrs["columns"]
    items = crossed(model="ab", item=[1, 2]).assign(passed=[1, 0, 1, 1], time=1.5)
    assert "score=passed" in lb.read_scores(items).attrs["columns"]


def items(name, cluster="passage", repeat="epoch"):
    """Two players, six items in three clusters, two runs."""
    table = crossed(model="ab", **{name: [1, 2, 3, 4, 5, 6], repeat: [1, 2]})
    table[cluster] = "c" + (table[name] // 2).astype(str)
    return table.drop(columns="accuracy").assign(correct=np.arange(len(table)) % 5 % 2)


def test_clusters_and_runs_of_rounds_of_any_name():
    """Whatever these are called, as of a name that is known, where they are named."""
    known = lb.read_scores(items("item", "repository", "seed"))
    assert "cluster=repository, repeat=seed" in known.attrs["columns"]
    table = items("thing", "kind", "go")
    scores = lb.read_scores(table, round="thing", cluster="kind", repeat="go")
    xr.testing.assert_identical(scores.drop_attrs(), known.drop_attrs())
    with pytest.raises(lb.ScoresError, match=r"a second score for .*repeat=\.\.\."):
        lb.read_scores(table, round="thing")
    assert "cluster" not in lb.read_scores(table, round="thing", repeat="go").coords


@pytest.mark.parametrize("name", ["problem", "problem_id", "task_id"])
def test_names_of_items_that_may_be_data_sets(name):
    scores = lb.read_scores(items(name))
    assert f"round={name}" in scores.attrs["columns"]
    assert "cluster=passage, repeat=epoch" in scores.attrs["columns"]
    # Shares are no answers.
    tasks = crossed(model="ab", **{name: [1, 2]}, seed=[1, 2])
    assert f"tournament={name}" in lb.read_scores(tasks).attrs["columns"]
