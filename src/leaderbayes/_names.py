"""What the names of columns, rounds and metrics mean; by whole words, never by parts of one."""

import re

# Names that a column goes by, most telling first.
PLAYER = (
    "player model algorithm classifier regressor estimator method learner framework team system"
)
ROUND = (
    "round fold kfold split cv repeat repetition resample resampling iteration iter seed run "
    "random_state"
)
DATA = "tournament dataset data_set task problem benchmark db did"
SCORE = (
    "score test_score accuracy acc auc roc_auc balanced_accuracy f1 rmse loss error value result"
)
# A run's id is its own, not shared by players.
_ROUND_WORDS = set(ROUND.split()) - {"run", "random_state"}
_BESIDE_ROUND = set("id idx ix index no nr num number inner outer test k".split())
_INDEX = set("id idx ix index row level".split())
_SUMMARY = set(
    "mean avg average std sd stdev stddev median min minimum max maximum rank overall".split()
)
_LOSS = set(
    "rmse mse mae mape smape rmsle msle medae mase logloss loss error err nll brier crossentropy "
    "entropy perplexity ppl wer cer eer ece fid regret deviance".split()
)
_GAIN = set(
    "score accuracy acc auc auroc auprc f1 precision recall mcc kappa r2 bleu rouge gini ndcg "
    "jaccard iou dice sensitivity specificity likelihood".split()
)
_ASIDE = set("train training std sd stderr se sem var ci lower upper time n rank".split())

# Metrics by the names that their sources give them.
_HIGHER = """
acc acc_all acc_bytes acc_mutual_info acc_norm accuracy area_under_roc_curve auc auc_ovo auc_ovr
auprc average_precision bacc balacc balanced_accuracy bleu  c_index cindex chrf
correlation_coefficient em exact_match f05 f1 f2 f_measure fbeta gmean gpr jaccard kappa
kb_relative_information_score ktau likelihood matthews_correlation_coefficient mauc_au1p mauc_au1u
mauc_aunp mauc_aunu mauc_mu mc1 mc2 mcc mean_precision mean_recall
mean_weighted_area_under_roc_curve mean_weighted_f_measure mean_weighted_precision npv one_zero
pass@1 ppv pr_auc prauc precision predictive_accuracy r2 recall roc_auc rouge1 rouge2 rougeL
rougeLsum rsq sensitivity silhouette specificity srho tn tnr tp tpr weighted_recall
"""
_LOWER = """
ae aic ape average_cost bbrier bic bits_per_byte brier brier_score build_cpu_time build_memory
byte_perplexity ce costs error fdr fn fnr fomr fp fpr graf intlogloss linex log_loss logloss mae
mape mase max_pce maxae maxse mbrier mean_absolute_error mean_pce medae medse mql mse msle
oob_error perplexity pinball ppl rae ram_hours rcll relative_absolute_error rmse rmsle
root_mean_squared_error root_relative_squared_error rrse rse run_cpu_time sae schmid se
selected_features sle smape sql sse time_both time_predict time_train total_cost
unclassified_instance_count usercpu_time_millis usercpu_time_millis_testing
usercpu_time_millis_training wall_clock_time_millis wape wer word_perplexity wql zero_one
"""
_KNOWN = dict.fromkeys(_HIGHER.split(), True) | dict.fromkeys(_LOWER.split(), False)


def plain(name: str) -> str:
    """Name in lower case, its words joined by underscores."""
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def words(name: str) -> list[str]:
    """Words of a name in lower case: cvFold, cv-fold and "CV fold" are cv and fold."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()
    return [word for word in re.split(r"[\W_]+", apart) if word]


def is_round(name: str, word: str | None = None) -> bool:
    """Whether a column's name says that it holds rounds; or rounds of this word."""
    if plain(name) in ([word] if word else ROUND.split()):
        return True
    found = words(name)
    wanted = {word} & _ROUND_WORDS if word else _ROUND_WORDS
    return bool(wanted & set(found)) and set(found) <= _ROUND_WORDS | _BESIDE_ROUND


def is_data(name: str) -> bool:
    """Whether a column's name says that it holds tournaments."""
    return plain(name) in DATA.split()


def is_index(name: str) -> bool:
    """Whether a column is a table's index: without a name, or called id or index."""
    if not name or re.fullmatch(r"Unnamed: \d+", name):
        return True
    found = [word for word in words(name) if not word.isdecimal()]
    return bool(found) and set(found) <= _INDEX


def is_summary(name: str) -> bool:
    """Whether a column or row sums others up: mean, std, avg rank."""
    found = set(words(name))
    return bool(found & _SUMMARY) and found <= _SUMMARY | {"dev", "score"}


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
    metric = bool(found & (_GAIN | _LOSS)) or plain(name) in SCORE.split()
    return metric and not found & _ASIDE


def is_loss(name: str) -> bool:
    """Whether less of a metric is better, as its name says; neg_... is turned around."""
    found = words(name)
    if found and found[0].startswith("neg"):
        return "likelihood" in found
    return _KNOWN.get(plain(name)) is False or bool(_LOSS & set(found))


def known_direction(metric: str) -> bool | None:
    """Whether more of a metric is better; None where its exact name is not known."""
    return _KNOWN.get(metric)
