"""How NUTS is set for boards of every size, and that it tries once more."""

import signal
import warnings
from contextlib import contextmanager, suppress

import nutpie
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._inference import nuts
from leaderbayes._inference.nuts import adaptation


@pytest.mark.parametrize(
    ("parameters", "accept", "matrix"), [(150, 0.97, "low_rank"), (151, 0.9, "diag")]
)
def test_a_low_rank_matrix_while_it_pays(parameters, accept, matrix):
    assert adaptation(parameters, "nutpie") == {"target_accept": accept, "adaptation": matrix}


def test_other_samplers_have_no_such_matrix():
    assert adaptation(10, "pymc") == {"target_accept": 0.97}
    assert adaptation(10, "pymc", 0.8) == {"target_accept": 0.8}


@pytest.fixture
def asked(monkeypatch):
    """What chains were asked for; the first ones diverge."""
    calls = []

    def asking(model, *, tune, target_accept, **options):
        calls.append((tune, round(target_accept, 3)))
        return real(model, tune=tune, target_accept=target_accept, **options)

    def diverging(running):
        tree = ended(running)
        if len(calls) == 1:
            stats = tree["sample_stats"].to_dataset()
            tree["sample_stats"] = xr.DataTree(
                stats.assign(diverging=xr.ones_like(stats["diverging"]))
            )
        return tree

    real, ended = nutpie.sample, nuts._ended
    monkeypatch.setattr(nutpie, "sample", asking)
    monkeypatch.setattr(nuts, "_ended", diverging)
    return calls


@pytest.mark.slow
def test_chains_that_diverged_are_drawn_again(asked, scores):
    with warnings.catch_warnings():
        warnings.simplefilter("error", lb.ConvergenceWarning)
        dt = lb.fit(scores, sampler="nutpie", seed=1, progressbar=False)
    assert asked == [(1000, 0.97), (3000, 0.99)]
    assert (dt.attrs["tune"], dt.attrs["converged"]) == (3000, 1)


@pytest.mark.parametrize("options", [{"tune": 400}, {"draws": 100}])
def test_but_not_where_tune_was_asked_for_or_draws_are_few(asked, scores, options):
    with pytest.warns(lb.ConvergenceWarning, match="LB001"):
        lb.fit(scores, sampler="nutpie", seed=1, progressbar=False, **options)
    assert len(asked) == 1


class Interrupted:
    """Chains that somebody interrupts while they run."""

    waited = cancelled = 0

    def wait(self, timeout):
        self.waited += 1
        raise TimeoutError if self.waited < 3 else KeyboardInterrupt

    def cancel(self):
        self.cancelled += 1


def test_an_interrupt_ends_it(scores, monkeypatch):
    """It does not come back with what there is, which nobody may take for a posterior."""
    running = Interrupted()
    monkeypatch.setattr(nutpie, "sample", lambda *given, **options: running)
    with pytest.raises(KeyboardInterrupt):
        lb.fit(scores, sampler="nutpie", seed=1, progressbar=False)
    assert (running.waited, running.cancelled) == (3, 1)


class Model:
    """What `sample` asks of a model before it draws."""

    named_vars = ()

    def initial_point(self):
        return {"x": 0.0}

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return None


@pytest.fixture
def interruptible():
    """Python's own handler: what a shell starts in the background ignores interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("problem", [None, ValueError("cannot reshape array of size 0")])
def test_an_interrupt_ends_pymcs_samplers(monkeypatch, problem):
    """Which come back with what draws there are, or fail on them."""
    import pymc as pm

    def interrupted(**options):
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        if problem is not None:
            raise problem
        return xr.DataTree()

    monkeypatch.setattr(pm, "sample", interrupted)
    before = signal.getsignal(signal.SIGINT)
    arguments = {"sampler": "pymc", "draws": 30, "tune": 10, "chains": 2, "target_accept": None}
    with pytest.raises(KeyboardInterrupt):
        nuts.sample(Model(), arguments, 1, prior=False, progressbar=False)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("sampler", ["pymc", "numpyro"])
@pytest.mark.parametrize("widgets", [True, False])
def test_bars_need_no_widgets(monkeypatch, sampler, widgets):
    """Where PyMC's bar would be an ipywidget that is not there, its own sampler advances ours."""
    import pymc as pm

    steps = []

    class Asked(Exception):
        pass

    @contextmanager
    def bar(shown, what):
        yield lambda done, of: steps.append((shown, done, of))

    def asked(*, progressbar, callback, **options):
        if callback is not None:
            callback(trace=None, draw=None)
        raise Asked(progressbar)

    monkeypatch.setattr(pm, "sample", asked)
    monkeypatch.setattr(nuts, "progress", bar)
    monkeypatch.setattr(nuts, "shows_bars_of_others", lambda: widgets)
    arguments = {"sampler": sampler, "draws": 30, "tune": 10, "chains": 2, "target_accept": None}
    with pytest.raises(Asked) as shown:
        nuts.sample(Model(), arguments, 1, prior=False, progressbar=True)
    assert shown.value.args == (widgets,)
    assert steps == ([] if widgets or sampler != "pymc" else [(True, 1, 80)])
