"""Many tournaments, each fitted separately: posteriors in one store, and what they show together.

Stores need the extra ``study``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
