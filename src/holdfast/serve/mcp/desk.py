"""The facade as the tools of the Model Context Protocol see it, at the place of one call.

Whatever they write is an agent's, and where outside text has entered its session it is that text's
(capture/caller); nobody here has the user's authority, and nobody may purge.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.capture import caller, gate
from holdfast.errors import NotFound
from holdfast.serve import provenance
from holdfast.serve.warmed import Warmed
from holdfast.vault import notes
from holdfast.vault.notes import GLOBAL, QUARANTINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.capture.caller import Where
    from holdfast.capture.gate import Asker
    from holdfast.field.retrieve import Answer
    from holdfast.field.think import Thinking, Words
    from holdfast.model import Flag
    from holdfast.vault.edits import Asked, Filed
    from holdfast.vault.notes import Note


class Desk(Warmed):
    """The memory in one vault, for one call of a tool."""

    def where(self) -> Where:
        return caller.here(self.env, self.cwd, self.vault)

    def origin(self) -> str:
        return caller.origin(self.where(), self.vault)

    def asker(self) -> Asker:
        """Never the user, whoever types: a server has no terminal."""
        origin = self.origin()
        return gate.Asker(gate.AGENT, "agent" if origin == "user" else origin)

    def file(self, asked: Asked, answers: str) -> Filed | tuple[Flag, ...]:
        """File a text at once; from where notes cannot be written it becomes flags. Raises UsageError."""
        from holdfast.vault import stamping

        self._refuse_if_off()
        if asked.supersedes:  # what waits for the user's review is not the agent's to replace
            path = notes.find(self._shown(), asked.supersedes).path
            asked = replace(asked, supersedes=path, here=self.project().id)
        if not stamping.can_be_written(self.vault):
            return stamping.as_flag(self.vault, self.cwd, self.env, asked, answers, self.clock())
        with stamping.as_said_here(self.vault, self.cwd, self.env, asked, answers, self.clock()) as said:
            return self.remember(said)

    def _shown(self) -> list[Note]:
        """This project's notes and the global ones, but for what waits for the user's review."""
        return [note for note in self.notes().notes if not note.path.startswith(f"{QUARANTINE}/")]

    def scope_of(self, scope: str, kind: str) -> str:
        """The project that a note is for; identity is nobody's alone."""
        return GLOBAL if scope == GLOBAL or kind == "identity" else self.project().id

    def proposed(self, wanted: str) -> list[Note]:
        """What a name or some words may mean; what waits for the user's review is theirs to see. Raises NotFound."""
        shown = {note.path for note in self._shown()}
        found = [note for note in self.forgettable(wanted) if note.path in shown]
        if not found:
            raise NotFound(f'No note of this project, and no global one, has "{wanted[:80]}"; nothing was changed.')
        return found

    def forget_named(self, wanted: str, found: Sequence[Note]) -> str:
        """Take out the one note that was called by its whole name; "" where it was not. Raises UsageError."""
        self._refuse_if_off()
        if len(found) != 1 or not self.is_named(found[0], wanted):
            return ""
        return self.forget([found[0].path])

    def refuse_elsewhere(self, task: str) -> None:
        """Of another project's task nothing is told, and nothing is written to it. Raises NotFound."""
        if task and all(one.id != task for one in self.task_list(also_over=True)):
            raise NotFound(f"There is no task {task[:80]} in this project; nothing was done.")

    def thought(self, said: Words) -> Thinking:
        """Keep a thought of this project. Raises UsageError, NotFound, NotSaved."""
        from holdfast.field.traffic import who

        provenance.refuse_unseen(self, said.sources)
        where = self.where()
        agent, project = who(where.host), where.project.id
        return self.think(replace(said, agent=agent, session=where.episode, project=project, origin=self.origin()))

    def note_shown(self, answer: Answer) -> None:
        """Reinforce what a recall has returned; where capture is off a look leaves no trace."""
        if not self.why_off():
            where = self.where()
            self.recalled(answer, where.host, where.episode)

    def listed(self) -> list[Note]:
        """The notes that count here: this project's and the global ones, by path."""
        found = [note for note in self.notes().notes if note.is_active]
        return sorted(found, key=lambda note: note.path)

    def text_of_note(self, path: str) -> str:
        """The file of one note of this project or a global one. Raises NotFound."""
        known = next((note for note in self.notes().notes if note.path == path), None)
        if known is None:
            raise NotFound(f'There is no note "{path[:200]}" in this project, and no global one.')
        if path.startswith(f"{QUARANTINE}/"):
            raise NotFound(f"{path[:200]} waits for the user's review: `holdfast review` shows it to them.")
        return self.text_of(path)
