"""Readers of results that people already have, one a source, which return what read_scores does."""

from leaderbayes.adapters._amlb import from_amlb
from leaderbayes.adapters._coding import from_livecodebench, from_swe_bench, from_terminal_bench
from leaderbayes.adapters._helm import from_helm
from leaderbayes.adapters._inspect_ai import from_inspect_ai
from leaderbayes.adapters._lighteval import from_lighteval
from leaderbayes.adapters._lm_eval import from_lm_eval
from leaderbayes.adapters._lm_eval_samples import from_lm_eval_samples
from leaderbayes.adapters._mlr3 import from_mlr3
from leaderbayes.adapters._mteb import from_mteb
from leaderbayes.adapters._openml import from_openml
from leaderbayes.adapters._optuna import from_optuna
from leaderbayes.adapters._preflib import from_preflib
from leaderbayes.adapters._sklearn import from_sklearn
from leaderbayes.adapters._tabarena import from_tabarena

__all__ = [
    "from_amlb", "from_helm", "from_inspect_ai", "from_lighteval", "from_livecodebench",
    "from_lm_eval", "from_lm_eval_samples", "from_mlr3", "from_mteb", "from_openml",
    "from_optuna", "from_preflib", "from_sklearn", "from_swe_bench", "from_tabarena",
    "from_terminal_bench",
]  # fmt: skip
