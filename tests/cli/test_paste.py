"""Tables to paste hold names as they are, whatever is in them."""

import pandas as pd

from leaderbayes._cli._paste import html, latex, markdown

NAME = r'a|b_*<i>\x{}%$&#~^"' + "\u202e\n"
TABLE = pd.DataFrame({"rank": [1], "player": [NAME], "epp": ["1 [0, 2]"]})


def test_markdown():
    head, rule, row, _, note = markdown(TABLE, "A | note.\n").splitlines()
    assert head == "| rank | player | epp |"
    assert rule == "| ---: | :--- | ---: |"
    assert row == r'| 1 | a\|b\_\*\<i\>\\x{}%$&#\~^" | 1 \[0, 2\] |'
    assert note == r"A \| note."


def test_latex():
    text = latex(TABLE, "All.\nOf it.")
    assert r"1 & a\textbar{}b\_*\textless{}i\textgreater{}\textbackslash{}x\{\}\%\$\&\#" in text
    assert r"\textasciitilde{}\textasciicircum{}\symbol{34} & 1 [0, 2] \\" in text
    assert text.splitlines()[0] == r"\begin{tabular}{rlr}"
    assert text.splitlines()[-1] == "% All. Of it."


def test_html():
    text = html(TABLE, "<b>")
    assert "&lt;i&gt;" in text
    assert "<p>&lt;b&gt;</p>" in text
    assert "\u202e" not in text
