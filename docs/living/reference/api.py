"""The public names on the pages of the reference, each told from its source.

    ```{api} brim
    ContextWindow
    plan_compaction
    ```

A public name without a docstring, on no page or on two pages fails the build with file and line.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from living import freshness
from living.code_pages import code_link
from living.reference import signature_lines
from living.reference.api_entries import Entries
from living.reference.catalogue import catalogue, names_of
from living.reference.declared import PACKAGE, Source, Unknown
from living.reference.docstrings import markdown
from living.site import Site


class Reference:
    """The source and the catalogue of one build: what every name is documented under."""

    def __init__(self, root: Path, docs: Path) -> None:
        self.source = Source(root)
        self.listed = catalogue(docs, self.source)
        self.public = {home: one.whole for home, one in self.listed.items()}
        self._told: dict[tuple[str, ...], tuple[list[str], Entries]] = {}

    def entries(self) -> Entries:
        """Writes the entries of a page."""
        return Entries(self.source, self.public)

    def lines(self, module: str, names: list[str]) -> tuple[list[str], Entries]:
        """The entries of some names of a module, and what was noted while they were written."""
        key = (module, *names)
        if key not in self._told:
            entries = self.entries()
            lines = [line for name in names for line in entries.entry(module, name)]
            place = [] if module == PACKAGE else [f"In `{module}`:", ""]
            self._told[key] = [f"```{{py:currentmodule}} {module}", "```", "", *place, *lines], entries
        return self._told[key]


_LOADED: dict[Path, Reference] = {}
"""What was read for the build of a tree."""


def setup(app: Sphinx) -> None:
    """The directives, and what Python's names look like."""
    freshness.RECIPES["api"] = _recipe
    freshness.RECIPES["module"] = lambda site, module: _LOADED[site.root].source.module(module).doc
    app.connect("config-inited", _look)
    app.connect("builder-inited", _read)
    app.add_css_file("api.css")
    signature_lines.setup(app)
    app.add_directive("api", Api)
    app.add_directive("module-docstring", ModuleDocstring)


class Api(SphinxDirective):
    """The entries of names of one module."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The entries, each with a link to its source."""
        module, names = self.arguments[0], list(names_of(self.content))
        lines, entries = _reference(self.config).lines(module, names)
        if entries.faults:
            raise ExtensionError("\n".join(entries.faults))
        freshness.note(self.env, self.env.docname, "api", " ".join([module, *names]))
        parsed = self.parse_text_to_nodes("\n".join(lines))
        for node in parsed:
            _only_known(node, set(entries.public.values()))
            _to_source(node, self.env.docname, entries.places)
        return parsed


class ModuleDocstring(SphinxDirective):
    """What a module says of itself."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The docstring as it stands."""
        module = _reference(self.config).source.module(self.arguments[0])
        freshness.note(self.env, self.env.docname, "module", module.name)
        return self.parse_text_to_nodes("\n".join(markdown(module.doc, lambda _: None)))


def _only_known(node: nodes.Node, public: set[str]) -> None:
    """Leave a type of a signature that has no entry as words."""
    for head in node.findall(addnodes.desc_signature):
        for reference in list(head.findall(addnodes.pending_xref)):
            if reference["reftarget"] not in public:
                shown = next(iter(reference.findall(addnodes.pending_xref_condition)), reference)
                reference.replace_self(nodes.Text(shown.astext()))


def _to_source(node: nodes.Node, docname: str, places: Mapping[str, tuple[str, int]]) -> None:
    """Add the link to the line of the source where a name is declared."""
    for head in node.findall(addnodes.desc_signature):
        name = next((one for one in head["ids"] if one in places), None)
        if name is not None:
            path, line = places[name]
            link = code_link(docname, path, "source", line)
            link["classes"].append("source-link")
            link["reftitle"] = f"The source of {name}"
            head.append(link)


def _look(_: Sphinx, config: Config) -> None:
    """Long signatures an argument a line, types without their modules, and methods by their own name at the side."""
    config.python_maximum_signature_line_length = signature_lines.LONGEST
    config.python_use_unqualified_type_names = True
    config.toc_object_entries_show_parents = "hide"
    config.add_module_names = False


def _read(app: Sphinx) -> None:
    root = Path(app.config.living_root)
    _LOADED[root] = Reference(root, Path(app.srcdir))


def _reference(config: Config) -> Reference:
    return _LOADED[Path(config.living_root)]


def _recipe(site: Site, argument: str) -> object:
    module, *names = argument.split()
    try:
        lines, entries = _LOADED[site.root].lines(module, names)
    except Unknown as error:
        return str(error)
    return lines, sorted(entries.places.items())
