"""What can go wrong, as one sentence each.

    HoldfastError
    ├── UsageError     the command line or a text cannot be accepted
    ├── NotSaved       nothing was acknowledged; try again
    ├── NotFound       the named thing is not there
    ├── NewerFormat    the vault was written by a newer holdfast
    ├── VaultGone      the vault is not where this machine has it
    ├── Unsupported    this platform cannot run holdfast
    ├── GitFailed      git refused, or somebody else's git is at work
    │   └── HistoryDamaged  the vault's repository is damaged, or not the one that was there
    ├── Unwritable     the system does not let us write a part of the vault
    ├── Busy           another holdfast process is writing
    ├── Unfit          a handoff that would not help the next session
    ├── Conflict       a decision that touches what another one in force has decided
    └── JudgeFailed    a model could not be asked, or its answer not be used
        ├── Unusable   it answered twice in a shape that nobody can use
        └── CapReached the day's tokens or money are spent

The docstring of each class is what a user reads when no better sentence is given; `code` and `exit_status`
are listed in docs/recovery.md, and a test keeps the two in step.
"""

from __future__ import annotations


class HoldfastError(Exception):
    """Something went wrong in holdfast; nothing that was acknowledged is lost."""

    code = "error"
    exit_status = 1

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or " ".join((type(self).__doc__ or "").split()))


class UsageError(HoldfastError):
    """The command was not understood; nothing was written. `holdfast --help` lists the commands."""

    code = "usage"
    exit_status = 2


class NotSaved(HoldfastError):
    """The line was NOT saved: the disk refused it. What was saved before is untouched; run the same command again."""

    code = "not-saved"
    exit_status = 3


class NotFound(HoldfastError):
    """There is no such thing here; nothing was changed."""

    code = "not-found"
    exit_status = 4


class NewerFormat(HoldfastError):
    """This vault was written by a newer holdfast; nothing was changed. Upgrade holdfast on this machine."""

    code = "newer-format"
    exit_status = 5


class VaultGone(HoldfastError):
    """The vault is not where this machine has it; nothing was changed. Mount it or move it back."""

    code = "vault-gone"
    exit_status = 21


class Unsupported(HoldfastError):
    """Holdfast runs on Linux and macOS; on Windows use it inside WSL. Nothing was changed."""

    code = "unsupported"
    exit_status = 6


class GitFailed(HoldfastError):
    """Git refused; what was in the vault is as it was. Run the same command again."""

    # `by_git`: git itself said no, so its repository may be damaged.

    code = "git"
    exit_status = 7

    def __init__(self, message: str | None = None, *, by_git: bool = False) -> None:
        super().__init__(message)
        self.by_git = by_git


class HistoryDamaged(GitFailed):
    """The vault's history is damaged; the notes are as they were. `holdfast doctor` names the damage, and a way out."""

    # `is_lost`: what is gone cannot be made anew, so the user decides how to go on. `what`: the damage alone.

    code = "history"
    exit_status = 17

    def __init__(self, message: str | None = None, *, is_lost: bool = False, what: str = "") -> None:
        super().__init__(message)
        self.is_lost = is_lost
        self.what = what


class Unwritable(HoldfastError):
    """A part of the vault cannot be written; nothing was changed. `holdfast doctor` names it, and whose it is."""

    code = "unwritable"
    exit_status = 18


class Busy(HoldfastError):
    """Another holdfast process is writing to the vault; nothing was changed. Run the same command again."""

    code = "busy"
    exit_status = 8


class Unfit(HoldfastError):
    """The handoff would not help the next session; nothing was written. Mend it, or say --anyway."""

    code = "unfit"
    exit_status = 9


class Conflict(HoldfastError):
    """A decision in force touches the same; nothing was written. Say --supersedes ID, or --and if both hold."""

    code = "conflict"
    exit_status = 14


class JudgeFailed(HoldfastError):
    """The model could not be asked; nothing was changed, and flags are filed verbatim. `holdfast doctor` says why."""

    # `again`: the same call may succeed later, in `wait` seconds if the other side said so. `spent`: the other side may
    # have counted it all the same. `final`: no other call would fare better, so none need be made. `said`: the other
    # side's own words. They are somebody else's, so they stay out of the sentence, which a session may be told.

    code = "judge"
    exit_status = 11

    def __init__(
        self,
        message: str | None = None,
        *,
        again: bool = False,
        wait: float = 0.0,
        spent: bool = False,
        final: bool = False,
        said: str = "",
    ) -> None:
        super().__init__(message)
        self.again = again
        self.wait = wait
        self.spent = spent
        self.final = final
        self.said = said

    @property
    def in_full(self) -> str:
        """With the other side's words: for a person at a terminal and for the ledger."""
        return f"{self} It said: {self.said}" if self.said else str(self)


class Unusable(JudgeFailed):
    """The model answered twice in a shape that cannot be used; nothing was changed, and its answer was kept."""

    code = "unusable"
    exit_status = 13

    def __init__(self, message: str | None = None, *, raw: str = "", said: str = "") -> None:
        super().__init__(message, spent=True, said=said)
        self.raw = raw


class CapReached(JudgeFailed):
    """The day's tokens or money for models are spent; capture goes on. `holdfast spend` shows the meter and caps."""

    code = "cap"
    exit_status = 12

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message, final=True)


# What a disk, a vault or a record that we did not write can do to us.
TROUBLE = (OSError, HoldfastError, ValueError, KeyError, TypeError, OverflowError)
