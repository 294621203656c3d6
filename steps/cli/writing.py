"""Steps of features/cli/writing.feature."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from pytest_bdd import given, then, when

from brim.testing import complaints, openai_chat_complaints, openai_responses_complaints
from brim.transcripts import read_transcript, view
from steps.command_line import WINDOW, Answer
from steps.file_cells import contents
from steps.foreign_transcripts import ANSWERED, ASKED, opencode_tree, write_transcript
from steps.openai_conversations import turns
from steps.vocabulary import phrase
from tests.transcripts.claude_code_schema import session_faults

SMALL = ("--window", "20k", "--max-output", "4k")
SYSTEM = "You build piers."
OPENAI = {"openai-chat": "chat", "openai-responses": "Responses"}
READ_AS = {"anthropic": "anthropic-messages"}
LAST = "Pier 7 stands."


def anthropic_turns(output: str) -> list[dict[str, Any]]:
    """The same turns as OpenAI's, in Anthropic's form."""
    messages: list[dict[str, Any]] = []
    for n in range(8):
        call = {"type": "tool_use", "id": f"call_{n}", "name": "bash", "input": {"command": "make"}}
        result = {"type": "tool_result", "tool_use_id": f"call_{n}", "content": output}
        messages += [
            {"role": "user", "content": f"Build pier {n}. Never block the channel."},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": [{"type": "text", "text": f"Pier {n} stands."}]},
        ]
    return messages


def long_turns(form: str) -> list[dict[str, Any]]:
    """8 turns in a format, with its system prompt where it is a message."""
    output = "ok\n" * 3_000
    if form in OPENAI:
        return [
            {"role": "system", "content": SYSTEM},
            *(one for turn in turns(OPENAI[form], 8, output=output) for one in turn),
        ]
    messages = anthropic_turns(output)
    if form == "anthropic":
        return messages
    return recorded(messages)


def recorded(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages as the records of a Claude Code session."""
    about = {"sessionId": "s", "version": "2.1.38", "cwd": "/home/dev/piers", "timestamp": "2026-02-01T10:00:00Z"}
    return [
        {**about, "type": one["role"], "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, "message": one}
        for n, one in enumerate(messages)
    ]


def lines(records: list[Any]) -> str:
    """Each record as a line."""
    return "".join(f"{json.dumps(one)}\n" for one in records)


class Written:
    """A transcript, and what the command made of it."""

    def __init__(self, machine, file: Path) -> None:
        self.machine, self.file = machine, file
        self.output = machine.project / "out.json"
        self.answer: Any = None

    def compact(self, *flags: object, output: Path | None = None) -> None:
        """Compact the transcript into a file."""
        self.output = output or self.output
        self.answer = self.machine.run("compact", self.file, *SMALL, *flags, "-o", self.output)

    @property
    def body(self) -> Any:
        """The request that was written."""
        return json.loads(self.output.read_text(encoding="utf-8"))

    @property
    def messages(self) -> Any:
        """The messages or items in it."""
        body = self.body
        return body if isinstance(body, list) else body["input" if "input" in body else "messages"]

    @property
    def records(self) -> list[Any]:
        """The lines that were written."""
        return [json.loads(line) for line in self.output.read_text(encoding="utf-8").splitlines()]


@given(phrase("8 long turns as {form}"), target_fixture="written")
def write_turns(machine, form):
    value = long_turns(form)
    text = lines(value) if form == "claude-code" else json.dumps(value)
    return Written(machine, machine.write("talk.json", text))


@given(phrase("a transcript of {tool}"), target_fixture="written")
def write_tool(machine, tool):
    if tool == "a turn with an image, a document and an image that is named by its id":
        data = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
        shown = [{"type": "text", "text": ASKED}, {"type": "image", "source": data}]
        document = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}}
        named = {"type": "image", "source": {"type": "file", "file_id": "file_1"}}
        said = [{"role": "user", "content": [*shown, document, named]}, {"role": "assistant", "content": ANSWERED}]
        return Written(machine, machine.write("talk.json", json.dumps(said)))
    return Written(machine, write_transcript(machine.project, tool))


@given(phrase("a conversation that the assistant begins, as {form}"), target_fixture="written")
def write_begun(machine, form):
    front = [{"role": "system", "content": SYSTEM}] if form == "openai-chat" else []
    said = [{"role": "assistant", "content": "Hello!"}, {"role": "user", "content": ASKED}]
    return Written(machine, machine.write("talk.json", json.dumps([*front, *said])))


@then(phrase('the page has {count:Count} notes that the conversation "{text:Quoted}"'))
def check_notes(written, count, text):
    assert written.answer.code == 0, written.answer.error
    assert written.answer.out.count(text) == count


@given(
    phrase('a short conversation with a system message "{first:Quoted}" and a developer message "{second:Quoted}"'),
    target_fixture="written",
)
def write_instructions(machine, first, second):
    told = [
        {"role": "system", "content": first},
        {"role": "developer", "content": second},
        {"role": "user", "content": ASKED},
    ]
    return Written(machine, machine.write("talk.json", json.dumps(told)))


SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}
FUNCTION = {"name": "bash", "description": "Runs a command."}
TOOLS = {
    "anthropic": {**FUNCTION, "input_schema": SCHEMA},
    "openai-chat": {"type": "function", "function": {**FUNCTION, "parameters": SCHEMA}},
    "openai-responses": {"type": "function", **FUNCTION, "parameters": SCHEMA},
}


def write_request(machine, form, *tools):
    """A request with tools."""
    name = "input" if form == "openai-responses" else "messages"
    return Written(machine, machine.write("talk.json", json.dumps({"tools": tools, name: long_turns(form)})))


@given(phrase("a request with a tool, in the format {form}"), target_fixture="written")
def with_tool(machine, form):
    return write_request(machine, form, TOOLS[form])


@given(phrase("a request with a hosted tool and a tool, in the format {form}"), target_fixture="written")
def with_hosted_tool(machine, form):
    return write_request(machine, form, {"type": "web_search"}, TOOLS[form])


@given(phrase('its last message has the field "{name:Quoted}"'))
def add_field(written, name):
    messages = json.loads(written.file.read_text(encoding="utf-8"))
    messages[-1][name] = {"whatever": [1, None]}
    written.file.write_text(json.dumps(messages), encoding="utf-8")


@when("brim compacts it into a file")
def compact(written):
    written.compact()


@given(phrase("a request with a model, a temperature and 8 long turns, as {form}"), target_fixture="written")
def write_object(machine, form):
    name = "input" if form == "openai-responses" else "messages"
    value = {"model": "m-1", "temperature": 0.5, name: long_turns(form), "metadata": {"of": "piers"}}
    return Written(machine, machine.write("talk.json", json.dumps(value)))


@then("the file is a list")
def check_list(written):
    assert isinstance(written.body, list)


@then("the file is the object that came in, with other messages")
def check_object(written):
    came, new = json.loads(written.file.read_text(encoding="utf-8")), written.body
    changed = {name for name in came if came[name] != new[name]}
    assert (list(new), changed) == (list(came), changed & {"messages", "input"})
    assert changed


@when(phrase('brim compacts it with "{flags:Quoted}" into a file'))
def compact_with(written, flags):
    written.compact(*flags.split())


@when(phrase('brim compacts it into "{name:Quoted}"'))
def compact_into(written, name):
    written.compact(output=written.machine.project / name)


@when(phrase('brim compacts it into the file "{name:Quoted}" of the folder "{folder:Quoted}" at home'))
def compact_at_home(written, name, folder):
    (written.machine.home / folder).mkdir(parents=True)
    written.compact(output=written.machine.home / folder / name)


@when("brim compacts it onto standard output")
def compact_onto(written):
    written.compact(output=Path("-"))
    written.output = written.machine.write("out.json", written.answer.out)


@when(phrase('brim compacts it with "{flags:Quoted}" and nothing is written'))
def compact_wrongly(written, flags):
    before = set(written.machine.project.rglob("*"))
    written.answer = written.machine.run("compact", written.file, *SMALL, *flags.split())
    assert set(written.machine.project.rglob("*")) == before


def read(written, form: str):
    """What the reader of a format makes of what was written."""
    assert written.answer.code == 0, written.answer.error
    transcript = read_transcript(written.output)
    assert transcript.format == READ_AS.get(form, form)
    assert transcript.damaged == ()
    return view(transcript).messages


@then(phrase("the file is {form}, and its reader finds the summary and the last answer in it"))
def check_file(written, form):
    messages = read(written, form)
    assert [message.marks.summary for message in messages].count(True) == 1
    assert messages[-1].text == LAST
    assert len(messages) < 32


@then(phrase("the file is {form}, and its reader finds the request and the last answer in it"))
def check_small_file(written, form):
    said = [message.text for message in read(written, form)]
    assert ASKED in said
    assert said[-1] == ANSWERED


@then(phrase('the file is {form}, and its reader finds "{text:Quoted}" as a summary'))
def check_summary(written, form, text):
    assert [message.text for message in read(written, form) if message.marks.summary] == [text]


@then("the file is compacted into the same messages again")
def check_again(written):
    first = [message.raw for message in read(written, "claude-code")]
    again = Written(written.machine, written.output)
    again.compact(output=written.machine.project / "again.jsonl")
    assert [message.raw for message in read(again, "claude-code")] == first


@then(phrase('standard output is {form}, and stderr says "{text:Quoted}"'))
def check_standard_output(written, form, text):
    assert read(written, form)[-1].text == LAST
    assert text in written.answer.error


@then(phrase("the API of {name} would accept it"))
def check_accepted(written, name):
    if name == "Anthropic":
        assert complaints(written.messages) == []
    elif name == "Claude Code":
        assert session_faults(written.records) == []
    elif any("type" in one for one in written.messages):
        assert openai_responses_complaints(written.messages) == []
    else:
        assert openai_chat_complaints(written.messages) == []


@then(phrase('its system prompt is "{text:Quoted}"'))
def check_system(written, text):
    body = written.body
    first = body.get("messages", [{}])[0]
    assert body.get("system", body.get("instructions", first.get("role") == "system" and first["content"])) == text


@then(phrase("its definition is that of {other}"))
def check_tool(written, other):
    assert written.body["tools"] == [TOOLS[other]]


@then(phrase('it tells the user "{text:Quoted}"'))
def check_page(written, text):
    assert text in " ".join(written.answer.out.split())


@then("the image is in the file")
def check_image(written):
    assert written.body["messages"][0]["content"][1]["image_url"]["url"] == "data:image/png;base64,iVBORw0KGgo="


@given(phrase('an item of the type "{kind:Quoted}" stands before it'))
def add_item(written, kind):
    items = json.loads(written.file.read_text(encoding="utf-8"))
    items.insert(-1, {"type": kind, "id": "w_1", "wind": [3, None]})
    written.file.write_text(json.dumps(items), encoding="utf-8")


@then(phrase("the last {count:Count} messages of the file are those of the transcript"))
def check_last(written, count):
    assert written.messages[-count:] == json.loads(written.file.read_text(encoding="utf-8"))[-count:]


@then("its first record is a compaction by hand, of the tokens that the window held")
def check_boundary(written):
    first = written.records[0]
    held = written.machine.run("compact", written.file, *SMALL, "--json").json["held"]
    assert (first["type"], first["subtype"], first["parentUuid"]) == ("system", "compact_boundary", None)
    assert first["compactMetadata"] == {"trigger": "manual", "preTokens": held}


@then("its second record is marked as a compaction's summary")
def check_summary_record(written):
    second = written.records[1]
    assert (second["type"], second["isCompactSummary"]) == ("user", True)


@given(phrase('the command "{command:Quoted}" opens its session'))
def open_with_command(written, command):
    notice = {"role": "user", "content": f"<command-name>{command}</command-name>"}
    said = [record["message"] for record in map(json.loads, written.file.read_text(encoding="utf-8").splitlines())]
    written.file.write_text(lines(recorded([notice, *said])), encoding="utf-8")


@then(phrase('its third record is the notice of "{command:Quoted}"'))
def check_notice(written, command):
    third = written.records[2]
    assert (third["message"]["content"], third["isMeta"]) == (f"<command-name>{command}</command-name>", True)


@then("compacted again, it holds one summary")
def check_one_summary(written):
    again = Written(written.machine, written.output)
    again.compact("--keep-tokens", "600", output=written.machine.project / "again.jsonl")
    summaries = [one for one in again.records if "written by brim]" in str(one.get("message"))]
    assert [one.get("isCompactSummary") for one in summaries] == [True]


@then("each further record names the one before it")
def check_chain(written):
    records = written.records
    assert [one["parentUuid"] for one in records[1:]] == [one["uuid"] for one in records[:-1]]


@then(phrase('the session is "{name:Quoted}"'))
def check_session(written, name):
    assert {one["sessionId"] for one in written.records} == {name}


@then(phrase('it ends with {code:Count}, and says "{error:Quoted}"'))
def check_usage(written, code, error):
    assert (written.answer.code, written.answer.out) == (code, "")
    assert error in written.answer.error


@given(phrase("a place that is {name}, for a transcript of {tool}"), target_fixture="written")
def write_named(machine, tool, name):
    folder = machine.project / "kept"
    folder.mkdir()
    if tool.startswith("OpenCode"):
        opencode_tree(folder / "storage")
        session = folder / "storage" / "session" / "p" / "ses_1.json"
        written = Written(machine, session if "session file" in tool else folder)
        written.output = folder / "storage" / "message" / "ses_1" / "msg_1.json"
        return written
    written = Written(machine, write_transcript(folder, tool))
    file, link = written.file, machine.project / "link"
    if name == "a hard link to it":
        os.link(file, link)
    elif name != "its own name":
        link.symlink_to(folder if name == "its name in a linked folder" else file)
    written.output = {
        "its own name": file,
        "its name by way of a folder": folder / ".." / "kept" / "." / file.name,
        "its name in a linked folder": link / file.name,
        "itself behind a link": file,
    }.get(name, link)
    if name == "itself behind a link":
        written.file = link
    return written


@given(phrase('a session of another project at "{place:Quoted}"'))
def write_session(written, place):
    written.output = written.machine.write(written.machine.home / place, "{}")


@when(phrase('a shell runs "brim {words:Quoted}"'))
def run_shell(written, words):
    written.before = contents(written.machine.project.parent)
    done = subprocess.run(  # noqa: S602  the scenario's own words
        f"{sys.executable} -m brim {words}", shell=True, capture_output=True, text=True, check=False
    )
    written.answer = Answer(done.returncode, done.stdout, done.stderr)


@when("brim compacts it twice into a file")
def compact_twice(written):
    written.compact()
    written.first = written.answer
    written.compact()


@then(phrase('it tells the user "{text:Quoted}" the second time alone'))
def check_replaced(written, text):
    assert text not in written.first.out
    assert text in written.answer.out


@when("brim compacts it into that")
def compact_over(written):
    written.before = contents(written.machine.project.parent)
    written.compact("--to", "anthropic", *WINDOW)


@then(phrase('it is refused as "{text:Quoted}", and the transcript is as it was'))
def check_refused(written, text):
    assert written.answer.code == 1
    assert text in written.answer.error
    assert contents(written.machine.project.parent) == written.before
