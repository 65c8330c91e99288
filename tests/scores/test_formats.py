"""Files that are no table of text, told by their first bytes."""

import gzip

import pytest

import leaderbayes as lb
from leaderbayes._scores.formats import refuse_format


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml", "an Excel workbook.*as CSV UTF-8"),
        (b"PK\x03\x04" + bytes(26) + b"scores.csv", "a zip archive.*unpack it"),
        (b"\x89HDF\r\n\x1a\n", "netCDF or HDF5.*leaderbayes.read_fit"),
        (b"CDF\x01", "netCDF"),
        (b"\x80\x04\x95", "a pickle.*DataFrame"),
        (b"\x89PNG\r\n", "a picture"),
        (b'{"model": {"0": 1}}', "JSON.*read_json"),
        (b'[\n {"model": 1}]', "JSON"),
        (b"<!DOCTYPE html>", "a page"),
        (gzip.compress(bytes(257) + b"ustar", mtime=0), "a tar archive"),
    ],
)
def test_files_of_other_kinds(write, content, message):
    with pytest.raises(lb.ScoresError, match=rf"scores.csv: this is {message}"):
        lb.read_scores(write(content))


@pytest.mark.parametrize(
    "content",
    [
        b"model,fold,auc\na,1,0.5\n",
        b"\xef\xbb\xbfmodel,fold,auc\n",
        b"PK,round,score\na,1,2\n",
        b"CDF,b\n1,2\n",
        b"BZhang,Li\n1,2\n",
        b"[a],[b]\n1,2\n",
        b"{a},{b}\n1,2\n",
        b"pdf,%PDF-\n1,2\n",
        b"<x>,<y>\n1,2\n",
        b"",
    ],
)
def test_tables_of_text_are_let_through(content):
    assert refuse_format(content, "s.csv") is None
