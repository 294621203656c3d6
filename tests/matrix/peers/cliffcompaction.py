"""CliffCompaction's engine, as its proxy calls it when the provider refuses a request as too long."""

from functools import partial

from cliffcompaction.config import Config
from cliffcompaction.dialects.anthropic import DIALECT
from cliffcompaction.engine import Engine
from contract import timed


def compact(messages, *, window=None, **settings):
    """Keep the text and a line of each call, and the newest three turns in full."""
    engine = Engine(Config(threshold_tokens=window or 200_000, **settings))
    with timed():
        request = engine.prepare({"messages": messages}, DIALECT)
        if not request.compacted:
            engine.reactive(request)
    return request.substituted


best = partial(compact, keep_recent=10, result_max_chars=2_000, cmd_max_chars=1_000)
