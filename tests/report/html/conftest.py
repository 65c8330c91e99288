"""Pages, and a browser that opens them."""

import json
import re
import shutil
import warnings

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from conftest import simulate

HOSTILE = [
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked = 2">',
    "' onclick='window.hacked = 3",
    "</script><script>window.hacked = 4</script>",
    "$$\\alpha$$",
    "@win{safe}",
    "<!--",
    "{{ 7 * 7 }}",
    "right \u202e to left, line \u2028 end",
    "long " * 60,
]


@pytest.fixture(scope="session")
def laplace(scores):
    """A fit in milliseconds."""
    return lb.fit(scores, sampler="laplace", seed=1)


@pytest.fixture(scope="session")
def hostile():
    """A fit of players whose names are meant to do harm."""
    rng = np.random.default_rng(3)
    made = simulate(np.linspace(1.0, -1.0, len(HOSTILE)), 12, rng)
    return lb.fit(made.assign_coords(player=HOSTILE), sampler="laplace", seed=1)


@pytest.fixture(scope="session")
def hundred(tmp_path_factory):
    """Page of 100 players."""
    rng = np.random.default_rng(4)
    made = simulate(rng.normal(size=100), 20, rng)
    names = [f"Some-Model-{k:03d}-instruct" for k in range(100)]
    fit = lb.fit(made.assign_coords(player=names), sampler="laplace", draws=250, seed=1)
    return lb.report.html(fit, tmp_path_factory.mktemp("hundred") / "page.html")


@pytest.fixture(scope="session")
def best():
    """A posterior of the best of a board."""
    score = np.round(np.random.default_rng(5).beta(60, 20, size=30) * 500) / 500
    table = pd.DataFrame({"team": [f"<i>{k}" for k in range(30)], "score": score})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        return lb.sota.posterior(lb.sota.read_board(table, n=500), seed=1, progressbar=False)


@pytest.fixture(scope="session")
def numbers():
    """Read what a page's script reads."""

    def read(path):
        text = path.read_text("utf-8")
        (found,) = re.findall(r'<script type="application/json" id="numbers">(.*?)</script>', text)
        return json.loads(found)

    return read


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium, headless."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def visit(browser):
    """Open a page; in the end, none of the browser's complaints, requests or dialogs."""
    contexts, complaints = [], []

    def open_page(path, *, width=1280, height=900, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: m.type in ("error", "warning") and complaints.append(m.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda r: r.url.startswith("http") and complaints.append(r.url))
        page.goto(path.as_uri())
        if page.locator("#compare").count():
            page.wait_for_selector("html[data-drawn]", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
