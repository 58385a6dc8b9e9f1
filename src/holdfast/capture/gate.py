"""The gate: whether a change of what binds is applied, waits for the user, or is refused.

Promise: nothing outside becomes binding, and nothing that the user or the agent decided is lifted by outside text. One
function decides, told who asks, from which stretch of a session, and what is changed; every writer asks it. Two layers
keep that true: commands ask before they plan, to say in a sentence what comes of it, and each commit of notes is looked
at once more as a whole (`vault/standing`), so that a writer which forgot to ask is refused.

Standard library only: a checkpoint and `pause` ask too.
"""

from __future__ import annotations

from holdfast.errors import UsageError
from holdfast.model import TRUSTED, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.model import Flag

# Who asks. A close files flags one by one, each by its own origin; upkeep changes no words.
USER, AGENT, JUDGE, CLOSE, SYNC, HAND, UPKEEP = "user", "agent", "judge", "close", "sync", "hand", "upkeep"
OWNERS = (USER, SYNC, HAND, UPKEEP)  # the user; machines and files of theirs; ourselves without words of our own

# What binds.
RULE, IDENTITY, PREFERENCE, STOP = "rule", "identity", "preference", "never"  # a stop is a rule that says never or ask
ARMED, DECISION, LESSON, FACT = "armed note", "decision", "lesson", "note"
PERMISSION, TRUST, TOKEN, SETTING = "permission", "trust", "token", "setting"
CAPTURE, HISTORY = "capture", "history"  # whether sessions are heard, and what was ever written
RULING = (RULE, IDENTITY, PREFERENCE, STOP)
OPERATING = (PERMISSION, TRUST, TOKEN, SETTING, CAPTURE, HISTORY)  # the machine's own: nobody but the user
WHATS = (*RULING, ARMED, DECISION, LESSON, FACT, *OPERATING)

OF_FLAGS = {"rule": RULE, "preference": PREFERENCE, "snag": LESSON, "user-request": LESSON, "decision": DECISION}

MADE, LIFTED = "made", "lifted"
APPLY, WAIT, REFUSE = "apply", "wait", "refuse"


class Refused(UsageError):
    """The gate said no; nothing was changed."""


@value
class Asker:
    """`origin` is that of the stretch in which it is asked: the agent's own, the user's words, or outside text."""

    who: str
    origin: str = "agent"

    @property
    def is_clean(self) -> bool:
        return self.origin in TRUSTED


@value
class Change:
    """`held` is the origin of what is lifted: whose word goes."""

    what: str
    how: str = MADE
    about: str = ""
    held: str = "user"


BY_USER, BY_SYNC, BY_HAND, BY_UPKEEP, BY_CLOSE = (Asker(one, "user") for one in (USER, SYNC, HAND, UPKEEP, CLOSE))


def asker(env: Mapping[str, str], cwd: str, vault: str) -> Asker:
    """Who runs a command line: a person at a terminal or with no session near that could have typed it, else an agent
    with whatever has entered its context."""
    from holdfast.capture import caller, home, platform

    if not platform.is_there(home.state(vault)):  # no session was ever heard here, and a look makes no vault
        return Asker(AGENT) if caller.is_named(env) else BY_USER
    where = caller.here(env, cwd, vault)
    origin = caller.origin(where, vault)
    if origin == "user" or (not where.found and origin == "agent"):
        return BY_USER
    return Asker(AGENT, origin)


def of_origin(origin: str) -> Asker:
    """Whoever has words of this origin filed: the user their own, an agent all others."""
    return Asker(USER if origin == "user" else AGENT, origin)


def decide(by: Asker, change: Change) -> str:
    """Apply, wait or refuse. Whoever is not known asks as outside text."""
    if by.who in OWNERS:
        return APPLY
    if change.what == PERMISSION and change.how == MADE and by.who == AGENT and by.is_clean:
        return APPLY  # a user may let an agent install us; least permissions, and each is shown
    if change.what in OPERATING or change.what not in WHATS or by.who not in (AGENT, JUDGE, CLOSE):
        return REFUSE
    return _made(by, change) if change.how == MADE else _lifted(by, change)


def _made(by: Asker, change: Change) -> str:
    if by.origin == "user":
        return APPLY  # words of theirs that the hook heard, or that bear it out
    if change.what in RULING:
        return WAIT
    if by.is_clean:
        return APPLY
    return {LESSON: WAIT, ARMED: REFUSE}.get(change.what, APPLY)  # decisions and facts: filed, with their origin


def _lifted(by: Asker, change: Change) -> str:
    if not by.is_clean:
        return REFUSE if change.held in TRUSTED else APPLY
    if by.origin != "user" and change.held == "user" and change.what in (*RULING, ARMED):
        return REFUSE
    return APPLY


def of_flag(flag: Flag) -> str:
    """What comes of a flag that is filed: words of the user that it answers bear it out, where nobody else could have
    put them into the agent's mouth."""
    origin = "user" if flag.answers and flag.origin == "agent" else flag.origin
    return decide(Asker(AGENT, origin), Change(OF_FLAGS.get(flag.kind, FACT)))


def is_guarded(flag: Flag) -> bool:
    """Whether it would steer and came from outside: then it goes only to a person."""
    return flag.origin not in TRUSTED and of_flag(flag) == WAIT


def is_proposal(flag: Flag) -> bool:
    """Whether an agent would make a rule that no words of the user bear out: then the user is asked."""
    return flag.origin in TRUSTED and of_flag(flag) == WAIT


def require(by: Asker, change: Change, what: str) -> None:
    """Raises Refused unless the change is applied. `what` begins the sentence: "Disarming a note"."""
    if decide(by, change) == APPLY:
        return
    why = "" if by.is_clean else f" (outside text, {by.origin}, has entered this session)"
    raise Refused(
        f"{what} is the user's to do{why}; nothing was changed. Ask them to run it in a terminal of their own."
    )
