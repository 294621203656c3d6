"""The page of a replay: one HTML file with tables and charts, which asks for nothing else and runs no script.

Specified by features/replay/page.feature (RPL_04).
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from pathlib import PurePath
from typing import Any, Final

from brim.replay.charts import (
    Bar,
    Line,
    Mark,
    Markup,
    bar_chart,
    element,
    escaped,
    joined,
    legend,
    line_chart,
    line_key,
    mark_key,
)
from brim.replay.check import ASKER_UNKNOWN, EARLY, JUDGED
from brim.replay.comparison import series
from brim.trigger.profiles import PROFILES, billing_equivalent_of_usage

Answer = Mapping[str, Any]
"""What `brim replay --json` answers for a file, or a part of it."""
Row = tuple[str, ...]
"""The cells of a row."""

DETAILED: Final = 50
"""Sessions that are shown one by one: a page with more is slow to open. The overview has them all."""
RECORDED: Final = "as recorded"
UNKNOWN: Final = "unknown"
NONE: Final = "–"
NUMBER: Final = re.compile(rf"\$?\d[\d,.]*%?( of \d[\d,]*)?|{NONE}|{UNKNOWN}")
"""A cell that stands to the right."""
COLUMNS: Final = ("per\N{NO-BREAK SPACE}1,000 retained", "facts present", "user's words", "compactions")
FIGURES: Final = {
    "sent": "tokens sent",
    "cache_read": "cache read",
    "cache_written": "cache written",
    "output": "output",
}
EACH: Final = {
    "response": "after response",
    "held": "tokens held",
    "threshold": "threshold",
    "after": "tokens after",
    "kept": "kept",
    "summarized": "summarized",
    "cleared": "outputs cleared",
}
"""What is told of each compaction."""
PARTS: Final = {
    "cache_read": "read from the cache",
    "cache_write": "written to the cache",
    "output": "output",
    "input": "other input",
}
"""The parts of a cost, in the order of a bar."""
SIZES: Final = ("half", "double")
"""Summaries of another size, in an answer."""
WITHOUT_USAGE: Final = {"responses_without_usage": "response", "summaries_without_usage": "summary call"}
"""What a file may hold without its usage, in an answer and in words."""
KINDS: Final = {
    "summary": "compaction with a summary",
    "clearing": "old outputs cleared alone",
    "overflow": "request refused as too long, then a summary",
}
"""What compactions are, by the shapes of their marks."""
RETAINED: Final = "Retained is what the window holds after a response, on average."
PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def page(replays: Sequence[Answer]) -> str:
    """The page of these answers, each with its `file`; a file that failed has only that and its `error` (RPL_04)."""
    failed = [one for one in replays if "error" in one]
    made = [one for one in replays if "error" not in one]
    shown = made[:DETAILED]
    heading = "Replay" if len(made) == 1 else f"Replay of {_count(len(made), 'session')}"
    body = [
        element("header", element("h1", heading), element("p", "What other compaction policies would have cost.")),
        element(
            "main",
            _overview(made, len(shown)) if len(made) > 1 else None,
            _failures(failed) if failed else None,
            *(_session(one, f"s{number}") for number, one in enumerate(shown, 1)),
        ),
        element("footer", element("p", "Made by brim replay. The figures are estimates; each session says what of.")),
    ]
    return document(f"{heading}: {made[0]['file']}" if len(made) == 1 else heading, body)


def document(title: str, body: Sequence[Markup]) -> str:
    """A whole page with the style of all pages."""
    style = "".join(files("brim.replay").joinpath(name).read_text("utf-8") for name in ("page.css", "charts.css"))
    return PAGE.format(title=escaped(title), style=style, body="\n".join(body))


def _failures(failed: Sequence[Answer]) -> Markup:
    told = map(failure, failed)
    listed = (element("li", element("strong", name), reason) for name, reason in told)
    return element("section", element("h2", f"Not replayed: {_count(len(failed), 'file')}"), element("ul", *listed))


def failure(one: Answer) -> tuple[str, str]:
    """The file that failed, and the reason as it goes on after the name; many errors begin with the name."""
    file, error = one["file"], one["error"]
    rest = error.removeprefix(file)
    return file, rest if rest != error and rest[:1] in (":", " ") else f": {error}"


def _overview(made: Sequence[Answer], shown: int) -> Markup:
    """The sums of each policy over the sessions, and the sessions."""
    names = dict.fromkeys(policy["name"] for one in made for policy in one["policies"])
    found = {RECORDED: [one["recorded"] for one in made]}
    for name in names:
        every = (policy for one in made for policy in one["policies"] if policy["name"] == name)
        found[name] = [*every]
    priced = sum(one["recorded"]["cost"] != UNKNOWN for one in made)
    sessions = [
        (
            element("a", one["file"], href=f"#s{number}") if number <= shown else one["file"],
            one["model"] or UNKNOWN,
            f"{one['responses']:,}",
            f"{len(one['recorded']['compactions']):,}",
            dollars(one["recorded"]["cost"]),
            one["recommendation"]["policy"] or NONE,
        )
        for number, one in enumerate(made, 1)
    ]
    columns = ("policy", "sessions", "cost", *COLUMNS, *FIGURES.values())
    about = ("file", "model", "responses", "compactions", "cost", "recommended")
    return element(
        "section",
        element("h2", "All sessions"),
        data_table("sums", "Sums of each policy", columns, [_sums(*one, len(made)) for one in found.items()]),
        _note(f"{RETAINED} As recorded: {lacks}." if (lacks := record_lacks(made)) else RETAINED),
        cost_chart([cost_bar(name, _fitting(every)) for name, every in found.items() if _fitting(every)], "sums-cost")
        if priced
        else None,
        data_table("sessions", "Each session, as recorded", about, sessions),
        _note(f"The first {shown:,} are shown one by one.") if shown < len(made) else None,
        class_="session",
    )


def _fitting(every: Sequence[Answer]) -> list[Answer]:
    """Those that are not refused; what a session reports never is."""
    return [policy for policy in every if not policy.get("refusal")]


def _sums(name: str, every: Sequence[Answer], sessions: int) -> Row:
    """The row of a policy over the sessions in which it was not refused; the first reason where it was in all."""
    found = _fitting(every)
    if not found:
        return name, f"refused in {len(every):,} of {_count(sessions, 'session')}, first since {every[0]['refusal']}"
    priced = [policy for policy in found if policy["cost"] != UNKNOWN]
    cost = sum(policy["cost"] for policy in priced) if priced else UNKNOWN
    facts = [policy["facts"] for policy in found if policy.get("facts")]
    count = f"{len(found):,}" if len(found) == sessions else f"{len(found):,} of {sessions:,}"
    return (
        name,
        count if len(priced) == len(found) else f"{count}, {len(priced):,} with a price",
        dollars(cost),
        _per_retained(cost, [held for policy in priced for held in policy["windows"]]),
        *_facts({key: sum(one[key] for one in facts) for key in ("facts", "kept", "words", "words_present")}),
        f"{sum(len(policy['compactions']) for policy in found):,}",
        *(f"{sum(policy[figure] for policy in found):,}" for figure in FIGURES),
    )


def _session(one: Answer, name: str) -> Markup:
    """A session: the recommendation, what it is, and the policies in tables and charts."""
    path = PurePath(one["file"])
    rows = [policy for policy in one["policies"] if not policy["refusal"]]
    parts = {
        "Policies": _policies(one, name),
        "The window over the session": _windows(one, rows, name),
        "Cost": _costs(one, rows, name),
        "Compactions": _compactions(rows, name),
        "Facts lost": _lost(rows),
        "Prediction and record": _check(one["check"], name),
        "Assumptions": _list(one["assumptions"]),
        "What the file lacks": _list(one["notes"]) if one["notes"] else None,
    }
    return element(
        "section",
        element("h2", path.name, id=name),
        element("p", one["file"], class_="path") if path.name != one["file"] else None,
        element("p", one["recommendation"]["sentence"], class_="recommendation"),
        _about(one),
        *(joined((element("h3", heading), part)) for heading, part in parts.items() if part),
        class_="session",
    )


def _about(one: Answer) -> Markup:
    facts = {
        "Written by": " ".join(filter(None, (one["format"], one["version"]))),
        "Model": one["model"] or UNKNOWN,
        "Began": f"{datetime.fromisoformat(one['date']):%Y-%m-%d %H:%M %Z}" if one["date"] else UNKNOWN,
        "Context window": f"{one['window']:,} tokens",
        "Responses": f"{one['responses']:,}",
        "System prompt and tools": f"{one['system_tokens']:,} tokens",
        "Calibration, learned": f"{one['characters_per_token']:.2f} characters a token",
        "Each summary": f"{one['summary_tokens']:,} tokens",
    }
    if one["sub_agents"]:
        facts["Sub-agents, in no figure"] = sub_agents(one)
    return element("dl", *(element("div", element("dt", name), element("dd", text)) for name, text in facts.items()))


def record_lacks(made: Sequence[Answer]) -> str:
    """How many outputs are estimated, and how many requests no sum includes, in words; empty where there are none."""
    total = {name: sum(one["recorded"][name] for one in made) for name in ("estimated", *WITHOUT_USAGE)}
    said = []
    if total["estimated"]:
        outputs = f"{total['estimated']:,} of {sum(one['responses'] for one in made):,} outputs"
        said.append(f"{outputs} are estimated by their texts and calls")
    missing = [_count(total[name], what) for name, what in WITHOUT_USAGE.items() if total[name]]
    if missing:
        said.append(f"in no sum, since their usage is not in the file: {', '.join(missing)}")
    return "; ".join(said)


def sub_agents(one: Answer) -> str:
    """What sub-agents sent and cost, in words."""
    told = one["sub_agents"]
    return f"{_count(told['requests'], 'request')}, {told['sent']:,} tokens sent, cost {dollars(told['cost'])}"


def _policies(one: Answer, name: str) -> Markup:
    columns = ("policy", "cost", *COLUMNS, "threshold", *FIGURES.values(), "peak", "unused")
    rows = [_row(RECORDED, one["recorded"])]
    for policy in one["policies"]:
        named = _named(policy, recommended=policy["name"] == one["recommendation"]["policy"])
        rows.append((named, f"refused: {policy['refusal']}") if policy["refusal"] else _row(named, policy))
    note = f"Tokens are those of all requests together; peak and unused are tokens of the window. {RETAINED}"
    if lacks := record_lacks([one]):
        note += f" As recorded: {lacks}."
    of_cost = [policy["name"] for policy in one["policies"] if policy.get("threshold") and not _level(policy)]
    if of_cost:
        note += f" {series(of_cost)} compare a cost with their threshold, not the tokens that the window holds."
    return joined(
        (data_table(f"{name}-policies", "Figures of each policy over the whole session", columns, rows), _note(note))
    )


def _row(named: str, policy: Answer) -> Row:
    return (
        named,
        dollars(policy["cost"]),
        _per_retained(policy["cost"], policy["windows"]),
        *_facts(policy.get("facts")),
        f"{len(policy['compactions']):,}",
        f"{policy['threshold']:,}" if policy.get("threshold") else NONE,
        *(f"{policy[figure]:,}" for figure in (*FIGURES, "peak", "unused")),
    )


def _named(policy: Answer, *, recommended: bool) -> Markup:
    """The name of a policy, whether it is recommended or a baseline, and what it sets besides its profile."""
    sets = ", ".join(
        f"{name} = {json.dumps(value)}" for name, value in policy["settings"].items() if value != policy["name"]
    )
    sign = "recommended" if recommended else "baseline" if policy["baseline"] else None
    labels = (element(tag, text) for tag, text in (("em", sign), ("small", sets)) if text)
    return joined((policy["name"], *(part for one in labels for part in (" ", one))))


def _windows(one: Answer, rows: Sequence[Answer], name: str) -> Markup:
    """A chart for each course that the window takes; policies with the same one share it."""
    windows, check = one["recorded"]["windows"], one["check"]
    made = [("summary", made) for made in check["recorded"]] + [("clearing", made) for made in check["cleared"]]
    placed = [(kind, made) for kind, made in made if made["response"] is not None]
    marks = [_mark(one, windows, made, kind, made["trigger"]) for kind, made in placed]
    charts = [_window(one, RECORDED, [one["recorded"]], marks, f"{name}-w0")]
    groups: dict[tuple[int, ...], list[Answer]] = {}
    for policy in rows:
        groups.setdefault(tuple(policy["windows"]), []).append(policy)
    for number, (held, group) in enumerate(groups.items(), 1):
        kinds = [(made, _kind(made)) for made in group[0]["compactions"]]
        marks = [_mark(one, held, made, kind, KINDS[kind]) for made, kind in kinds]
        charts.append(_window(one, ", ".join(policy["name"] for policy in group), group, marks, f"{name}-w{number}"))
    used = {kind for kind, _ in placed} | {_kind(made) for policy in rows for made in policy["compactions"]}
    keys = [(line_key("main"), "tokens held"), (line_key("beside"), RECORDED), (line_key("level"), "threshold")]
    keys += [(mark_key(kind), KINDS[kind]) for kind in KINDS if kind in used]
    return joined((legend(keys), element("div", *charts, class_="windows")))


def _mark(one: Answer, windows: Sequence[int], made: Answer, kind: str, text: str) -> Mark:
    """The mark of a compaction at the last response before it whose window is known."""
    index = max(bisect_right(one["indices"], made["response"]) - 1, 0)
    held = windows[index]
    return Mark(index, held, kind, f"after response {made['response']:,} at {made['held'] or held:,} tokens: {text}")


def _window(one: Answer, named: str, group: Sequence[Answer], marks: Sequence[Mark], name: str) -> Markup:
    policy, recorded, window = group[0], one["recorded"]["windows"], one["window"]
    windows, peak = policy["windows"], policy["peak"]
    levels = sorted({level for other in group if (level := _level(other))})
    labels = (
        [f"threshold {' to '.join(f'{one:,}' for one in dict.fromkeys((levels[0], levels[-1])))}"] if levels else []
    )
    labels.append(_count(len(policy["compactions"]), "compaction"))
    at = ", ".join(mark.text for mark in marks)
    held = f"Tokens held, at most {peak:,} of {window:,}; {windows[-1]:,} at the end"
    chart = line_chart(
        name,
        title=f"The window, {named}",
        description="; ".join((held, *labels, at) if at else (held, *labels)),
        lines=[Line(recorded, "beside"), Line(windows)] if policy is not one["recorded"] else [Line(windows)],
        top=max(window, *windows, *recorded),
        ticks=((0, f"response {one['indices'][0]:,}"), (1, f"{one['indices'][-1]:,}")),
        levels=levels,
        marks=marks,
    )
    figures = " · ".join((*labels, dollars(policy["cost"])) if policy["cost"] != UNKNOWN else labels)
    return element("figure", element("figcaption", element("strong", named), " ", element("span", figures)), chart)


def _level(policy: Answer) -> int | None:
    """The threshold, where it is one of tokens of the window: that of a cost has no place among them."""
    profile = PROFILES.get(policy.get("profile") or "")
    of_cost = profile is not None and profile.measure is billing_equivalent_of_usage
    return None if of_cost else policy.get("threshold")


def _kind(made: Answer) -> str:
    """The kind of a compaction, of KINDS."""
    return "overflow" if made["overflowed"] else "summary" if made["summarizes"] else "clearing"


def _costs(one: Answer, rows: Sequence[Answer], name: str) -> Markup:
    """The parts of each cost, and how it depends on the size of summaries."""
    every = [(RECORDED, one["recorded"]), *((policy["name"], policy) for policy in rows)]
    known = [(label, policy) for label, policy in every if policy["cost"] != UNKNOWN]
    if not known:
        return element("p", f"The cost is unknown: there is no price for {one['model'] or 'the model'}.")
    bars, table = [], []
    for label, policy in known:
        shown = f"{label}, recommended" if label == one["recommendation"]["policy"] else label
        bars.append(cost_bar(shown, [policy]))
        sizes = [policy.get("sensitivity", {}).get(size) for size in SIZES]
        other = [
            f"{dollars(one['cost'])}, {_count(one['compactions'], 'compaction')}" if one else NONE for one in sizes
        ]
        table.append((label, *map(dollars, bars[-1].parts), bars[-1].total, *other))
    columns = ("policy", *PARTS.values(), "cost", "summaries half as long", "twice as long")
    return joined(
        (
            cost_chart(bars, f"{name}-cost"),
            data_table(f"{name}-costs", "Parts, and sensitivity to the size of summaries", columns, table),
        )
    )


def cost_bar(label: str, found: Sequence[Answer]) -> Bar:
    """The costs of a policy, in one session or in several: those that are known."""
    known = [policy for policy in found if policy["cost"] != UNKNOWN]
    parts = [sum(policy["costs"].get(part, 0) for policy in known) for part in PARTS]
    cost = sum(policy["cost"] for policy in known)
    ends = {sum(policy.get("sensitivity", {}).get(size, policy)["cost"] for policy in known) for size in SIZES} | {cost}
    return Bar(label, parts, dollars(cost) if known else UNKNOWN, (min(ends), max(ends)) if len(ends) > 1 else None)


def cost_chart(rows: Sequence[Bar], name: str, title: str = "The cost of each policy, by parts") -> Markup:
    """The costs of rows by their parts."""
    return bar_chart(
        name,
        title=title,
        description="; ".join(f"{row.label} {row.total}" for row in rows),
        parts=[*PARTS.values()],
        bars=rows,
        span="with summaries of half to twice the size" if any(row.span for row in rows) else None,
    )


def _compactions(rows: Sequence[Answer], name: str) -> Markup:
    table = [
        (policy["name"], *(f"{made[key]:,}" for key in EACH), KINDS[_kind(made)])
        for policy in rows
        for made in policy["compactions"]
    ]
    if not table:
        return element("p", "No policy compacts.")
    columns = ("policy", *EACH.values(), "how")
    note = "Responses count from 0. Held is compared with the threshold. Kept and summarized count messages."
    every = f"{_count(len(table), 'compaction')} under {len({row[0] for row in table}):,} policies"
    return element(
        "details",
        element("summary", every),
        data_table(f"{name}-compactions", "Each compaction, policy by policy", columns, table),
        _note(note),
    )


def _lost(rows: Sequence[Answer]) -> Markup | None:
    """The facts that each policy loses, those that lose the same together; None where none does."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for policy in rows:
        lost = tuple(f"{fact['kind'].replace('_', ' ')}: {fact['text']}" for fact in policy["facts"]["missing"])
        groups.setdefault(lost, []).append(policy["name"])
    groups.pop((), None)
    if not groups:
        return None
    return joined(
        element("details", element("summary", f"{', '.join(names)}: {_count(len(lost), 'fact')}"), _list(lost))
        for lost, names in groups.items()
    )


def _check(found: Answer, name: str) -> Markup:
    """What the profile of the tool predicts, and what the file records, in the order of the session."""
    events: list[tuple[int | None, Row]] = []
    for kind in ("predicted", "recorded", "cleared"):
        for made in found[kind]:
            by = f"threshold {made['threshold']:,}" if kind == "predicted" else made["trigger"]
            events.append(
                (
                    made["response"],
                    (kind, _or_none(made["response"]), _or_none(made["held"]), by, _verdict(kind, made, found)),
                )
            )
    rows = [row for _, row in sorted(events, key=lambda event: (event[0] is None, event[0]))]
    counts = [f"{len(found[key]):,} {key}" for key in ("predicted", "recorded", "missed", "early")]
    outcome = "not as recorded" if found["missed"] or found["early"] else "as recorded"
    verdict = f"{found['profile']}: {', '.join(counts)}; {outcome} ({JUDGED})."
    if not found["judged"]:
        reason = found["notes"][-1]
        verdict = f"{reason[0].upper()}{reason[1:]}; {counts[1]}."
    columns = ("compaction", "after response", "tokens held", "by", "verdict")
    return joined(
        (
            element("p", verdict),
            data_table(f"{name}-check", "In the order of the session", columns, rows) if rows else None,
        )
    )


def _verdict(kind: str, made: Answer, found: Answer) -> str:
    """How a prediction and a compaction go together; what nobody predicts is not judged."""
    response = made["response"]
    if kind == "predicted":
        followed = {one["response"] for one in found["recorded"] if one["trigger"] in ("auto", ASKER_UNKNOWN)}
        ends = "the session ends" if followed.isdisjoint(range(response, response + EARLY + 1)) else "met"
        return "early" if response in found["early"] else ends
    if not found["judged"] or made["trigger"] != "auto":
        return "not judged"
    return "missed" if response in found["missed"] else "predicted"


def data_table(name: str, caption: str, columns: Sequence[str], rows: Sequence[Row]) -> Markup:
    """A table that scrolls by itself where it is wide. The first cell of a row names it; a single other one is wide."""
    whole = [row for row in rows if len(row) == len(columns)]
    kinds = ["number" if all(NUMBER.fullmatch(cell) for cell in cells) else None for cells in zip(*whole, strict=True)]
    head = element(
        "tr", *(element("th", one, scope="col", class_=kind) for one, kind in zip(columns, kinds, strict=True))
    )
    body = []
    for first, *others in rows:
        wide = len(columns) - 1 if len(others) == 1 else None
        cells = (element("td", one, class_=kind) for one, kind in zip(others, kinds[1:], strict=True))
        body.append(
            element(
                "tr",
                element("th", first, scope="row"),
                *([element("td", others[0], colspan=wide)] if wide else cells),
            )
        )
    made = element("table", element("caption", caption, id=name), element("thead", head), element("tbody", *body))
    return element("div", made, class_="scroll", role="group", tabindex=0, aria_labelledby=name)


def _note(text: str) -> Markup:
    return element("p", text, class_="note")


def _list(sentences: Sequence[str]) -> Markup:
    return element("ul", *(element("li", sentence) for sentence in sentences))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _or_none(number: int | None) -> str:
    return NONE if number is None else f"{number:,}"


def _facts(facts: Mapping[str, int] | None) -> tuple[str, str]:
    """The facts that are present, and the percent of the user's words, rounded down."""
    if not facts:
        return NONE, NONE
    present = f"{facts['kept']:,} of {facts['facts']:,}" if facts["facts"] else NONE
    return present, f"{100 * facts['words_present'] // facts['words']}%" if facts["words"] else NONE


def _per_retained(cost: float | str, windows: Sequence[int]) -> str:
    """The cost for each 1,000 tokens that the window holds on average."""
    if isinstance(cost, str) or not sum(windows):
        return UNKNOWN
    return dollars(1_000 * cost * len(windows) / sum(windows))


def dollars(cost: float | str) -> str:
    """A cost in dollars, with four decimals below a dollar; what is unknown stays so."""
    if isinstance(cost, str):
        return cost
    return f"${cost:,.2f}" if not 0 < cost < 1 else f"${cost:.4f}"
