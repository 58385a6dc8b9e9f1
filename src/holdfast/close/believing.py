"""Whose words a flag has, by what the hook noted and not by the flag alone.

A sandbox may let an agent write to the queue, and with it a record that says whatever it likes. What an episode was
tainted with lies where that sandbox cannot write, and so do the ids of what the hook heard the user say. From the
moment of the taint on, a flag of that episode is the user's or the agent's own only where the hook says so. A rule that
an agent gives itself, without words of the user that bear it out, is a proposal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.capture import gate, once
from holdfast.model import TRUSTED, replace
from holdfast.vault.notes import PROPOSED

if TYPE_CHECKING:
    from holdfast.model import Flag


@dataclass
class Believing:
    """What is known of each episode, looked up once."""

    state: str
    known: dict[str, tuple[str, float, frozenset[str]]] = field(default_factory=dict)

    def believed(self, flag: Flag) -> Flag:
        """The flag with the origin that it may have, and the status."""
        if flag.episode and flag.origin in TRUSTED:
            origin, since, heard = self._of(flag.episode)
            if origin and flag.time >= since and flag.id not in heard:
                flag = replace(flag, origin=origin)
        return replace(flag, status=PROPOSED) if gate.is_proposal(flag) and not flag.status else flag

    def _of(self, episode: str) -> tuple[str, float, frozenset[str]]:
        if episode not in self.known:
            origin = once.read(self.state, episode, once.TAINT) or ""
            heard = (once.read(self.state, episode, once.HEARD) or "").split() if origin else []
            self.known[episode] = origin, once.when(self.state, episode, once.TAINT), frozenset(heard)
        return self.known[episode]
