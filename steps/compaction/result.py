"""Steps of features/compaction/result.feature."""

from parse_type import TypeBuilder
from pytest_bdd import given, then, when

from brim import CompactionPolicy, Compactor, Conversation
from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import plan_compaction
from brim.compaction.result import apply_plan, compact_without_model
from brim.conversation.messages import read_message, user_text
from brim.models import ModelLimits
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import ScriptedSummarizer
from steps.compaction_windows import KIND, filler, turns
from steps.conversation_table import read_table
from steps.counted import TERMS
from steps.policies import with_policy
from steps.vocabulary import attempt, phrase

OWN = {"Used": TypeBuilder.make_enum({"used": True, "not used": False})}


@given(
    phrase("a conversation whose newest message states a constraint of {length:Count} characters"),
    target_fixture="conversation",
)
def ends_with_a_constraint(length):
    rows = [["user", "First.", ""], ["assistant", "", "40,000"], ["user", "Two.", ""], ["user", "Three.", ""]]
    constraint = "Never touch the lexer ".ljust(length - 1, "x") + "."
    return read_table([["speaker", "says", "tokens"], *rows, ["user", constraint, ""]])


@given(phrase("a required fact of {count:Tokens} tokens"), target_fixture="settings")
def requires(settings, count):
    return settings | {"required_facts": (filler(count),)}


@when(phrase("a manual compaction writes a summary of {count:Tokens} tokens"), target_fixture="compaction")
def compact_to_length(window, count):
    return apply_plan(plan_compaction(window), filler(count))


@when("a manual compaction runs without a model", target_fixture="compaction")
def compact_by_template(window):
    return compact_without_model(plan_compaction(window))


@when(phrase('a manual compaction is carried out with the summary "{summary:Quoted}"'), target_fixture="refusal")
def carry_out(window, summary):
    return attempt(apply_plan, plan_compaction(window), summary)


@then(phrase('it is refused, because "{why:Quoted}"'))
def check_refusal(refusal, why):
    assert str(refusal) == why


@then("its plan leaves out no turn and no token")
def check_nothing_left_out(compaction):
    plan = compaction.plan
    assert (plan.cut, plan.anchor, plan.over_target, plan.turns) == (0, None, False, ())
    assert plan.tokens_left == plan.tokens_before


@then("the figures are")
def check_figures(compaction, datatable):
    share = f"{float(compaction.compression.ratio):.1%}"
    figures = [f"{compaction.tokens_before:,}", f"{compaction.tokens_after:,}", f"{compaction.saved:,}", share]
    assert figures == datatable[1]


@then("nothing is saved")
def check_nothing_saved(compaction):
    assert (compaction.saved, compaction.compression.ratio) == (0, 0)


@then(phrase('the summary is "{summary:Quoted}"'))
def check_summary(compaction, summary):
    assert compaction.summary == summary


@then(phrase('the summary says "{said:Quoted}", and does not say "{unsaid:Quoted}"'))
def check_said(compaction, said, unsaid):
    assert (said in compaction.summary, unsaid in compaction.summary) == (True, False)


@then("the summary reads")
def check_summary_text(compaction, docstring):
    assert compaction.summary == docstring


@then(phrase("the summary is {length:Count} characters long"))
def check_length(compaction, length):
    assert len(compaction.summary) == length


def named(text):
    """The characters of these code points, as in "U+D83D U+DE00"."""
    return "".join(chr(int(point.removeprefix("U+"), 16)) for point in text.split())


@given(phrase('a summarizer whose answer holds the characters "{written:Quoted}"'), target_fixture="script")
def answers_with(written):
    return [f"The tide {named(written)} rises."]


@given("a conversation in which the user wrote half of a surrogate pair", target_fixture="conversation")
def half_a_pair():
    said = [user_text(text) for text in ("The tide \ud83d rises.", "One.", "Two.", "Three.")]
    return [said[0], read_message({"role": "assistant", "content": filler(500)}), *said[1:]]


@then(phrase('the summary holds the characters "{kept:Quoted}"'))
def check_characters(compaction, kept):
    assert f"The tide {named(kept)} rises." in compaction.summary
    assert compaction.text.encode()


@then(phrase("{count:Requests} is sent to the summarizer", TERMS))
def check_requests(summarizer, count):
    assert len(summarizer.requests) == count


@then(phrase("the summary is {used:Used}", OWN))
def check_used(compaction, used):
    assert (bool(compaction.summary), compaction.plan.summarizes) == (used, used)


@then(phrase('its plan keeps everything, because there is "{reason:Quoted}"'))
def check_plan_undone(compaction, reason):
    plan = compaction.plan
    assert (plan.kept, plan.acts, plan.reason) == (list(range(len(plan.messages))), False, reason)


@then(
    phrase("{facts} facts and {words} characters of the user's words are present, and the missing ones are"),
)
def check_fidelity(compaction, facts, words, datatable):
    found = compaction.fidelity
    missing = [[fact.kind.replace("_", " "), fact.text] for fact in found.missing]
    assert (str(found.facts), str(found.words), missing) == (facts, words, datatable[1:])


@then(phrase("{facts} facts and {words} characters of the user's words are present, and nothing is missing"))
def check_all_present(compaction, facts, words):
    found = compaction.fidelity
    assert (str(found.facts), str(found.words), found.missing) == (facts, words, ())


@then(phrase("{present:Count} of {total:Count} facts are present"))
def check_facts(compaction, present, total):
    found = compaction.fidelity.facts
    assert (found.present, found.total) == (present, total)


@then(phrase("{present:Count} of {total:Count} characters of the user's words are present"))
def check_words(compaction, present, total):
    found = compaction.fidelity.words
    assert (found.present, found.total) == (present, total)


@then("nothing is missing")
def check_nothing_missing(compaction):
    assert compaction.fidelity.missing == ()


@given(phrase('a compaction that wrote the summary "{summary:Quoted}"'), target_fixture="compaction")
def compacted_before(window, summary):
    return apply_plan(plan_compaction(window), summary)


@when(
    phrase('{cause:Kind} compaction writes the summary "{summary:Quoted}" after four more turns', KIND),
    target_fixture="compaction",
)
def compact_again(compaction, limits, settings, cause, summary):
    facts, messages = compaction.plan.facts, [*compaction.conversation, *turns(4)]
    window = ContextWindow(ModelLimits(**limits), messages=messages, facts=facts, **with_policy(settings))
    return apply_plan(plan_compaction(window, cause), summary)


@then(phrase("{facts:Number} facts and {characters:Number} characters are present for each 1,000 tokens"))
def check_per_1000(compaction, facts, characters):
    found = compaction.fidelity.per_1000
    assert (round(float(found.facts), 1), round(float(found.words), 1)) == (float(facts), float(characters))


@then(phrase('its plan gives "{why:Quoted}" as the reason for every message'))
def check_reasons(compaction, why):
    assert {reason for _, _, reason in compaction.plan.decisions()} == {why}


class EachCharacter:
    """A token counter."""

    def count(self, text):
        """A token for each character."""
        return len(text)


@given("a token counter that counts a token for each character", target_fixture="counter")
def each_character():
    return EachCharacter()


WRITERS = {"no model": None, "a summary of 2,400 characters": "这是对话的总结。" * 300}


@given("a system prompt of 8,000 characters, and Chinese turns of 62,540 tokens", target_fixture="chinese")
def chinese_turns():
    messages = []
    for number in range(60):
        asked = f"请修复第{number}个问题，并且在文件 src/模块{number}.py 中说明原因{'详细的说明文字，' * 40}{number}"
        edit = {"file_path": f"/p/src/模块{number}.py", "old_string": "旧", "new_string": "新"}
        call = {"type": "tool_use", "id": f"c{number}", "name": "Edit", "input": edit}
        answer = {"type": "tool_result", "tool_use_id": f"c{number}", "content": "已完成" * 100}
        messages += [
            {"role": "user", "content": asked},
            {"role": "assistant", "content": [{"type": "text", "text": "好的，我来修改。" * 30}, call]},
            {"role": "user", "content": [answer]},
            {"role": "assistant", "content": "完成了。" * 20},
        ]
    return "系" * 8_000, [*messages, {"role": "user", "content": "继续"}]


@when(
    phrase("a conversation is compacted with {summaries} in a window of {size:Tokens} tokens"),
    target_fixture="compaction",
)
def compact_conversation(counter, chinese, summaries, size):
    system, messages = chinese
    writer = WRITERS[summaries]
    compactor = Compactor(
        limits=ModelLimits(context_window=size, max_output_tokens=4_096),
        policy=CompactionPolicy(token_counter=counter),
        summarizer=None if writer is None else ScriptedSummarizer([writer], repeat=True),
    )
    conversation = Conversation(compactor, system=system)
    conversation.extend(messages)
    return conversation.prepare().compaction


@then(phrase("the request takes at most {tokens:Tokens} tokens, and the summary has the first words of the user"))
def check_counted(compaction, tokens):
    assert compaction.tokens_after <= tokens
    assert "请修复第0个问题" in compaction.summary


class AtLength:
    """A summarizer that answers as much as it is asked for, and notes each request."""

    def __init__(self):
        self.requests = []

    def summarize(self, request, _on_text):
        """As many words of four characters as it is asked for tokens."""
        self.requests.append(request)
        return SummaryAnswer(text=filler(request.max_tokens), stop_reason="end_turn")


LEAST = 16
"""Tokens of what stays: the user's last message, the opening line and the shortest summary."""
USABLE = 27_904


@given("a summarizer that answers as much as it is asked for", target_fixture="at_length")
def at_length():
    return AtLength()


@given(
    phrase("a system prompt that leaves {free:Tokens} tokens free, beside what stays and the opening line"),
    target_fixture="full",
)
def system_prompt_for(free):
    said = [("user", 12_000), ("assistant", 10_000), ("user", 1), ("assistant", 1), ("user", 1)]
    messages = [{"role": role, "content": filler(size)} for role, size in said]
    return filler(USABLE - LEAST - free), messages


@when(phrase("a full window of {size:Tokens} tokens is compacted"), target_fixture="compaction")
def compact_full(at_length, full, size):
    system, messages = full
    limits = ModelLimits(context_window=size, max_output_tokens=4_096)
    policy = CompactionPolicy(keep_tokens=1)
    compactor = Compactor(limits=limits, policy=policy, summarizer=at_length, sleep=lambda _: None)
    return compactor.compact(messages, system=system, cause="automatic")


@given(phrase("a summarizer that answers with {count:Count} characters"), target_fixture="answering")
def answers_at_length(count):
    return ScriptedSummarizer(SummaryAnswer(text="x" * count, stop_reason="end_turn"))


COUNTING = {
    "2 characters a token": (None, 2),
    "a token counter of each character": (EachCharacter(), None),
}


@when(phrase("a window of 32,000 tokens is compacted, with {counting}"), target_fixture="compaction")
def compact_counted(answering, counting):
    limits = ModelLimits(context_window=32_000, max_output_tokens=4_096)
    counter, ratio = COUNTING[counting]
    policy = CompactionPolicy(keep_tokens=1, token_counter=counter)
    compactor = Compactor(limits=limits, policy=policy, summarizer=answering, sleep=lambda _: None)
    said = [("user", 3_000), ("assistant", 2_500), ("user", 1), ("assistant", 1), ("user", 1)]
    messages = [{"role": role, "content": filler(size)} for role, size in said]
    return compactor.compact(ContextWindow(limits, policy, characters_per_token=ratio, messages=messages))


@then(phrase("the summary is by the {writer}"))
def check_writer(compaction, writer):
    assert compaction.summary_source == writer


@then(phrase("the summarizer is asked for {asked}, and the summary is by the {writer}"))
def check_asked(compaction, at_length, asked, writer):
    called = [f"{request.max_tokens:,} tokens once" for request in at_length.requests] or ["nothing"]
    assert (called, compaction.summary_source) == ([asked], writer)


@then("the prompt states no length")
def check_no_length(at_length):
    assert "at most, so write" not in str(at_length.requests[0].messages[-1])


@then(phrase('the prompt states "{said:Quoted}"'))
def check_length_stated(at_length, said):
    assert said in str(at_length.requests[0].messages[-1])
