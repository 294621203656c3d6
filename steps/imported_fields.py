"""Where the fields of another tool's session are after an import, by what the commands say of it and by its log."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from pytest_bdd import then

from brim.sessions.records import MessageRecord, UsageRecord
from brim.sessions.store import open_store

DAY = "2026-03-01"
AGAIN = "exported again"


def value_of(text):
    """A time, with its day or without, in milliseconds since 1970; any other text as it is."""
    if re.fullmatch(r"\d\d:\d\d:\d\d", text):
        text = f"{DAY} {text}"
    if re.fullmatch(r"\d{4}-\d\d-\d\d [\d:]+", text):
        return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)
    return text


class ImportedSession:
    """A session that a command imported."""

    def __init__(self, machine, imported):
        self.id, self.notes = imported["session"], imported["notes"]
        self.show = machine.run("sessions", "show", self.id, "--json").json
        self.sent = machine.run("sessions", "export", self.id, "-o", "-").json["messages"]

    @property
    def records(self):
        """The log."""
        with open_store().read(self.id) as session:
            return list(session.records())

    def of(self, kind):
        """The records of a kind."""
        return [one for one in self.records if isinstance(one, kind)]

    def blocks(self, kind, field):
        """A field of the blocks of a kind that are sent; None where a block has none."""
        contents = (one["content"] for one in self.sent if isinstance(one["content"], list))
        return [block.get(field) for content in contents for block in content if block["type"] == kind]

    def usage(self, name):
        """A count of the one usage."""
        (record,) = self.of(UsageRecord)
        return getattr(record.usage, name)


PLACES = {
    "its id": lambda brim: [brim.show["id"]],
    "its title": lambda brim: [brim.show["title"]],
    "its parent": lambda brim: [brim.show["parent"]],
    "its project": lambda brim: [brim.show["project"]],
    "its model": lambda brim: [brim.show["model"]],
    "when it was made": lambda brim: [brim.show["created"]],
    "when it was last active": lambda brim: [brim.show["last_active"]],
    "who speaks": lambda brim: [one["role"] for one in brim.sent],
    "what is said": lambda brim: [one["content"] for one in brim.sent],
    "the time of the message": lambda brim: [one.time for one in brim.of(MessageRecord)],
    "the time of the result": lambda brim: [brim.of(MessageRecord)[-1].time],
    "noted as left in the file": lambda brim: any("system prompt" in one for one in brim.notes),
    "the response that the message is part of": lambda brim: [one.marks.response for one in brim.of(MessageRecord)],
    "the model of the session, with the provider": lambda brim: brim.show["model"].split("/"),
    "the agents of the session": lambda brim: brim.show["agents"],
    "the cost of the session": lambda brim: [brim.show["cost"]],
    "the usage: input and cache write": lambda brim: [brim.usage("input") - brim.usage("cache_write")],
    "the usage: output and reasoning": lambda brim: [brim.usage("output") - brim.usage("reasoning")],
    "the usage: reasoning": lambda brim: [brim.usage("reasoning")],
    "the usage: cache read": lambda brim: [brim.usage("cache_read")],
    "the usage: cache write": lambda brim: [brim.usage("cache_write")],
    "the usage: total": lambda brim: [brim.usage("total")],
    "a text that is sent": lambda brim: brim.blocks("text", "text"),
    "thinking that is sent": lambda brim: brim.blocks("thinking", "thinking"),
    "the signature of thinking": lambda brim: brim.blocks("thinking", "signature"),
    "the id of a call": lambda brim: brim.blocks("tool_use", "id"),
    "the name of a called tool": lambda brim: brim.blocks("tool_use", "name"),
    "the input of a call": lambda brim: [one for given in brim.blocks("tool_use", "input") for one in given.values()],
    "the words of a result": lambda brim: brim.blocks("tool_result", "content"),
    "a result that is no failure": lambda brim: brim.blocks("tool_result", "is_error") == [None],
    "a result that is a failure": lambda brim: brim.blocks("tool_result", "is_error") == [True],
    "a result that says that there is none": lambda brim: len(brim.blocks("tool_result", "content")) == 1,
    "a clearing": lambda brim: [one["cleared"] for one in brim.show["changes"]] == [1],
}
"""The values that are there after an import, of which that of the field is one; or whether what it says holds."""


@then("each field is where the table says")
def check_places(brim, rows):
    looked_for = [row for row in rows if row[2] != AGAIN]
    assert looked_for != []
    assert [row for row in looked_for if not is_there(row[1], PLACES[row[2]](brim))] == []


def is_there(value, found):
    return found if isinstance(found, bool) else value in found
