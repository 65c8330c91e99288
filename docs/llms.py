"""Write llms.txt, a list of all pages for language models: each by its title and first sentence.

    python docs/llms.py

The build copies it to the root of the site; tests/docs/test_front.py compares it with the pages.
"""

# ruff: noqa: E501 (the text of a page)

import re
from pathlib import Path

DOCS = Path(__file__).parent
FILE = DOCS / "llms.txt"
HEAD = """\
# leaderbayes

> A Python package that turns benchmark results (scores by round, right-or-wrong items, votes) into posterior
> leaderboards: who is better, how probably, by how much, and how good the best really is. PyMC models, ArviZ results.

In short: `scores = lb.read_scores("scores.csv")`, `dt = lb.fit(scores)`, then `lb.leaderboard(dt)`, `lb.compare(dt, a, b)`,
`lb.audit(dt)`, `lb.plan(dt)` (how many more rounds or votes would decide), `lb.report.html(dt, "page.html")`. For folds of one
data set add `test_fraction=0.2`; for sizes use `lb.fit(scores, "mean_score")`; for votes `lb.fit(lb.read_votes("votes.csv"))`;
for one score per team `lb.sota.posterior(lb.sota.read_board("board.csv", n=3000))`. The same from the shell: `leaderbayes rank`,
`compare`, `audit`, `plan`, `sota`, `tournaments`, `report`, each with `--json`. Read the warnings of a fit (codes from LB001)
before you report its numbers.
"""


def first_of(page):
    """Return the title of a page and its first sentence."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```$|\A---\n.*?\n---\n", "", text, flags=re.DOTALL | re.MULTILINE)
    title, sentence = re.search(r"^# (.+)\n\n+([^\n|].*(?:\n.+)*)\n", text, re.MULTILINE).groups()
    return title, re.split(r"(?<=[.?:]) ", " ".join(sentence.split()))[0]


def pages(page=DOCS / "index.md"):
    """Return the pages below this one, in the order of the site's contents."""
    text = page.read_text(encoding="utf-8")
    found = []
    for names in re.findall(r"```{toctree}\n(?::\w+:.*\n)*\n(.*?)```", text, re.DOTALL):
        for name in names.split():
            if page.stem not in ("models", "notebooks"):  # copies
                for below in sorted(DOCS.glob(f"{name}.md")):
                    found += [below, *pages(below)]
    return [*dict.fromkeys(found)]


def listed():
    """Return the text of llms.txt."""
    lines = [HEAD, "## Pages\n"]
    for page in pages():
        title, sentence = first_of(page)
        name = page.relative_to(DOCS).with_suffix(".html").as_posix()
        lines.append(f"- [{title}]({name}): {sentence}")
    lines.append("\n## Models, each with its assumptions, priors, calibration and failures\n")
    for card in sorted((DOCS.parent / "models").glob("*/README.md")):
        title = card.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
        lines.append(f"- [{title}](models/{card.parent.name}/README.html)")
    lines.append("\n## Optional: whole analyses\n")
    for notebook in sorted((DOCS.parent / "notebooks").glob("*.ipynb")):
        name = notebook.stem.partition("_")[2].replace("_", " ")
        lines.append(f"- [{name}](notebooks/{notebook.stem}.html)")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(listed(), encoding="utf-8")
