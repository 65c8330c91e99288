"""What a column's name says, by its whole words."""

import pytest

from leaderbayes._scores.names import (
    DATA,
    PLAYER,
    goes_by,
    is_data,
    is_index,
    is_numbered,
    is_numbered_round,
    is_round,
    is_score,
)

# For each question, names that mean it and names that only look so.
CASES = {
    is_round: (
        "round fold Fold fold_id cv_fold foldId repeat cv_repeat outer_fold seed random_state",
        "manifold unfold background cvs seedling run_id accuracy folds_mean",
    ),
    is_data: (
        "dataset data_set Dataset task task_id task_name problem Benchmark Tasks db",
        "database multitask taskforce data set_size model",
    ),
    is_index: ("id ID index idx row row_id level_0", "identity indexed player android rowing 7"),
    is_score: (
        "score accuracy test_accuracy roc_auc f1_macro rmse Value",
        "train_accuracy accuracy_std auc_rank fold model time",
    ),
    is_numbered: ("1 03 2.5 fold3 split_3 #4 fold-7", "svm2 resnet50 1a fold 3fold"),
    is_numbered_round: ("fold3 split_3 Fold-7 seed0 iter12", "3 svm2 run1 fold gpt4"),
}


@pytest.mark.parametrize(
    ("says", "name", "expected"),
    [
        (says, name, expected)
        for says, both in CASES.items()
        for names, expected in zip(both, (True, False), strict=True)
        for name in names.split()
    ],
)
def test_whole_words_count(says, name, expected):
    assert says(name) is expected


def test_rounds_of_one_word():
    assert is_round("outer_fold", "fold")
    assert is_round("run", "run")
    assert not is_round("cv_repeat", "fold")


def test_columns_without_a_name_are_an_index():
    assert is_index("")
    assert is_index("Unnamed: 0")
    assert not is_index("Unnamed")


@pytest.mark.parametrize("name", ["Models", "model_name", "Model/Dataset", "Algorithm id"])
def test_otherwise_written(name):
    assert goes_by(name, PLAYER)
    assert not goes_by(name, DATA)
