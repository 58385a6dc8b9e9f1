"""The names under which this machine's knowledge goes to a team, and back.

A note's id follows from its path, so two people's `knowledge/deploys.md` would be one: theirs get a part that follows
from the vault's id. Ids of thoughts and of tasks' entries are unique by themselves. Sessions and unnamed agents are the
person; an agent with a name is the person's agent: highways need two contributors, and one person's sessions are one.
Each project of a machine is a machine of its own in the team's store, with its own mark of how far it was sent. So one
project is withdrawn, or sent anew, without a look at the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from holdfast.capture import platform, same_project, vault_id
from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact_record
from holdfast.field.sources import is_waiting
from holdfast.field.thought import DECISION, DISCOVERY, NOTE, SLEEP, Thought, from_record
from holdfast.field.traces import is_named
from holdfast.model import replace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.field.traffic import Event
    from holdfast.team.settings import Share

SHARED_NOTES = ("knowledge", "feedback", "project", "rule", DECISION, DISCOVERY)
OF_A_PATH = re.compile(r"[nh]-[0-9a-f]{24}(-\d+)?\Z")  # field/thought.note_id, field/sources.prompt_id


@dataclass(frozen=True)
class Names:
    """The names of one shared project of one vault. `projects` are all ids that it has had here, the first its own."""

    share: Share
    person: str
    machine: str
    suffix: str
    projects: tuple[str, ...]
    is_whole: ClassVar[bool] = False

    def is_of(self, project: str) -> bool:
        return project in self.projects

    @property
    def store(self) -> str:
        """The machine as the team's store knows it."""
        return f"{self.machine}/{digest(self.share.project, 8)}"

    def is_own(self, person: str, machine: str) -> bool:
        return person == self.person and machine.partition("/")[0] == self.machine

    def out(self, ident: str) -> str:
        return f"{ident}.{self.suffix}" if OF_A_PATH.match(ident) else ident

    def back(self, ident: str) -> str:
        """An id of the team's as this vault has it: what it sent itself is known here by its own."""
        return ident.removesuffix(f".{self.suffix}")

    def agent(self, name: str) -> str:
        return f"{self.person}:{name}" if is_named(name) else self.person

    def has(self, one: Thought) -> bool:
        """Whether a thought may leave this machine: of this project, and neither identity, prompt, handoff, a note that
        waits for somebody's word, nor what sleep made of others."""
        if one.project not in self.projects:
            return False
        if one.kind == NOTE:
            return one.category in SHARED_NOTES and not is_waiting(one)
        return not one.path and SLEEP not in (one.contributor, one.agent)

    def sent(self, one: Thought) -> Thought:
        """A thought as the team gets it: named as theirs, and redacted once more."""
        said = replace(
            one,
            id=self.out(one.id),
            project=self.projects[0],
            agent=self.agent(one.agent),
            contributor=self.agent(one.contributor or one.agent),
            sources=tuple(map(self.out, one.sources)),
            superseded_by="",
        )
        record, secrets = redact_record(said.as_record())
        return from_record(record) if secrets else said

    def event(self, one: Event, elsewhere: Iterable[str]) -> Event | None:
        """An event as the team gets it, without thoughts that are not of this project; None where nothing is left. Of a
        question that was asked of another project, or of all, the words stay here."""
        left_out = frozenset(elsewhere)
        ids = tuple(self.out(ident) for ident in one.ids if ident not in left_out)
        is_here = one.project in self.projects
        if not ids and not (is_here and not one.ids):
            return None
        new = {self.out(ident): began for ident, began in one.new.items() if ident not in left_out}
        said = one.query if is_here else ""
        return replace(
            one, ids=ids, agent=self.agent(one.agent), session="", project=self.projects[0], query=said, new=new
        )


def of(vault: str, share: Share, person: str) -> Names:
    """Raises OSError where the vault's id cannot be read."""
    suffix = digest(vault_id.id_of(vault) or vault, 8)
    first, *others = same_project.ids(vault, share.project)
    ids = tuple(dict.fromkeys((share.project, first, *others)))
    return Names(share, person, f"{platform.machine()}.{suffix}", suffix, ids)
