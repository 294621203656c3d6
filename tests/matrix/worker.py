"""Runs a compactor of another package in its own environment: `PYTHON worker.py ADAPTER NAME`, JSON lines both ways.

First it writes `{"keywords", "versions"}`; then it reads `{"messages", ...keywords}` and writes what came of it, as
`{"messages", "seconds"}` or `{"error", "text", "seconds"}`. In between it asks `{"summarize": messages}` and reads
`{"content"}` or `{"error", "text"}`.
"""

import inspect
import json
import os
import sys
from importlib.metadata import distributions
from importlib.util import module_from_spec, spec_from_file_location

import contract

KEYWORDS = ("summarize", "window", "pinned", "system", "tools")
ERRORS = {"SummarizerFailed": contract.SummarizerFailed, "PromptTooLong": contract.PromptTooLong}


def main(adapter, name):
    """Answer requests until there are no more."""
    # What a package prints is no line of the protocol.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(value):
        json.dump(value, replies)
        replies.write("\n")
        replies.flush()

    def summarize(messages):
        with contract.timed.stopped():
            say({"summarize": messages})
            answer = json.loads(sys.stdin.readline())
        if "error" in answer:
            raise ERRORS.get(answer["error"], contract.SummarizerFailed)(answer["text"])
        return answer["content"]

    spec = spec_from_file_location("adapter", adapter)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    compact = getattr(module, name)
    keywords = [one for one in inspect.signature(compact).parameters if one in KEYWORDS]
    say({"keywords": keywords, "versions": {one.name: one.version for one in distributions()}})
    for line in sys.stdin:
        request = json.loads(line)
        if request.pop("summarize", False):
            request["summarize"] = summarize
        contract.timed.seconds = 0.0
        try:
            messages = compact(**request)
        except Exception as error:  # noqa: BLE001  whatever a package raises is told
            say({"error": type(error).__name__, "text": str(error), "seconds": contract.timed.seconds})
        else:
            say({"messages": messages, "seconds": contract.timed.seconds})


if __name__ == "__main__":
    main(*sys.argv[1:])
