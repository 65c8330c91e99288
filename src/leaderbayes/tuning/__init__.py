"""Search of hyper-parameters by posterior win probability: scikit-learn, Optuna."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
