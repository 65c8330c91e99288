"""Search of hyper-parameters by posterior win probability: scikit-learn, Optuna.

Needs the extra ``tuning``.
"""

import lazy_loader

from leaderbayes._extras import extra

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    with extra("tuning", f"leaderbayes.tuning.{name}"):
        return _load(name)
