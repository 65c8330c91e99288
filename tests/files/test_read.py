"""Files unpack to no more than is allowed."""

import gzip
import io

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb

LONG = "model,fold,auc\na,1,0.5\nb,1,0.6\na,2,0.7\nb,2,0.1\n"


def bomb(megabytes):
    """A gzip file of a thousandth of what it unpacks to."""
    packed = io.BytesIO()
    with gzip.open(packed, "wb", compresslevel=1) as file:
        for _ in range(megabytes):
            file.write(b"0" * 10**6)
    return packed.getvalue()


def test_a_small_file_that_unpacks_to_a_large_one(tmp_path):
    packed = bomb(201)
    for suffix in (".csv.gz", ".csv"):
        path = tmp_path / f"s{suffix}"
        path.write_bytes(packed)
        assert path.stat().st_size < 2e6
        with pytest.raises(lb.ScoresError, match=r"unpacks to more than the limit of 200 MB.*--m"):
            lb.read_scores(path)


def test_the_limit_is_lifted(tmp_path):
    half = "0.5" + "0" * 100
    body = LONG + "".join(f"a,{k},{half}\n" for k in range(3, 12_000))
    (tmp_path / "s.csv").write_text(body)
    (tmp_path / "s.csv.gz").write_bytes(gzip.compress(body.encode()))
    for name in ("s.csv", "s.csv.gz"):
        with pytest.raises(lb.ScoresError, match=rf"{name}: .* than the limit of 1 MB"):
            lb.read_scores(tmp_path / name, max_mb=1)
        size = lb.read_scores(tmp_path / name, max_mb=10).sizes["round"]
        assert size == 11_999


def test_a_file_of_the_size_of_the_limit_is_read(tmp_path):
    content = LONG.encode()
    (tmp_path / "s.csv").write_bytes(content)
    assert lb.read_scores(tmp_path / "s.csv", max_mb=len(content) / 1e6).shape == (2, 2)
    with pytest.raises(lb.ScoresError, match="holds more than the limit"):
        lb.read_scores(tmp_path / "s.csv", max_mb=(len(content) - 1) / 1e6)


@pytest.mark.parametrize("values", [0.5, np.arange(1e6)])
def test_parquet(tmp_path, values):
    frame = pd.DataFrame({"model": "a", "fold": np.arange(1_000_000) // 10, "auc": values})
    frame.to_parquet(tmp_path / "s.parquet", compression="zstd")
    with pytest.raises(lb.ScoresError, match=r"unpacks to \d+ MB, above the limit of 20 MB"):
        lb.read_scores(tmp_path / "s.parquet", max_mb=20)


@pytest.mark.parametrize("name", ["amlb", "openml", "mlr3", "sklearn"])
def test_adapters(tmp_path, name):
    (tmp_path / "s.csv").write_text(LONG)
    with pytest.raises(lb.ScoresError, match="than the limit of 1e-05 MB"):
        lb.read_results(tmp_path / "s.csv", name, max_mb=1e-5)


@pytest.mark.parametrize("limit", [0, -1, "1", None, float("nan"), True])
def test_limits_that_are_none(tmp_path, limit):
    (tmp_path / "s.csv").write_text(LONG)
    with pytest.raises(lb.LeaderbayesError, match=r"max_mb=.*number above 0"):
        lb.read_scores(tmp_path / "s.csv", max_mb=limit)


@pytest.mark.parametrize("begin", [b"BZh91AY", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"])
def test_other_ways_of_packing_are_refused(tmp_path, begin):
    (tmp_path / "s.csv").write_bytes(begin + bytes(40))
    with pytest.raises(lb.ScoresError, match="Unpack it"):
        lb.read_scores(tmp_path / "s.csv")
