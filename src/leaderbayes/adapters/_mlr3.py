"""Tables of mlr3's benchmarks: a row for each resampling iteration, a column for each measure."""

import re

import xarray as xr

from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.cells import as_names
from leaderbayes.adapters._tables import Frame, arrange, choose, direction, read_frame, with_options

# Columns of BenchmarkResult$score() and $aggregate() that are no measures.
_OTHERS = """
uhash nr task task_id task_hash learner learner_id learner_hash learner_phash resampling
resampling_id resampling_hash resample_result iteration iters warnings errors params rn
""".split()
_OTHER = re.compile(r"(prediction|index |Unnamed: |V1$|X$|$).*")
_TYPE = re.compile(r"^(classif|regr|surv|dens|clust|sim)\.")


@with_options
def from_mlr3(
    source: Frame,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    """Read scores of an mlr3 benchmark, of which a table was written.

    In R ``data.table::fwrite(bmr$score(msr("classif.ce"))[, .(nr, task_id, learner_id,
    resampling_id, iteration, classif.ce)], "scores.csv")``, or the same of ``bmr$aggregate()``.

    Parameters
    ----------
    source : path or DataFrame
        Columns ``task_id``, ``learner_id``, one or more measures, and, of scores, ``iteration``.
    {options}

    Returns
    -------
    DataArray (tournament, player, round) or (player, round)
        Scores of learners: tasks are tournaments and iterations rounds; of aggregated scores
        tasks are rounds.

    References
    ----------
    Lang et al. (2019), mlr3, JOSS 4(44), 1903, doi:10.21105/joss.01903

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import pandas as pd
    >>> table = pd.DataFrame({"task_id": "sonar", "learner_id": ["rpart", "rpart", "knn", "knn"]})
    >>> table = table.assign(iteration=[1, 2, 1, 2], **{"classif.ce": [0.3, 0.2, 0.2, 0.1]})
    >>> scores = lb.adapters.from_mlr3(table)
    >>> dict(scores.sizes), scores.attrs["higher_is_better"]
    ({'tournament': 1, 'player': 2, 'round': 2}, 0)
    """
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
