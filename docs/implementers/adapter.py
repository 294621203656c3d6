"""Answers portable operations: a line of JSON in, a line of JSON out. In yours the functions call your own code."""

import json
import sys
from fractions import Fraction
from operator import index


class Refused(Exception):
    """A rule refuses the request."""


def usable_context(context_window, max_output_tokens=0, max_input_tokens=0, output_cap=32_000):
    if any(type(n) is not int or n < 0 for n in (context_window, max_output_tokens, max_input_tokens, output_cap)):
        raise ValueError("a count is a whole number from 0")
    beside = max(context_window - min(max_output_tokens or output_cap, output_cap), 0)
    return min(beside, max_input_tokens or beside)


def threshold(context_window, profile="usable", share=Fraction("0.92"), basis="usable", user_threshold=None, **more):
    usable, [(kind, value)] = usable_context(context_window, **more), (user_threshold or {"percent": 100}).items()
    user = index(value) if kind == "tokens" else int(context_window * {"percent": value}[kind] / 100)
    tokens = {
        "usable": usable,
        "opencode-2025": usable,
        "proactive": min(int(share * {"usable": usable, "window": context_window}[basis]), usable),
        "codelet-typescript": context_window * 9 // 10,
        "codelet-rust": max(context_window - 50_000, 0) * 9 // 10,
        "anthropic-sdk": 100_000,
        "windowing": 80_000,
        "claude-code-2.0": max(context_window - 45_000, 0),
        "claude-code-2.1": max(context_window - 33_000, 0),
    }[profile]
    if not 0 < share <= 1:
        raise Refused(f"a share of {share}; it lies between 0 and 1")
    if context_window == 0:
        return 0
    if usable == 0:
        raise Refused(f"no room: {context_window} less {min(more.get('max_output_tokens') or 32_000, 32_000)}")
    if kind == "percent" and not 0 < value <= 100:
        raise Refused(f"a threshold of {value}%; it lies between 0 and 100")
    if user_threshold:
        tokens = min(user, usable)
    if tokens <= 0:
        raise Refused(f"a threshold of {tokens} for a window of {context_window}")
    return tokens


for line in sys.stdin:
    request = json.loads(line, parse_float=Fraction)  # 0.29 is 29/100 and no binary fraction
    operation = {"usable_context": usable_context, "threshold": threshold}.get(request["operation"])
    try:
        unknown = {"error": {"kind": "unknown_operation", "message": "not ported yet"}}
        told = {"output": operation(**request["input"])} if operation else unknown
    except Refused as error:
        told = {"error": {"kind": "refused", "message": str(error)}}
    except (AttributeError, KeyError, TypeError, ValueError) as error:  # no such field, no such name, no number
        told = {"error": {"kind": "invalid_input", "message": repr(error)}}
    print(json.dumps({"id": request["id"], **told}), flush=True)
