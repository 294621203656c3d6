"""An agent that works through the proxy, and single requests: a row says how.

`turns` is how often the agent asks; `starts again` and `plans fail` say after which turn, and `store` what became of
the proxy's files meanwhile. In a body, the sign of what is left out stands for a message.
"""

from __future__ import annotations

from importlib import import_module

from pytest_bdd import when

from steps.vocabulary import phrase


@when("an agent works through the proxy", target_fixture="outcome")
def works(tmp_path, datatable):
    return import_module("steps.proxied_agents").work(tmp_path, dict(zip(*datatable, strict=True)))


@when("a request goes through the proxy", target_fixture="outcome")
def passes(datatable):
    return import_module("steps.proxied_agents").ask(dict(zip(*datatable, strict=True)))


@when(phrase('the upstream of the proxy is "{upstream}"'), target_fixture="outcome")
def is_upstream(upstream):
    return import_module("steps.proxied_agents").refusal(upstream)
