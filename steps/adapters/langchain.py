"""Steps of features/adapters/langchain.feature."""

from __future__ import annotations

from itertools import repeat
from typing import Any

from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from pytest_bdd import given, then, when

from brim.compaction.policy import CompactionPolicy
from brim.summary.identifiers import HEADING
from brim.summary.summarizer_input import SummaryAnswer
from steps.compaction_windows import filler
from steps.langchain_agents import PLACES, WORDS, ProviderError, Talk
from steps.vocabulary import phrase
from tests.adapters.langchain_agents import faults

STATUSES = {"400": 400, "413": 413, "429": 429, "no status": None}
COUNTS = {"no summary": 0, "1 summary": 1, "2 summaries": 2, "3 summaries": 3, "4 summaries": 4}


class Writer(GenericFakeChatModel):
    """A chat model that keeps what it was asked."""

    asked: list[Any]

    def _generate(self, messages: Any, *arguments: Any, **options: Any) -> Any:
        self.asked.append(messages)
        return super()._generate(messages, *arguments, **options)


@given(phrase("an agent of LangChain with a usable context of {usable:Tokens} tokens"), target_fixture="talk")
def agent(usable):
    return Talk(usable)


@given(phrase("its messages are kept {place:Place}", {"Place": PLACES.__getitem__}))
def kept(talk, place):
    talk.place = place


@given(phrase("its process restarts after turn {turn:Count}"))
def restarts(talk, turn):
    talk.restart = turn


@given(phrase("after turn {turn:Count} the application removes {message}"))
def removes(talk, turn, message):
    talk.after, talk.removal = turn, message


@given(phrase('its provider refuses the request of turn {turn:Count} with {status}: "{words:Quoted}"'))
def refuses(talk, turn, status, words):
    if status == "LangChain's own":
        talk.refuse(turn, ContextOverflowError(words))
    elif status == "the cause":
        error = ProviderError("the request failed", None)
        error.__cause__ = ProviderError(words, 400)
        talk.refuse(turn, error)
    else:
        talk.refuse(turn, ProviderError(words, STATUSES[status]))


@given(phrase("its provider reports an input of {tokens} tokens"))
def reports_input(talk, tokens):
    talk.model.reported = int(tokens)


@given(phrase("each file takes {tokens:Tokens} tokens"))
def with_files_of(talk, tokens):
    talk.file = filler(tokens)


@when(phrase("the user asks {turns:Count} questions, each answered after reading {files:Count} files"))
def ask_with_long_files(talk, turns, files):
    ask_with_files(talk, turns, files)


@given(phrase("its provider is overloaded at the request of turn {turn:Count}, and the user repeats the question"))
def overloaded(talk, turn):
    talk.refuse(turn, ProviderError("overloaded", 529))
    talk.repeats = True


@given(phrase("its system prompt takes {tokens:Tokens} tokens"))
def with_system(talk, tokens):
    talk.system = filler(tokens)


@given(phrase("the description of its tool takes {tokens:Tokens} tokens"))
def with_description(talk, tokens):
    talk.description = filler(tokens)


@given(phrase("its model states a window of {window:Tokens} and answers of {longest:Tokens} tokens"))
def with_profile(talk, window, longest):
    talk.limits = None
    talk.model.profile = {"max_input_tokens": window, "max_output_tokens": longest}


@given(
    phrase(
        "from turn {turn:Count} on its model states a window of {window:Tokens} and answers of {longest:Tokens} tokens"
    )
)
def with_other_profile(talk, turn, window, longest):
    talk.profiles[turn] = {"max_input_tokens": window, "max_output_tokens": longest}


@given(phrase("a compaction is due from {tokens:Tokens} tokens on"))
def due_from(talk, tokens):
    talk.policy = CompactionPolicy(threshold=tokens)


@given(phrase("its compactions are due from {threshold:Tokens} tokens on, and its system prompt takes {tokens:Tokens}"))
def due_by_system(talk, threshold, tokens):
    due_from(talk, threshold)
    with_system(talk, tokens)


@given(phrase("its model counts {characters:Count} characters a token"))
def counts_otherwise(talk, characters):
    talk.model.characters = characters


@given(phrase("it clears old outputs if that saves {tokens:Tokens} tokens"))
def clears(talk, tokens):
    talk.policy = CompactionPolicy(prune_protect=0, prune_minimum=tokens)


@given(phrase("automatic compaction is {switch}"))
def switched(talk, switch):
    talk.policy = CompactionPolicy(enabled=switch == "on")


@given(phrase('the answer to question 1 ends with "{words:Quoted}"'))
def first_answer_ends(talk, words):
    talk.model.first_ends = words


class ForThreads:
    """A summarizer for threads."""

    def __init__(self, words: str) -> None:
        self.words = words

    def summarize(self, _request: Any, _on_text: Any) -> SummaryAnswer:
        """Answer with the words."""
        return SummaryAnswer(text=self.words)


@given(phrase('a summarizer for threads writes its summaries: "{words:Quoted}"'))
def summarizer_for_threads(talk, words):
    talk.writer = ForThreads(words)


@given("it runs in an event loop")
def runs_in_loop(talk):
    talk.in_loop = True


@given(phrase('a chat model writes its summaries: "{words:Quoted}"'))
def writer(talk, words):
    talk.writer = Writer(messages=repeat(AIMessage(f"<summary>{words}</summary>")), asked=[])


@then(phrase('each summary request is one message, and the first quotes "{words:Quoted}"'))
def check_quoted(talk, words):
    asked = [[one.text for one in messages if one.type != "system"] for messages in talk.writer.asked]
    assert [len(texts) for texts in asked] == [1] * len(asked)
    assert "quote-" in asked[0][0]
    assert words in asked[0][0]


@when(phrase("the user asks {turns:Count} questions and reads the stream {way}"))
def read_stream(talk, turns, way):
    talk.read_streams(turns, asynchronous=way == "in an event loop")


@then(phrase('the user read {count:Count} answers and no "{words:Quoted}"'))
def check_read(talk, count, words):
    assert [text == WORDS for text in talk.read] == [True] * count
    assert words not in "".join(talk.read)


@when(phrase("the user asks {turns:Count} questions, each answered with about 875 tokens"))
def ask(talk, turns):
    talk.lead(turns)


@when(
    phrase("the user asks {turns:Count} questions, each answered after reading {files:Count} files of about 875 tokens")
)
def ask_with_files(talk, turns, files):
    talk.model.files = files
    talk.lead(turns)


@then(phrase("no request held more than {usable:Tokens} tokens"))
def check_sizes(talk, usable):
    assert [size for size in talk.model.sizes if size > usable] == []


@then(phrase("no request from turn {turn:Count} on held more than {usable:Tokens} tokens"))
def check_later_sizes(talk, turn, usable):
    later = talk.model.sizes[turn - 1 :]
    assert later
    assert [size for size in later if size > usable] == []


@then(phrase("it cost {summaries}"))
def check_summaries(talk, summaries):
    assert talk.summaries == COUNTS[summaries]


@then("the last request holds what the compaction kept")
def check_kept(talk):
    assert talk.texts(-1)[: len(talk.compacted)] == talk.compacted


@then("every tool call that was sent has its result")
def check_pairs(talk):
    assert [fault for sent in talk.model.sent for fault in faults(sent)] == []


@given(phrase("question {turn:Count} takes {tokens:Tokens} tokens"))
def long_question(talk, turn, tokens):
    talk.long[turn] = tokens


@given(phrase('question {turn:Count} says "{words:Quoted}"'))
def question_says(talk, turn, words):
    talk.said[turn] = words


@then(phrase('the last summary lists "{line:Quoted}"'))
def check_listed(talk, line):
    assert line in talk.texts(-1)[0].splitlines()


@then(phrase('the index of the last summary has the line "{line:Quoted}"'))
def check_index(talk, line):
    assert line in talk.texts(-1)[0].rpartition(f"\n{HEADING}")[2].splitlines()


@then("the user met no error")
def check_no_error(talk):
    assert talk.errors == []


@then("the user met 1 error")
def check_one_error(talk):
    assert len(talk.errors) == 1


@then(phrase('the user met 1 error: "{words:Quoted}"'))
def check_error(talk, words):
    assert [words in str(error) for error in talk.errors] == [True]


@then(phrase('each of the last {count:Count} questions met an error: "{words:Quoted}"'))
def check_last_errors(talk, count, words):
    assert [words in str(error) for error in talk.errors] == [True] * count


@then(phrase("the model was called {count:Count} times"))
def check_calls(talk, count):
    assert len(talk.model.sent) == count


@then(phrase("{message} was not sent again"))
def check_removed(talk, message):
    assert talk.removed
    assert not {one.id for one in talk.removed} & {one.id for one in talk.model.sent[-1]}


@then(phrase('{count} say "{words:Quoted}"'))
def check_warnings(talk, count, words):
    assert len([said for said in talk.warnings if words in said]) == {"no warnings": 0, "1 warning": 1}[count]


@then(phrase('a warning says "{words:Quoted}"'))
def check_warning(talk, words):
    assert [words in said for said in talk.warnings] == [True]
