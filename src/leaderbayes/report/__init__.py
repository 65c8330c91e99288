"""Reports to hand on: a page of HTML; plain text, LaTeX and BibTeX for papers.

Each function takes the DataTree of `leaderbayes.fit`, and says what the public functions say.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
