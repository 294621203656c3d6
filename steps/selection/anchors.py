"""Steps of features/selection/anchors.feature."""

import pytest
from parse_type import TypeBuilder
from pytest_bdd import given, parsers, then, when

from brim import CompactionPolicy, Compactor, Conversation
from brim.checkpoints import CheckpointSettings
from brim.cli import main
from brim.conversation.turns import Response, ToolUse, Turn
from brim.models import ModelLimits
from brim.selection.anchors import anchor_turns, counts, find_anchors, weightiest_first
from brim.selection.tools import EDITING_TOOLS, touched_files
from brim.sessions import open_store
from brim.sessions.lineage import fork
from steps.checkpointed_projects import check_refused_with_words, workshop
from steps.conversation_table import names
from steps.vocabulary import attempt, number, phrase, quoted, tokens

__all__ = ["check_refused_with_words", "workshop"]

KINDS = {
    "an error resolution": "error_resolution",
    "a task completion": "task_completion",
    "a feature milestone": "feature_milestone",
    "a user checkpoint": "user_checkpoint",
    "something else": "something_else",
}
WENT = {"well": True, "badly": False, "not yet": None}
FORMS = {
    "Claude Code": "file_path",
    "OpenCode": "filePath",
    "others": "path",
    "notebooks": "notebook_path",
    "nothing": "anything_else",
}
TERMS = {
    "Form": TypeBuilder.make_enum(FORMS),
    "Kind": TypeBuilder.make_enum(KINDS),
    "Went": TypeBuilder.make_enum(WENT),
    "Yes": TypeBuilder.make_enum({"yes": True, "no": False}),
    "Counts": TypeBuilder.make_enum({"an anchor": True, "no anchor": False}),
    "Quoted": quoted,
    "Count": tokens,
}
LISTED = {
    "of paths": lambda paths: {"paths": paths},
    "of paths, after a 9": lambda paths: {"paths": [9, *paths]},
    "of paths, after an empty one": lambda paths: {"paths": ["", *paths]},
    "of paths as files": lambda paths: {"files": paths},
    "of files": lambda paths: {"files": [{"path": path} for path in paths]},
}
LIST_FIELDS = {"update_plan": "plan"}
EDITED = ToolUse("Edit", {}, "", succeeded=True)
TESTED = ToolUse("Bash", {}, "12 passed", succeeded=True)
CLOSED = ToolUse("TodoWrite", {"todos": [{"content": "x", "status": "completed"}]}, "", succeeded=True)
FOUND = ToolUse("WebSearch", {}, "x" * 101, succeeded=True)
HAPPENED = {
    "talk": Response("Yes."),
    "the user's mark": Response("Yes."),
    "a failed command": Response("", (ToolUse("Bash", {}, "no", succeeded=False),)),
    "a tested change": Response("", (EDITED, TESTED)),
    "a tested change, and the mark": Response("", (EDITED, TESTED)),
    "a closed list": Response("", (CLOSED,)),
    "a marked answer from a web search": Response("Based on it, yes.", (FOUND,)),
}


@when(parsers.cfparse("the weight of {kind:Kind} is asked for", TERMS), target_fixture="outcome")
def ask_weight(implementation, kind):
    return implementation("anchor_weight", kind=kind)


@then(phrase("the weight is {expected:Number}"))
def check_weight(outcome, expected):
    assert number(str(outcome)) == expected


@pytest.fixture
def options():
    """What is set; nothing, until a step sets it."""
    return {}


def use(row):
    """A call and its result, None where there is none yet, by a row of a table."""
    items = [{"status": "pending"}] * int(row.get("open items") or 0)
    items += [{"status": "completed"}] * int(row.get("closed items") or 0)
    called = {LIST_FIELDS.get(row["tool"], "todos"): [{"content": "x", **item} for item in items]}
    if row.get("command"):
        called["command"] = names(row["command"][1:-1]) if row["command"].startswith("[") else row["command"]
    went = WENT[row["went"]]
    result = None if went is None else {"success": went, "output": row.get("output", "")}
    return {"tool": row["tool"], "input": called}, result


def turn_of(rows):
    """A turn of the operation. Its results stand by the index of their call, so a call without one goes last."""
    uses = sorted(map(use, rows), key=lambda one: one[1] is None)
    return {
        "user_message": "Do it.",
        "tool_calls": [call for call, _ in uses],
        "tool_results": [result for _, result in uses if result is not None],
        "assistant_response": "Done.",
    }


@given("a turn in which the agent used", target_fixture="turn")
def turn_in_which(datatable):
    columns, *lines = datatable
    return turn_of([dict(zip(columns, line, strict=True)) for line in lines])


@given("a turn without tools", target_fixture="turn")
def idle_turn():
    return turn_of([])


@given(phrase('a turn that changed a file and whose tests answered "{text:Quoted}"'), target_fixture="turn")
def tested_turn(text):
    output = text.replace("␛", "\x1b")
    return turn_of([{"tool": "Edit", "went": "well"}, {"tool": "Bash", "went": "well", "output": output}])


@given(
    parsers.parse(
        'a turn that changed a file and whose tests answered a line of {length:d} characters that begins "{text}"'
    ),
    target_fixture="turn",
)
def long_line(length, text):
    return tested_turn(text.ljust(length))


@given(phrase('the tests answered a second line, "{text:Quoted}"'), target_fixture="turn")
def second_line(turn, text):
    edit, test = turn["tool_results"]
    return turn | {"tool_results": [edit, test | {"output": f"{test['output']}\n{text}"}]}


@given(phrase("the tests answered a second line of {length:Count} characters, and a third"), target_fixture="turn")
def lines_of_data(turn, length):
    return second_line(turn, f"{'x' * length}\nx")


@given(phrase('a turn in which a command answered "{text:Quoted}"'), target_fixture="turn")
def command_turn(text):
    return turn_of([{"tool": "Bash", "went": "well", "command": "make", "output": text}])


@given(parsers.parse('a turn in which "{tool}" went {went} and found {length:d} characters'), target_fixture="turn")
def search_turn(tool, went, length):
    return turn_of([{"tool": tool, "went": went, "output": "x" * length}])


@given(phrase('the answer "{answer:Quoted}"'), target_fixture="turn")
def answered(turn, answer):
    return turn | {"assistant_response": answer}


@given(parsers.cfparse("an error in the turn before: {error:Yes}", TERMS), target_fixture="turn")
def error_before(turn, error):
    return turn | {"previous_error": error}


@given(phrase("a confidence of at least {threshold:Number} is asked for"), target_fixture="options")
def least(threshold):
    return {"confidence_threshold": float(threshold)}


@when("the turn is searched for an anchor", target_fixture="outcome")
def search(implementation, turn, options):
    return implementation("detect_anchor", turn=turn, **options)


@then(phrase('the anchor found is "{expected:Quoted}"'))
def check_anchor(outcome, expected):
    found = "none" if outcome is None else f"{outcome['kind'].replace('_', ' ')}, {outcome['confidence']}"
    assert found == expected


@given(phrase("a finding with a confidence of {confidence:Number}"), target_fixture="confidence")
def finding(confidence):
    return confidence


@when("it is judged whether the finding counts", target_fixture="counted")
def judge(confidence):
    return counts(confidence)


@when(parsers.parse("it is judged against {threshold}"), target_fixture="outcome")
def judge_against(confidence, threshold):
    return attempt(counts, confidence, threshold)


@then(parsers.cfparse("it is {expected:Counts}", TERMS))
def check_counted(counted, expected):
    assert counted is expected


@given("turns in which there was, one after the other", target_fixture="turns")
def turns_in_which(datatable):
    return [
        Turn(index, index, index + 1, "Do it.", (HAPPENED[what],), marked="mark" in what)
        for index, (what,) in enumerate(datatable[1:])
    ]


@given("a conversation without turns", target_fixture="turns")
def no_turns():
    return []


@given(phrase('a turn that used "{tool:Quoted}" and then saw its tests pass'), target_fixture="turns")
def turn_with(tool):
    return [Turn(0, 0, 1, "Do it.", (Response("", (ToolUse(tool, {}, "", succeeded=True), TESTED)),))]


@given(
    parsers.cfparse(
        'the tool "{tool}" went {went:Went} on "parcel.py", named as in {form:Form}, and said "{said:Quoted}"', TERMS
    ),
    target_fixture="used",
)
def tool_on(tool, went, form, said):
    return ToolUse(tool, {form: "parcel.py"}, said, went)


@given(phrase('the tool "{tool:Quoted}" went well on the list "{files:Quoted}", {form}'), target_fixture="used")
def tool_on_list(tool, files, form):
    return ToolUse(tool, LISTED[form](names(files)), "", succeeded=True)


@given(phrase('the command "{command:Quoted}" went well and printed "{line:Quoted}"'), target_fixture="used")
def command_that_printed(command, line):
    return ToolUse("Bash", {"command": command}, line, succeeded=True)


@given(
    parsers.parse('the tool "{tool}" went well on "parcel.py", and said {length:d} characters before "updated"'),
    target_fixture="used",
)
def tool_that_said(tool, length):
    return ToolUse(tool, {"file_path": "parcel.py"}, "x" * length + "updated", succeeded=True)


@given(parsers.parse('the tool "{tool}" went well with the patch'), target_fixture="used")
def tool_with_patch(tool, docstring):
    return ToolUse(tool, {"timeout": 9, "patch": docstring, "note": "*** as asked"}, "", succeeded=True)


@given(parsers.parse('the tool "{tool}" went well on "{path}" with the text'), target_fixture="used")
def tool_with_text(tool, path, docstring):
    return ToolUse(tool, {"file_path": path, "content": docstring}, "", succeeded=True)


@given(parsers.parse('the tool "{tool}" went well with a number where its path belongs'), target_fixture="used")
def tool_with_number(tool):
    return ToolUse(tool, {"path": 9}, "", succeeded=True)


@when("its files are asked for", target_fixture="files")
def ask_files(used, options):
    return touched_files(used, options.get("editing_tools", EDITING_TOOLS))


@then(phrase('they are "{expected:Quoted}"'))
def check_files(files, expected):
    assert [f"{file.act} {file.path}" for file in files] == names(expected)


@given(phrase('the editing tools are set to "{tools:Quoted}"'), target_fixture="options")
def editing(tools):
    return {"editing_tools": names(tools)}


@given(phrase("a confidence of at least {threshold:Number} for all"), target_fixture="options")
def least_of_all(threshold):
    return {"threshold": threshold}


@when("the turns are searched for anchors", target_fixture="anchors")
def search_all(turns, options):
    return find_anchors(turns, **options)


@then(phrase('the anchors found are "{expected:Quoted}"'))
def check_anchors(anchors, expected):
    found = [f"turn {one.turn}: {'synthetic' if one.synthetic else one.kind.replace('_', ' ')}" for one in anchors]
    assert found == names(expected)


@then(phrase("the confidence of the first is {expected:Number}"))
def check_confidence(anchors, expected):
    assert anchors[0].confidence == expected


@then(phrase("the weight of the first is {expected:Number}"))
def check_first_weight(anchors, expected):
    assert anchors[0].weight == expected


@then("no selection begins at one of them")
def check_no_selection(anchors):
    assert anchor_turns(anchors) == []


@then(phrase("selection may begin at turn {expected:Count}"))
def check_selection(anchors, expected):
    assert anchor_turns(anchors) == [expected]


@then(phrase('they are told in the order "{expected:Quoted}"'))
def check_order(anchors, expected):
    assert [f"turn {one.turn}" for one in weightiest_first(anchors)] == names(expected)


LIMITS = ModelLimits(context_window=20_000, max_output_tokens=1_000)
LARGE = "Words that do not matter. " * 700
"""A request that fills most of what the compaction is due from."""


def asked(turn):
    """What the user asks in a turn; the first is large, and the last makes compaction due."""
    return f"Request {turn}. " + {0: LARGE, 5: "Mind it. " * 40}.get(turn, "")


def user(turn):
    """The message that begins a turn."""
    return {"role": "user", "content": asked(turn)}


ANSWER = {"role": "assistant", "content": "Done."}


def turns_in(messages):
    """The turns of which the request is there, of dictionaries."""
    return [n for n in range(6) if any(one["content"].startswith(f"Request {n}.") for one in messages)]


class Kept:
    """A session about a project, whose checkpoints have no files where none are restored."""

    def __init__(self, workshop):
        self.workshop = workshop
        workshop.told["settings"] = CheckpointSettings(snapshots=False)

    def by_hand(self):
        """The user makes a checkpoint in a program."""
        self.workshop.checkpoints.create("mine")

    def by_command(self):
        """The user makes one with the command, while no program writes the session."""
        with self.closed() as where:
            assert main(["checkpoints", "create", "mine", "--project", str(self.workshop.project), *where]) == 0

    def removed(self):
        """The user makes one, and it is removed."""
        self.workshop.told["settings"] = CheckpointSettings(snapshots=False, keep_checkpoints=1)
        self.by_hand()
        self.before_prompt()
        assert len(self.workshop.checkpoints.gc().removed) == 1

    def rewound(self):
        """The user makes one, and goes back to before it."""
        *_, newest = self.workshop.session.view().ids
        self.by_hand()
        self.workshop.session.rewind(newest)

    def forked(self):
        """The user makes one, and the conversation goes on in a fork."""
        self.by_hand()
        name, store = self.workshop.session.id, self.workshop.session.store
        self.workshop.session.close()
        self.workshop.session = store.open(fork(store, name))

    def before_prompt(self):
        """A checkpoint is made before a prompt."""
        self.workshop.checkpoints.before_prompt("Go on.")

    def before_restore(self):
        """A checkpoint is made before a restore of the files."""
        self.workshop.told.clear()
        self.before_prompt()
        self.workshop.checkpoints.restore(self.workshop.checkpoints.list()[0].id, "files")

    def closed(self):
        """No program writes the session meanwhile."""
        return Closed(self.workshop)


class Closed:
    """The session, closed and opened again; gives the options by which the command finds it."""

    def __init__(self, workshop):
        self.workshop = workshop

    def __enter__(self):
        self.workshop.session.close()
        return ["--store", str(self.workshop.home)]

    def __exit__(self, *_):
        self.workshop.session = open_store(self.workshop.home).open(self.workshop.session.id)


IN_TURN = {
    "there was nothing but talk": lambda kept: None,
    "the user made a checkpoint": Kept.by_hand,
    "the user ran brim checkpoints create": Kept.by_command,
    "the user made a checkpoint that is removed": Kept.removed,
    "the user made a checkpoint that was rewound": Kept.rewound,
    "the user made a checkpoint, and the session was forked": Kept.forked,
    "brim made the checkpoint before a prompt": Kept.before_prompt,
    "brim made the checkpoint before a restore": Kept.before_restore,
}
BEFORE_ANSWER = {"the user made a checkpoint before the answer": Kept.by_hand}


@given(phrase("a session of 6 turns, in whose turn 1 {what}"), target_fixture="session")
def session_with(workshop, what):
    kept = Kept(workshop)
    for turn in range(6):
        workshop.session.append(user(turn))
        if turn == 1 and what in BEFORE_ANSWER:
            BEFORE_ANSWER[what](kept)
        workshop.session.append(ANSWER)
        if turn == 1 and what not in BEFORE_ANSWER:
            IN_TURN[what](kept)
    return kept


@when("a program compacts the session")
def compact_session(session):
    written = session.workshop.session
    written.compacted(Compactor(limits=LIMITS).compact(written.view().window(LIMITS)))


@when("the command compacts the session")
def compact_by_command(session):
    with session.closed() as where:
        limits = ["--window", "20k", "--max-output", "1000"]
        assert main(["sessions", "compact", session.workshop.session.id, *limits, *where]) == 0


@then(phrase("the session shows every turn from turn {first:Count} on"))
def check_session(session, first):
    view = session.workshop.session.view()
    assert view.compaction is not None
    assert turns_in([one.raw for one in view.messages]) == [*range(first, 6)]


def conversing(**options):
    """A conversation that the last of 6 turns makes due."""
    return Conversation(Compactor(limits=LIMITS, policy=CompactionPolicy(threshold=4_600)), **options)


BEHIND_ANSWER = {
    "with a mark behind the answer of turn 1": lambda workshop, conversation: conversation.mark_checkpoint(),
    "with a checkpoint of its session in turn 1": lambda workshop, _: Kept(workshop).by_hand(),
    "with a checkpoint before a prompt in turn 1": lambda workshop, _: Kept(workshop).before_prompt(),
    "in whose turn 1 a process made a checkpoint and ended": lambda workshop, _: Kept(workshop).by_hand(),
}
"""What happens in turn 1."""


@given(phrase("a conversation of 6 turns, {marked}"), target_fixture="conversation")
def conversation_with(workshop, marked):
    conversation = conversing(session=workshop.session)
    for turn in range(6):
        conversation.append(user(turn))
        if turn < 5:
            assert conversation.prepare().compaction is None
            if turn == 1 and "before the answer" in marked:
                conversation.mark_checkpoint()
            conversation.append(ANSWER)
            if turn == 1 and marked in BEHIND_ANSWER:
                BEHIND_ANSWER[marked](workshop, conversation)
            if turn == 1 and "ended" in marked:
                with Kept(workshop).closed():
                    pass
                conversation = conversing(session=workshop.session)
    return conversation


@given("a conversation without messages", target_fixture="conversation")
def silent():
    return conversing()


@when("its program marks it", target_fixture="outcome")
def mark_nothing(conversation):
    return attempt(conversation.mark_checkpoint)


@when("it is compacted before the next request", target_fixture="outgoing")
def compact_conversation(conversation):
    return conversation.prepare()


@then(phrase("the request holds every turn from turn {first:Count} on"))
def check_request(outgoing, first):
    assert outgoing.compaction is not None, outgoing.verdict
    assert turns_in(outgoing.messages) == [*range(first, 6)]
