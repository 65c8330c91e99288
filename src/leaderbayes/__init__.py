"""Posterior leaderboards from benchmark scores.

The public names are listed in ``__init__.pyi``; each is imported when it is first used.
"""

import lazy_loader

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    return _load(name)
