"""Private names of scikit-learn that the search stands on, here and nowhere else.

scikit-learn may move or change them in any release: the extra ``tuning`` has an upper bound, to be
raised when the tests of the search pass on the next one. Beside them `LeaderboardSearchCV` uses
``_parameter_constraints``, ``_get_scorers``, ``_get_routed_params_for_fit`` and
``_select_best_index`` of `BaseSearchCV`.
"""

from sklearn.base import _fit_context as fit_context
from sklearn.model_selection._search import BaseSearchCV
from sklearn.model_selection._search import (
    _yield_masked_array_for_each_param as masked_array_of_each_parameter,
)
from sklearn.model_selection._validation import _fit_and_score as fit_and_score
from sklearn.model_selection._validation import (
    _warn_or_raise_about_fit_failures as warn_or_raise_about_fit_failures,
)
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_method_params as check_method_params

__all__ = [
    "BaseSearchCV",
    "Interval",
    "StrOptions",
    "check_method_params",
    "fit_and_score",
    "fit_context",
    "masked_array_of_each_parameter",
    "warn_or_raise_about_fit_failures",
]
