"""The role that links to a rule, wherever it stands: {rule}`TRG_04`."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole

from living.rules.rulebook import anchor_of


class RuleRole(XRefRole):
    """A link to the label of a rule; an id that is nowhere is an undefined label, told with file and line."""

    def process_link(
        self,
        env: BuildEnvironment,  # noqa: ARG002
        refnode: nodes.Element,
        has_explicit_title: bool,  # noqa: ARG002, FBT001
        title: str,
        target: str,
    ) -> tuple[str, str]:
        """Turn the id into the label."""
        refnode.attributes.update(refdomain="std", reftype="ref", refexplicit=True)
        return title, anchor_of(target)


def setup(app: Sphinx) -> None:
    """Make the role known."""
    app.add_role("rule", RuleRole(warn_dangling=True))
