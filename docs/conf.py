"""How Sphinx makes these pages: 'make docs' writes them to build/docs."""

project = "Halocline"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

html_theme = "furo"
html_title = "Halocline"
html_show_copyright = False
html_show_sphinx = False

# A link to a heading is the heading's text in lower case with hyphens, as on most sites.
myst_heading_anchors = 4

add_module_names = False
napoleon_use_ivar = True
napoleon_attr_annotations = False  # for NumPy's names end in an underscore
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say in words what is allowed
autodoc_default_options = {"exclude-members": "__init__, __new__"}
