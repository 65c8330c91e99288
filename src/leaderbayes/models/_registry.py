"""All models, by name: the one list that fits, answers, documentation and command line read."""

from typing import Any

from leaderbayes.models import (
    _bradley_terry,
    _davidson,
    _mean_score,
    _plackett_luce,
    _round_intercept,
    _score_tournaments,
    _sota,
    _tournaments,
)
from leaderbayes.models._model import Model

_FILES: tuple[Any, ...] = (
    _bradley_terry,
    _davidson,
    _plackett_luce,
    _round_intercept,
    _tournaments,
    _mean_score,
    _score_tournaments,
    _sota,
)
MODELS: dict[str, Model] = {file.MODEL.name: file.MODEL for file in _FILES}
# Those that `leaderbayes.fit` takes: not of boards.
FITTED = {name: model for name, model in MODELS.items() if "board" not in model.data}
