"""Charts of the page, as JSON that its script fills."""

import json
import re

from leaderbayes.plots._heat_map import SHARES, WINS, ink
from leaderbayes.report._charts import _item, _win, bokeh_script, charts, scales, white_from
from leaderbayes.report._words import OF_MATCHES, OF_SCORES


def test_the_page_knows_three_charts_by_their_names():
    assert [item["target_id"] for item in charts(OF_MATCHES)] == [
        "chart-win",
        "chart-rank",
        "chart-fit",
    ]
    for item in charts(OF_MATCHES):
        (root,) = item["doc"]["roots"]
        assert f"chart-{root['attributes']['name']}" == item["target_id"]
        # Charts come empty: the numbers are in the page once.
        assert "http" not in json.dumps(item)


def test_mean_scores_have_no_check_to_draw():
    items = charts(OF_SCORES, checked=False)
    assert [item["target_id"] for item in items] == ["chart-win", "chart-rank"]
    said = json.dumps(items)
    assert "score less the other's" in said
    assert "beats it" not in said


def test_the_same_chart_is_the_same_text():
    """Bokeh counts its objects through; the page does not."""
    assert _item(_win(OF_MATCHES)) == _item(_win(OF_MATCHES)) == charts(OF_MATCHES)[0]


def test_objects_are_told_apart_within_a_page():
    ids = [set(_ids(item)) for item in charts(OF_MATCHES)]
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


def test_colours_are_those_of_the_figures():
    said = [json.dumps(item) for item in charts(OF_MATCHES)[:2]]
    for chart, palette in zip(said, (WINS, SHARES), strict=True):
        assert json.dumps(list(palette))[1:-1] in chart
        assert '"low": 0.0, "high": 1.0' in chart


def test_a_bar_has_them_too():
    for name, palette in (("win", WINS), ("rank", SHARES)):
        colors = re.findall("#[0-9a-f]{6}", scales()[name])
        # Evenly from one end to the other: 17 steps of 15.
        assert colors == list(palette[::15])
        assert colors[-1] == palette[-1]


def test_letters_are_white_where_the_figures_are():
    for name, palette in (("win", WINS), ("rank", SHARES)):
        edge = white_from()[name]
        assert ink(edge, palette) == "white"
        assert ink(edge - 1 / 255, palette) == "black"
