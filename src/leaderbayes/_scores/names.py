"""Which role a column plays, by its name; by whole words, never by parts of one."""

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
# Right or wrong answers.
ITEM = (
    "item item_id question question_id qid doc_id document_id instance_id example_id prompt_id "
    "query_id sample_id instance example"
)
# The same beside a column of answers; data sets otherwise.
ANSWERED = "problem problem_id task_id"
CLUSTER = "cluster cluster_id passage passage_id subject subject_id repository repo"
ANSWER = "correct is_correct right passed is_passed resolved is_resolved solved is_solved"
REPEAT = "epoch repeat repetition replicate trial attempt seed run run_id sample sample_index"
DATA = "tournament dataset data_set task problem benchmark db did"
SCORE = (
    "score test_score accuracy acc auc roc_auc balanced_accuracy f1 rmse loss error value result"
)
COUNT = "count counts freq frequency frequencies voters votes n number"  # of equal rankings
METRIC = "metric measure metric_name eval_metric scorer scoring criterion function"
PARTS_CALLED = set("split set subset partition phase part".split())
TESTED = set("test testing holdout eval evaluation".split())
TRAINED = set("train training fit".split())
PARTS = TESTED | TRAINED | set("val valid validation dev".split())
# A run's id is its own, not shared by players.
_ROUND_WORDS = set(ROUND.split()) - {"run", "random_state"}
_BESIDE_ROUND = set("id idx ix index no nr num number inner outer test k".split())
_INDEX = set("id idx ix index row level".split())
_NOT_TESTED = set("train training std sd stderr se sem var ci lower upper time n rank".split())


def is_round(name: str, word: str | None = None) -> bool:
    """Whether a column's name says that it holds rounds; or rounds of this word."""
    if plain(name) in ([word] if word else ROUND.split()):
        return True
    found = set(words(name))
    wanted = {word} & _ROUND_WORDS if word else _ROUND_WORDS
    return bool(wanted & found) and found <= _ROUND_WORDS | _BESIDE_ROUND


def goes_by(name: str, known: str) -> bool:
    """Whether a column's name is one of these otherwise written: Models, task_id, Model/Dataset.

    Not with a number: model1 is a player, and task1 a round.
    """
    first, *beside = words(re.split(r"[/\\|]", name.replace("data set", "dataset"))[0]) or [""]
    plural = not first[-1:].isdecimal() and among(first, set(known.split()))
    return plural and set(beside) <= {"name", "names", "id", "key"}


def is_data(name: str) -> bool:
    """Whether a column's name says that it holds tournaments."""
    return plain(name) in DATA.split() or goes_by(name, DATA)


def is_index(name: str) -> bool:
    """Whether a column is a table's index: without a name, or called id or index."""
    if not name or re.fullmatch(r"Unnamed: \d+", name):
        return True
    found = [word for word in words(name) if not word.isdecimal()]
    return bool(found) and set(found) <= _INDEX


def numbered(labels: Iterable[str]) -> str:
    """Return what names with a number are by its word: player (model1), round (task_2), or ""."""
    parts = [re.fullmatch(r"(.*?)[\W_]*\d+", label.strip().lower()) for label in labels]
    found = {"" if of is None else of[1] for of in parts}
    kinds = {"player": PLAYER, "round": f"{ROUND} {ITEM} {ANSWERED} {DATA}"}
    return next(
        (role for role, known in kinds.items() if found and found <= set(known.split())), ""
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
    return metric and may_be_score(name)


def may_be_score(name: str) -> bool:
    """Whether a column's name does not say that it is none: train_acc, std, n_params."""
    return not set(words(name)) & _NOT_TESTED
