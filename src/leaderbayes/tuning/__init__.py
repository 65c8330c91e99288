"""Search of hyper-parameters by posterior win probability: scikit-learn, Optuna."""

import lazy_loader

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    try:
        return _load(name)
    except ModuleNotFoundError as missing:
        if missing.name not in ("optuna", "sklearn"):
            raise
        raise ModuleNotFoundError(
            f"leaderbayes.tuning.{name} needs {missing.name}: pip install leaderbayes[tuning]",
            name=missing.name,
        ) from missing
