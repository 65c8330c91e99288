"""Tables of mlr3's benchmarks: a row for each resampling iteration, a column for each measure."""

import re

import xarray as xr

from leaderbayes._adapters.tables import Frame, arrange, choose, direction, read_frame
from leaderbayes._scores.cells import as_names

# Columns of BenchmarkResult$score() and $aggregate() that are no measures.
_OTHERS = """
uhash nr task task_id task_hash learner learner_id learner_hash learner_phash resampling
resampling_id resampling_hash resample_result iteration iters warnings errors params rn
""".split()
_OTHER = re.compile(r"(prediction|index |Unnamed: |V1$|X$|$).*")
_TYPE = re.compile(r"^(classif|regr|surv|dens|clust|sim)\.")


def from_mlr3(
    source: Frame,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    max_mb: float,
) -> xr.DataArray:
    """Read a table of ``bmr$score()`` or ``bmr$aggregate()``."""
    table = read_frame(source, max_mb, ["task_id", "learner_id"], "scores of mlr3")
    frame = table.frame
    measures = [c for c in frame.columns if c not in _OTHERS and not _OTHER.fullmatch(c)]
    score = choose(table, metric, measures)
    better = direction(table, _TYPE.sub("", score), higher_is_better)
    if "iteration" not in frame.columns:
        columns = {"player": "learner_id", "round": "task_id"}
        return arrange(table, columns, score, better=better)
    # The name shows that rounds are resamples.
    fold, names = "resampling.iteration", as_names(table, "iteration")
    if "resampling_id" in frame.columns:
        resamplings = as_names(table, "resampling_id")
        if resamplings.nunique() > 1:
            fold, names = "resampling_id.iteration", resamplings + "." + names
    table = table._replace(frame=frame.assign(**{fold: names}))
    columns = {"tournament": "task_id", "player": "learner_id", "round": fold}
    return arrange(table, columns, score, better=better)
