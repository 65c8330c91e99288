"""Sphinx configuration."""

import shutil
from importlib.metadata import version as version_of
from pathlib import Path

DOCS = Path(__file__).parent

# Sphinx reads below its own folder only, and MyST resolves links: so copies, remade each time.
COPIES = {
    "models": ("**/README.md", "**/evidence/*.*", "evidence/*/*.*"),
    "notebooks": ("*.ipynb",),
}
for folder, patterns in COPIES.items():
    shutil.rmtree(DOCS / folder, ignore_errors=True)
    for source in sorted(p for pattern in patterns for p in (DOCS.parent / folder).glob(pattern)):
        target = DOCS / folder / source.relative_to(DOCS.parent / folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)

project = "leaderbayes"
author = "The leaderbayes developers"
version = release = version_of("leaderbayes")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_design",
    "numpydoc",
    "myst_nb",
]
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
default_role = "autolink"
# A name that is ours and leads nowhere is a warning; other projects' pages are not looked up.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(sklearn|optuna|pymc)\..*|leaderbayes\.(likelihood|models)")]

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

# Every notebook is run for real; one that fails, fails the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 900
nb_merge_streams = True

html_theme = "pydata_sphinx_theme"
html_title = "leaderbayes"
html_static_path = ["_static"]
html_extra_path = ["llms.txt"]
html_theme_options = {"show_toc_level": 2, "navbar_align": "left", "logo": {"text": "leaderbayes"}}
html_sidebars = {name: [] for name in ("index", "warnings", "gallery", "boardbench", "comparison")}


def setup(app):
    """Let links that hold in the repository, beside docs/, hold among the copies."""
    app.connect("source-read", beside)


def beside(app, docname, source):
    """Rewrite links between a page and the folders that are copied."""
    if docname.split("/")[0] not in COPIES:
        up = "../" * docname.count("/")
        for folder in COPIES:
            source[0] = source[0].replace(f"](../{up}{folder}/", f"]({up}{folder}/")
    source[0] = source[0].replace("](../docs/", "](../")
