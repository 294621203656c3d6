"""mini-swe-agent in a window of 4,000 tokens: its model compacts what it sends, and the trajectory stays whole.

Runs without a key, in an environment that has brim and mini-swe-agent: python docs/examples/mini_swe_agent.py
"""

import json
import os
from typing import Any

os.environ.update(MSWEA_SILENT_STARTUP="1", LITELLM_LOCAL_MODEL_COST_MAP="True")

import litellm
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.litellm_model import BASH_TOOL, LitellmModel

from brim import Compactor, ModelLimits
from brim.testing import openai_chat_complaints

STEPS = 50
LIMITS = ModelLimits(context_window=4_000, max_output_tokens=500)


class CompactingModel(LitellmModel):
    """The model that mini-swe-agent takes by default, with a compactor before it."""

    def __init__(self, limits: ModelLimits, **settings: Any) -> None:
        super().__init__(**settings)
        self.compactor = Compactor(limits=limits)
        self.sent, self.seen, self.usage = [], 0, None

    def query(self, messages: list[Any], **settings: Any) -> dict[str, Any]:
        """Send what the last request sent and what is new, compacted where that is due."""
        self.sent += messages[self.seen :]
        self.seen = len(messages)
        result = self.compactor.compact(self.sent, cause="automatic", usage=self.usage, tools=[BASH_TOOL])
        self.sent = result.messages
        answer = super().query(self.sent, **settings)
        self.usage = answer["extra"]["response"]["usage"]
        return answer


sizes: list[int] = []


def provider(messages: list[Any], tools: list[Any], **_settings: Any) -> litellm.ModelResponse:
    """A scripted provider: it refuses what OpenAI refuses, and calls bash until the last step."""
    if refused := openai_chat_complaints(messages):
        raise SystemExit(f"the API would refuse this: {refused}")
    size = len(json.dumps([messages, tools])) // 4
    sizes.append(size)
    step = len(sizes)
    command = f"seq {step} {step + 120}" if step < STEPS else "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo counted"
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    call = {"id": f"call_{step}", "type": "function", "function": function}
    message = {"role": "assistant", "content": f"Step {step}: I count on.", "tool_calls": [call]}
    usage = {"prompt_tokens": size, "completion_tokens": 40, "total_tokens": size + 40}
    return litellm.ModelResponse(choices=[{"message": message, "finish_reason": "tool_calls"}], usage=usage)


litellm.completion = provider
agent = DefaultAgent(
    CompactingModel(LIMITS, model_name="gpt-5", cost_tracking="ignore_errors"),
    LocalEnvironment(),
    system_template="You count. Never skip a number.",
    instance_template="Count on from {{ task }}, fifty times.",
    cost_limit=0,
)
outcome = agent.run("1")
print(f"{outcome['exit_status']} after {len(sizes)} steps: {outcome['submission'].strip()}")
print(f"the largest request held {max(sizes)} tokens of {LIMITS.context_window}")
print(f"the trajectory holds {len(agent.messages)} messages, the last request held {len(agent.model.sent)}")
