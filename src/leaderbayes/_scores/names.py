"""What the names of columns and rows mean; by whole words, never by parts of one."""

import re
from collections.abc import Iterable

from leaderbayes._scores.metrics import GAIN, LOSS, among, plain, words

# Names that a column goes by, most telling first.
PLAYER = (
    "player model algorithm classifier regressor estimator method learner framework team system "
    "approach technique solver optimizer optimiser agent competitor contestant participant llm "
    "forecaster detector predictor strategy"
)
ROUND = (
    "round fold kfold split cv repeat repetition resample resampling iteration iter seed run "
    "random_state"
)
# Of right or wrong answers; as they stand, because samples and instances may be counts.
ITEM = (
    "item item_id question question_id qid doc_id document_id instance_id example_id prompt_id "
    "query_id sample_id instance example"
)
# Of right or wrong answers alone: else they are data sets.
ANSWERED = "problem_id task_id"
CLUSTER = "cluster cluster_id passage passage_id subject subject_id repository repo"
ANSWER = "correct is_correct right passed resolved solved"
REPEAT = "epoch repeat repetition replicate trial attempt seed run run_id sample sample_index"
DATA = "tournament dataset data_set task problem benchmark db did"
SCORE = (
    "score test_score accuracy acc auc roc_auc balanced_accuracy f1 rmse loss error value result"
)
# What a column of names is called that may be anybody's.
NEUTRAL = set("name names label labels title entry entries".split())
# A run's id is its own, not shared by players.
_ROUND_WORDS = set(ROUND.split()) - {"run", "random_state"}
_BESIDE_ROUND = set("id idx ix index no nr num number inner outer test k".split())
_INDEX = set("id idx ix index row level".split())
_SUMMARY = set(
    "mean avg average std sd stdev stddev stderr median min minimum max maximum rank ranking "
    "overall total sum geomean gmean hmean pvalue pval variance best worst wins ties draws".split()
)
# Words that stand beside one of a summary's: macro avg, mean (of 5 folds), p-value.
_BESIDE_SUMMARY = set(
    "dev score value macro micro weighted unweighted geometric harmonic arithmetic grand trimmed "
    "of over across all the per test final result data set dataset task fold round".split()
)
_RECORD = set("w t l d win tie loss draw lose won lost tied".split())
# What is known of a player or a round beside its scores: n_samples, training time (s), #Params (B).
_ABOUT = set(
    "sample instance observation feature attribute class param parameter row column time runtime "
    "walltime duration latency throughput date timestamp second minute hour memory ram flop mac "
    "gflop cost price token epoch license".split()
)
# The same, but a data set may be called so, too; then its scores are no whole numbers.
_MAYBE_ABOUT = set("year size age count number energy n version step depth release".split())
_BESIDE_ABOUT = set(
    "n no nr num number of total avg mean train training test fit predict prediction inference "
    "wall clock cpu gpu elapsed run s ms sec min h hr us b m k g t mb gb kb mib gib usd eur model "
    "million billion per max in the data context".split()
)
_SPREAD = set("std stdev stddev stderr sterr iqr ci ci95 variance σ".split())
_STATISTIC = _SPREAD | set("se sem sd var dev lower upper rank time runtime n count train".split())
_CENTRE = set("mean avg average median".split())
# One word and a number, as most of a million rounds are called.
_NUMBERED = re.compile(r"[A-Za-z]?[a-z]*[\W_]*[0-9]+", re.ASCII)
_ASIDE = set("train training std sd stderr se sem var ci lower upper time n rank".split())


def is_round(name: str, word: str | None = None) -> bool:
    """Whether a column's name says that it holds rounds; or rounds of this word."""
    if plain(name) in ([word] if word else ROUND.split()):
        return True
    found = words(name)
    wanted = {word} & _ROUND_WORDS if word else _ROUND_WORDS
    return bool(wanted & set(found)) and set(found) <= _ROUND_WORDS | _BESIDE_ROUND


def goes_by(name: str, known: str) -> bool:
    """Whether a column's name is one of these otherwise written: Models, task_id, Model/Dataset."""
    first, *beside = words(re.split(r"[/\\|]", name.replace("data set", "dataset"))[0]) or [""]
    return among(first, set(known.split())) and set(beside) <= {"name", "names", "id", "key"}


def is_data(name: str) -> bool:
    """Whether a column's name says that it holds tournaments."""
    return plain(name) in DATA.split() or goes_by(name, DATA)


def is_index(name: str) -> bool:
    """Whether a column is a table's index: without a name, or called id or index."""
    if not name or re.fullmatch(r"Unnamed: \d+", name):
        return True
    found = [word for word in words(name) if not word.isdecimal()]
    return bool(found) and set(found) <= _INDEX


def is_summary(name: str) -> bool:
    """Whether a column or row sums others up: mean, std, avg rank, macro avg, W/T/L."""
    if _NUMBERED.fullmatch(name):
        return False
    found = [word for word in words(name) if not word.isdecimal()]
    if found == ["p", "value"] or (
        len(set(found)) > 1 and all(among(word, _RECORD) for word in found)
    ):
        return True
    beside = _SUMMARY | _BESIDE_SUMMARY | GAIN | LOSS
    numbered = len(found) == 1 and any(char.isdecimal() for char in name)
    return not numbered and not _SUMMARY.isdisjoint(found) and all(among(w, beside) for w in found)


def is_about(name: str, *, sure: bool = True) -> bool:
    """Whether a column says something of its rows that is no score: n_samples, time (s), year.

    Parameters
    ----------
    name : str
        Name of a column.
    sure : bool
        Leave out names that a data set or a player may have, too.
    """
    # instance 1, instance 2 are rounds.
    if any(map(str.isdecimal, name)):
        return False
    found = words(name)
    known = _ABOUT if sure else _ABOUT | _MAYBE_ABOUT
    return any(among(word, known) for word in found) and all(
        among(word, known | _BESIDE_ABOUT) for word in found
    )


def is_statistic(name: str, others: Iterable[str]) -> bool:
    """Whether a column describes another's scores, or a metric: svm_std, svm_time, acc_se."""
    found = words(name)
    if "±" in name:
        return True
    if len(found) < 2:
        return False
    if found[-1] in _SPREAD:
        return True
    known = {tuple(words(other)) for other in others}
    return (
        (found[-1] in _STATISTIC | _CENTRE and tuple(found[:-1]) in known)
        or (found[0] in _SPREAD | _CENTRE and tuple(found[1:]) in known)
        or (found[-1] in _STATISTIC and all(among(word, GAIN | LOSS) for word in found[:-1]))
    )


def is_numbered(name: str) -> bool:
    """Whether a name is a number, or a round's word with one: 3, fold3, split_3."""
    return bool(re.fullmatch(r"[\W_]*\d+([._]\d+)?", name)) or is_numbered_round(name)


def is_numbered_round(name: str) -> bool:
    """Whether a name is a round's word with a number."""
    found = re.fullmatch(r"([a-z]+)[\W_]*\d+", name.strip().lower())
    return found is not None and found[1] in _ROUND_WORDS


def is_score(name: str) -> bool:
    """Whether a column's name is that of scores on test data."""
    found = set(words(name))
    metric = bool(found & (GAIN | LOSS)) or plain(name) in SCORE.split()
    return metric and not found & _ASIDE
