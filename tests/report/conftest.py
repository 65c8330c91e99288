"""Posteriors of every kind for reports, and pages that are written once."""

import json
import re

import numpy as np
import pytest

import leaderbayes as lb
import posteriors
from conftest import board, simulate
from votes import draw

HARMFUL = [
    "<script>window.hacked = 1</script>", '"><img src=x onerror="window.hacked = 2">',
    "</script><script>window.hacked = 3</script>", r"a_b%$#{}~^\&<x>|\"q\"",
    "new\nline\tÅngström ü",
    "--dash `` '' ?`x ,,", r"[brackets] \\ \input{/etc/passwd}", "$x^2$", "{{ 7 * 7 }} << 7 >>",
    "\u202eRTL\u0007 zero", "  ", "long " * 60,
]  # fmt: skip
CLASSIFIERS = [2.1, 3.0, 1.3, 0.8, 3.5, 2.7, -3.6, 0.4, 1.4, -0.4, 1.2, 1.5, -4.2, -5.0, -4.7]


@pytest.fixture(scope="session")
def classifiers():
    scores = lb.datasets.load("classifiers", "breast_cancer")
    return posteriors.strengths(scores, CLASSIFIERS, test_fraction=0.2)


@pytest.fixture(scope="session")
def harmful():
    strengths = np.linspace(1.0, -1.0, len(HARMFUL))
    made = simulate(strengths, 8, np.random.default_rng(3)).assign_coords(player=HARMFUL)
    return posteriors.strengths(made, strengths)


@pytest.fixture(scope="session")
def several():
    return posteriors.several()


@pytest.fixture(scope="session")
def kinds(scores, classifiers, several):
    """A posterior of every kind, and an estimate of each model, by name."""
    epp = [1.5, 1.0, 0.1, 0.0, -0.5, -2.1]
    rounded = (scores / 2.0).round().assign_attrs(scores.attrs)
    right = np.add.outer(7 * np.arange(5), 3 * np.arange(40)) ** 2 % 11 > np.arange(5)[:, None]
    votes = draw(np.array([0.5, 0.2, 0.0, -0.7]), 120, np.random.default_rng(1), judges=5)
    matches, losing = lb.matches(scores), lb.matches(scores, ties="loss")
    made = [
        classifiers,
        posteriors.strengths(scores, epp, within_round=False, weight=0.2),
        posteriors.strengths(rounded, epp, name="davidson", tie_scale=1.5),
        posteriors.strengths(scores, epp, name="plackett_luce", weight=1.0),
        posteriors.strengths(scores, epp, name="round_intercept", intercept_scale=1.0, weight=1.0),
        several,
        posteriors.means(posteriors.losses()),
        posteriors.means(board(right), items=True),
        posteriors.teams(),
        lb.fit(votes, "davidson", order_effect=True, seed=1, draws=250, sampler="metropolis"),
        lb.likelihood.bradley_terry(matches, pseudo_rounds=1.0),
        lb.likelihood.plackett_luce(matches, pseudo_rounds=1.0),
        lb.likelihood.round_intercept(losing),
    ]
    return dict(zip(posteriors.KINDS, made, strict=True))


@pytest.fixture(scope="session", autouse=True)
def same_version():
    """Golden files name a version."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leaderbayes.report._facts.version", lambda package: "0.1.0")
        yield


class Each(dict):
    """What is made of each kind when it is first asked for."""

    def __init__(self, make, kinds):
        super().__init__()
        self.make, self.kinds = make, kinds

    def __missing__(self, name):
        self[name] = self.make(self.kinds[name])
        return self[name]


@pytest.fixture(scope="session")
def texts(kinds):
    return Each(lb.report.text, kinds)


@pytest.fixture(scope="session")
def fragments(kinds):
    return Each(lb.report.latex, kinds)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="session")
def page(classifiers, folder):
    return lb.report.html(classifiers, folder / "page.html")


@pytest.fixture(scope="session")
def harmed(harmful, folder):
    return lb.report.html(harmful, folder / "harmed.html", title="<script>hacked()</script>")


@pytest.fixture(scope="session")
def pages(study, folder):
    """Page of a study of four tournaments."""
    return lb.report.html(study, folder / "pages.html")


@pytest.fixture(scope="session")
def numbers():
    """Read what a page's script reads."""

    def read(path):
        text = path.read_text("utf-8")
        (found,) = re.findall(r'<script type="application/json" id="numbers">(.*?)</script>', text)
        return json.loads(found)

    return read
