"""A site: its files, what they say and refuse."""

import json
import re

import numpy as np
import pytest

import leaderbayes as lb
import posteriors
from conftest import cycle


@pytest.fixture(scope="module")
def made(classifiers, study, tmp_path_factory):
    misfit = posteriors.strengths(cycle(), [0.1, 0.0, -0.1], weight=1.0)
    misfit.attrs |= {"p_check": 0.01, "warnings": '["LB011 few rounds"]'}
    fits = {"My Board": classifiers, "circle": misfit, "study": study}
    return lb.report.site(fits, tmp_path_factory.mktemp("site"), title="<All>").parent


def read(path):
    return json.loads(path.read_text("utf-8"))


def test_links_are_stable_and_all_there(made):
    assert sorted(path.name for path in made.iterdir()) == [
        "circle.html", "circle.json", "index.html", "index.json", "my-board.html",
        "my-board.json", "study.html", "study.json",
    ]  # fmt: skip
    index = (made / "index.html").read_text("utf-8")
    links = set(re.findall(r'href="([^"]+\.(?:html|json))"', index))
    assert links == {path.name for path in made.iterdir()} - {"index.html", "index.json"}
    listed = read(made / "index.json")["boards"]
    assert [board["page"] for board in listed] == ["my-board.html", "circle.html", "study.html"]
    assert [board["verdict"] for board in listed] == ["good", "care", "good"]
    assert "<h1>&lt;All&gt;</h1>" in index
    assert "<script" not in index
    assert "Converged, with warnings." in index
    assert "4 tournaments" in index


def test_numbers_are_those_of_the_functions(made, classifiers):
    record = read(made / "my-board.json")
    (board,) = record["boards"]
    table = lb.leaderboard(classifiers)
    assert [row["player"] for row in board["leaderboard"]] == list(table["player"])
    for name in ("epp", "epp_lower", "p_best", "rank_upper"):
        np.testing.assert_allclose([row[name] for row in board["leaderboard"]], table[name])
    assert board["tied_for_top"] == lb.tied_for_top(classifiers)
    groups = lb.groups(classifiers).groupby("group")["player"].apply(list)
    assert board["groups"] == list(groups)
    epp = {name: classifiers["posterior"]["epp"].sel(player=name) for name in table["player"]}
    told = [[a, b] for a in epp for b in epp if float((epp[a] > epp[b]).mean()) >= 0.95]
    assert sorted(board["told_apart"]) == sorted(told)
    assert (record["prob"], board["converged"], board["warnings"]) == (0.95, True, [])
    assert len(read(made / "study.json")["boards"]) == 4


def test_letters_of_any_script_have_a_link(classifiers, tmp_path):
    names = ["Modèle 1", "漢字", "モデルが_1", "हिन्दी"]
    fit = posteriors.of_posteriors_own(classifiers)
    made = lb.report.site(dict.fromkeys(names, fit), tmp_path / "site", top=2)
    listed = read(made.parent / "index.json")["boards"]
    pages = ["modele-1.html", "漢字.html", "モデルが-1.html", "हिन्दी.html"]
    assert [board["page"] for board in listed] == pages
    assert all((made.parent / page).exists() for page in pages)


@pytest.mark.parametrize(
    ("names", "message"),
    [((), "Pass fits by the names"), (("a b", "A-B"), "would both be a-b.html"),
     (("Index",), "no unique link"), (("…",), "no unique link"), (("x" * 300,), "too long")],
)  # fmt: skip
def test_names_without_a_link(classifiers, tmp_path, names, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.report.site(dict.fromkeys(names, classifiers), tmp_path / "site", top=2)
    assert not (tmp_path / "site").exists()


def test_what_is_no_board(classifiers, kinds, tmp_path):
    for given, options, message in (
        (classifiers, {}, "by the names"),
        ({"a": 1}, {}, "not int"),
        ({"a": kinds["sota"]}, {}, "ranks teams"),
        ({"a": classifiers}, {"audits": {"b": classifiers}}, "no posterior named 'b'"),
        ({"a": classifiers}, {"audits": {"a": classifiers}}, r"result of leaderbayes\.audit"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=message):
            lb.report.site(given, tmp_path, **options)
    assert list(tmp_path.iterdir()) == []
