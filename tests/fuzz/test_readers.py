"""Readers raise errors of ours only, whatever they are given."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz import readers

READERS = readers.readers()


def test_a_few_inputs_each():
    for name, reader in READERS.items():
        verdicts = [readers.attempt(reader, random.Random(f"{name}-{k}")) for k in range(60)]
        assert len(set(verdicts)) == 2, f"{name}: all {verdicts[0]}"


@pytest.mark.parametrize("name", READERS)
def test_what_is_not_mutated_is_read(name):
    reader = READERS[name]
    options = {k: v for k, v in {"metric": "acc"}.items() if name.startswith("amlb")}
    refused = []
    for source in reader.sources:
        try:
            readers.check(reader.read(source, **options))
        except readers.lb.ScoresError as problem:
            refused.append(str(problem))
    # Several metrics, of which none was named, are never guessed.
    assert all("metric" in message for message in refused)
    assert len(refused) < len(reader.sources)


def test_what_is_planted_is_never_read_in_silence():
    for k in range(300):
        readers.attempt_planted(random.Random(f"planted-{k}"))


def test_where_nothing_is_planted_the_table_is_read():
    for k in range(100):
        _, text = readers.planted(random.Random(f"nothing-{k}"), ("nothing",))
        readers.check(readers.FROM_CSV((text.encode(), ".csv")))


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
@settings(max_examples=700, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False))
def test_many_inputs(name, rng):
    readers.attempt(READERS[name], rng)
