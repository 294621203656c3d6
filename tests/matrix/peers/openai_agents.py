"""OpenAI Agents' `ToolOutputTrimmer`: the package's compaction itself runs on the provider's server."""

from functools import partial

from agents.extensions import ToolOutputTrimmer
from agents.run_config import CallModelData, ModelInputData
from contract import Parts, timed
from messages.response_items import items, written


def compact(messages, **settings):
    """Shorten outputs before the newest two of the user's messages to 200 characters."""
    parts = Parts(messages)
    given = ModelInputData(input=items(messages, parts), instructions=None)
    with timed():
        left = ToolOutputTrimmer(**settings)(CallModelData(model_data=given, agent=None, context=None))
    return parts.back(left.input, written)


best = partial(compact, recent_turns=1, max_output_chars=2_000, preview_chars=1_000)
