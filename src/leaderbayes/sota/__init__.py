"""The best of a board: the distribution of the sample maximum, and estimates."""

from leaderbayes.sota._maximum import maximum
from leaderbayes.sota._posterior import posterior
from leaderbayes.sota._read_answers import read_answers
from leaderbayes.sota._read_board import read_board
from leaderbayes.sota._shrink import shrink
from leaderbayes.sota._summary import certify, summary
from leaderbayes.sota._two_looks import two_looks
from leaderbayes.sota._winner import winner

__all__ = [
    "certify", "maximum", "posterior", "read_answers", "read_board", "shrink", "summary",
    "two_looks", "winner",
]  # fmt: skip
