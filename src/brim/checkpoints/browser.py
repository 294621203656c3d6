"""The browser of checkpoints in the terminal.

Specified by features/checkpoints/browser.feature (CHK_10). Checkpoints are read and restored on one thread beside the
screen's, one act after another.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar, Final, TypeVar

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from brim.checkpoints.checkpoints import Checkpoints, Restored, untouched
from brim.checkpoints.restoring import What
from brim.checkpoints.snapshots import FileChange
from brim.errors import BrimError
from brim.sessions.paths import moment
from brim.sessions.records import CheckpointRecord

WIDE: Final = 80
"""Columns from which the difference stands beside the list."""
MOST_LINES: Final = 2_000
"""Lines of a difference that are shown; the command prints all of them."""
NAMES_OF_BLOBS: Final = "index "
"""How the line of a difference begins that says nothing to people: every line of a file has a sign before it."""
COLORS: Final = {"+": "#7ee787", "-": "#ffa8a8", "@": "#8ecbff"}
"""Light ones, which are read as grays too where NO_COLOR is set."""
WORDS: Final[Mapping[What, str]] = {
    "conversation": "the conversation",
    "files": "the files",
    "both": "the files and the conversation",
}
Answer = TypeVar("Answer")


class Confirmation(ModalScreen[bool]):
    """A question that says what changes; y confirms it, n or Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "dismiss(True)", "Yes"),
        Binding("n,escape", "dismiss(False)", "No", key_display="n"),
    ]

    def __init__(self, question: str, effects: Sequence[str]) -> None:
        """`effects` are lines, each a change."""
        super().__init__()
        self._question, self._effects = question, effects

    def compose(self) -> ComposeResult:
        """The question, what changes, and the keys."""
        dialog = Vertical(id="dialog")
        dialog.border_subtitle = "y Yes   n No"  # in the frame, which is seen however much changes
        with dialog:
            yield Static(Text(harmless(self._question), style="bold"))
            with VerticalScroll():
                yield Static(Text("\n".join(map(harmless, self._effects))))


class Browser(App[None]):
    """A session's checkpoints, the newest first, what changed since; keys go back to one, and undo that (CHK_10)."""

    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 -- Textual declares it so
    CSS = """
    #body { layout: horizontal; height: 1fr; }
    .-narrow #body { layout: vertical; }
    #list, #preview { width: 1fr; height: 1fr; border: round $primary; }
    #list { text-wrap: nowrap; text-overflow: ellipsis; }
    #list:focus, #preview:focus { border: heavy $accent; }
    #said { height: auto; max-height: 4; padding: 0 1; }
    Confirmation { align: center middle; }
    #dialog { width: 90%; max-width: 76; height: auto; max-height: 90%; border: heavy $accent; padding: 0 1; }
    #dialog { border-subtitle-style: bold; border-subtitle-align: left; }
    #dialog VerticalScroll { height: auto; max-height: 60vh; margin: 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "restore('conversation')", "Conversation"),
        Binding("f", "restore('files')", "Files"),
        Binding("b", "restore('both')", "Both"),
        Binding("u", "undo", "Undo"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, checkpoints: Checkpoints) -> None:
        """`checkpoints` may be of a session that is open to be read: a restore opens it to be written meanwhile."""
        super().__init__()
        self._checkpoints = checkpoints
        self._found: Sequence[CheckpointRecord] = ()
        self._hand = ThreadPoolExecutor(1)

    def compose(self) -> ComposeResult:
        """The list, the difference, what was done last, and the keys."""
        with Container(id="body"):
            yield OptionList(id="list", markup=False)
            with VerticalScroll(id="preview"):
                yield Static(id="difference", markup=False)
        yield Static(id="said", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Fill the list."""
        self.query_one("#list").border_title = "Checkpoints"
        self.query_one("#preview").border_title = "Changed since (Tab scrolls)"
        self.query_one("#list").focus()
        self.load()

    def on_unmount(self) -> None:
        """Wait for the act that was begun."""
        self._hand.shutdown()

    @work(exclusive=True, group="load")
    async def load(self) -> None:
        """List the checkpoints, then what changed since each."""
        chosen = self._chosen
        self._found = await self._done(self._checkpoints.list) or ()
        if not self._found:
            self._say("No checkpoints yet: brim checkpoints create makes one.")
            return
        self._fill({}, chosen)
        changes = await self._done(self._checkpoints.changes)
        if changes is not None:
            self._fill(changes, self._chosen)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the difference of the checkpoint that was moved to."""
        self.preview(self._found[event.option_index])

    @work(exclusive=True, group="preview")
    async def preview(self, one: CheckpointRecord) -> None:
        """Show what changed since a checkpoint."""
        shown = Text(f"It holds the conversation only: {harmless(one.note)}")
        if one.snapshot:
            patch = await self._done(self._checkpoints.patch, one.id)
            if patch is None:
                return
            shown = _colored(patch, one.id)
        self.query_one("#difference", Static).update(shown)
        self.query_one("#preview").scroll_home(animate=False)

    @work(exclusive=True, group="act")
    async def action_restore(self, what: What) -> None:
        """Go back to the chosen checkpoint, once the user confirms what changes."""
        one = self._chosen
        if one is None:
            return
        changes = await self._done(self._checkpoints.plan, one.id, what)
        if changes is None:
            return
        effects = [] if what == "conversation" else [*map(_change, changes)] or ["No file changes."]
        if what != "files":
            effects.append("All messages after it leave the conversation.")
        effects.append("A checkpoint of the present state is made first; u undoes the restore.")
        question = f"Restore {WORDS[what]} of {_called(one)}?"
        self._ask(question, effects, lambda checkpoints: checkpoints.restore(one.id, what))

    @work(exclusive=True, group="act")
    async def action_undo(self) -> None:
        """Take back the newest restore, once the user confirms."""
        undone = await self._done(self._checkpoints.newest_restore)
        if undone is None:
            return
        of = next((_called(one) for one in self._found if one.id == undone.of), undone.of)
        files = "" if undone.what == "conversation" else f": {several(undone.changed, 'file')} changed"
        effects = [
            f"Restored at {moment(undone.time)}{files}.",
            f"{WORDS[undone.what].capitalize()} will be as before that restore.",
        ]
        self._ask(f"Undo the restore of {of}?", effects, Checkpoints.undo)

    def _ask(self, question: str, effects: Sequence[str], act: Callable[[Checkpoints], Restored]) -> None:
        """Ask on a screen above, and act where the user confirms."""

        def answered(confirmed: bool | None) -> None:  # noqa: FBT001 -- Textual calls it so
            if confirmed:
                self._act(act)

        self.push_screen(Confirmation(question, effects), answered)

    @work(group="restore")
    async def _act(self, act: Callable[[Checkpoints], Restored]) -> None:
        def written() -> Restored:
            with self._checkpoints.to_write() as checkpoints:
                return act(checkpoints)

        restored = await self._done(written)
        if restored is None:
            return
        record = restored.record
        files = "" if record.what == "conversation" else f": {several(record.changed, 'file')} changed"
        lead = f"Back at {_called(restored.checkpoint)}" if record.undoes is None else "Undone"
        self._say(f"{lead}{files}" + ("" if record.what == "conversation" else f". {untouched(restored)}"))
        self.load()

    async def _done(self, act: Callable[..., Answer], *arguments: str) -> Answer | None:
        """What an act of the checkpoints gave; None where it was refused, which is said."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._hand, act, *arguments)
        except BrimError as error:
            self._say(str(error))
            return None

    @property
    def _chosen(self) -> CheckpointRecord | None:
        index = self.query_one("#list", OptionList).highlighted
        return None if index is None else self._found[index]

    def _fill(self, changes: Mapping[str, Sequence[FileChange]], chosen: CheckpointRecord | None) -> None:
        options = self.query_one("#list", OptionList)
        options.clear_options()
        options.add_options([Option(_entry(one, changes)) for one in self._found])
        ids = [one.id for one in self._found]
        options.highlighted = ids.index(chosen.id) if chosen is not None and chosen.id in ids else 0

    def _say(self, text: str) -> None:
        self.query_one("#said", Static).update(Text(harmless(text)))


def _entry(one: CheckpointRecord, changes: Mapping[str, Sequence[FileChange]]) -> Text:
    """A checkpoint on two lines: time, name and tags; the files that changed since and their lines."""
    tags = "".join(f" [{harmless(tag)}]" for tag in one.tags)
    entry = Text(f"{moment(one.time)}  {_called(one)}{tags}\n", no_wrap=True, overflow="ellipsis")
    if one.snapshot is None:
        return entry.append("  conversation only", "dim")
    if one.id not in changes:
        return entry.append("  …", "dim")
    found = changes[one.id]
    entry.append(f"  {several(len(found), 'file')}")
    if found:
        entry.append(f"  +{sum(each.added or 0 for each in found):,}", COLORS["+"])
        entry.append(f" -{sum(each.removed or 0 for each in found):,}", COLORS["-"])
    return entry


def _change(one: FileChange) -> str:
    lines = "no text" if one.added is None else f"+{one.added:,} -{one.removed:,}"
    return f"{one.status}  {harmless(one.path)}  {lines}"


def _colored(patch: str, name: str) -> Text:
    lines = [line for line in patch.splitlines() if not line.startswith(NAMES_OF_BLOBS)]
    shown = Text()
    for line in lines[:MOST_LINES]:
        shown.append(f"{harmless(line.expandtabs())}\n", COLORS.get(line[:1], ""))
    if len(lines) > MOST_LINES:
        shown.append(f"… {len(lines) - MOST_LINES:,} more lines: brim checkpoints diff {name}")
    return shown if lines else Text("No file changed.")


def _called(one: CheckpointRecord) -> str:
    return harmless(" ".join(one.name.split())) or one.id


def several(count: int, what: str) -> str:
    """A count of things, with its unit."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def harmless(text: str) -> str:
    """A text in which a terminal finds nothing to obey."""
    return "".join(character if character.isprintable() else "·" for character in text)
