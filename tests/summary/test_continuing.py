"""The facts of a compaction stay known to every conversation that continues from it (SUM_09)."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import read_conversation
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.engine.middleware import compaction
from brim.models import ModelLimits
from brim.sessions import open_store
from brim.testing import MessagesServer, ScriptedSummarizer
from steps.compaction_windows import filler

ROOM = ModelLimits(context_window=20_000, max_output_tokens=8_000)
MEDIUM = ModelLimits(context_window=30_000, max_output_tokens=2_000)
MODEL = "claude-opus-5-5"
ASKED = {"role": "user", "content": "Go on."}
DONE = {"role": "assistant", "content": "Done."}
AND = {"role": "user", "content": "And?"}


def long_talk(name):
    """Turns that are due by these limits."""
    return [
        message
        for number in range(14)
        for message in (
            {"role": "user", "content": f"Go on with {name} {number}."},
            {"role": "assistant", "content": f"Done. {filler(900)}"},
        )
    ]


MORE = [DONE, *long_talk("that"), AND]


@contextmanager
def compacted(*summaries):
    """An agent whose first messages hold a constraint, with a model that says this."""
    model = ScriptedSummarizer([*summaries, "All went well."], repeat=True)
    compactor = Compactor(limits=ROOM, summarizer=model)
    asked = "Port the parser.\nMend it. Never touch the lexer."
    history = [{"role": "user", "content": asked}, {"role": "assistant", "content": "So be it."}, *long_talk("this")]
    with (
        MessagesServer(models={MODEL: (1_000_000, 64_000)}) as server,
        server.client(middleware=[compaction(compactor)]) as client,
    ):
        yield SimpleNamespace(compactor=compactor, history=history, server=server, client=client, model=model)


def sent_for(loop, messages):
    """What the provider receives for a request of these messages."""
    loop.client.messages.create(model=MODEL, max_tokens=100, messages=[*loop.history, *messages])
    return loop.server.requests[-1].body["messages"]


def own_list(loop, _folder):
    """The agent's own list."""
    sent_for(loop, [ASKED])
    return sent_for(loop, [ASKED, *MORE])


def branch(loop, _folder):
    """A branch of the agent's list."""
    sent_for(loop, [ASKED])
    sent_for(loop, [ASKED, {"role": "assistant", "content": "Trunk."}, {"role": "user", "content": "A."}])
    return sent_for(loop, [ASKED, {"role": "assistant", "content": "Branch."}, *MORE[1:]])


def kept(loop, _folder):
    """A conversation that brim keeps."""
    conversation = Conversation(loop.compactor)
    conversation.extend([*loop.history, ASKED])
    conversation.prepare()
    conversation.extend(MORE)
    return conversation.prepare().messages


def session(loop, folder):
    """The session of a conversation, in another process."""
    store = open_store(folder)
    with store.create() as begun:
        conversation = Conversation(loop.compactor, session=begun)
        conversation.extend([*loop.history, ASKED])
        conversation.prepare()
    with store.open(begun.id) as again:
        resumed = Conversation(Compactor(limits=ROOM, summarizer=loop.model), session=again)
        resumed.extend(MORE)
        return resumed.prepare().messages


@pytest.mark.parametrize("continues", [own_list, branch, kept, session])
def test_the_next_summary_has_the_fact_where_a_model_leaves_it_out(continues, tmp_path):
    """A fact that is known is not copied from the earlier summary (SUM_09)."""
    with compacted("As asked, Never touch the lexer. All went well.") as loop:
        sent = continues(loop, tmp_path)
    assert len(loop.model.requests) == 2
    assert "Never touch the lexer." in str(sent)
    assert "From the earlier summary:" not in str(sent)


PARTS = (
    [DONE, {"role": "user", "content": "Next. Never touch the parser."}, DONE, *long_talk("that"), ASKED],
    [DONE, *long_talk("it all"), ASKED],
)
"""What comes after the first compaction, and after the second."""


def own_list_twice(loop):
    """The agent's own list."""
    history = [ASKED]
    sent_for(loop, history)
    for part in PARTS:
        history += part
        sent = sent_for(loop, history)
    return sent


def kept_twice(loop):
    """A conversation that brim keeps."""
    conversation = Conversation(loop.compactor)
    conversation.extend([*loop.history, ASKED])
    conversation.prepare()
    for part in PARTS:
        conversation.extend(part)
        sent = conversation.prepare().messages
    return sent


@pytest.mark.parametrize("continues", [own_list_twice, kept_twice])
def test_a_fact_from_between_two_compactions_is_known_to_the_third(continues):
    """It stands behind the one from before the first, and no text is carried (SUM_09)."""
    with compacted("All went well.", "As asked, Never touch the parser. All went well.") as loop:
        sent = continues(loop)
    assert len(loop.model.requests) == 3
    summary = read_conversation(sent)[0].text
    assert 0 < summary.find("Never touch the lexer.") < summary.find("Never touch the parser.")
    assert "From the earlier summary:" not in summary


@pytest.mark.parametrize("words", [None, "All is well."])
def test_of_long_messages_the_first_and_the_newest_are_whole_whichever_compaction_they_come_from(words):
    """Six new compactors, each behind the last; of those in between the middle is counted (SUM_09)."""
    opening = "Port the parser. Never push to main."
    messages = [{"role": "user", "content": opening}, {"role": "assistant", "content": f"So be it. {filler(300)}"}]
    asked = []
    for number in range(6):
        for turn in range(3):
            asked.append(f"Pier {number}.{turn}: {filler(1_500)[:1_460]}. Never paint pier {number}.{turn}.")
            done = {"role": "assistant", "content": f"Pier {number}.{turn} stands. {filler(2_000)}"}
            messages = [*messages, {"role": "user", "content": asked[-1]}, done]
        model = words and ScriptedSummarizer([words], repeat=True)
        policy = CompactionPolicy(words_share=0.01)
        compaction_ = Compactor(limits=MEDIUM, policy=policy, summarizer=model).compact(messages)
        assert compaction_.plan.summarizes
        messages = compaction_.messages
        assert opening in str(messages)
    whole = [one in str(messages) for one in asked]
    assert whole[-3:] == [True] * 3
    assert not all(whole)
    assert "characters left out" in str(messages)
