"""The documentation site: `pip install -e ".[docs]" && sphinx-build -W docs docs/_build`."""
import os
import sys
from pathlib import Path

from sphinx_gallery.scrapers import figure_rst

import sourcegrad

project = "sourcegrad"
author = copyright = "the sourcegrad developers"
version = release = sourcegrad.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx_copybutton", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["_build", "gallery/*.ipynb"]
myst_heading_anchors = 3
suppress_warnings = ["config.cache", "misc.highlighting_failure"]     # the gallery has functions; Mermaid is shown as text
numpydoc_show_class_members = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"                              # signatures say them
copybutton_prompt_text = ">>> |$ "
copybutton_prompt_is_regexp = True
highlight_language = "python"

html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": True}
html_show_sourcelink = False

# --- the gallery: examples are programs that save a figure where `--figure` says

EXAMPLES = Path(__file__).parents[1] / "examples"
FIGURES = Path(__file__).parent / "_build" / "figures"
FIGURES.mkdir(parents=True, exist_ok=True)


def arguments(gallery_conf, variables):
    """The command line of an example."""
    source = Path(variables["src_file"])
    return ["--figure", str(FIGURES / f"{source.stem}.png")] if "--figure" in source.read_text(encoding="utf-8") else []


def saved_figure(block, variables, gallery_conf):
    """The figure that an example has saved."""
    made = FIGURES / f"{Path(variables['src_file']).stem}.png"
    if not made.exists():
        return ""
    wanted = next(variables["image_path_iterator"])
    os.replace(made, wanted)
    return figure_rst([wanted], gallery_conf["src_dir"])


sphinx_gallery_conf = {
    "examples_dirs": str(EXAMPLES),
    "gallery_dirs": "gallery",
    "filename_pattern": ".*",
    "reset_argv": arguments,
    "image_scrapers": (saved_figure,),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1e9,
}
sys.path.insert(0, str(EXAMPLES))                       # what an example defines is found by the name of its file
