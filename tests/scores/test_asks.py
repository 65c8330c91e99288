"""The reader asks in place of guessing, and the call that it advises reads the table right."""

import re

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from command import call


def advice(problem):
    """Return the arguments of each call that a message advises, and as they are typed."""
    calls = re.findall(r"read_scores\(\.\.\., (.*?)\) \((--.*?)\)(?=[.;\s])", str(problem))
    return [(eval(f"dict({python})"), typed) for python, typed in calls]


def refused(source, **arguments):
    """Return the message with which a table is refused, and what its advice reads."""
    with pytest.raises(lb.ScoresError) as caught:
        lb.read_scores(source, **arguments)
    return str(caught.value), [lb.read_scores(source, **call) for call, _ in advice(caught.value)]


def speech():
    """A leaderboard of speech recognition, as published ones are, with what is no score."""
    rng = np.random.default_rng(5)
    sets = "AMI Earnings22 Gigaspeech LS-clean LS-other SPGISpeech Tedlium Voxpopuli".split()
    n = 87
    base = np.array([16.0, 12.0, 10.5, 1.9, 3.9, 3.2, 3.6, 7.0])
    wer = (base * np.exp(0.25 * rng.normal(size=(n, 1)) + 0.1 * rng.normal(size=(n, 8)))).round(2)
    table = pd.DataFrame(wer, columns=[f"{name} WER" for name in sets])
    table.insert(0, "model", [f"org/asr-{k}" for k in range(n)])
    table.insert(1, "Average WER", wer.mean(axis=1).round(2))
    rtfx = np.exp(rng.normal(4.5, 1.2, n)).round(2)
    table.insert(2, "RTFx", np.where(rng.random(n) < 0.2, -1.0, rtfx))
    table["License"] = rng.choice(["MIT", "CC-BY-4.0", "Open"], n)
    table["Size (B)"] = rng.choice([0.04, 0.11, 0.6, 0.8, 1.1, 1.5, 2.5, 8.0], n)
    return table, wer


def test_everything_that_is_no_score_is_listed_at_once(write):
    table, wer = speech()
    message, (read,) = refused(table)
    for name in ("Average WER", "RTFx", "License", "Size (B)"):
        assert repr(name) in message
    assert "where lower is better" in message
    np.testing.assert_array_equal(read, wer)
    assert read.attrs["higher_is_better"] == 0
    # The command line says the same.
    path = write(table.to_csv(index=False), "board.csv")
    said = call("rank", path.name, cwd=path.parent)
    assert said.returncode == 2
    for name in ("Average WER", "RTFx", "License", "Size (B)"):
        assert f"--drop {name!r}".replace("'", "") in said.stderr.replace("'", "")


BOARD = {"rf": [0.92, 0.81, 0.77, 0.95, 0.88], "svm": [0.9, 0.84, 0.71, 0.93, 0.86],
         "knn": [0.85, 0.79, 0.7, 0.9, 0.83], "mlp": [0.91, 0.8, 0.78, 0.96, 0.84]}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "values"),
    {
        "rf (s)": [3.7, 1.2, 2.5, 8.1, 0.9],
        "elapsed": [3.7, 1.2, 2.5, 8.1, 0.9],
        "p": [0.04, 0.62, 0.31, 0.003, 0.77],
        "t": [2.1, -0.4, 1.3, -3.2, 0.2],
        "gain": [0.02, -0.03, 0.06, 0.02, 0.02],
        "lower": [0.88, 0.77, 0.73, 0.91, 0.84],
        "rf_upper": [0.96, 0.85, 0.81, 0.99, 0.92],
        "rf_std": [0.02, 0.01, 0.03, 0.01, 0.02],
        "fps": [31.0, 24.0, 60.0, 12.0, 18.0],
        "USD": [1.25, 0.4, 3.1, 0.9, 12.0],
        "kWh": [3.2, 0.8, 12.5, 40.1, 2.2],
        "MB": [120.0, 512.0, 87.0, 44.0, 900.0],
        "downloads": [12345.0, 0.0, 77.0, 1200.0, 3.0],
        "rating": [1204.0, 1178.0, 1250.0, 1101.0, 1190.0],
        "lr": [1e-3, 1e-4, 1e-5, 1e-3, 3e-4],
    }.items(),
)
@pytest.mark.parametrize("losses", [False, True])
def test_columns_that_are_no_scores(name, values, losses):
    board = pd.DataFrame(BOARD)
    board = (1.0 - board).round(2) if losses else board
    table = board.assign(**{name: values})
    table.insert(0, "dataset", [*"uvwxy"])
    if losses and name == "p":  # numbers such as these may be losses
        with pytest.warns(lb.LeaderbayesWarning, match=f"LB051 .*{name!r}") as caught:
            lb.read_scores(table, higher_is_better=False)
        read = lb.read_scores(table, **advice(caught[0].message)[0][0])
    else:
        message, (read,) = refused(table, higher_is_better=not losses)
        assert f"column {name!r}:" in message
    assert list(read["player"].values) == [*BOARD]


def test_rankings_are_repeated_as_often_as_a_column_says():
    table = pd.DataFrame({"a": [1, 2, 1, 1], "b": [2, 1, 2, 3], "c": [3, 3, 3, 2]})
    counted = table.assign(count=[40, 12, 7, 1])
    for first in (counted, counted.assign(ranking=[*"uvwx"]).iloc[:, ::-1]):
        message, (read,) = refused(first)
        assert "places 1, 2, 3" in message
        expected = table.loc[np.repeat(table.index, counted["count"])].T
        np.testing.assert_array_equal(read.sel(player=[*"abc"]), expected)
        assert "count=count" in read.attrs["read"]
    message, (read,) = refused(counted.assign(count=[0.5, 12, 7, 1]), higher_is_better=False)
    assert dict(read.sizes) == {"player": 3, "round": 4}


@pytest.mark.parametrize("shape", ["wide", "models", "long"])
def test_places_are_no_points(shape):
    table = pd.DataFrame({"a": [1, 2, 1.5], "b": [2, 1, 1.5], "c": [3, 3, 3]}).rename_axis("round")
    wide = table.reset_index()
    long = wide.melt("round", var_name="player", value_name="score")
    source = {"wide": wide, "models": table.T.rename_axis("model").reset_index(), "long": long}
    message, (read,) = refused(source[shape])
    assert "lower is usually better" in message
    np.testing.assert_array_equal(read, table.T)
    assert read.attrs["higher_is_better"] == 0
    assert lb.read_scores(source[shape], higher_is_better=True).attrs["higher_is_better"] == 1


def test_what_looks_odd_may_be_kept():
    table = pd.DataFrame(BOARD).assign(time=[3.7, 1.2, 2.5, 8.1, 0.9])
    read = lb.read_scores(table, keep=["time"])
    assert list(read["player"].values) == [*BOARD, "time"]
    rows = table.assign(time=0.5, dataset=["u", "v", "w", "x", "mean"])
    assert lb.read_scores(rows, keep=["mean", "time"])["round"].values[4] == "mean"
    with pytest.raises(lb.ScoresError, match="'tim': no such column or row; did you mean 'time'"):
        lb.read_scores(table, keep=["tim"])
    with pytest.raises(lb.ScoresError, match="drop='tim': no such column or row; did you mean"):
        lb.read_scores(table, drop=["tim"])
    with pytest.raises(lb.LeaderbayesError, match="drop='time': give a list of names"):
        lb.read_scores(table, drop="time")


# Tables of shapes that people publish: what the message names, and what its advice reads.
PUBLISHED = {
    "records": (
        "Dataset,NB,TAN,AODE\nu,80.1,82.5,83.0\nv,71.2,70.0,74.9\nw,93.3,94.1,93.9\n"
        "x,64.8,69.5,70.2\nAverage,77.35,79.03,80.5\nW/T/L,,3/0/1,4/0/0\n",
        ["row 'Average'", "row 'W/T/L': text"], ["NB", "TAN", "AODE"], [*"uvwx"], 1,
    ),
    "counts of the best": (
        "Dataset,BM25,DPR,ANCE,E5\nu,0.656,0.332,0.654,0.71\nv,0.325,0.189,0.237,0.31\n"
        "w,0.329,0.474,0.446,0.52\nx,0.603,0.391,0.456,0.58\ny,0.236,0.112,0.295,0.33\n"
        "Avg.,0.430,0.300,0.418,0.490\nBest on,2,0,0,3\n",
        ["row 'Avg.'", "row 'Best on'"], ["BM25", "DPR", "ANCE", "E5"], [*"uvwxy"], 1,
    ),
    "a mean of losses": (
        "Model,Average WER,clean,other,AMI\na,6.93,1.9,3.9,15.0\nb,8.27,2.1,4.6,18.1\n"
        "c,7.07,1.8,3.6,15.8\n",
        ["'Average WER'", "lower is better"], [*"abc"], ["clean", "other", "AMI"], 0,
    ),
    "arrows": (
        "System,BLEU↑,chrF↑,TER↓\na,31.2,57.1,54.9\nb,35.1,60.3,50.3\nc,30.4,56.5,56.1\n",
        ["column 'TER↓': lower is better, unlike"], [*"abc"], ["BLEU↑", "chrF↑"], 1,
    ),
    "runs of agents": (
        "algo,env,seed,return\n" + "".join(f"{a},{e},{s},{k}{s}.5\n" for k, a in enumerate(
            ("ppo", "sac"), 1) for e in ("ant", "hopper") for s in (1, 2)),
        ["'return' alone holds numbers"], ["ppo", "sac"], ["ant", "hopper"], 1,
    ),
    "half no scores": (
        "Model,Size (Million Parameters),Dimensions,Max Tokens,Average (9 sets),STS,QA,NLI,CLS\n"
        "a,33,384,512,61.2,75.1,51.2,58.3,60.2\nb,109,768,512,63.5,77.9,53.1,60.4,62.8\n"
        "c,335,1024,512,64.2,78.8,54.3,60.9,63.0\nd,7111,4096,32768,66.9,81.0,57.8,63.7,65.4\n"
        "e,560,1024,514,62.1,76.6,51.9,59.0,61.2\nf,22,384,256,56.4,71.0,45.8,53.9,55.4\n"
        "g,7110,3584,32000,66.8,80.5,58.2,63.1,65.6\nh,137,768,8192,62.5,76.8,52.0,59.9,61.5\n",
        ["'Size", "'Dimensions'", "'Max Tokens'", "'Average (9 sets)'"], [*"abcdefgh"],
        ["STS", "QA", "NLI", "CLS"], 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_tables_as_they_are_published(write, name):
    text, said, players, rounds, better = PUBLISHED[name]
    message, (read,) = refused(write(text))
    assert all(each in message for each in said)
    assert list(read["player"].values) == players
    assert list(read["round"].values) == rounds
    assert read.attrs["higher_is_better"] == better


def test_rows_that_a_column_of_text_tells_apart(write):
    text = "unique_id,metric,ETS,ARIMA\n" + "".join(
        f"{u},{m},{k}.5,{k}.7\n" for k, u in enumerate("uv", 1) for m in ("mase", "mae")
    )
    with pytest.raises(lb.ScoresError, match="'metric': tells rows of one name apart") as caught:
        lb.read_scores(write(text))
    call = {"tournament": "unique_id", "round": "metric"}
    assert advice(caught.value)[0][0] == call
    message, (read,) = refused(write(text), **call)
    assert "'mase', 'mae' are the names of losses" in message
    assert dict(read.sizes) == {"tournament": 2, "player": 2, "round": 2}


def test_a_second_score_says_in_what_its_row_differs():
    rows = [(m, t, k, 0.5) for m in "ab" for t in "uv" for k in ("acc", "acc_norm")]
    table = pd.DataFrame(rows, columns=["model", "task", "kind", "value"])
    with pytest.raises(
        lb.ScoresError, match=r"row 1 .*a second score .* Its rows differ in 'kind'"
    ):
        lb.read_scores(table)


def test_two_columns_that_are_not_alike_are_named():
    table = pd.DataFrame({"model": [*"abcdefg"], "mmlu": [0.92, 0.9, 0.85, 0.91, 0.7, 0.8, 0.77]})
    table["entries"] = [12, 3, 40, 7, 5, 9, 31]
    with pytest.warns(lb.LeaderbayesWarning, match="LB051 .*round 'entries': .*above 1"):
        lb.read_scores(table)


# -- players or rounds? ----------------------------------------------------------------------------

ROWS = "a,.61,.52,.4\nb,.7,.5,.45\nc,.55,.6,.3\n"


@pytest.mark.parametrize("first", ["", "index", "technique_used", "Name", "Label", "id"])
def test_orientation_is_asked_for(write, first):
    path = write(f"{first},mmlu,arc,gsm8k\n{ROWS}")
    for source in (path, pd.read_csv(path), pd.read_csv(path, index_col=0)):
        message, (rows, columns) = refused(source)
        assert "may name players or rounds" in message
        assert list(rows["player"].values) == [*"abc"]
        assert list(columns["player"].values) == ["mmlu", "arc", "gsm8k"]
    unnamed = pd.read_csv(path, index_col=0).rename_axis(None)
    assert "may name players or rounds" in refused(unnamed)[0]


def test_what_was_read_is_said_in_python_too():
    table = pd.DataFrame(BOARD).assign(dataset=[*"uvwxy"])
    read = lb.read_scores(table)
    for said in ("players: 'rf', 'svm'", "rounds: 'u', 'v'", "higher is better"):
        assert said in read.attrs["read"]
    assert "player=column, round=dataset" in repr(read)


def test_rows_of_several_tables_at_once(write):
    text = "model,mmlu,arc,std\na,.61,.52,.1\nb,.7,.5,.2\nmean,.655,.51,.15\nc,.55,timeout,.3\n"
    with pytest.raises(lb.ScoresError) as caught:
        lb.read_scores(write(text))
    for said in ("'std'", "'mean'", "line 5: column 'arc' holds 'timeout'"):
        assert said in str(caught.value)


# -- parts of the data, and units ------------------------------------------------------------------


@pytest.mark.parametrize("parts", [("train", "test"), ("train", "val", "test"), ("Val", "Test")])
def test_parts_of_the_data_are_no_rounds(parts):
    rows = [(m, t, s, round(0.5 + 0.07 * k + 0.01 * j + 0.1 * (s == "train"), 3))
            for k, m in enumerate("ab") for j, t in enumerate("uvw") for s in parts]  # fmt: skip
    table = pd.DataFrame(rows, columns=["model", "task", "split", "accuracy"])
    for source in (table, table[table["task"] == "u"].drop(columns="task").assign(seed=1)):
        message, (read,) = refused(source)
        assert "parts of the data" in message
        assert list(read["player"].values) == [*"ab"]
        of_test = source[source["split"] == parts[-1]].pivot(
            index="model", columns="task" if "task" in source else "seed", values="accuracy"
        )
        np.testing.assert_array_equal(read, of_test)
    wide = table.assign(task=table["task"] + "_" + table["split"])
    wide = wide.pivot(index="model", columns="task", values="accuracy").reset_index()
    message, (read,) = refused(wide)
    assert "other parts of the data" in message
    assert {*read["round"].values} == {f"{task}_{parts[-1]}" for task in "uvw"}
    folds = table.assign(split=table["split"].map(dict(zip(parts, "123", strict=False))))
    assert lb.read_scores(folds).sizes["round"] == len(parts)


@pytest.mark.parametrize(("cell", "unit"), [("0.96", 1), ("0.9", 1), ("95.4", 100)])
def test_one_share_among_percentages_or_the_reverse(write, cell, unit):
    rest = np.array([[95.21, 88.1, 91.3], [0, 87.2, 90.02], [94.3, 85.31, 92.5]]) / unit
    text = "model,u,v,w\n" + "".join(
        f"{m},{','.join(map(str, x))}\n" for m, x in zip("abc", rest, strict=True)
    )
    text = text.replace("b,0.0,", f"b,{cell},")
    with pytest.warns(lb.LeaderbayesWarning, match=rf"LB051 .* {cell} \(player 'b', round 'u'\)"):
        lb.read_scores(write(text))


def test_zero_is_no_place(write):
    text = "round,a,b,c,d\n1,1,2,3,4\n2,2,1,0,3\n3,1,0,3,2\n"
    with pytest.raises(lb.ScoresError, match=r"a place of 0 .* best; leave .* empty"):
        lb.read_scores(write(text), higher_is_better=False)
    lb.read_scores(write(text.replace(",0", ",")), higher_is_better=False)
    from_zero = "round,a,b,c\n1,0,1,2\n2,2,1,0\n3,1,0,2\n"
    assert lb.read_scores(write(from_zero), higher_is_better=False).min() == 0


# -- small tables as people have them --------------------------------------------------------------


def test_scores_in_lines_of_json(write):
    rows = [
        {"model": m, "task": t, "score": 0.5 + 0.1 * k} for k, m in enumerate("ab") for t in "uv"
    ]
    text = "\n".join(pd.DataFrame(rows).to_json(orient="records", lines=True).splitlines())
    assert dict(lb.read_scores(write(text, "s.jsonl")).sizes) == {"player": 2, "round": 2}
    wide = '{"model": "a", "u": 0.1, "v": 0.2}\n{"model": "b", "u": 0.3, "v": 0.1}\n'
    np.testing.assert_array_equal(lb.read_scores(write(wide, "w.jsonl")), [[0.1, 0.2], [0.3, 0.1]])


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("C", "I"), ("y", "n"), ("✓", "✗"), ("pass", "fail"), ("True", "False"), ("yes", "no"),
     ("correct", "INCORRECT"), ("1", "0")],
)  # fmt: skip
def test_right_and_wrong_in_words(write, right, wrong):
    items = lb.read_scores(write(f"item,a,b\n1,{right},{wrong}\n2,{wrong},\n3,{right},{right}\n"))
    np.testing.assert_array_equal(items, [[1, 0, 1], [0, np.nan, 1]])
    assert items.attrs["columns"] == "player=column, round=item, score=cell"
    models = f"model,u,v\na,{right},{wrong}\nb,{right},{right}\n"
    np.testing.assert_array_equal(lb.read_scores(write(models)), [[1, 0], [1, 1]])
    with pytest.raises(lb.ScoresError, match="line 3: column 'b' holds 'timeout'"):
        lb.read_scores(
            write(f"item,a,b\n1,{right},{wrong}\n2,{wrong},timeout\n3,{right},{right}\n")
        )


def test_runs_and_platforms_of_items(write):
    rows = [(a, k, r, (k + r + i) % 2 == 0)
            for i, a in enumerate("ab") for k in range(4) for r in (1, 2)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["agent", "task_id", "run", "is_resolved"])
    scores = lb.read_scores(table)
    assert dict(scores.sizes) == {"player": 2, "round": 4}
    np.testing.assert_array_equal(scores, 0.5)
    text = "model,question_id,platform,pass@1\na,1,x,1\na,2,y,0.5\nb,1,x,0\nb,2,y,1\n"
    scores = lb.read_scores(write(text))
    np.testing.assert_array_equal(scores, [[1.0, 0.5], [0.0, 1.0]])
    assert scores.attrs["unused"] == "'platform'"


def test_a_seed_beside_rounds_is_no_long_table():
    table = pd.DataFrame(BOARD).T.round(2).add_prefix("d").rename_axis("model").reset_index()
    message, (read,) = refused(table.assign(seed=[1, 2, 3, 4]))
    assert "column 'seed'" in message
    assert read.sizes["round"] == 5


@pytest.mark.parametrize(
    "text",
    [
        "| Model | u | v |\n|:--|--:|--:|\n| a | **61.2** | 50.1 |\n| b | 60.1† | <u>52.2</u> |\n",
        "\\begin{tabular}{lrr}\n\\toprule\nModel & u & v \\\\\n\\midrule\n"
        "a & \\textbf{61.2} & 50.1 \\\\\nb & 60.1$^\\dagger$ & \\underline{52.2} \\\\\n"
        "\\bottomrule\n\\end{tabular}\n",
        "Model & u & v \\\\ \\hline\na & {\\bf 61.2} & 50.1 \\\\\nb & 60.1^* & $52.2$ \\\\\n",
        'model,u,v\na,"61,2","50,1"\nb,"60,1","52,2"\n',
        "model;u;v\na;61,2;50,1\nb;60,1;52,2\n",
        "model,u,v\na,61.2%,50.1%\nb,60.1 %,52.2 %\n",
        "model\tu\tv\na\t61.2\t50.1\nb\t60.1\t52.2\n",
        "model|u|v\na|61.2|50.1\nb|60.1|52.2\n",
        "model,u,v,,\na,61.2,50.1,,\nb,60.1,52.2,,\n",
    ],
)
def test_tables_as_papers_and_people_write_them(write, text):
    scores = lb.read_scores(write(text, "table.txt"))
    np.testing.assert_array_equal(scores, [[61.2, 50.1], [60.1, 52.2]])
    assert list(scores["round"].values) == ["u", "v"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "| Model | u | v |\n|--|--|--|\n| a | 61.2 ± 0.3 | 5.1 |\n| b | 60.1 | 5 |\n",
            "its error",
        ),
        ("model,u,v\na,61.2%,50.1\nb,0.601,52.2\n", "add it to every score of the column"),
        ('model,u,v\na,"1,234",5.1\nb,"2,345",5.2\n', "of thousands"),
        ("model,u,v\na,1.2k,2k\nb,1.3k,1k\n", "line 2: column 'u' holds '1.2k'"),
        ("model,a,b,c\na,0,6,7\nb,4,0,5\nc,3,5,0\n", "rows and columns have the same names"),
    ],
)
def test_numbers_that_may_mean_two_things(write, text, message):
    with pytest.raises(lb.ScoresError, match=message):
        lb.read_scores(write(text))


@pytest.mark.parametrize(
    ("text", "rounds"),
    [
        ('{"a": {"u": 0.5, "v": 0.4}, "b": {"u": 0.6, "v": 0.3}}', ["u", "v"]),
        ('{"columns": ["u", "v"], "index": ["a", "b"], "data": [[0.5, 0.4], [0.6, 0.3]]}',
         ["u", "v"]),
        ('{"model": "a", "of": {"u": 0.5, "v": 0.4}}\n{"model": "b", "of": {"u": 0.6, "v": 0.3}}\n',
         ["of.u", "of.v"]),
    ],
)  # fmt: skip
def test_nested_json(write, text, rounds):
    path = write(text, "scores.json")
    read = lb.read_scores(path) if "model" in text else refused(path)[1][0]
    np.testing.assert_array_equal(read, [[0.5, 0.4], [0.6, 0.3]])
    assert read["round"].values.tolist() == rounds


def test_text_of_spreadsheets(tmp_path):
    path = tmp_path / "scores.txt"
    path.write_bytes("model\tu\tv\nä\t−0.5\t0.4\nb\t0.6\t0.3\n".encode("utf-16"))
    np.testing.assert_array_equal(lb.read_scores(path), [[-0.5, 0.4], [0.6, 0.3]])


@pytest.mark.parametrize(("cell", "gains"), [("-1", True), ("-1", False), ("999", True)])
def test_numbers_that_may_stand_for_none(write, cell, gains):
    text = f"model,u,v,w\na,61.5,{cell},40\nb,70,50,{cell}\nc,55,60,30\nd,50,55,35\n"
    with pytest.warns(lb.LeaderbayesWarning, match=rf"LB051 .* {cell} .*1 more.*missing score"):
        lb.read_scores(write(text), higher_is_better=gains)
    lb.read_scores(write("round,a,b,c\nx,1,-1,0\ny,0,1,-1\nz,1,1,-1\n"))  # won, tied, lost


def test_excel(tmp_path):
    pytest.importorskip("openpyxl")
    path, table = tmp_path / "scores.xlsx", pd.DataFrame(BOARD).assign(dataset=["NA", *"vwxy"])
    table.to_excel(path, index=False)
    read = lb.read_scores(path)
    np.testing.assert_array_equal(read.T, table[[*BOARD]])
    assert read["round"].values.tolist() == ["NA", *"vwxy"]
    with pd.ExcelWriter(path) as book:
        for sheet in ("one", "two"):
            table.to_excel(book, sheet_name=sheet)
    with pytest.raises(lb.ScoresError, match="sheets 'one', 'two'; choose one"):
        lb.read_scores(path)


def test_wins_against_one_base(write):
    """The leaderboard of AlpacaEval."""
    text = (
        ",win_rate,n_wins,n_wins_base,n_draws,n_total\ngpt,50.0,0,0,805,805\n"
        "yi,40.1,300,500,5,805\nopt,22.0,150,655,0,805\n"
    )
    votes = lb.read_votes(write(text))
    assert votes["player"].values.tolist() == ["yi", "gpt", "opt"]
    assert votes["outcome"].values.tolist() == [1.0, 0.0, 0.5, 1.0, 0.0]
    assert votes["weight"].values.tolist() == [300, 500, 5, 150, 655]
    assert "use leaderbayes.read_votes" in refused(write(text))[0]
