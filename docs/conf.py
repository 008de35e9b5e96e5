"""How Sphinx makes these pages: 'make docs' writes them to build/docs."""

import re
from typing import Any

project = "Halocline"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

html_theme = "furo"
html_title = "Halocline"
html_static_path = ["_static"]
html_css_files = ["halocline.css"]
html_show_copyright = False
html_show_sphinx = False
smartquotes = False

# A link to a heading is the heading's text in lower case with hyphens, as on most sites.
myst_heading_anchors = 4

add_module_names = False
napoleon_use_ivar = True
napoleon_attr_annotations = False  # for NumPy's names end in an underscore
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say in words what is allowed
autodoc_default_options = {"exclude-members": "__init__, __new__"}


def quoted_as_code(*arguments: Any) -> None:
    """Show what docstrings quote, as 'hc.time', as code."""
    lines = arguments[-1]
    lines[:] = [
        line if ">>>" in line else re.sub(r"(?<![\w`'])'([^'`]+)'(?!\w)", r"``\1``", line)
        for line in lines
    ]


def setup(app: Any) -> None:
    """Tell Sphinx of it."""
    app.connect("autodoc-process-docstring", quoted_as_code)
