"""The paper cites what it lists, and says the numbers of the pages."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
BODY = TEXT.split("---\n", 2)[2]


def test_what_is_cited_is_listed_and_the_other_way_round():
    listed = re.findall(r"^@\w+{(\w+),", (ROOT / "paper" / "paper.bib").read_text(), re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(re.findall(r"@(\w+)", BODY)) == set(listed)


def test_coverages_are_those_of_boardbench():
    page = (ROOT / "docs" / "boardbench.md").read_text(encoding="utf-8")
    table = page.split("\n## Against the truth")[1].split("\n### ")[0]
    said = {
        "leaderbayes mean_score": "covered {} (mean scores)",
        "leaderbayes bradley_terry": "{} (Bradley-Terry)",
        "mean rank, bootstrap": "{} for a bootstrap of rounds",
        "evalica, Bradley-Terry": "{} for one of single matches",
        "bayes-testkit": "{} for bayes-testkit",
        "autorank": "autorank covered {}",
    }
    for tool, words in said.items():
        (row,) = re.findall(rf"^\| {re.escape(tool)} \|.*$", table, re.MULTILINE)
        covered = row.split("|")[3].split()[0]
        assert words.format(covered) in " ".join(TEXT.split()), (tool, covered)


def test_figures_are_remade_by_the_script():
    script = (ROOT / "paper" / "figures.py").read_text(encoding="utf-8")
    for name in re.findall(r"\(figures/(\w+\.png)\)", TEXT):
        assert f'"{name}"' in script
