"""Rankings of PrefLib."""

from functools import partial

import numpy as np
import pytest

import leaderbayes as lb

read_preflib = partial(lb.read_results, program="preflib")

HEAD = "# FILE NAME: x\n# NUMBER ALTERNATIVES: 3\n" + "".join(
    f"# ALTERNATIVE NAME {k}: {name}\n" for k, name in enumerate(["tea", "milk", "rye"], 1)
)


def read(tmp_path, text, name="x.soc"):
    path = tmp_path / name
    path.write_text(text)
    return read_preflib(path)


def test_weighted_partial_and_tied_rankings(tmp_path):
    scores = read(tmp_path, HEAD + "2: 1,2,3\n1: 3\n1: 2,{1,3}\n", "x.toi")
    assert scores.attrs["higher_is_better"] == 0
    of = scores.to_pandas()
    assert of.loc["tea"].tolist()[:2] == [1, 1]
    np.testing.assert_array_equal(of["2.1"], [np.nan, np.nan, 1])
    assert of["3.1"].to_dict() == {"tea": 2, "milk": 1, "rye": 2}
    assert lb.fit(scores, "plackett_luce", seed=1, draws=50).attrs["model"] == "plackett_luce"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "2: 1,2\n1,2\n", "line 7 is not a PrefLib ranking"),
        ("2: 1,2\n", "names no alternatives"),
        (HEAD + "999999: 1,2\n", "more than 200000 rankings"),
    ],
)
def test_what_is_no_file_of_preflib(tmp_path, text, message):
    with pytest.raises(lb.ScoresError, match=message):
        read(tmp_path, text)
