"""Notebooks are committed without outputs, need no folder beside the project, and show figures."""

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_reads_what_is_shipped_or_fetched(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells)
    for outside in ("shared/", ".parents", "/home/"):
        assert outside not in text
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in code)


@pytest.mark.slow
def test_figures_of_others_are_shown_after_one_of_ours():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    cells = (
        "import matplotlib.pyplot as plt, leaderbayes as lb",
        "lb.plots.board(lb.sota.read_board([0.8, 0.9], n=100));",
        "plt.plot([1, 2]);",
    )
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(made, kernel_name="python3").execute()
    assert [len(cell["outputs"]) for cell in made["cells"]] == [0, 1, 1]
