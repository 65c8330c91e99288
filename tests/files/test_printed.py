"""Names print in LaTeX, whatever they hold."""

import re

from hypothesis import given
from hypothesis import strategies as st

from leaderbayes._files.printed import escaped


@given(st.text(max_size=80))
def test_escaped_text_has_no_command_but_ours(text):
    made = escaped(text)
    ours = (
        r"\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|ldots|"
        r"textminus|allowbreak)\{\}|\\symbol\{34\}|\\[&%$#_{}]|(?<=[-`',?!])\{\\kern0pt\}"
    )
    assert not re.search(r'[\\&%$#_{}~^<>|"\n\t]', re.sub(ours, "", made))


@given(st.text(alphabet="-`'?!,", max_size=12))
def test_ligatures_are_broken(text):
    assert not re.search(r"--|``|''|,,|[?!]`", escaped(text))
