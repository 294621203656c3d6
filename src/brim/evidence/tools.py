"""Tools: what the tools of the coding agents do, in one table, and what a use of one did to files, commands and to-dos.

Specified by features/selection/anchors.feature (ANC_05) and features/summary/facts.feature (SUM_13). A tool that is
added to the table is known to anchors, facts, outcome lines and the page of the documentation that shows the table.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from brim.conversation.turns import ToolUse
from brim.errors import text_of
from brim.evidence.shell import (
    OPEN_FILE,
    SCRIPT_OPTION,
    SHELLS,
    FileAct,
    TouchedFile,
    files_changed,
    patched_files,
)

ToolAct: TypeAlias = Literal[
    "reads", "edits", "writes", "creates", "deletes", "moves", "patches", "acts", "runs", "lists", "adds", "updates"
]
"""What a tool does.

- reads, edits, writes (whole), creates, deletes: one file, or each of a list of files;
- moves: a file, whose old and new path are two fields;
- patches: the files that the lines of an `apply_patch` patch name;
- acts: as the field `command` of its input says (`view`, `create`, `str_replace`, ...);
- runs: a command of a shell;
- lists: the whole list of to-dos; adds, updates: one of them.
"""


class Tool(NamedTuple):
    """Tools of an agent that do the same, and the field that names the file, the command or the list."""

    agent: str
    names: tuple[str, ...]
    act: ToolAct
    field: str


def _row(agent: str, act: ToolAct, field: str, names: str) -> Tool:
    return Tool(agent, tuple(names.split()), act, field)


TOOLS: Final = (
    _row("Claude Code", "reads", "file_path", "Read"),
    _row("Claude Code", "reads", "notebook_path", "NotebookRead"),
    _row("Claude Code", "edits", "file_path", "Edit MultiEdit"),
    _row("Claude Code", "edits", "notebook_path", "NotebookEdit"),
    _row("Claude Code", "writes", "file_path", "Write"),
    _row("Claude Code", "runs", "command", "Bash"),
    _row("Claude Code", "lists", "todos", "TodoWrite"),
    _row("Claude Code", "adds", "subject", "TaskCreate"),
    _row("Claude Code", "updates", "taskId", "TaskUpdate"),
    _row("Codex", "patches", "input", "apply_patch"),
    _row("Codex", "runs", "command", "shell local_shell shell_command container.exec"),
    _row("Codex", "runs", "cmd", "exec_command"),
    _row("Codex", "reads", "file_path", "read_file"),
    _row("Codex", "reads", "path", "view_image"),
    _row("Codex", "lists", "plan", "update_plan"),
    _row("OpenCode", "reads", "filePath", "read"),
    _row("OpenCode", "edits", "filePath", "edit multiedit notebookedit"),
    _row("OpenCode", "writes", "filePath", "write"),
    _row("OpenCode", "patches", "patchText", "apply_patch patch"),
    _row("OpenCode", "runs", "command", "bash"),
    _row("OpenCode", "lists", "todos", "todowrite"),
    _row("pi", "reads", "path", "read"),
    _row("pi", "edits", "path", "edit"),
    _row("pi", "writes", "path", "write"),
    _row("pi", "runs", "command", "bash"),
    _row("Gemini CLI", "reads", "file_path", "read_file"),
    _row("Gemini CLI", "reads", "absolute_path", "read_file"),
    _row("Gemini CLI", "reads", "paths", "read_many_files"),
    _row("Gemini CLI", "edits", "file_path", "replace"),
    _row("Gemini CLI", "writes", "file_path", "write_file"),
    _row("Gemini CLI", "runs", "command", "run_shell_command"),
    _row("Gemini CLI", "lists", "todos", "write_todos"),
    _row("Cline, Roo Code", "reads", "path", "read_file"),
    _row("Cline, Roo Code", "reads", "files", "read_files"),
    _row("Cline, Roo Code", "edits", "path", "replace_in_file apply_diff insert_content search_and_replace editor"),
    _row("Cline, Roo Code", "writes", "path", "write_to_file"),
    _row("Cline, Roo Code", "runs", "command", "execute_command"),
    _row("Cline, Roo Code", "runs", "commands", "run_commands"),
    _row("OpenHands", "acts", "path", "str_replace_editor file_editor"),
    _row("OpenHands", "edits", "path", "edit_file"),
    _row("OpenHands", "runs", "command", "execute_bash terminal"),
    _row("OpenHands", "lists", "task_list", "task_tracker"),
    _row("Anthropic API", "acts", "path", "str_replace_based_edit_tool str_replace_editor"),
    _row("Anthropic API", "runs", "command", "bash"),
    _row("SWE-agent", "acts", "path", "str_replace_editor"),
    _row("SWE-agent", "reads", "path", "open view"),
    _row("SWE-agent", "edits", "path", "edit insert"),
    _row("SWE-agent", "creates", "filename", "create"),
    _row("SWE-agent", "runs", "command", "bash shell"),
    _row("mini-swe-agent", "runs", "command", "bash"),
    _row("goose", "acts", "path", "developer__text_editor text_editor"),
    _row("goose", "runs", "command", "developer__shell"),
    _row("Cursor", "reads", "target_file", "read_file"),
    _row("Cursor", "edits", "target_file", "edit_file reapply"),
    _row("Cursor", "edits", "file_path", "search_replace"),
    _row("Cursor", "edits", "target_notebook", "edit_notebook"),
    _row("Cursor", "deletes", "target_file", "delete_file"),
    _row("Cursor", "runs", "command", "run_terminal_cmd"),
    _row("Cursor", "lists", "todos", "todo_write"),
    _row("VS Code", "edits", "filePath", "replace_string_in_file insert_edit_into_file edit_notebook_file"),
    _row("VS Code", "creates", "filePath", "create_file"),
    _row("VS Code", "runs", "command", "run_in_terminal"),
    _row("VS Code", "lists", "todoList", "manage_todo_list"),
    _row("MCP file servers", "reads", "path", "read_text_file"),
    _row("MCP file servers", "edits", "path", "edit_file"),
    _row("MCP file servers", "writes", "path", "write_file"),
    _row("MCP file servers", "moves", "source", "move_file"),
)
"""The tools. Which of them change files is the setting `editing_tools`, which may name others, too."""
CHANGING: Final = frozenset({"edits", "writes", "creates", "deletes", "moves", "patches", "acts"})
FILE_ACTS: Final[Mapping[ToolAct | None, FileAct]] = {
    "reads": "read",
    "edits": "modified",
    "writes": "written",
    "creates": "created",
    "deletes": "deleted",
}
EDITOR_ACTS: Final[Mapping[object, FileAct]] = {
    "view": "read",
    "create": "created",
    "write": "written",
    **dict.fromkeys(("str_replace", "insert", "undo_edit", "edit"), "modified"),
}
"""What the tools that act do, by the field `command` of their input."""


def _fields(acts: Collection[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tool.field for tool in TOOLS if tool.act in acts))


EDITING_TOOLS: Final = frozenset(name for tool in TOOLS if tool.act in CHANGING for name in tool.names)
"""Tools whose successful call changes a file. A setting."""
LISTS: Final = {name: tool.field for tool in TOOLS if tool.act == "lists" for name in tool.names}
"""Tools that write the whole list of to-dos, and the field of their input that holds it."""
PATH_FIELDS: Final = _fields(CHANGING - {"patches", "moves"} | {"reads"})
"""Fields of a call's input that name its file, or a list of files; the first that does is taken."""
COMMAND_FIELDS: Final = _fields({"runs"})
FOLDER_FIELDS: Final = ("workdir", "cwd", "working_directory", "dir_path", "directory")
"""Fields of a call's input that name the folder in which its command runs."""
_ACTS: Final = {name: tool.act for tool in reversed(TOOLS) for name in tool.names}


def known_as(name: str) -> str:
    """Return the name in the table; of an MCP server's tool (`mcp__files__edit_file`) the one the server gives it."""
    base = name.rpartition("__")[2] if name.startswith("mcp__") else name
    return base if "_" in base else name


def act_of(use: ToolUse) -> ToolAct | None:
    """Return what its tool does, by the table; None where the table lacks it."""
    return _ACTS.get(known_as(use.name))


def is_editing(use: ToolUse, editing_tools: Collection[str] = EDITING_TOOLS) -> bool:
    """Return whether its tool is one of the editing tools, and does not merely view this time."""
    if not (use.name in editing_tools or known_as(use.name) in editing_tools):
        return False
    return act_of(use) != "acts" or _editor_act(use) not in {None, "read"}


def only_reads(use: ToolUse, editing_tools: Collection[str]) -> bool:
    """Return whether it read a file and did nothing besides, so that it is evidence of nothing."""
    act = act_of(use)
    if act == "acts":
        return _editor_act(use) == "read"
    return act == "reads" and use.name not in editing_tools


def _editor_act(use: ToolUse) -> FileAct | None:
    act = use.input.get("command")
    return EDITOR_ACTS.get(act) if type(act) is str else None


def touched_files(use: ToolUse, editing_tools: Collection[str]) -> tuple[TouchedFile, ...]:
    """Return what a successful use did to files: those its input names, or those its command changes."""
    if use.succeeded is not True:
        return ()
    act = act_of(use)
    if is_editing(use, editing_tools):
        return tuple(dict.fromkeys(_by_editor(use, act)))
    if only_reads(use, editing_tools):
        return tuple([TouchedFile("read", path) for path in named_paths(use)])
    script = script_run(use)
    return files_changed(script, folder_of(use), use.output) if script else ()


def _by_editor(use: ToolUse, act: ToolAct | None) -> Iterator[TouchedFile]:
    if act == "moves":
        old, new = use.input.get("source"), use.input.get("destination")
        if isinstance(old, str) and isinstance(new, str) and old and new:
            yield from (TouchedFile("deleted", old), TouchedFile("created", new))
        return
    paths = named_paths(use)
    if not paths and (found := OPEN_FILE.search(use.output)):
        paths = (found[1],)
    done = _editor_act(use) if act == "acts" else FILE_ACTS.get(act)
    if done == "written":
        opening = use.output[:200].lower()
        is_old = "updated" in opening or "overwr" in opening
        done = "modified" if is_old else "created" if "created" in opening else done
    yield from (TouchedFile(done or "modified", path) for path in paths)
    for text in () if paths else use.input.values():
        yield from patched_files(text) if type(text) is str else ()


def base_name(path: str) -> str:
    """Return the last name of a path, of either kind of slash."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def folder_of(use: ToolUse) -> str:
    """Return the folder that its input names to run the command in; empty where it names none."""
    return next((folder for name in FOLDER_FIELDS if type(folder := use.input.get(name)) is str), "")


def named_paths(use: ToolUse) -> tuple[str, ...]:
    """Return the paths that the input of a use names, in the first of the fields that names one."""
    for name in PATH_FIELDS:
        value = use.input.get(name)
        if type(value) is str and value:
            return (value,)
        if isinstance(value, (list, tuple)):
            named = [one.get("path") if isinstance(one, Mapping) else one for one in value]
            if paths := tuple([path for path in named if type(path) is str and path]):
                return paths
    return ()


def command_run(use: ToolUse) -> str:
    """Return the command it ran, words joined by spaces; empty where it ran none."""
    command = _command(use)
    return command if isinstance(command, str) else " ".join(command)


def script_run(use: ToolUse) -> str:
    """Return the command it ran, as a shell reads it; of a list that runs a shell its script."""
    command = _command(use)
    if isinstance(command, str):
        return command
    if len(command) > 2 and command[0].rpartition("/")[2] in SHELLS and SCRIPT_OPTION.match(command[1]):  # noqa: PLR2004
        return command[2]
    return shlex.join(command)


def _command(use: ToolUse) -> str | list[str]:
    """Return the command it ran, as its input gives it: a text or words; empty for a tool that runs none."""
    if "path" in use.input or act_of(use) not in {None, "runs"}:  # an editor calls its own act a command
        return ""
    for field in COMMAND_FIELDS:
        value = use.input.get(field)
        if isinstance(value, str):
            return value
        if isinstance(value, (list, tuple)):
            words = [*map(text_of, value)]
            return "\n".join(words) if field == "commands" else words
    return ""
