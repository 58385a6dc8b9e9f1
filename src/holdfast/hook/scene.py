"""One moment with all that is known around it, passed along while it is dealt with."""

from __future__ import annotations

from holdfast.capture import ledger
from holdfast.errors import HoldfastError, NotSaved
from holdfast.model import Moment, Project, value

# What a disk, a vault or a record that we did not write can do to us.
TROUBLE = (OSError, HoldfastError, ValueError, KeyError, TypeError, OverflowError)


@value
class Scene:
    """`did` gathers what the ledger will say of this moment, `failures` what went wrong without ending it."""

    moment: Moment
    vault: str
    state: str
    project: Project
    now: float
    did: dict[str, object]
    failures: list[Exception]
    is_quiet: bool = False  # capture is off: nothing is written down

    @property
    def is_start(self) -> bool:
        return self.moment.event == "session-start"

    def note(self, kind: str, **what: object) -> None:
        """Write to the ledger; a ledger that takes nothing does not keep the moment from being dealt with."""
        if self.is_quiet:
            return
        try:
            ledger.append(self.state, kind, self.now, **what)
        except NotSaved as error:
            self.failures.append(error)
