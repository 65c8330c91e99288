"""Charts of the page, as JSON that its script fills."""

import json

from leaderbayes.report._charts import _item, _win, bokeh_script, charts


def test_the_page_knows_three_charts_by_their_names():
    assert [item["target_id"] for item in charts()] == ["chart-win", "chart-rank", "chart-fit"]
    for item in charts():
        (root,) = item["doc"]["roots"]
        assert f"chart-{root['attributes']['name']}" == item["target_id"]
        # Charts come empty: the numbers are in the page once.
        assert "http" not in json.dumps(item)


def test_the_same_chart_is_the_same_text():
    """Bokeh counts its objects through; the page does not."""
    assert _item(_win()) == _item(_win()) == charts()[0]


def test_objects_are_told_apart_within_a_page():
    ids = [set(_ids(item)) for item in charts()]
    assert all(len(each) > 10 for each in ids)
    assert not ids[0] & ids[1] | ids[0] & ids[2] | ids[1] & ids[2]


def _ids(item):
    """Names of all objects in a chart."""
    if isinstance(item, dict):
        if isinstance(item.get("id"), str):
            yield item["id"]
        for value in item.values():
            yield from _ids(value)
    elif isinstance(item, list):
        for value in item:
            yield from _ids(value)


def test_the_script_fits_into_a_page():
    script = bokeh_script()
    assert 100_000 < len(script) < 2_000_000
    assert "</script" not in script
