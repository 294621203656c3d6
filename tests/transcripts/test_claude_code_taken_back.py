"""Claude Code: what the user went back from, and what a refusal retracted."""

import random
import time

import pytest

from steps.prerequisites import sized

REFUSED = {"isApiErrorMessage": True}


def texts(transcript):
    """The texts of the messages."""
    return [message.text for message in transcript.messages]


@pytest.fixture
def rewound(claude):
    """A session whose second prompt was taken back, with its answer and the result of its call."""
    claude.user("Build the pier.", uuid="u1", parentUuid=None)
    claude.text("m1", "Built.", uuid="a1", parentUuid="u1")
    claude.user("Always paint rails RED.", uuid="u2", parentUuid="a1")
    claude.call("m2", "c1", uuid="a2", parentUuid="u2")
    claude.result("c1", uuid="r2", parentUuid="a2")
    claude.user("Keep them BLUE.", uuid="u3", parentUuid="a1")
    return claude


def test_a_rewound_prompt_does_not_count(rewound):
    """The prompt that the user went back from is gone with all that followed it, and is counted in messages."""
    transcript = rewound.read()
    assert texts(transcript) == ["Build the pier.", "Built.", "Keep them BLUE."]
    assert transcript.left_out == {"rewound": 3}
    assert transcript.taken_back == {"rewound": 3}


def test_a_branch_that_goes_on_after_a_compaction(rewound):
    """The newest record is followed through the boundary of a compaction, also where that names nothing before it."""
    rewound.text("m3", "Blue.", uuid="a3", parentUuid="u3")
    rewound.add({"type": "system", "subtype": "compact_boundary"}, uuid="b", parentUuid=None)
    rewound.user("This session is being continued.", isCompactSummary=True, uuid="s", parentUuid="b")
    assert "Always paint rails RED." not in texts(rewound.read())


def test_the_session_names_its_end(rewound):
    """Where the session says with which record it ends, the branch of that one holds."""
    rewound.add({"type": "last-prompt", "leafUuid": "r2"}, uuid=...)
    assert texts(rewound.read())[2:3] == ["Always paint rails RED."]
    assert rewound.read().left_out == {"last-prompt": 1, "rewound": 1}


@pytest.mark.parametrize("parent", ["gone", None])
def test_a_missing_parent_is_no_rewind(claude, parent):
    """What hangs on a parent that was never written follows what stands before it."""
    claude.user("one", uuid="u1", parentUuid=None)
    claude.text("m1", "1", uuid="a1", parentUuid="u1")
    claude.user("two", uuid="u2", parentUuid=parent)
    claude.user("three", uuid="u3", parentUuid=parent)
    transcript = claude.read()
    assert (texts(transcript), transcript.left_out) == (["one", "1", "two", "three"], {})


def test_a_notice_beside_a_prompt_is_no_rewind(claude):
    """What the harness wrote in the user's place, and a sub-agent's task, are no prompts."""
    claude.user("one", uuid="u1", parentUuid=None)
    claude.user("[Request interrupted by user]", uuid="u2", parentUuid="u1")
    claude.user("caveat", isMeta=True, uuid="u3", parentUuid="u1")
    claude.user("task", isSidechain=True, uuid="u4", parentUuid="u1")
    claude.user("two", uuid="u5", parentUuid="u1")
    assert texts(claude.read()) == ["one", "[Request interrupted by user]", "caveat", "two"]


def test_a_rewound_command(claude):
    """A command that the user typed is taken back as a prompt is."""
    claude.user("one", uuid="u1", parentUuid=None)
    claude.user("<command-name>/review</command-name>", uuid="u2", parentUuid="u1")
    claude.text("m1", "Reviewed.", uuid="a2", parentUuid="u2")
    claude.user("two", uuid="u3", parentUuid="u1")
    assert texts(claude.read()) == ["one", "two"]


def test_what_is_retracted(claude):
    """Records that a refusal retracts, or that another answer supersedes, do not count."""
    claude.user("go", uuid="u1", parentUuid=None)
    claude.text("m1", "I cannot", uuid="a1", parentUuid="u1")
    claude.add({"type": "system", "subtype": "model_refusal_fallback", "retractedMessageUuids": ["a1", 7]})
    claude.text("m2", "Half", uuid="a2", parentUuid="u1")
    claude.text("m3", "Whole.", uuid="a3", parentUuid="u1", supersedesUuids=["a2", "never-written"])
    transcript = claude.read()
    assert texts(transcript) == ["go", "Whole."]
    assert transcript.left_out == {"system": 1, "retracted": 2}


def test_records_that_follow_each_other_in_a_circle(claude):
    """Nothing is taken back by records that name each other."""
    claude.user("one", uuid="u1", parentUuid="u2")
    claude.user("two", uuid="u2", parentUuid="u1")
    claude.user("three", uuid="u3", parentUuid="u3")
    assert texts(claude.read()) == ["one", "two", "three"]


def test_damage_in_what_was_rewound_is_told(rewound):
    """A record that cannot be read is told, also where it no longer counts."""
    rewound.add({"type": "user", "message": {"role": "user", "content": 7}}, uuid="x", parentUuid="r2")
    rewound.user("Go.", uuid="u4", parentUuid="u3")
    assert [damage.line for damage in rewound.read().damaged] == [7]


@pytest.mark.nightly
def test_ten_thousand_rewinds(claude):
    """The time grows with the number of rewinds, not with its square."""

    def seconds(count):
        claude.lines.clear()
        claude.user("go", uuid="u", parentUuid=None)
        for number in range(count):
            claude.user(f"try {number}", uuid=f"p{number}", parentUuid="u")
            claude.text(f"m{number}", "ok", uuid=f"a{number}", parentUuid=f"p{number}")
        begun = time.process_time()
        assert texts(claude.read()) == ["go", f"try {count - 1}", "ok"]
        return time.process_time() - begun

    assert seconds(10_000) < 30 * seconds(1_000) + 1


def lived(claude, chance):
    """Write a session whose user goes back now and then, and answer the prompts that hold in the end."""
    held, tip = [], None
    for number in range(chance.randint(1, 20)):
        act = chance.choice(["go back", "compact", "go on", "go on"])
        if act == "go back" and len(held) > 1:
            turn = chance.randrange(1, len(held))
            tip = held[turn][1]
            del held[turn:]
        elif act == "compact" and held:
            boundary = {"type": "system", "subtype": "compact_boundary"}
            before = claude.add(boundary, parentUuid=None, logicalParentUuid=tip)
            tip = claude.user("This session is being continued.", isCompactSummary=True, parentUuid=before)
        held.append((f"prompt {number}", tip))
        tip = claude.user(f"prompt {number}", parentUuid=tip)
        for step in range(chance.randint(0, 2)):
            name = f"m{number}-{step}"
            tip = claude.text(name, "I look.", parentUuid=tip)
            calls = [f"c{number}-{step}-{call}" for call in range(chance.randint(0, 2))]
            asked = {call: (tip := claude.call(name, call, parentUuid=tip)) for call in calls}
            for call in calls:
                claude.add({"type": "progress"}, parentUuid=asked[call])
                tip = claude.result(call, parentUuid=asked[call])
        tip = claude.add({"type": "system", "subtype": "turn_duration"}, parentUuid=tip)
    return [text for text, _ in held]


@pytest.mark.parametrize("seed", range(sized(40, nightly=2_000)))
def test_whatever_the_user_goes_back_from(claude, seed):
    """Of any session the prompts count that the user did not go back from, whatever else forks the tree."""
    expected = lived(claude, random.Random(seed))  # noqa: S311 - chance, not a secret
    assert [text for text in texts(claude.read()) if text.startswith("prompt")] == expected
