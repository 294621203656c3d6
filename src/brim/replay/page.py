"""The page of a replay: one HTML file with tables and charts, which asks for nothing else and runs no script.

Specified by features/replay/page.feature (RPL_04); templates/page.html lays it out.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from brim.replay.charts import SHAPES, Bar, Line, Mark, bar_chart, counted, line_chart, macro, short, templates
from brim.replay.check import JUDGED
from brim.replay.comparison import PARTS, SIZES, UNKNOWN, Answer, missing_calls, recommend, total, totals
from brim.trigger.profiles import PROFILES, billing_equivalent_of_usage

if TYPE_CHECKING:
    from markupsafe import Markup

DETAILED: Final = 50
"""Sessions that are shown one by one: a page with more is slow to open. The overview has them all."""
RECORDED: Final = "as recorded"
NONE: Final = "–"
FIGURES: Final = {
    "sent": "tokens sent",
    "cache_read": "cache read",
    "cache_written": "cache written",
    "output": "output",
}
PART_NAMES: Final = dict(
    zip(PARTS, ("read from the cache", "written to the cache", "output", "other input"), strict=True)
)
KINDS: Final = {
    "summary": "compaction with a summary",
    "clearing": "old outputs cleared alone",
    "overflow": "request refused as too long, then a summary",
}
"""What compactions are, by the shapes of their marks."""


def page(replays: Sequence[Answer]) -> str:
    """Write the page of these answers, each with its `file`; a file that failed has only that and its `error` (RPL_04).

    Raises Refused where Jinja2 is not installed.
    """
    made = [_as_of_today(one) for one in replays if "error" not in one]
    heading = "Replay" if len(made) == 1 else f"Replay of {counted(len(made), 'session')}"
    overview = _overview(made) if len(made) > 1 else None
    chosen = overview or (made[0] if made else None)
    return (
        templates()
        .get_template("page.html")
        .render(
            title=f"{heading}: {title_of(made[0])}" if len(made) == 1 else heading,
            heading=heading,
            verdict=chosen["recommendation"]["verdict"] if chosen else "No session could be replayed.",
            overview=overview,
            failed=[failure(one) for one in replays if "error" in one],
            sessions=[_session(one, f"s{number}") for number, one in enumerate(made[:DETAILED], 1)],
        )
    )


def _as_of_today(one: Answer) -> Answer:
    """Return an answer with what those of earlier versions, in a file that is continued, do not have."""
    recommendation = recommend(one["policies"], one["recorded"], one["window"])
    return {"project": None, "first_words": "", **one, "recommendation": recommendation}


def document(title: str, body: Sequence[Markup]) -> str:
    """Write a page of this body with the style of all pages."""
    return templates().get_template("document.html").render(title=title, body=body)


def failure(one: Answer) -> tuple[str, str]:
    """Return the file that failed, and the reason as it goes on after the name; many errors begin with the name."""
    file, error = one["file"], one["error"]
    rest = error.removeprefix(file)
    return file, rest if rest != error and rest[:1] in (":", " ") else f": {error}"


def title_of(one: Answer) -> str:
    """Return what a session is called: project, date and first words; its file where it has neither."""
    known = (one["project"], (one["date"] or "")[:10], one["first_words"] and f"“{one['first_words']}”")
    return ", ".join(filter(None, known)) if one["project"] or one["first_words"] else PurePath(one["file"]).name


def _overview(made: Sequence[Answer]) -> dict[str, Any]:
    """Return the sums of each policy over the sessions, and the sessions."""
    recorded, sums = totals(made)
    recommendation = recommend(sums, recorded)
    unpriced = {one["model"] for one in made if one["recorded"]["cost"] == UNKNOWN}
    return {
        "recommendation": recommendation,
        "policies": _policies(recorded, sums, "sums", "Sums of each policy", chosen=recommendation["policy"]),
        "lacks": record_lacks(made),
        "unpriced": ", ".join(str(model) for model in unpriced),
        "cost": _costs(recorded, sums, "sums-cost"),
        "sessions": [
            {
                "title": title_of(one),
                "file": one["file"],
                "recorded": dollars(one["recorded"]["cost"]),
                "verdict": one["recommendation"]["verdict"],
            }
            for one in made
        ],
        "detailed": DETAILED,
    }


def _session(one: Answer, name: str) -> dict[str, Any]:
    """Return what the page shows of a session."""
    rows, check = [policy for policy in one["policies"] if not policy["refusal"]], one["check"]
    about = {
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
        about["Sub-agents, in no figure"] = sub_agents(one)
    recorded, chosen = one["recorded"], one["recommendation"]["policy"]
    caption = "Figures of each policy over the whole session"
    return {
        **one,
        "id": name,
        "title": title_of(one),
        "about": about,
        "policies": _policies(
            recorded, one["policies"], f"{name}-policies", caption, chosen=chosen, own=check["profile"]
        ),
        "lacks": record_lacks([one]),
        "charts": _windows(one, rows),
        "shapes": [(SHAPES[kind], text) for kind, text in KINDS.items()],
        "cost": _costs(recorded, rows, f"{name}-cost"),
        "lost": _lost([recorded | {"name": RECORDED}, *rows]),
        "checked": _checked(check, recorded),
    }


def record_lacks(made: Sequence[Answer]) -> str:
    """Return how many outputs are estimated, and how many requests no sum includes; empty where there are none."""
    recorded, parts = total([one["recorded"] for one in made]), []
    if recorded["estimated"]:
        outputs = f"{recorded['estimated']:,} of {sum(one['responses'] for one in made):,} outputs"
        parts.append(f"{outputs} are estimated by their texts and calls")
    if missing := missing_calls(recorded):
        parts.append(f"in no sum, since their usage is not in the file: {', '.join(missing)}")
    return "; ".join(parts)


def sub_agents(one: Answer) -> str:
    """Return what sub-agents sent and cost, in words."""
    sums = one["sub_agents"]
    return f"{counted(sums['requests'], 'request')}, {sums['sent']:,} tokens sent, cost {dollars(sums['cost'])}"


def _policies(
    recorded: Answer, policies: Sequence[Answer], name: str, caption: str, *, chosen: str | None, own: str | None = None
) -> dict[str, Any]:
    """Return the table of policies, in the columns in which they or the record differ, and what is the same in all."""
    own_figures = _figures(recorded)
    compared = [_figures(policy) for policy in policies if not policy["refusal"] and not policy["baseline"]]
    values = {key: {one[key] for one in (own_figures, *compared)} - {NONE} for key in own_figures}
    same = {key for key, found in values.items() if len(found) <= 1 < len(compared)}
    columns = [key for key in own_figures if key not in same]
    rows = [[RECORDED, *(own_figures[key] for key in columns)]]
    for policy in policies:
        settings = (
            f"{key} = {json.dumps(value)}" for key, value in policy["settings"].items() if value != policy["name"]
        )
        marks = {
            "recommended": policy["name"] == chosen,
            "the tool's own": own is not None and policy["profile"] == own,
        }
        labels = [text for text, holds in (marks | {"baseline": policy["baseline"]}).items() if holds]
        cells = [f"refused: {policy['refusal']}"] if policy["refusal"] else [_figures(policy)[key] for key in columns]
        rows.append([macro("labelled", policy["name"], [*labels, *settings]), *cells])
    return {
        "table": data_table(name, caption, ["policy", *columns], rows),
        "same": ", ".join(f"{key} {compared[0][key]}" for key in own_figures if key in same),
    }


def _figures(policy: Answer) -> dict[str, str]:
    facts = policy.get("facts") or {}
    return {
        "cost": dollars(policy["cost"]),
        "compactions": f"{len(policy['compactions']):,}",
        "facts present": f"{facts['kept']:,} of {facts['facts']:,}" if facts.get("facts") else NONE,
        "user's words": f"{100 * facts['words_present'] // facts['words']}%" if facts.get("words") else NONE,
        "tokens sent": f"{policy['sent']:,}",
        "peak": f"{policy['peak']:,}",
    }


def _windows(one: Answer, rows: Sequence[Answer]) -> list[dict[str, Any]]:
    """Draw a chart for each course that the window takes; policies with the same one share it."""
    recorded, check = one["recorded"], one["check"]
    made = [("summary", made) for made in recorded["compactions"]] + [("clearing", made) for made in check["cleared"]]
    marks = [_mark(one, recorded, made, kind) for kind, made in made if made["response"] is not None]
    charts = [_window(one, RECORDED, [recorded], marks)]
    groups: dict[tuple[int, ...], list[Answer]] = {}
    for policy in rows:
        groups.setdefault(tuple(policy["windows"]), []).append(policy)
    for group in groups.values():
        marks = [_mark(one, group[0], made, _kind(made)) for made in group[0]["compactions"]]
        charts.append(_window(one, ", ".join(policy["name"] for policy in group), group, marks))
    return charts


def _mark(one: Answer, policy: Answer, made: Answer, kind: str) -> Mark:
    """Return the mark of a compaction, at the last response before it whose window is known."""
    index = max(bisect_right(one["indices"], made["response"]) - 1, 0)
    held = policy["windows"][index]
    text = made.get("trigger") or KINDS[kind]
    return Mark(index, held, kind, f"after response {made['response']:,} at {made['held'] or held:,} tokens: {text}")


def _window(one: Answer, name: str, group: Sequence[Answer], marks: Sequence[Mark]) -> dict[str, Any]:
    policy, recorded, window = group[0], one["recorded"]["windows"], one["window"]
    windows, levels = policy["windows"], sorted({level for other in group if (level := _level(other))})
    labels = (
        [f"threshold {' to '.join(f'{level:,}' for level in dict.fromkeys((levels[0], levels[-1])))}"] if levels else []
    )
    labels.append(counted(len(policy["compactions"]), "compaction"))
    labels += [] if policy["cost"] == UNKNOWN else [dollars(policy["cost"])]
    held = f"Tokens held, at most {policy['peak']:,} of {window:,}; {windows[-1]:,} at the end"
    top = max(window, *windows, *recorded)
    lines = [Line([level], "second dash") for level in levels] + [Line(windows)]
    chart = line_chart(
        f"The window, {name}",
        "; ".join((held, *labels, *(mark.text for mark in marks))),
        lines if policy is one["recorded"] else [Line(recorded, "beside"), *lines],
        top=top,
        ticks=[(0, f"response {one['indices'][0]:,}"), (1, f"{one['indices'][-1]:,}")],
        grid=[(top, short(top)), (top / 2, ""), (0, "")],
        marks=marks,
    )
    return {"name": name, "figures": " · ".join(labels), "chart": chart}


def _level(policy: Answer) -> int | None:
    """Return the threshold, where it is one of tokens of the window: that of a cost has no place among them."""
    profile = PROFILES.get(policy.get("profile") or "")
    of_cost = profile is not None and profile.measure is billing_equivalent_of_usage
    return None if of_cost else policy.get("threshold")


def _kind(made: Answer) -> str:
    """Return the kind of a compaction, of KINDS."""
    return "overflow" if made["overflowed"] else "summary" if made["summarizes"] else "clearing"


def _costs(recorded: Answer, policies: Sequence[Answer], name: str) -> Markup | None:
    """Draw the costs by their parts; None where there is no price."""
    rows = {RECORDED: recorded, **{policy["name"]: policy for policy in policies if not policy["refusal"]}}
    known = {label: policy for label, policy in rows.items() if policy["cost"] != UNKNOWN}
    return cost_chart([cost_bar(label, policy) for label, policy in known.items()], name) if known else None


def cost_bar(label: str, policy: Answer) -> Bar:
    """Return the costs of a policy by their parts, none where they are unknown."""
    costs, sizes = policy["costs"] or {}, policy.get("sensitivity", {})
    ends = {policy["cost"], *(sizes.get(size, policy)["cost"] for size in SIZES)}
    span = (min(ends), max(ends)) if len(ends) > 1 else None
    return Bar(label, [costs.get(part, 0) for part in PARTS], dollars(policy["cost"]), span)


def cost_chart(rows: Sequence[Bar], name: str, title: str = "The cost of each policy, by parts") -> Markup:
    """Draw the costs of rows by their parts."""
    return bar_chart(
        name,
        title=title,
        description="; ".join(f"{row.label} {row.total}" for row in rows),
        parts=[*PART_NAMES.values()],
        bars=rows,
        span="with summaries of half to twice the size" if any(row.span for row in rows) else None,
    )


def _lost(rows: Sequence[Answer]) -> dict[tuple[str, ...], list[str]]:
    """Return the facts that each policy loses, those that lose the same together."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for policy in rows:
        missing = (policy.get("facts") or {}).get("missing", ())
        lost = tuple(f"{fact['kind'].replace('_', ' ')}: {fact['text']}" for fact in missing)
        groups.setdefault(lost, []).append(policy["name"])
    groups.pop((), None)
    return groups


def _checked(found: Answer, recorded: Answer) -> str:
    """Return how the predictions of the tool's profile and the record go together."""
    compared = {"predicted": found["predicted"], "recorded": recorded["compactions"]}
    compared |= {key: found[key] for key in ("missed", "early")}
    counts = [f"{len(responses):,} {key}" for key, responses in compared.items()]
    if reason := found["unjudged"]:
        return f"{reason[0].upper()}{reason[1:]}; {counts[1]}."
    outcome = "not as recorded" if found["missed"] or found["early"] else "as recorded"
    return f"{found['profile']}: {', '.join(counts)}; {outcome} ({JUDGED})."


def data_table(name: str, caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """Write a table whose rows become cards where it is too wide. The first cell of a row names it."""
    return macro("data_table", name, caption, columns, rows)


def dollars(cost: float | str) -> str:
    """Return a cost in dollars, with four decimals below a dollar; what is unknown stays so."""
    if isinstance(cost, str):
        return cost
    return f"${cost:,.2f}" if not 0 < cost < 1 else f"${cost:.4f}"
