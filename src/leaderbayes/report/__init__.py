"""Reports to hand on: a page of HTML, a site; plain text, LaTeX and BibTeX for papers.

Each function takes a posterior, and says what the public functions say. They need the extra
``report``.
"""

import lazy_loader

from leaderbayes._extras import extra

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    with extra("report", f"leaderbayes.report.{name}"):
        return _load(name)
