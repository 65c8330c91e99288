"""JSON of files."""

from leaderbayes.adapters._json import at, list_at, read_json, text_at


def test_reads_and_finds(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('\ufeff{"a": {"b": " text ", "c": [1]}}', encoding="utf-8")
    where, found = read_json(path, 1.0)
    assert where == str(path)
    assert at(found, "a", "c") == [1]
    assert at(found, "a", "b", "c") is None
    assert text_at(found, "a", "b") == "text"
    assert text_at(found, "a", "c") == ""
    assert list_at(found, "a", "c") == [1]
    assert list_at(found, "a", "b") == []
