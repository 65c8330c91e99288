"""Reports of a leaderboard, for papers: plain text, LaTeX and BibTeX.

Each function takes the DataTree of `leaderbayes.fit`, or an estimate of
`leaderbayes.likelihood`, and returns text.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
