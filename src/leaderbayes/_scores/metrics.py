"""Whether more of a metric is better, as its name says; by whole words, never by parts of one."""

import re
from collections.abc import Set
from functools import lru_cache

GAIN = set(
    "score accuracy acc auc auroc auprc aucpr f1 fscore precision recall mcc kappa r2 rsq rsquared "
    "bleu chrf rouge gini ndcg mrr jaccard iou miou dice sensitivity specificity likelihood loglik "
    "loglikelihood elpd correlation spearman pearson psnr ssim".split()
)
# Less is better, also where it is one word of a round's or a data set's name: boston_rmse.
LOSS = set(
    "rmse mse mae mape smape rmsle msle medae mdae mase logloss loss error err nll nlpd brier "
    "crossentropy entropy perplexity ppl wer cer eer ece fid regret deviance crps rmsd rmspe mspe "
    "wape wql sse rse rrse bpb inaccuracy misclassification misclassified".split()
)
# Less is better where it is the score; data sets may be called so: energy.
_COST = set(
    "rank ranking place position time runtime walltime duration latency delay elapsed seconds "
    "minutes hours cost price expense memory ram energy emissions co2 flops distance divergence "
    "penalty risk failure fault mistake violation false fpr fnr fdr far frr mre residual aic bic "
    "pinball discrepancy bits hallucination toxicity incorrect wrong failed unresolved".split()
)
# Shares of wrong answers.
_SHARES = set(
    "error err wer cer eer inaccuracy misclassification misclassified failure fault mistake false "
    "incorrect wrong failed unresolved".split()
)
# These turn it around: rank correlation, error reduction.
_TURNS = set("correlation corr reciprocal reduction reduced saved improvement decrease".split())
_OF_METRICS = set(
    "mean root median square squared absolute percentage log cross rate test valid validation "
    "balanced macro micro weighted average avg negative neg relative normalized normalised".split()
)
_NEGATED = ("neg", "negative", "negated", "minus")
_VARIANT = re.compile(r"[a-z]{1,2}(rmse|rmsd|rmsle|mape|mase|mae|mse|crps|logloss|brier)")
_LAST_DIGITS = re.compile(r"[0-9]{2,}$")
_COMPLEMENT = re.compile(
    r"[^\w\-−–]*(?P<whole>1(\.0*)?|one|100 ?%?)?[\s_]*([-−–/]|minus(?![a-z]))[\s_]*(?P<of>\D.*)"
)
# Names and abbreviations of mlr3, OpenML and lm-evaluation-harness that no word explains.
_KNOWN = dict.fromkeys(
    "acc_mutual_info auc_ovo auc_ovr average_precision bacc balacc c_index cindex em exact_match "
    "extractive_match f05 f2 f_measure fbeta gmean gpr kb_relative_information_score ktau "
    "mauc_au1p mauc_au1u mauc_aunp mauc_aunu mauc_mu mc1 mc2 mean_weighted_f_measure npv "
    "one_zero pass@1 ppv prauc pr_auc prefix_exact_match quasi_exact_match "
    "quasi_prefix_exact_match silhouette srho tn tnr tp tpr".split(),
    True,
) | dict.fromkeys(
    "ae ape build_cpu_time build_memory ce costs fdr fn fnr fomr fp fpr graf linex max_pce maxae "
    "maxse mean_pce medse mql rae ram_hours rcll sae schmid se selected_features sle sql "
    "unclassified_instance_count usercpu_time_millis zero_one".split(),
    False,
)


def plain(name: str) -> str:
    """Write a name in lower case, its words joined by underscores."""
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def words(name: str) -> list[str]:
    """Split a name into words in lower case: cvFold, cv-fold and "CV fold" are cv and fold."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})", " ", name).lower()
    return [word for word in re.split(r"[\W_]+", apart) if word]


def among(word: str, known: Set[str]) -> bool:
    """Whether a word is one of these, in the plural or with a number too: errors, rmse10."""
    bare = word.rstrip("0123456789")
    one = (word, bare, bare.removesuffix("s"), bare.removesuffix("es"))
    return any(form in known for form in one) or bare.removesuffix("ies") + "y" in known


def more_is_better(name: str, *, score: bool = True) -> bool | None:
    """Return whether more of a metric, or column without ``score``, is better; None if unknown."""
    # No metric's name of several words ends with two digits: a million numbered rounds are a few.
    return _more_is_better(name if score else _LAST_DIGITS.sub("10", name), score=score)


@lru_cache(maxsize=4096)
def _more_is_better(name: str, *, score: bool) -> bool | None:
    if arrow := re.search("[↑↓]", name):
        return arrow[0] == "↑"
    found = words(name)
    rest = _turned(name, found)
    if rest is not None:
        inner = more_is_better(rest, score=score)
        return None if inner is None else not inner
    if score and plain(name) in _KNOWN:
        return _KNOWN[plain(name)]
    if not _TURNS.isdisjoint(found):
        return True
    less = LOSS | _COST if score else LOSS
    if any(among(word, less) or _VARIANT.fullmatch(word) for word in found):
        return False
    return True if any(among(word, GAIN - {"score"}) for word in found) else None


def _turned(name: str, found: list[str]) -> str | None:
    """Find the metric of which a name is the negative or complement: 1-accuracy, neg_log_loss."""
    if found and found[0] in _NEGATED:
        return " ".join(found[1:])
    if found and found[0].startswith("neg") and among(found[0][3:], GAIN | LOSS):
        return " ".join([found[0][3:], *found[1:]])
    complement = _COMPLEMENT.fullmatch(name.lower())
    if complement is None:
        return None
    rest = words(complement["of"])
    # 1-NN is a name with a number.
    numbered = complement["whole"] and not (rest and among(rest[0], GAIN | LOSS))
    return None if numbered else " ".join(rest)


def is_metric(name: str) -> bool:
    """Whether a name is a metric's as a whole, with nothing of a player or a data set in it."""
    known = GAIN | LOSS | _OF_METRICS
    return more_is_better(name, score=False) is not None and all(
        among(word, known) for word in words(name)
    )


def is_share(loss: str) -> bool:
    """Whether a loss's name may be that of a share of wrong answers."""
    return all(among(word, _SHARES) or not among(word, LOSS | _COST) for word in words(loss))


def metric_of(columns: str) -> str:
    """Find the metric in ``attrs["columns"]``; "" if the scores' column is not called as one."""
    found = re.search(r"(?:^|, )score=([^,=]+)$", columns)
    name = found[1].strip() if found else ""
    return name if is_metric(name) and plain(name) not in ("score", "scores") else ""
