"""JSON in which nothing is lost."""

import pytest

import leaderbayes as lb
from leaderbayes._scores.json import parse


def test_reads():
    assert parse(b"\xef\xbb\xbf[1, {}]", "here") == [1, {}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1, "b": 2, "a": 3}', "the key 'a' stands twice"),
        (b"{", "here: not readable as JSON"),
        (b"\xff\xfe", "here: not readable as JSON"),
        (b"[" * 200_000, "too deeply nested"),
    ],
)
def test_refused(content, message):
    with pytest.raises(lb.ScoresError, match=message):
        parse(content, "here")
