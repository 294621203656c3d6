"""How the site is built. Everything that is particular to brim is in the extension `living`, beside this file."""

import os
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS), str(DOCS.parent), str(DOCS.parent / "src")]
# Pages run the command of this environment: without color, 80 columns wide, and without the settings of a user.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
os.environ |= {"COLUMNS": "80", "NO_COLOR": "1", "PYTHONUTF8": "1", "XDG_CONFIG_HOME": os.devnull}

project = "brim"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinxcontrib.programoutput",
    "living",
]
default_role = "py:obj"  # a name between backticks in a docstring leads to its entry
exclude_patterns = ["living", "_templates", "examples/project", "**/.ruff_cache"]
templates_path = ["_templates"]

smartquotes = False
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # a type without an entry of its own is a word
show_warning_types = True
suppress_warnings = ["ref.python"]  # a word in a docstring that several fields are called by

myst_enable_extensions = ["colon_fence", "deflist", "fieldlist", "attrs_inline", "attrs_block"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

autodoc_default_options = {
    "member-order": "bysource",
    "exclude-members": "model_config,model_post_init,model_fields,model_computed_fields",
}
autodoc_preserve_defaults = True
add_module_names = False
napoleon_use_param = False
napoleon_use_rtype = False
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "brim"
html_static_path = ["_static"]
html_css_files = ["brim.css", "api.css", "start.css"]
html_js_files = ["print.js", ("tables.js", {"defer": "defer"})]
html_favicon = "_static/favicon.svg"
html_show_search_summary = False
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_use_index = False
html_domain_indices = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "navbar_align": "left",
    "footer_start": [],
    "footer_end": [],
    "navigation_depth": 3,
    "collapse_navigation": True,
    "header_links_before_dropdown": 8,
    "back_to_top_button": False,
    "search_bar_text": "Search the rules and pages",
    "search_as_you_type": True,
}
LONE_PAGES = ("index", "questions", "search")
html_sidebars = {"**": ["sidebar-nav-bs"], **{page: [] for page in LONE_PAGES}}
