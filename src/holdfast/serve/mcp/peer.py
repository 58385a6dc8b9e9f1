"""The client at the other end: the vault, project and session that one call belongs to, found anew for each.

A server outlives sessions: the host that started it may clear, resume or fork while it runs, so the session
variable of its own start is not believed where the host process among its ancestors says otherwise. What a client
says is never a person's word: its session is named in the environment that the memory gets, as in an agent's shell,
and a terminal that the server happens to have inherited changes nothing. A client whose session no hook has seen
gets one of its own, so that what it flags belongs together.

The limits of what an agent sees and touches through the tools: this project and what is global, but never a note
that waits for the user's review.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from holdfast.capture import gate, home, identity, platform, projects
from holdfast.capture.ids import new_id
from holdfast.errors import NotFound, UsageError
from holdfast.model import value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.capture.gate import Where
    from holdfast.clock import Clock
    from holdfast.memory import Memory
    from holdfast.serve.service import Warm
    from holdfast.vault.notes import Note

SESSION, HOST = "HOLDFAST_SESSION", "HOLDFAST_HOST"
OF_HOSTS = tuple(name for _, name in gate.SESSION_VARIABLES)
UNSEEN = "mcp"  # the host of a client that no hook knows
DAY = 86400
NOTE_URI = "holdfast://note/"
MARKDOWN = "text/markdown"
PER_PAGE = 100  # notes in one answer


@value
class Place:
    """The place of one call. `env` names its session, `warm` is a field that is open already."""

    vault: str
    cwd: str
    env: Mapping[str, str]
    where: Where
    clock: Clock
    warm: Warm | None = None

    def memory(self) -> Memory:
        """The memory there; an agent's words never have the user's authority. Raises NewerFormat, VaultGone: only flags
        are taken while the vault is gone."""
        from holdfast.capture import vault_id
        from holdfast.memory import Context, Memory

        vault_id.refuse(home.vault(self.env, self.cwd), self.env)
        # Which vault it is may have changed since a server started.
        warm = self.warm if self.warm and self.warm.vault == self.vault else None
        return Memory(Context(self.vault, self.cwd, self.env, self.clock, for_agent=True), warm)

    def refuse_if_off(self) -> None:
        """As the memory does it, for what a vault of a newer format takes too: flags. Raises UsageError."""
        off = home.why_off(self.env, self.vault) or (home.PROJECT_OFF if self.where.project.off else "")
        if off:
            raise UsageError(f"Nothing was written: {off}.")


class Peer:
    """A client. `agent` is the name that its token has, "" for the starter of this process; `session` is its own where
    no hook has seen one."""

    def __init__(
        self,
        env: Mapping[str, str],
        cwd: str,
        clock: Clock = time.time,
        agent: str = "",
        session: str = "",
        warm: Warm | None = None,
    ) -> None:
        self.env, self.cwd, self.clock, self.agent, self.warm = env, cwd, clock, agent, warm
        self.session = session or new_id(time.time())

    def place(self) -> Place:
        vault = home.capture_vault(self.env, self.cwd)
        found = self._found(vault)
        session = found.episode.partition("/")[2].rpartition("/")[0]
        named = {HOST: found.host, SESSION: session} if session else {HOST: UNSEEN, SESSION: self.session}
        cwd = self.cwd
        if found.project.id != projects.find(cwd, vault).id:
            cwd = found.project.root  # a folder without a repository, in a session of another one
        env = {**self.env, **named}
        return Place(vault, cwd, env, gate.here(env, cwd, vault), self.clock, self.warm)

    def _found(self, vault: str) -> Where:
        if self.agent:  # whoever started the server is not who asks it
            return gate.here({**self.env, HOST: self.agent, SESSION: self.session}, self.cwd, vault)
        if not self.env.get(SESSION):
            bare = {name: said for name, said in self.env.items() if name not in OF_HOSTS}
            found = gate.here(bare, self.cwd, vault)
            if found.found == "process":
                return found
        return gate.here(self.env, self.cwd, vault)


def of_process(env: Mapping[str, str] | None = None, clock: Clock = time.time) -> Peer:
    """The starter of this process, found as the command line finds them."""
    known = dict(os.environ if env is None else env)
    return Peer(known, platform.working_folder(known), clock)


def of_agent(agent: str, cwd: str, env: Mapping[str, str], clock: Clock = time.time, warm: Warm | None = None) -> Peer:
    """An agent that a server knows by its token, at work in a folder, on the server's own field. Without a start or an
    end that a hook could see, its sessions are days."""
    bare = {name: said for name, said in env.items() if name not in (SESSION, HOST, *OF_HOSTS)}
    bare[identity.VARIABLE] = agent  # a day is no agent of its own, and the server's own name is not its callers'
    return Peer(bare, cwd, clock, agent, f"{UNSEEN}-{int(clock() // DAY)}", warm)


def reviewed(memory: Memory) -> list[Note]:
    """This project's notes and the global ones, but for those that wait for the user's review."""
    return [note for note in memory.notes.index().notes if not _waits(note.path)]


def _waits(path: str) -> bool:
    from holdfast.vault.notes import QUARANTINE

    return path.startswith(f"{QUARANTINE}/")


def listed(memory: Memory) -> list[Note]:
    """The notes that count here, by path."""
    found = [note for note in memory.notes.index().notes if note.is_active]
    return sorted(found, key=lambda note: note.path)


def text_of_note(memory: Memory, path: str) -> str:
    """The file of one note of this project or a global one. Raises NotFound."""
    known = next((note for note in memory.notes.index().notes if note.path == path), None)
    if known is None:
        raise NotFound(f'There is no note "{path[:200]}" in this project, and no global one.')
    if _waits(path):
        raise NotFound(f"{path[:200]} waits for the user's review: `holdfast review` shows it to them.")
    return memory.notes.text_of(path)


def refuse_elsewhere(memory: Memory, task: str) -> None:
    """Of another project's task nothing is told, and nothing is written to it. Raises NotFound."""
    if task and all(one.id != task for one in memory.tasks.listing(also_over=True)):
        raise NotFound(f"There is no task {task[:80]} in this project; nothing was done.")


def refuse_unseen(memory: Memory, sources: Sequence[str]) -> None:
    """A thought is made of what its author may see: naming another project's would tell that it is there. Raises
    NotFound."""
    found = memory.field.thoughts(sources) if sources else {}
    mine = memory.field.scope()
    missing = [one for one in sources if one not in found or not mine.has(found[one])]
    if missing:
        raise NotFound(f'There is no thought "{missing[0]}" to be a source; nothing was written. `recall` shows ids.')
