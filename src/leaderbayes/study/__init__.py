"""Many tournaments, each fitted by itself: fits in one store, and what they say together.

Stores need the extra ``study``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
