"""Kinds of content of a message, each as the formats have it."""

from __future__ import annotations

from typing import Any

PNG = "iVBORw0KGgo="
ADDRESS = "https://example.org/pier.png"
ARGUMENTS = '{"command": "make größer"}'


def anthropic_call(
    output: Any, name: str = "bash", given: Any = None, call: str = "call_1", **result: Any
) -> list[Any]:
    """A call of Anthropic's form, and its output."""
    held = {"type": "tool_use", "id": call, "name": name, "input": given or {"command": "make größer"}}
    told = {"type": "tool_result", "tool_use_id": call, "content": output, **result}
    return [{"role": "assistant", "content": [held]}, {"role": "user", "content": [told]}]


def chat_call(output: Any, call: str = "call_1", **held: Any) -> list[Any]:
    """A call in a chat message, and its output."""
    made = {"id": call, **(held or {"type": "function", "function": {"name": "bash", "arguments": ARGUMENTS}})}
    return [
        {"role": "assistant", "content": None, "tool_calls": [made]},
        {"role": "tool", "tool_call_id": call, "content": output},
    ]


def item_call(output: Any, kind: str = "function_call", **held: Any) -> list[Any]:
    """A call of the Responses format, and its output."""
    made = {"type": kind, "call_id": "call_1", **(held or {"name": "bash", "arguments": ARGUMENTS})}
    return [made, {"type": f"{kind}_output", "call_id": "call_1", "output": output}]


def shown(*parts: Any) -> list[Any]:
    """Parts of a message of the user."""
    return [{"role": "user", "content": [*parts]}]


def item_shown(*parts: Any) -> list[Any]:
    """Parts of an item of the user."""
    return [{"type": "message", **shown(*parts)[0]}]


def said(text: str) -> list[Any]:
    """A message of the user's words."""
    return [{"role": "user", "content": text}]


PDF = {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}
PDF_FILE = {"filename": "plan.pdf", "file_data": "data:application/pdf;base64,JVBE"}


def call_of(number: int) -> Any:
    """One of several calls of Anthropic's form."""
    return anthropic_call("ok", call=f"call_{number}")[0]


def result_of(number: int) -> Any:
    """Its output."""
    return anthropic_call("ok", call=f"call_{number}")[1]


CONTENTS: dict[str, dict[str, list[Any]]] = {
    "an image": {
        "anthropic": shown(
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        ),
        "openai-chat": shown({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}),
        "openai-responses": item_shown({"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"}),
    },
    "an image at an address": {
        "anthropic": shown({"type": "image", "source": {"type": "url", "url": ADDRESS}}),
        "openai-chat": shown({"type": "image_url", "image_url": {"url": ADDRESS}}),
        "openai-responses": item_shown({"type": "input_image", "image_url": ADDRESS}),
    },
    "a document": {
        "anthropic": shown({"type": "document", "source": PDF, "title": "plan.pdf"}),
        "openai-chat": shown({"type": "file", "file": PDF_FILE}),
        "openai-responses": item_shown({"type": "input_file", **PDF_FILE}),
    },
    "a document without a name": {
        "anthropic": shown({"type": "document", "source": PDF}),
        "openai-chat": shown({"type": "file", "file": {**PDF_FILE, "filename": "document.pdf"}}),
        "openai-responses": item_shown({"type": "input_file", **PDF_FILE, "filename": "document.pdf"}),
    },
    "a document of bare data": {
        "openai-chat": shown({"type": "file", "file": {**PDF_FILE, "file_data": "JVBE"}}),
        "anthropic": shown({"type": "document", "source": PDF, "title": "plan.pdf"}),
        "openai-responses": item_shown({"type": "input_file", **PDF_FILE}),
    },
    "a document of bare data without a name": {
        "openai-chat": shown({"type": "file", "file": {"file_data": "JVBE"}}),
        "anthropic": shown({"type": "document", "source": PDF}),
    },
    "a file of another type of bare data": {
        "openai-chat": shown({"type": "file", "file": {"filename": "tide.csv", "file_data": "MQ=="}}),
        "anthropic": said("[Attached text/csv: tide.csv]"),
    },
    "a document with parameters and a comma in its data": {
        "openai-chat": shown({"type": "file", "file": {"file_data": "data:application/pdf;v=1;base64,JV,BE"}}),
        "anthropic": shown({"type": "document", "source": {**PDF, "data": "JV,BE"}}),
    },
    "an image with a name": {
        "openai-responses": item_shown({"type": "input_image", "image_url": ADDRESS, "filename": "pier.png"}),
        "anthropic": shown({"type": "image", "source": {"type": "url", "url": ADDRESS}}),
    },
    "a document at an address": {
        "anthropic": shown({"type": "document", "source": {"type": "url", "url": ADDRESS}}),
        "openai-responses": item_shown({"type": "input_file", "file_url": ADDRESS}),
        "openai-chat": said(f"[Attached document: {ADDRESS}]"),
    },
    "a document of text": {
        "anthropic": shown(
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Tide."}}
        ),
        "openai-chat": said("[Attached text/plain]\n\nTide."),
    },
    "a document of one text": {
        "anthropic": shown({"type": "document", "source": {"type": "content", "content": "Tide."}}),
        "openai-chat": said("[Attached document]\n\nTide."),
    },
    "a document of blocks with a file": {
        "anthropic": shown(
            {
                "type": "document",
                "source": {
                    "type": "content",
                    "content": [
                        {"type": "document", "source": {"type": "url", "url": ADDRESS}},
                        {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
                    ],
                },
            }
        ),
        "openai-responses": item_shown(
            {"type": "input_text", "text": "[Attached document]"},
            {"type": "input_file", "file_url": ADDRESS},
            {"type": "input_text", "text": "[Attached image: file_1]"},
        ),
    },
    "a document of blocks": {
        "anthropic": shown(
            {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "Tide."}]}}
        ),
        "openai-chat": said("[Attached document]\n\nTide."),
    },
    "a document by its id": {
        "openai-chat": shown({"type": "file", "file": {"file_id": "file_1"}}),
        "anthropic": said("[Attached document: file_1]"),
        "openai-responses": [{"type": "message", **said("[Attached document: file_1]")[0]}],
    },
    "a sound": {
        "openai-chat": shown({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}),
        "anthropic": said("[Attached audio/wav]"),
    },
    "what a tool found on the web, and its image": {
        "anthropic": anthropic_call(
            [
                {"type": "search_result", "title": "Tides"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
            ]
        ),
    },
    "two unknown blocks": {
        "anthropic": [{"role": "assistant", "content": [{"type": "text", "text": "Ok."}, *[{"type": "orb"}] * 2]}],
    },
    "two unknown parts": {
        "openai-chat": shown({"type": "text", "text": "Look."}, *[{"type": "orb", "of": "pier"}] * 2),
    },
    "a shell call with an output that nobody knows": {
        "openai-responses": item_call([{"code": 1}], "shell_call", action={"commands": ["make"]}),
    },
    "a thought of the model": {
        "openai-chat": [{"role": "assistant", "content": "Ok.", "reasoning_content": "Hm."}],
    },
    "two sounds": {
        "openai-chat": shown(*[{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}] * 2),
    },
    "what brim does not know": {
        "openai-chat": shown({"type": "hologram", "of": "pier"}),
        "anthropic": said("[Attached hologram]"),
    },
    "a compaction of the provider": {
        "openai-responses": [
            {"type": "message", "role": "assistant", "content": "Yes."},
            {"type": "compaction", "id": "cmp_1", "encrypted_content": "sealed"},
            *item_shown({"type": "input_text", "text": "Why?"}),
        ],
        "anthropic": [{"role": "assistant", "content": "Yes."}, *said("Why?")],
    },
    "an image of the model": {
        "anthropic": [
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Here it is."},
                    {"type": "image", "source": {"type": "url", "url": ADDRESS}},
                    *call_of(1)["content"],
                ],
            },
            result_of(1),
        ],
        "openai-chat": [
            {**chat_call("ok")[0], "content": f"Here it is.\n\n[Attached image: {ADDRESS}]"},
            chat_call("ok")[1],
        ],
    },
    "an image of a tool": {
        "anthropic": anthropic_call(
            [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}]
        ),
        "openai-chat": chat_call("[Attached image/png]"),
        "openai-responses": item_call(
            [{"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"}],
        ),
    },
    "a refusal": {
        "openai-chat": [{"role": "assistant", "content": None, "refusal": "I cannot."}, *said("Why?")],
        "openai-responses": [
            {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]},
            {"type": "message", **said("Why?")[0]},
        ],
        "anthropic": [{"role": "assistant", "content": "I cannot."}, *said("Why?")],
    },
    "an unfinished call": {
        "openai-chat": chat_call("ok")[:1],
        "anthropic": anthropic_call("[Tool execution was interrupted]", is_error=True),
    },
    "a call without an output": {
        "anthropic": anthropic_call([]),
        "openai-chat": chat_call(""),
        "openai-responses": item_call(""),
    },
    "a shell call with errors": {
        "openai-responses": item_call(
            [{"stdout": "ok", "stderr": "slow", "outcome": {"type": "exit"}}],
            "shell_call",
            action={"commands": ["make"]},
        ),
        "anthropic": anthropic_call(
            [{"type": "text", "text": "ok"}, {"type": "text", "text": "slow"}], "shell", {"commands": ["make"]}
        ),
    },
    "a shell call with a text": {
        "openai-responses": item_call("ok", "shell_call", action={"commands": ["make"]}),
        "anthropic": anthropic_call([{"type": "text", "text": "ok"}], "shell", {"commands": ["make"]}),
    },
    "a patch with a text in parts": {
        "openai-responses": item_call([{"text": "ok"}], "apply_patch_call", operation={"type": "delete_file"}),
        "anthropic": anthropic_call([{"type": "text", "text": "ok"}], "apply_patch", {"type": "delete_file"}),
    },
    "words and an image of a tool": {
        "openai-chat": chat_call(f"ok\n[Attached image: {ADDRESS}]"),
        "anthropic": anthropic_call(
            [{"type": "text", "text": "ok"}, {"type": "image", "source": {"type": "url", "url": ADDRESS}}]
        ),
        "openai-responses": item_call(
            [{"type": "input_text", "text": "ok"}, {"type": "input_image", "image_url": ADDRESS}]
        ),
    },
    "a call": {
        "anthropic": anthropic_call("ok"),
        "openai-chat": chat_call("ok"),
        "openai-responses": item_call("ok"),
    },
    "a call of a custom tool": {
        "anthropic": anthropic_call("ok", "patch", {"input": "*** a"}),
        "openai-chat": chat_call("ok", type="custom", custom={"name": "patch", "input": "*** a"}),
        "openai-responses": item_call("ok", "custom_tool_call", name="patch", input="*** a"),
    },
    "a shell call": {
        "anthropic": anthropic_call([{"type": "text", "text": "ok"}], "shell", {"commands": ["make"]}),
        "openai-responses": item_call(
            [{"stdout": "ok", "outcome": {"type": "exit"}}], "shell_call", action={"commands": ["make"]}
        ),
    },
    "a call with another id": {
        "openai-chat": chat_call("ok", "functions.Bash:0"),
        "anthropic": anthropic_call("ok", call="functions_Bash_0"),
    },
    "words and a call": {
        "anthropic": [
            {"role": "assistant", "content": [{"type": "text", "text": "One."}, *call_of(1)["content"]]},
            result_of(1),
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "Go on."},
        ],
        "openai-chat": [
            {"role": "assistant", "content": "One.", "tool_calls": chat_call("ok")[0]["tool_calls"]},
            chat_call("ok")[1],
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "Go on."},
        ],
        "openai-responses": [
            {"type": "message", "role": "assistant", "content": "One."},
            *item_call("ok"),
            {"type": "message", "role": "assistant", "content": "Done."},
            {"type": "message", "role": "user", "content": "Go on."},
        ],
    },
    "two calls at once": {
        "anthropic": [
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "Both."}, *[call_of(n)["content"][0] for n in (1, 2)]],
            },
            {"role": "user", "content": [result_of(n)["content"][0] for n in (1, 2)]},
        ],
        "openai-chat": [
            {
                "role": "assistant",
                "content": "Both.",
                "tool_calls": [chat_call("ok", f"call_{n}")[0]["tool_calls"][0] for n in (1, 2)],
            },
            *(chat_call("ok", f"call_{n}")[1] for n in (1, 2)),
        ],
        "openai-responses": [
            {"type": "message", "role": "assistant", "content": "Both."},
            *({**item_call("ok")[0], "call_id": f"call_{n}"} for n in (1, 2)),
            *({**item_call("ok")[1], "call_id": f"call_{n}"} for n in (1, 2)),
        ],
    },
    "a failed call": {
        "claude-code": anthropic_call("no such file", is_error=True),
        "anthropic": anthropic_call("no such file", is_error=True),
        "openai-chat": chat_call("no such file"),
    },
    "an output in parts": {
        "anthropic": anthropic_call([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]),
        "openai-chat": chat_call([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]),
        "openai-responses": item_call("one\ntwo"),
    },
}
