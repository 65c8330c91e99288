"""Private names of scikit-learn that the search stands on, here and nowhere else.

scikit-learn may move or change them in any release: the extra ``tuning`` has an upper bound, to be
raised when the tests of the search pass on the next one. Beside them `LeaderboardSearchCV` uses
``_parameter_constraints``, ``_get_scorers``, ``_get_routed_params_for_fit`` and
``_select_best_index`` of `BaseSearchCV`.
"""

from sklearn import base
from sklearn.model_selection import _search, _validation
from sklearn.utils import _param_validation, validation

BaseSearchCV = _search.BaseSearchCV
Interval = _param_validation.Interval
StrOptions = _param_validation.StrOptions
check_method_params = validation._check_method_params
fit_and_score = _validation._fit_and_score
fit_context = base._fit_context
masked_array_of_each_parameter = _search._yield_masked_array_for_each_param
warn_or_raise_about_fit_failures = _validation._warn_or_raise_about_fit_failures
