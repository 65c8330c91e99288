"""What only reproduces a figure or a table of a paper: no analysis of a board needs it.

Of Møllersen and Holsbø (2025), Accounting for multiplicity in machine learning benchmark
performance; what an analysis needs is in `leaderbayes.sota`. Each name is imported when it is first
used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
