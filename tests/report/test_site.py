"""A site: its files, what they say, and what it refuses."""

import json
import re

import numpy as np
import pytest

import leaderbayes as lb


@pytest.fixture(scope="module")
def made(laplace, misfit, study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    fits = {"My Board": laplace, "circle": misfit, "study": study}
    return lb.report.site(fits, folder, title="<All>").parent


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
    assert "<h1>&lt;All&gt;</h1>" in index
    assert "<script" not in index


def test_letters_of_any_script_have_a_link(laplace, tmp_path):
    names = ["Modèle 1", "漢字", "モデルが_1", "हिन्दी"]
    made = lb.report.site(dict.fromkeys(names, laplace), tmp_path / "site")
    listed = read(made.parent / "index.json")["boards"]
    assert [board["page"] for board in listed] == [
        "modele-1.html", "漢字.html", "モデルが-1.html", "हिन्दी.html"
    ]  # fmt: skip
    assert all((made.parent / board["page"]).exists() for board in listed)
    assert 'href="漢字.html"' in made.read_text("utf-8")
    again = lb.report.site({"漢字": laplace}, tmp_path / "next", since=made.parent).parent
    assert "漢字" not in (again / "changes.md").read_text("utf-8")
    with pytest.raises(lb.LeaderbayesError, match="too long"):
        lb.report.site({"x" * 300: laplace}, tmp_path / "long")


def test_numbers_are_those_of_the_functions(made, laplace):
    record = read(made / "my-board.json")
    (board,) = record["boards"]
    table = lb.leaderboard(laplace)
    assert [row["player"] for row in board["leaderboard"]] == list(table["player"])
    for name in ("epp", "epp_lower", "p_best", "rank_upper"):
        np.testing.assert_allclose([row[name] for row in board["leaderboard"]], table[name])
    assert board["tied_for_top"] == lb.tied_for_top(laplace)
    groups = lb.groups(laplace).groupby("group")["player"].apply(list)
    assert board["groups"] == list(groups)
    pairs = [(a, b) for a in table["player"] for b in table["player"] if a != b]
    told = [[a, b] for a, b in pairs if float(lb.compare(laplace, a, b)["p_better"]) >= 0.95]
    assert sorted(board["told_apart"]) == sorted(told)
    assert (record["prob"], board["converged"], board["warnings"]) == (0.95, True, [])


def test_doubt_stands_in_the_index_and_in_json(made):
    assert read(made / "circle.json")["boards"][0]["warnings"][-1].startswith("LB016")
    assert read(made / "index.json")["boards"][1]["verdict"] == "care"
    assert len(read(made / "study.json")["boards"]) == 4
    index = (made / "index.html").read_text("utf-8")
    assert "Converged, but the model does not describe this board." in index
    assert "4 tournaments" in index


def test_the_index_says_what_pages_say(laplace, misfit, study, tmp_path):
    loose = laplace.copy()
    loose.attrs = laplace.attrs | {"p_check": 0.96}
    boards = study.copy()
    first = next(iter(boards.children))
    boards[first].attrs = boards[first].attrs | {"p_check": 0.0}
    to = lb.report.site({"loose": loose, "study": boards}, tmp_path).parent
    kinds = [board["verdict"] for board in read(to / "index.json")["boards"]]
    assert kinds == ["care", "care"]
    index = (to / "index.html").read_text("utf-8")
    assert "the board varies less than the model says" in index
    assert "1 to read with care" in index


def test_mean_scores_have_a_page(of_scores, tmp_path):
    of_scores = of_scores["mean_score"]
    to = lb.report.site({"means": of_scores}, tmp_path).parent
    (board,) = read(to / "means.json")["boards"]
    assert board["seed"] == of_scores.attrs["seed"]
    assert [row["player"] for row in board["leaderboard"]] == list(
        lb.leaderboard(of_scores)["player"]
    )


def test_it_reads_on_a_phone(made, visit_plain):
    page = visit_plain(made / "index.html", width=390)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_role("link", name="My Board").click()
    assert page.title() == "My Board"


@pytest.fixture
def visit_plain(browser):
    """Open a page that has no charts to wait for."""
    opened = []

    def visit(path, *, width):
        page = browser.new_page(viewport={"width": width, "height": 800})
        page.goto(path.as_uri())
        opened.append(page)
        return page

    yield visit
    for page in opened:
        page.close()


def test_changes_are_said(made, laplace, tmp_path):
    same = lb.report.site({"My Board": laplace}, tmp_path, since=made).parent
    said = (same / "changes.md").read_text("utf-8")
    assert said == "No longer there: `circle`, `study`.\n"
    assert not (made / "changes.md").exists()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "Give fits by the names"),
        (("a b", "A-B"), "would both be a-b.html"),
        (("Index",), "no link of its own"),
        (("…",), "no link of its own"),
    ],
)
def test_names_without_a_link(laplace, tmp_path, names, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.report.site(dict.fromkeys(names, laplace), tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_what_is_no_board(laplace, best, tmp_path):
    with pytest.raises(lb.LeaderbayesError, match="by the names"):
        lb.report.site(laplace, tmp_path)
    with pytest.raises(lb.LeaderbayesError):
        lb.report.site({"a": 1}, tmp_path)
    with pytest.raises(lb.LeaderbayesError, match="posterior of the best"):
        lb.report.site({"a": best["sota"]}, tmp_path)
    with pytest.raises(lb.LeaderbayesError, match="no site of"):
        lb.report.site({"a": laplace}, tmp_path, since=tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []
