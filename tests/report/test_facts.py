"""Numbers and words of a report, against the functions that give them."""

import pytest

import leaderbayes as lb
from leaderbayes.report._facts import facts_of
from leaderbayes.report._style import number, probability
from prose import rows, section


def test_numbers_are_those_of_the_functions(classifiers):
    report = lb.report.text(classifiers, prob=0.9, rope=0.05)
    board = lb.leaderboard(classifiers, prob=0.9)
    for cells, row in zip(rows(report), board.itertuples(), strict=True):
        low, high = number(row.epp_lower), number(row.epp_upper)
        ranks = f"{row.rank_lower}–{row.rank_upper}"
        assert cells == [
            str(row.rank), row.player, number(row.epp), f"[{low}, {high}]",
            number(row.score, 4), probability(row.p_average), probability(row.p_best),
            ranks if row.rank_lower < row.rank_upper else str(row.rank_lower),
        ]  # fmt: skip
    results = section(report, "Results")
    first, second = board["player"].head(2)
    plain = lb.compare(classifiers, first, second, prob=0.9).to_pandas()
    near = lb.compare(classifiers, first, second, prob=0.9, rope=0.05).to_pandas()
    found = lb.deviance(classifiers)
    for expected in (
        f"(posterior probability {probability(plain['p_better'])})",
        f"{number(plain['epp_difference'])} [{number(plain['epp_lower'])}, ",
        f"{probability(plain['win_probability'])} [{probability(plain['win_lower'])}, ",
        f"equivalent with posterior probability {probability(near['p_equivalent'])}; the leader",
        f"with {probability(near['p_better'])}, and worse with {probability(near['p_worse'])}.",
        f"with probability {probability(float(lb.check(classifiers)['p_round']))}",
        f"exactly is {found['value']:.1f} on {int(found['df'])} ",
        f"rank is between {board['rank_lower'][0]} and {board['rank_upper'][0]} ",
    ):
        assert expected in results
    tied = lb.tied_for_top(classifiers, prob=0.9)[1:]
    assert f"{('One', 'Two')[len(tied) - 1]} other player" in results
    assert all(player in results for player in tied)
    assert "90% credible interval" in results
    assert "at least 0.9," in section(report, "Methods")


def test_numbers_of_tournaments(together):
    results = section(lb.report.text(together), "Results")
    leader = lb.leaderboard(together)["player"][0]
    leads = (lb.study.compare(together, draws=0)["leader"] == leader).sum()
    assert leads == 3
    assert "It leads all 3 tournaments." in results
    assert "τ = 0.71" in results
    assert "in a new tournament" in results


def test_numbers_of_the_best_score(best):
    report = lb.report.text(best["sota"], prob=0.9)
    found = lb.sota.summary(best["sota"], prob=0.9)
    results = section(report, "Results")
    for name in ("theta_sota", "observed_max", "expected_max"):
        assert f"{float(found[name]):.4f}" in results
    interval = f"[{float(found['theta_sota_lower']):.4f}, {float(found['theta_sota_upper']):.4f}]"
    assert f"(90% credible interval {interval})" in results
    teams = lb.leaderboard(best["sota"], prob=0.9)
    for cells, row in zip(rows(report), teams.itertuples(), strict=True):
        assert cells[1:] == [
            row.team, f"{row.score:.4f}", f"{row.theta:.4f}",
            f"[{row.theta_lower:.4f}, {row.theta_upper:.4f}]",
            probability(row.p_sota), probability(row.p_best),
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("better", "words"),
    [
        (0.9999, "almost certainly better"), (0.96, "very probably better"),
        (0.8, "probably better"), (0.65, "perhaps better"), (0.55, "That it is better"),
    ],
)  # fmt: skip
def test_words_are_as_sure_as_the_probability(classifiers, monkeypatch, better, words):
    from leaderbayes.report import _facts

    compare = _facts.compare
    monkeypatch.setattr(
        _facts, "compare", lambda *given, **options: _with(compare(*given, **options), better)
    )
    results = section(lb.report.text(classifiers), "Results")
    assert words in results
    assert ("which tells the two apart" in results) == (better >= 0.95)
    assert "close call" not in results  # of draws that are exact


def _with(compared, better):
    return compared.assign(p_better=better)


def test_misfit_of_all_tournaments_is_said_of_one(laplace):
    """LB016 has sentences of its own where the fit's own check says it, and else is repeated."""
    dt = laplace.copy()
    dt.attrs |= {"warnings": '["LB016 of all."]', "p_check": float("nan")}
    assert facts_of(dt, 0.95, None)["warnings"] == ["LB016 of all."]
    dt.attrs["p_check"] = 0.01
    assert facts_of(dt, 0.95, None)["warnings"] == []


def test_a_fit_without_diagnostics_says_so_or_says_less(laplace):
    bare = laplace.copy()
    bare.attrs = {k: v for k, v in laplace.attrs.items() if k != "min_ess"}
    said = lb.report.text(bare)
    assert "effective sample size" not in said
    bare.attrs = {k: v for k, v in laplace.attrs.items() if k != "sampler"}
    with pytest.raises(lb.LeaderbayesError, match="sampler"):
        lb.report.text(bare)
