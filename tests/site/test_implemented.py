from pathlib import Path

from living.implemented import code_of, files_of, implemented
from living.rules.rulebook import Rulebook

ROOT = Path(__file__).parents[2]


def test_every_rule_links_to_a_line():
    """What is declared there names it; a module as a whole is not enough."""
    found = implemented(ROOT)
    assert [one for one in Rulebook.read(ROOT).by_id if not any(line.name for line in found.get(one, ()))] == []


def test_every_rule_leads_first_to_the_module_of_its_feature():
    """Or into the package that it is, and not to a field there."""
    for name, feature in Rulebook.read(ROOT).features.items():
        *_, module = files_of(ROOT, name)
        firsts = [code_of(ROOT, rule, module)[0] for rule in feature.rules]
        inside = module.removesuffix("__init__.py")
        assert [one for one in firsts if one.field or not one.path.startswith(inside)] == []
