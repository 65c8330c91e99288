"""Reports as text and LaTeX: what they say is what the functions return."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import leaderbayes as lb
import posteriors
from conftest import cycle, simulate
from posteriors import KINDS, POSTERIORS
from prose import rows, section

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def bibtex(tmp_path):
    """References that `latex` writes beside a fragment."""

    def references(dt):
        lb.report.latex(dt, tmp_path / "cited" / "paper.tex")
        return (tmp_path / "cited" / "paper.bib").read_text(encoding="utf-8")

    return references


@pytest.mark.parametrize("suffix", ["txt", "tex", "bib"])
def test_golden(classifiers, texts, fragments, bibtex, suffix):
    """UPDATE_GOLDEN=1 in the environment writes the files."""
    made = {
        "txt": texts["bradley_terry"], "tex": fragments["bradley_terry"],
        "bib": bibtex(classifiers),
    }[suffix]  # fmt: skip
    path = GOLDEN / f"report.{suffix}"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(made, encoding="utf-8")
    assert made == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", KINDS)
def test_the_table_is_the_leaderboard(kinds, texts, name):
    table, made = lb.leaderboard(kinds[name]), rows(texts[name])
    assert len(made) == len(table)
    column = "score" if name in ("mean_score", "items", "sota") else "epp"
    for k, (row, cells) in enumerate(zip(table.to_dict("records"), made, strict=True)):
        assert cells[:2] == [str(k + 1), str(row.get("player", row.get("team")))]
        assert float(cells[2].replace("−", "-")) == pytest.approx(row[column], abs=0.006)


@pytest.mark.parametrize("name", POSTERIORS)
def test_results_are_those_of_the_functions(kinds, texts, name):
    dt, said, table = kinds[name], section(texts[name], "Results"), lb.leaderboard(kinds[name])
    assert f" {table.iloc[0, 0]} (" in said
    best = table["p_best"].iloc[0]
    assert f"posterior probability {'>0.99' if best > 0.995 else format(best, '.2f')}" in said
    if name == "sota":
        found = lb.sota.summary(dt)
        for key in ("theta_sota", "expected_max", "observed_max"):
            assert f"{float(found[key]):.4f}" in said
        return
    versus = lb.compare(dt, *table.iloc[:2, 0])
    p = float(versus.get("mean_better", versus["p_better"]))
    assert f"with posterior probability {p:.2f}" in said
    others = lb.tied_for_top(dt)[1:]
    if 0 < len(others) < len(table) - 1:
        assert f"It is indistinguishable from {others[0]}" in said
    if name not in ("mean_score", "items"):
        win, low, high = (float(versus[f"win_{k}"]) for k in ("probability", "lower", "upper"))
        assert f"{win:.2f} ({low:.2f} to {high:.2f})" in said


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        ("bradley_terry", ["15 players in 25 rounds of tournament breast_cancer", "tests on 20%",
                           "raised to the power 0.35", "Student t prior with 4 degrees"]),
        ("across_rounds", ["whatever the round", "Of 60 scores, 1 (1.7%) was missing."]),
        ("davidson", ["were ties.", "standard deviation 1.5"]),
        ("plackett_luce", ["In each round the players were ranked"]),
        ("round_intercept", ["Every match was counted in full", "u_k half-normal"]),
        ("tournaments", ["4 players in 18 rounds of 3 tournaments", "standard deviation τ"]),
        ("mean_score", ["lower scores are better", "noise that is correlated between players"]),
        ("items", ["5 players on 40 items", "Bayesian bootstrap (Rubin, 1981)"]),
        ("votes", ["120 votes on who of two is better, of 5 judges", "depend on who is shown first",
                   "Votes of a judge depend on each other"]),
        ("sota", ["12 teams on one test set of 500 instances", "Dirichlet", "correlation 0.5"]),
        ("estimate", ["pseudo-round of weight 1", "clustered by round"]),
        ("estimate of round_intercept", ["A tie was a loss of the player listed first"]),
    ],
)  # fmt: skip
def test_methods_say_what_was_done(texts, name, sentences):
    said = section(texts[name], "Methods")
    for sentence in sentences:
        assert sentence in said
    assert not re.search(r" [.,;]|\.\.|  ", said)


@pytest.mark.parametrize(
    ("sampler", "said"),
    [
        ("metropolis", "exact independence Metropolis sampler (Tierney, 1994) with proposals from "
                       "Laplace approximations (Rue et al., 2009): 4 chains of 250 draws, seed 1."),
        ("resample-move", "each draw moved by itself (Gilks & Berzuini, 2001), by Hamiltonian"),
        ("nutpie", "No-U-Turn sampler (Hoffman & Gelman, 2014) of nutpie 0.16.11"),
        ("pymc", "No-U-Turn sampler (Hoffman & Gelman, 2014) of PyMC 6.4.0"),
        ("exact", "The posterior was drawn directly: 4 chains"),
        (None, "The posterior was sampled with PyMC 6.4.0 (Abril-Pla et al., 2023): 4 chains"),
    ],
)  # fmt: skip
def test_methods_cite_the_sampler_that_was_used(classifiers, bibtex, sampler, said):
    made = classifiers.copy()
    made.attrs = {k: v for k, v in classifiers.attrs.items() if k != "sampler"}
    made.attrs |= {} if sampler is None else {"sampler": sampler}
    methods, cited = section(lb.report.text(made), "Methods"), bibtex(made)
    assert said in methods
    assert ("hoffman2014" in cited) == (sampler in ("nutpie", "pymc"))
    assert ("tierney1994" in cited) == (sampler == "metropolis")


@pytest.mark.parametrize("name", POSTERIORS)
def test_draws_of_pymc_are_reported_too(kinds, name):
    """Nothing is recorded in their attributes: convergence is computed."""
    methods = section(lb.report.text(posteriors.of_posteriors_own(kinds[name])), "Methods")
    assert "The posterior was sampled with PyMC" in methods
    assert ", seed" not in methods
    assert re.search(r"The largest R-hat \(Vehtari et al., 2021\) was \d\.\d{3}", methods)


def test_a_prior_of_the_users_own_is_not_described(classifiers):
    made = classifiers.copy()
    made["posterior"] = made["posterior"].dataset.drop_vars("epp_scale")
    methods = section(lb.report.text(made), "Methods")
    assert "Student t" not in methods
    assert "prior of strengths is not that of the package" in methods


def test_diagnostics_of_thinned_draws_are_their_own(classifiers):
    made = classifiers.isel(draw=slice(None, None, 5))
    made.attrs["arguments"] = json.dumps({"chains": 4, "draws": 250})
    size = re.search(r"sample size (\d+)", section(lb.report.text(made), "Methods"))
    assert 20 < int(size[1]) < 400


def test_draws_of_pymc_that_did_not_converge(classifiers):
    made = posteriors.of_posteriors_own(classifiers)
    epp = made["posterior"]["epp"].copy()
    epp[0] += 3.0
    made["posterior"]["epp"] = epp
    assert lb.report.text(made).startswith(
        "These chains did not converge, so none of the numbers is a result."
    )


def test_without_convergence_there_are_no_results(classifiers):
    made = classifiers.copy()
    message = "LB001 The chains did not converge: R-hat 1.120 (should be below 1.01)."
    made.attrs |= {"converged": 0, "max_rhat": 1.12, "warnings": json.dumps([message])}
    text = lb.report.text(made)
    assert text.startswith("These chains did not converge")
    assert text.count("LB001") == 1
    assert "Table 1" not in text
    assert "svm" not in section(text, "Results")
    assert r"\begin{table}" not in lb.report.latex(made)


@pytest.mark.parametrize(("p", "said"), [(0.001, True), (0.4, False), (float("nan"), True)])
def test_check_of_fit(p, said):
    made = posteriors.strengths(cycle(), [0.1, 0.0, -0.1], weight=1.0)
    made.attrs |= {"p_check": p, "deviance_ratio": 3.0, "misfit": 0.31}
    made.attrs["warnings"] = json.dumps(["LB016 it has sentences of its own", "LB011 others not"])
    results = section(lb.report.text(made), "Results")
    assert ("Head-to-head results differ from the model" in results) == said
    assert ("the reported win probabilities combine both" in results) == said
    assert "LB016" not in results
    assert "The software warns: LB011 others not" in results


@pytest.mark.parametrize("name", ["bradley_terry", "mean_score", "sota"])
def test_practical_equivalence(kinds, name):
    dt = kinds[name]
    text = lb.report.text(dt, rope=0.1)
    assert "They are practically equivalent where" in section(text, "Methods")
    if name != "sota":
        p = float(lb.compare(dt, *lb.leaderboard(dt).iloc[:2, 0], rope=0.1)["p_equivalent"])
        assert f"probability {p:.2f}; the leader" in section(text, "Results")


def test_what_cannot_be_reported(classifiers, kinds):
    with pytest.raises(lb.LeaderbayesError, match="rope="):
        lb.report.text(kinds["estimate"], rope=0.1)
    with pytest.raises(lb.LeaderbayesError, match="prob="):
        lb.report.text(classifiers, prob=1.5)
    with pytest.raises(lb.LeaderbayesError, match="takes a posterior"):
        lb.report.text("posterior.nc")
    bare = classifiers.copy()
    del bare["observed_data"], bare["constant_data"]
    with pytest.raises(lb.LeaderbayesError, match="observed_data/place"):
        lb.report.text(bare)


@pytest.fixture(scope="module")
def asked(classifiers):
    return lb.audit(classifiers, seed=1)


def test_an_audit_is_a_section_of_its_own(classifiers, kinds, asked):
    said = section(lb.report.text(classifiers, audit=asked), "Audit")
    for part in asked.children.values():
        assert " ".join(str(part.attrs["message"]).split()) in said
    fragment = lb.report.latex(classifiers, audit=asked)
    assert fragment.count(r"\item \emph{") == len(asked.children)
    with pytest.raises(lb.LeaderbayesError, match="to another posterior"):
        lb.report.text(kinds["davidson"], audit=asked)
    with pytest.raises(lb.LeaderbayesError, match=r"result of leaderbayes\.audit"):
        lb.report.text(classifiers, audit=classifiers)


# Names and tables


def test_names_stand_in_one_line_each_once(harmful):
    text = lb.report.text(harmful)
    table = text.split("\n\nReferences")[0].split("---\n")[-1].splitlines()
    assert len(table) == harmful["posterior"].sizes["player"]
    assert all(line.isprintable() and len(line) < 170 for line in table)
    assert len({line.split("  ")[1] for line in table}) == len(table)


def test_columns_stand_below_each_other(classifiers):
    lines = lb.report.text(classifiers).split("\n\nReferences")[0].splitlines()
    rule = next(k for k, line in enumerate(lines) if line.startswith("-- "))
    for row in lines[rule - 1 :]:
        for gap in re.finditer("  ", lines[rule]):
            assert row[gap.start() : gap.end()].strip() == ""


@pytest.mark.parametrize("name", KINDS)
def test_bibtex_has_what_is_cited(kinds, fragments, bibtex, name):
    cited = re.findall(r"\\citep\{([^}]*)\}", fragments[name])
    keys = {key for keys in cited for key in keys.split(",")}
    found = re.findall(r"^@\w+\{(\w+),$", bibtex(kinds[name]), re.MULTILINE)
    assert found == sorted(keys)


@pytest.fixture(scope="module")
def large():
    """Above 40 players the table is a longtable."""
    epp = np.linspace(2.0, -2.0, 45)
    names = [f"model_{k:03d}/lr=0.001,a_very_long_setting={k}" for k in range(45)]
    scores = simulate(epp, 6, np.random.default_rng(1)).assign_coords(player=names)
    return posteriors.strengths(scores, epp)


def test_files(classifiers, tmp_path):
    path = tmp_path / "paper.tex"
    made = lb.report.latex(classifiers, path)
    assert path.read_text(encoding="utf-8") == made
    assert r"\bibliography{paper}" in made
    assert (tmp_path / "paper.bib").read_text(encoding="utf-8").startswith("@")
    (tmp_path / "other.bib").mkdir()
    for name, message in (("other.tex", "is a folder"), ("paper.html", "ends with .tex")):
        with pytest.raises(lb.LeaderbayesError, match=message):
            lb.report.latex(classifiers, tmp_path / name)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["other.bib", "paper.bib", "paper.tex"]


DOCUMENT = r"""\documentclass{article}
\usepackage{iftex}
\ifpdftex\usepackage[T1]{fontenc}\fi
\usepackage{textcomp,booktabs,longtable}
\begin{document}
\input{report.tex}
\bibliographystyle{plain}
\bibliography{report}
\end{document}
"""


@pytest.mark.parametrize("name", ["bradley_terry", "harmful", "large", "estimate", "sota", "items"])
def test_latex_compiles(name, kinds, harmful, large, tmp_path):
    engine = next((e for e in ("pdflatex", "lualatex") if shutil.which(e)), None)
    if engine is None:
        pytest.skip("no pdflatex or lualatex here")
    fit = (kinds | {"harmful": harmful, "large": large})[name]
    lb.report.latex(fit, tmp_path / "report.tex")
    (tmp_path / "document.tex").write_text(DOCUMENT, encoding="utf-8")
    once = [engine, "-interaction=nonstopmode", "-halt-on-error", "document"]
    for step in (once, ["bibtex", "document"], once, once):
        done = subprocess.run(
            step, cwd=tmp_path, capture_output=True, check=False, text=True, errors="replace"
        )
        assert done.returncode == 0, done.stdout[-2000:]
    log = (tmp_path / "document.log").read_text(encoding="utf-8", errors="replace")
    assert "undefined" not in log
    assert not re.search(r"Overfull \\hbox .* in alignment", log)


def test_latex_of_names_and_numbers(harmful, large, fragments):
    made = lb.report.latex(harmful)
    assert r"\input{/etc" not in made
    assert "<script" not in made
    assert r"\textless{}" in made
    assert "−" not in made
    assert r"\textminus{}" in fragments["bradley_terry"]
    long = lb.report.latex(large)
    assert r"\begin{longtable}" in long
    assert r"\usepackage{longtable}" in long
    assert "longtable" not in fragments["bradley_terry"]
    assert long.count(r"\raggedright") == 45
