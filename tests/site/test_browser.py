"""The site as real Chromium shows it: from a folder and from a server, light and dark, narrow and on paper."""

import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from living.rules.rulebook import Rulebook
from lxml import html

from steps.prerequisites import sized
from tests.site.looks import CUT_OFF, CUT_TABLES, PALE, SMALL, TEXT, WIDE

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.peers, pytest.mark.timeout(1_800)]

THEMES = ("light", "dark")
START = "index.html"
FEATURE = "rulebook/trigger/overflow.html"
WHOLE = "rulebook/tokens/index.html"
"""A package that is one page."""
PAGES = (
    START,
    FEATURE,
    WHOLE,
    "rulebook/index.html",
    "rulebook/trigger/index.html",
    "sources/s2.html",
    "decisions/index.html",
    "evidence.html",
    "changes.html",
    "decisions/0202-the-default-threshold.html",
    "reference/index.html",
    "reference/api/judge.html",
    "guides/first-compaction.html",
    "search.html?q=TRG_04",
)
WITH_TABLES = (
    "guides/sdk.html",
    "guides/hooks.html",
    "guides/transcripts.html",
    "reference/operations.html",
    "reference/settings.html",
    "reference/tools.html",
)
"""The pages of the widest tables."""
GUIDE = "guides/first-compaction.html"
OPENED = sized((START, FEATURE, WHOLE, GUIDE, "search.html?q=TRG_04"), nightly=PAGES)
"""One page of each kind; a test that opens pages opens these."""
SEARCHED_FOR_FAULTS = sized((FEATURE,), nightly=PAGES)
"""What axe-core looks at: it takes seconds for each page."""
NARROW = 360
ALIKE = {"exclude": [["tbody tr:nth-child(n+12)"]]}
"""What looks as what stands above it: axe-core takes seconds for each thousand cells."""

AS_IT_IS = {"resultTypes": ["violations"], "preload": False}
"""How axe-core looks at a page: it asks for no style sheet a second time, which a page in a folder may not do."""

PAPER = 718  # A4 at 96 dots an inch, within margins of a centimetre


@pytest.fixture(scope="module")
def pages(site):
    """The ids of each page of the site, and where it leads and what it loads; the assets of the theme are no pages."""
    found = {}
    for path in site.rglob("*.html"):
        if "_static" not in path.parts:
            root = html.document_fromstring(path.read_bytes())
            found[path] = Counter(root.xpath("//@id")), {target for _, _, target, _ in root.iterlinks()}
    return found


def leads_nowhere(pages, path, target):
    """Whether a link within the site has no file or no anchor."""
    parts = urlsplit(target)
    there = path.parent.joinpath(unquote(parts.path)).resolve() if parts.path else path
    lost = there in pages and parts.fragment and unquote(parts.fragment) not in pages[there][0]
    return not (parts.scheme or parts.netloc) and (lost or not there.is_file())


def test_every_link_leads_somewhere(pages):
    """Every link and anchor inside the site, on every page, is there; and so is everything that a page loads."""
    broken = [f"{path}: {one}" for path, (_, led) in pages.items() for one in led if leads_nowhere(pages, path, one)]
    assert not broken, "\n".join(broken)


def test_an_anchor_stands_once(pages):
    """No two elements of a page have one id."""
    assert [(path, one) for path, (ids, _) in pages.items() for one in ids if ids[one] > 1] == []


def test_nothing_of_the_machine_is_in_the_site(pages):
    """No page names the folder it was built in or the address of an object, and none says when."""
    told = re.compile(f"{re.escape(str(ROOT))}|0x[0-9a-f]{{6,}}|object at|[Ll]ast updated|©|Created using")
    assert [path for path in pages if told.search(path.read_text(encoding="utf-8"))] == []


def test_every_example_has_its_verdict(site):
    """Each page of the rulebook shows as many verdicts as its features have examples, and every one holds."""
    book, examples = Rulebook.read(ROOT), Counter[str]()
    for name, feature in book.features.items():
        examples[book.page(name)] += sum(scenario.count for scenario in feature.scenarios)
    for page, count in examples.items():
        text = (site / f"{page}.html").read_text(encoding="utf-8")
        assert (page, text.count('verdict-passed no-search">✓ passed<')) == (page, count)


@pytest.mark.parametrize("theme", THEMES)
def test_no_page_has_a_fault(site, visits, theme):
    """Every kind of page takes the reader's theme, logs no error, asks no other host, and axe-core finds nothing."""
    window, met = visits(site.as_uri(), theme=theme), []
    for path in SEARCHED_FOR_FAULTS:
        page = window.go(path)
        met += [] if page.locator("html").get_attribute("data-theme") == theme else [f"{path}: not {theme}"]
        for one in Axe().run(page, context=ALIKE, options=AS_IT_IS).response["violations"]:
            places = [" ".join(node["target"]) for node in one["nodes"][:3]]
            met.append(f"{path}: {one['id']}, {len(one['nodes'])} times: {one['help']}: {places}")
    met += window.complaints
    assert not met, "\n".join(met)
    assert window.left_the_site() == []


@pytest.mark.parametrize("width", [1_280, NARROW])
def test_a_link_to_a_rule_shows_its_sentence_and_where_it_comes_from(site, visits, width):
    """Both stand below the header, which stays in sight, and within the window."""
    window = visits(site.as_uri(), width=width)
    for path in (FEATURE + "#rule-trg_04", "rulebook/summary/user_words.html#rule-sum_18-5"):
        page = window.go(path)
        page.wait_for_timeout(100)
        box = "one => [one.getBoundingClientRect().top, one.getBoundingClientRect().bottom]"
        header, sentence, source = (
            page.locator(one).first.evaluate(box) for one in ("#pst-header", ":target h2", ":target .note")
        )
        assert header[1] <= sentence[0] < source[1] <= page.viewport_size["height"], path


def found(window, words):
    """The addresses that a search comes up with, best first."""
    page = window.go(f"search.html?q={words}")
    page.wait_for_function("document.querySelector('#search-results p.search-summary')?.innerText.trim()")
    return [link.get_attribute("href") for link in page.locator("#search-results li a").all()]


OVERFLOW, RESERVE = "rulebook/trigger/overflow.html#rule-trg_04", "rulebook/trigger/usable_context.html#rule-trg_0"


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("trg04", OVERFLOW),
        pytest.param("TRG_04", OVERFLOW, marks=pytest.mark.nightly),
        pytest.param("TRG-04", OVERFLOW, marks=pytest.mark.nightly),
        ("32000", RESERVE),
        pytest.param("32,000", RESERVE, marks=pytest.mark.nightly),
        ("orphaned tool result", "rulebook/conversation/tool_pairs.html#rule-cnv_04"),
    ],
)
def test_search_finds_rules(site, visits, words, first):
    """An id however it is written, a number with or without separators, and words lead to the rule itself."""
    window = visits(site.as_uri())
    assert found(window, words)[0].startswith(first)
    assert not window.complaints, "\n".join(window.complaints)
    assert window.left_the_site() == []


WANTED = {
    "when does it compact": "questions#when-does-it-compact",
    "does it compact when exactly full": "questions#when-does-it-compact",
    "what survives": "questions#what-survives",
    "what is changed since last approval": "changes",
    "who decides about a rule": "questions#who-decides-about-a-rule-and-how-do-i-approve-reject-or-propose-a-change",
    "approve rules": "questions#who-decides-about-a-rule-and-how-do-i-approve-reject-or-propose-a-change",
    "why is the default threshold usable and not windowing": "decisions/0202-the-default-threshold",
    "what do Claude Code and Codex lose": "guides/hooks",
    "undo a compaction": "guides/sessions#bring-back-what-was-compacted",
    "which threshold decides": "reference/settings#which-threshold-decides",
    "how does it compare with LangChain": "questions#how-does-brim-compare-with-langchain-and-other-strategies",
    "events": "guides/sdk",
    "logging": "guides/sdk",
    "price of a compaction": "evidence",
    "max cost": "questions#what-does-compaction-cost",
    "credentials": "questions#what-happens-to-a-secret-in-a-conversation",
    "promise": "questions#what-is-always-kept-word-for-word-and-what-if-that-is-too-much",
    "upgrade": "guides/index",
    "precedence": "reference/settings",
    "cheaper model for summaries": "guides/sdk",
    "pin a message": "guides/sdk",
    "unproven": "evidence",
    "what can go wrong": "questions",
    "privacy": "questions",
    "33,600": "index",
    "what happens to the user's words": "questions",
    "turn off compaction": "questions",
    "circuit breaker": "engine/progress",
    "portable": "guides/porting",
    "--window": "reference/command_line",
    "prices_of": "reference/api/provider",
    "concurrent": "decisions/0225-the-log-of-a-session",
    "characters per token": "tokens/index#rule-tok_06",
    "estimate_tokens": "reference/operations#estimate-tokens",
    "cut point": "conversation/cuts#rule-cnv_05",
    "how much work": "reference/operations#effort-how-much-work-a-port-is",
    "thread safe": "engine/conversation#rule-trg_26-2",
    "operations trigger": "reference/operations#operations-trigger",
    "restart": "guides/sdk#after-a-restart",
    "streaming": "guides/sdk#streaming",
    "prompt is too long": "engine/conversation#rule-trg_18",
    "429": "guides/when-a-summary-fails",
    "error handling": "reference/api/errors",
    "risk": "questions#what-can-go-wrong",
    "latency": "evidence#speed",
    "release notes": "changelog",
    "supported agents": "reference/formats",
    "what do users lose": "questions#what-is-lost-in-a-compaction",
    "summary quality": "limitations#not-proven",
    "why 15,000": "decisions/0209-what-is-kept-word-for-word",
    "how long may a summary be": "questions#who-writes-the-summary-and-how-long-may-it-be",
    "opt out": "questions#how-is-automatic-compaction-turned-off",
    "sign off": "changes",
    "approve": "changes",
    "who decides": "questions#who-decides-about-a-rule-and-how-do-i-approve-reject-or-propose-a-change",
    "money": "questions#what-does-compaction-cost",
    "cost": "questions#what-does-compaction-cost",
    "context full": "questions#when-does-it-compact",
    "how often does it compact": "questions#when-does-it-compact",
    "object to a rule": "questions#who-decides-about-a-rule-and-how-do-i-approve-reject-or-propose-a-change",
    "does it make the agent worse": "questions#what-can-go-wrong",
    "how long does a compaction take": "evidence#speed",
    "other languages": "questions#does-it-work-in-other-languages-than-english",
}
"""What readers looked for, and the page that answers it."""


def test_the_page_that_answers_is_among_the_first_three(site, visits):
    """By the words of readers, on the page or in the section; no other decision is above."""
    page, met = visits(site.as_uri()).go("search.html?q=brim"), []
    page.wait_for_function("Search.hasIndex()")
    for words, wanted in WANTED.items():
        best = page.evaluate("words => Search._performSearch(words).slice(-3).reverse()", words)
        places = [(name + ("#" in wanted) * anchor, title) for name, title, anchor, *_ in best]
        at = next((n for n, (place, _) in enumerate(places) if place.endswith(wanted)), None)
        above, own = [title for _, title in places[:at]], "" if at is None else places[at][1]
        if not own or any(one.startswith("Decision:") for one in above):
            met.append(f"{words}: {places}")
    assert not met, "\n".join(met)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("compacting", "brim.compacting"),
        ("brim.compacting", "brim.compacting"),
        ("conversation", "brim.Conversation"),
        ("Conversation", "brim.Conversation"),
        ("compactor", "brim.Compactor"),
        ("Compactor.plan", "brim.Compactor.plan"),
        ("SessionHeld", "brim.sessions.SessionHeld"),
        ("plans", ""),
    ],
)
def test_search_by_a_public_name_leads_first_to_its_entry(site, visits, words, name):
    """With and without `brim.`, in any case of letters; a word that is no name leads to what is about it."""
    window = visits(site.as_uri())
    first = found(window, words)[0]
    title = window.page.locator("#search-results li a").first.inner_text()
    assert (title == f"Python: {name}" and first.endswith(f"#{name}")) if name else not title.startswith("Python:")


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("summary fails", "Guide: "),
        ("TRG_04", "Rule TRG_04: By default compaction"),
        ("decision 0203", "Decision: 0203"),
        ("when does it compact", "Page: FAQ > When does it compact?"),
    ],
)
def test_search_says_what_a_result_is(site, visits, words, first):
    """Every result begins with its kind, and rules stand above the names of the library."""
    window = visits(site.as_uri())
    found(window, words)
    titles = window.page.locator("#search-results li a").all_inner_texts()
    assert titles[0].startswith(first)
    assert [one for one in titles if not re.match(r"[A-Z]\w+( \w+)?: ", one)] == []


@pytest.mark.parametrize("width", [1_440, 1_000, NARROW])
def test_no_table_is_cut(site, visits, width):
    """On every kind of page a table fits its place, or scrolls in it and says so."""
    window, met = visits(site.as_uri(), width=width), []
    for path in (*PAGES, *WITH_TABLES):
        page = window.go(path)
        page.wait_for_timeout(50)
        met += [f"{path}: {fault}" for fault in page.evaluate(CUT_TABLES)]
    assert not met, "\n".join(met)
    assert not window.complaints, "\n".join(window.complaints)


def test_a_phone_breaks_no_name(site, visits):
    """The name of a setting, and of an option such as --target, stands on one line."""
    window = visits(site.as_uri(), width=NARROW)
    broken = """([codes, of]) => [...document.querySelectorAll(codes)].map(one => [one.innerText, one.getClientRects()])
      .filter(([text, lines]) => RegExp(of).test(text) && lines.length > 1)"""
    for path in ("reference/settings.html", "reference/command_line.html", GUIDE, "guides/checkpoints.html"):
        page = window.go(path)
        assert page.evaluate(broken, ["main code:not(pre code) .pre, dl.option .sig-name", "^-"]) == [], path
    page = window.go("reference/settings.html")
    assert page.evaluate(broken, [".pst-scrollable-table-container code", "^[^ -]+$"]) == []


def test_a_phone_shows_all_of_an_example(site, visits):
    """At 360 pixels no column has to be scrolled to: what is expected and what came of it are in sight."""
    regions = visits(site.as_uri(), width=NARROW).go(FEATURE).locator(".pst-scrollable-table-container:has(.examples)")
    shares = regions.evaluate_all("all => all.map(one => one.clientWidth / one.scrollWidth)")
    assert min(shares) == 1


def test_a_phone_shows_every_page(site, visits):
    """At 360 pixels nothing but a region of its own scrolls sideways, and no text is smaller than 12 pixels."""
    window, met = visits(site.as_uri(), width=NARROW), []
    for path in (*OPENED, "reference/operations.html"):
        page = window.go(path)
        faults = [*page.evaluate(WIDE), *page.evaluate(SMALL, [TEXT, 12]), *page.evaluate(SMALL, ["main", 15])]
        met += [f"{path}: {fault}" for fault in faults[:5]]
    assert not met, "\n".join(met)


@pytest.mark.parametrize("theme", THEMES)
def test_paper_shows_the_text_and_no_more(site, visits, theme):
    """In print there is no navigation, nothing is cut off, and text is dark, whatever the theme on the screen."""
    window, met = visits(site.as_uri(), theme=theme, width=PAPER), []
    window.page.emulate_media(media="print", color_scheme=theme)
    for path in OPENED[:-1]:
        page = window.go(path)
        faults = [*page.evaluate(WIDE), *page.evaluate(CUT_OFF), *page.evaluate(PALE, TEXT)]
        met += [f"{path}: {fault}" for fault in faults[:5]]
        around = ".bd-header, .bd-sidebar-primary, .bd-sidebar-secondary"
        met += [f"{path}: navigation"] if page.locator(around).locator("visible=true").count() else []
    assert not met, "\n".join(met)
