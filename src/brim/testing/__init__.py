"""For tests of agents: a summarizer that answers from a script, and strict servers of Anthropic's and OpenAI's APIs.

A public name is loaded when it is first asked for; nothing of it imports the SDK.
"""

from typing import TYPE_CHECKING, Final

from brim.lazy import homes_of, lazy_names

if TYPE_CHECKING:
    from brim.testing.answers import Answer as Answer
    from brim.testing.answers import AnswerLike as AnswerLike
    from brim.testing.answers import asks_for_summary as asks_for_summary
    from brim.testing.answers import cut_off as cut_off
    from brim.testing.answers import empty as empty
    from brim.testing.answers import error_text as error_text
    from brim.testing.answers import only_a_tool_call as only_a_tool_call
    from brim.testing.answers import refused as refused
    from brim.testing.answers import text_block as text_block
    from brim.testing.answers import thinking_block as thinking_block
    from brim.testing.answers import tool_call as tool_call
    from brim.testing.failures import Failure as Failure
    from brim.testing.failures import dropped as dropped
    from brim.testing.failures import dropped_midstream as dropped_midstream
    from brim.testing.failures import failed as failed
    from brim.testing.failures import failed_midstream as failed_midstream
    from brim.testing.failures import hang as hang
    from brim.testing.failures import hang_midstream as hang_midstream
    from brim.testing.failures import overloaded as overloaded
    from brim.testing.failures import rate_limited as rate_limited
    from brim.testing.failures import rejected as rejected
    from brim.testing.failures import too_long as too_long
    from brim.testing.messages_api.exchange import Received as Received
    from brim.testing.messages_api.served_models import ServedModel as ServedModel
    from brim.testing.messages_server import MessagesServer as MessagesServer
    from brim.testing.openai_server import OpenAIServer as OpenAIServer
    from brim.testing.openai_strictness import openai_chat_complaints as openai_chat_complaints
    from brim.testing.openai_strictness import openai_responses_complaints as openai_responses_complaints
    from brim.testing.scripted_summarizer import ScriptedSummarizer as ScriptedSummarizer
    from brim.testing.strictness import complaints as complaints

HOMES: Final = homes_of(
    {
        "brim.testing.answers": "Answer AnswerLike asks_for_summary cut_off empty error_text only_a_tool_call refused "
        "text_block thinking_block tool_call",
        "brim.testing.failures": "dropped dropped_midstream failed failed_midstream Failure hang hang_midstream "
        "overloaded rate_limited rejected too_long",
        "brim.testing.messages_api.exchange": "Received",
        "brim.testing.messages_api.served_models": "ServedModel",
        "brim.testing.messages_server": "MessagesServer",
        "brim.testing.openai_server": "OpenAIServer",
        "brim.testing.openai_strictness": "openai_chat_complaints openai_responses_complaints",
        "brim.testing.scripted_summarizer": "ScriptedSummarizer",
        "brim.testing.strictness": "complaints",
    }
)
"""Where each public name is defined."""
__all__ = list(HOMES)
if not TYPE_CHECKING:  # or a checker would take any name for a public one
    __getattr__, __dir__ = lazy_names(__name__, HOMES)
