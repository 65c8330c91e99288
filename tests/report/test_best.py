"""What the page says of the best of a competition."""

import pytest

import leaderbayes as lb


def test_best_alone_and_beside(sota, laplace, tmp_path):
    found, table = lb.sota.summary(sota), lb.leaderboard(sota)
    alone = lb.report.html(sota, tmp_path / "alone.html").read_text("utf-8")
    both = lb.report.html(laplace, tmp_path / "both.html", sota=sota).read_text("utf-8")
    for text in (alone, both):
        assert f"<strong>{float(found['theta_sota']):.4f}</strong>" in text
        assert f'data-value="{table["theta"][0]}"' in text
        assert f"{float(lb.check(sota)['observed'][0]):.4f}" in text
    # Without charts there is no library for them.
    assert len(alone) < 200_000
    assert 'id="leaderboard"' in both


@pytest.mark.parametrize(("shift", "words"), [(-0.1, "it is too high: the"), (0.1, "not below")])
def test_best_above_or_below_its_estimate(sota, tmp_path, shift, words):
    changed = sota.copy(deep=True)
    changed["posterior"]["theta_sota"][:] = lb.sota.summary(sota)["observed_max"] + shift
    text = lb.report.html(changed, tmp_path / "page.html").read_text("utf-8")
    middle = lb.sota.summary(changed).attrs["middle"]
    assert bool(middle) == (shift < 0.0)
    assert middle in text
    assert "Without any law of the teams" in text
    assert ("where the interval ends that needs no law" in text) == bool(
        lb.sota.summary(changed).attrs["law_free"]
    )
    assert [said in text for said in ("it is too high: the", "not below")] == [
        said == words for said in ("it is too high: the", "not below")
    ]


def test_the_only_team_was_not_chosen(tmp_path):
    board = lb.sota.read_board([0.905], n=1000)
    dt = lb.sota.posterior(board, law="beta", draws=60, chains=2, seed=1, progressbar=False)
    for shift in (-0.01, 0.01):
        dt["posterior"]["theta_sota"][:] = 0.905 + shift
        text = lb.report.html(dt, tmp_path / "page.html").read_text("utf-8")
        assert "The best of 1 team scored 0.9050." in text
        assert not any(said in text for said in ("It was chosen", "many teams are near"))


def test_posterior_of_another_model_is_no_best(laplace, sota, tmp_path):
    with pytest.raises(lb.LeaderbayesError, match="no posterior of a board"):
        lb.report.html(laplace, tmp_path / "p.html", sota=laplace)
    with pytest.raises(lb.LeaderbayesError, match="leave sota out"):
        lb.report.html(sota, tmp_path / "p.html", sota=sota)
