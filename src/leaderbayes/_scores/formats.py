"""Files that are no table of text, told by their first bytes."""

import re

from leaderbayes._errors import ScoresError

_EXCEL = "save the sheet as CSV UTF-8, or give the DataFrame of pandas.read_excel."
_UNPACK = "unpack it, and give the table in it."
_POSTERIOR = (
    "a posterior is read with leaderbayes.read_fit, and leaderbayes report makes a page of it; "
    "give the table of scores."
)
_TABLE = "give the table of scores as CSV, as Parquet or as a DataFrame."
_JSON = (
    "give a table: a DataFrame, such as pandas.read_json makes, or CSV; results of "
    "lm-evaluation-harness are read by leaderbayes.adapters.from_lm_eval (--format lm-eval), its "
    "samples_*.jsonl by from_lm_eval_samples (--format lm-eval-samples), and others by others of "
    "leaderbayes.adapters."
)
_LOG = "it is read by leaderbayes.adapters.from_inspect_ai (--format inspect-ai)."

# First bytes, what begins with them, and what to do.
_FORMATS = [
    (rb"PK\x03\x04(?s:.){0,4000}?(\[Content_Types\]|xl/)", "an Excel workbook", _EXCEL),
    (rb"PK\x03\x04(?s:.){26,32}mimetypeapplication/vnd.oasis", "a spreadsheet (ODS)", _EXCEL),
    (rb"PK\x03\x04(?s:.){26}_journal/start.json", "a log of inspect-ai", _LOG),
    (rb"PK\x03\x04|PK\x05\x06", "a zip archive", _UNPACK),
    (rb"\xd0\xcf\x11\xe0", "an old Excel workbook", _EXCEL),
    (rb"\x89HDF\r\n|CDF[\x01\x02\x05]", "netCDF or HDF5", _POSTERIOR),
    (rb"\x80[\x02-\x05]", "a pickle", _TABLE),
    (rb"\x93NUMPY", "a NumPy array", _TABLE),
    (rb"ARROW1|FEA1", "a Feather file", "give the DataFrame of pandas.read_feather."),
    (rb"\x89PNG|\xff\xd8\xff|GIF8", "a picture", _TABLE),
    (rb"%PDF-", "a PDF", _TABLE),
    (rb"BZh[1-9]1AY|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf", "a compressed file", _UNPACK),
    (rb"(?i)(\xef\xbb\xbf)?\s*<(!doctype|html|\?xml)", "a page (HTML or XML)", _TABLE),
    (rb'(\xef\xbb\xbf)?\s*(\{\s*["}]|\[\s*[\[{"\]\d-])', "JSON", _JSON),
    (rb"(?s:.{257})ustar", "a tar archive", _UNPACK),
]


def refuse_format(content: bytes, where: str) -> None:
    """Raise a ScoresError if a file is no CSV but of a known other kind."""
    for begin, what, remedy in _FORMATS:
        if re.match(begin, content):
            raise ScoresError(f"{where}: this is {what}, no table of scores; {remedy}")
