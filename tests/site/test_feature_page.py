from dataclasses import replace

import pytest
from docutils import nodes
from living.results import Verdict
from living.rules.feature_page import feature_section
from living.site import repository_of
from lxml import html

from tests.site.small_sites import ALL_PASSED, LABEL, ONE_OVER, small_site


def read(node):
    """The text of a page, a line for each of its parts."""
    if isinstance(node, nodes.raw):
        texts = html.fromstring(f"<div>{node.astext()}</div>").itertext()
        return [" ".join(one.split()) for one in texts if one.strip()]
    if isinstance(node, nodes.TextElement):
        return [node.astext()]
    return [line for child in node.children for line in read(child)]


FILES = "features/attic/boxes.feature · steps/attic/boxes.py · src/brim/attic/boxes.py"
READS = """\
Boxes | What is kept, is kept in boxes. | 2 rules · ✗ 1 of 5 examples failed · FILES
A box holds as many pieces as fit | BOX_01 BOX_02 partly portable ✗ 1 of 4 examples failed | Source: a guess.
Boxes have no lids. | Decision 0007: Lids | Code: src/brim/attic/boxes.py:2
Pieces are put in | Given | a box for | <room> | pieces | And | a second one
side | pieces | left | 1 | right | 2
When | <pieces> | pieces arrive | Then | they are " | <state> | " | Few
description | room | pieces | state | last run
exactly full | 10 | 10 | kept | ✓ passed
one over | 10 | 11 | refused | ✗ failed | Then they are refused: 11
description | room | pieces | state | last run
many | 1,000 | 999 | <kept> | ✓ passed
A label | portable | – 1 example skipped
When | it is read | This side up | Then | it says so | – skipped | no ink
A box is dry | BOX_01 portable ✓ 1 example passed | Source: a look. | Code: src/brim/attic/boxes.py:2
Rain | Given | rain | Then | it is dry | ✓ passed
"""


def test_the_page_reads_from_the_feature_to_the_last_example(tmp_path):
    """Prose, sources, marks, steps, tables and texts; beside every example what it came to, and why it failed."""
    made = {ONE_OVER: Verdict("failed", "Then they are refused: 11"), LABEL: Verdict("skipped", "no ink")}
    site = small_site(tmp_path, ALL_PASSED | made)
    page = feature_section("rulebook/attic/boxes", site, site.rulebook.features["attic/boxes"])
    assert " | ".join(read(page)) == READS.strip().replace("\n", " | ").replace("FILES", FILES)


@pytest.mark.parametrize(("outcome", "begin"), [("passed", "<details>"), ("failed", "<details open>")])
def test_a_scenario_after_the_first_is_folded_where_it_has_nothing_to_say(tmp_path, outcome, begin):
    """The first scenario of a rule is open, whatever it came to."""
    site = small_site(tmp_path, ALL_PASSED | {LABEL: Verdict(outcome)})
    page = feature_section("rulebook/attic/boxes", site, site.rulebook.features["attic/boxes"])
    first, label, *_ = [node.astext() for node in page.findall(nodes.raw)]
    assert ("<details" in first, label.startswith(begin)) == (False, True)


def test_code_is_a_link_where_the_repository_has_an_address(tmp_path):
    """To the file and the line; one setting has the address."""
    site = small_site(tmp_path, ALL_PASSED)
    code = replace(site, repository=repository_of(tmp_path)).code("src/brim/attic/boxes.py", 7)
    assert code["refuri"] == "https://host.example/brim/blob/HEAD/src/brim/attic/boxes.py#L7"
    assert site.code("src/brim/attic/boxes.py", 7).astext() == code.astext() == "src/brim/attic/boxes.py:7"
