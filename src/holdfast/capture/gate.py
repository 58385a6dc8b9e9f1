"""The gate decides whether a change of what binds is applied, waits for the user, or is refused.

Promise: nothing outside becomes binding, and nothing that the user or the agent decided is lifted by outside text.
One function decides, told who asks, from which stretch of a session, and what is changed; every writer asks it. Two
layers keep that true: commands ask before they plan, to say in a sentence what comes of it, and each commit of
notes is looked at once more as a whole (`vault/authority`), so that a writer which forgot to ask is refused.

Standard library only: a checkpoint and `pause` ask too. The speaker, which is the host, episode and project that a
command line belongs to, is found here as well.
"""

from __future__ import annotations

import posix
import time

from holdfast.capture import episodes, gitfiles, once, platform, projects
from holdfast.capture.home import state
from holdfast.errors import UsageError
from holdfast.model import ORIGINS, TRUSTED, Process, Project, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.model import Flag

GENERATIONS = 12
HOST_GENERATIONS = 8
SHELLS = frozenset(("sh", "dash", "bash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh"))
WRAPPERS = frozenset(
    ("timeout", "env", "nice", "nohup", "setsid", "stdbuf", "xargs", "sudo", "doas", "ionice", "strace", "time")
)
OUTSIDE = tuple(one for one in ORIGINS if one not in TRUSTED)
SESSION_VARIABLES = (
    ("claude-code", "CLAUDE_CODE_SESSION_ID"),
    ("codex", "CODEX_SESSION_ID"),
    ("codex", "CODEX_THREAD_ID"),
)


BY_KEY = "key"


@value
class Where:
    """`found` says how the session was found: environment, process, project, or nothing; BY_KEY is no session, but the
    user, who came with a key."""

    host: str
    episode: str
    project: Project
    found: str
    is_open: bool = True


def here(env: Mapping[str, str], cwd: str, vault: str) -> Where:
    project = projects.find(cwd, vault)
    host, session = _named(env)
    if session:
        episode = episodes.latest(state(vault), host, session)
        # Our hook has not seen this session; its flags still belong together.
        key = episode.key if episode else f"{host}/{session}/0"
        is_open = episode is not None and episode.state == episodes.OPEN
        return Where(host, key, _project(project, cwd, vault, episode), "environment", is_open)
    episode = _of_ancestor(vault)
    if episode:
        return Where(episode.host, episode.key, _project(project, cwd, vault, episode), "process")
    episode = _of_project(vault, project.ids)
    if episode:
        return Where(episode.host, episode.key, project, "project")
    return Where("cli", "", project, "")


def origin_of(where: Where, vault: str) -> str:
    """The origin of a command line's words: a person who typed it, else the agent, with any text that has entered its
    context. Agents have no terminal. A session that the environment names does not hide the one that runs us."""
    if where.found == BY_KEY:
        return "user"
    if where.found in ("", "project") and posix.isatty(2) and not _is_in_a_sandbox(vault):
        return "user"
    found = agents_origin(state(vault), where.episode)
    if found != "agent" or where.found == "process":
        return found
    runs_us = _of_ancestor(vault) if where.found == "environment" else None
    if runs_us:
        return agents_origin(state(vault), runs_us.key)
    return _worst(vault) if not where.episode or not where.is_open else found


def typed_origin(where: Where, vault: str) -> str:
    """The origin of a `remember`: the user also where no agent is here that could have typed it."""
    found = origin_of(where, vault)
    return "user" if not where.found and found == "agent" else found


def _worst(vault: str) -> str:
    """The taint of any session that goes on: one that hides which it is may be that one."""
    found = (agents_origin(state(vault), one.key) for one, _ in _open_ones(vault))
    return next((origin for origin in found if origin != "agent"), "agent")


def _is_in_a_sandbox(vault: str) -> bool:
    """True if a session goes on here whose processes we cannot see: a terminal may be one that its agent was given."""
    here, machine = platform.namespace(), platform.machine()
    known = [one.process for one, _ in _open_ones(vault) if one.process]
    return any(one.machine == machine and one.namespace != here for one in known)


def _open_ones(vault: str) -> list[tuple[episodes.Episode, float]]:
    return [one for one in episodes.in_live(state(vault), time.time()) if one[0].state == episodes.OPEN]


def agents_origin(state: str, episode: str) -> str:
    """The origin of an agent's words: itself, unless outside text has entered its context."""
    tainted = once.read(state, episode, once.TAINT) if episode else None
    return "agent" if tainted is None else tainted if tainted in OUTSIDE else OUTSIDE[0]


def project_at(cwd: str, vault: str, episode: episodes.Episode | None) -> Project:
    """The project that a command line run in this folder, in this session, is about."""
    return _project(projects.find(cwd, vault), cwd, vault, episode)


def is_named(env: Mapping[str, str]) -> bool:
    """True if the environment names a session."""
    return bool(_named(env)[1])


def _named(env: Mapping[str, str]) -> tuple[str, str]:
    if env.get("HOLDFAST_SESSION"):
        return episodes.host_name(env.get("HOLDFAST_HOST", "")), episodes.session_name(env["HOLDFAST_SESSION"])
    for host, name in SESSION_VARIABLES:
        if env.get(name):
            return host, episodes.session_name(env[name])
    return "", ""


def _of_ancestor(vault: str) -> episodes.Episode | None:
    if not platform.names(f"{state(vault)}/episodes/by-process"):
        return None
    namespace, pid = platform.namespace(), posix.getppid()
    for _ in range(GENERATIONS):
        start = platform.start_of(pid) if pid > 1 else 0
        episode = episodes.of_process(state(vault), namespace, pid, start) if start else None
        if not start or (episode and episode.state == episodes.OPEN):
            return episode
        pid = platform.parent_of(pid)
    return None


def _of_project(vault: str, ids: tuple[str, ...]) -> episodes.Episode | None:
    """Of the open episodes of a project whose process we can see running, the one opened last."""
    ours = [one for one, _ in _open_ones(vault) if one.project in ids and one.process]
    found = [one for one in ours if one.process and one.process == platform.process(one.process.pid)]
    return max(found, key=lambda episode: episode.opened, default=None)


def _project(of_folder: Project, cwd: str, vault: str, episode: episodes.Episode | None) -> Project:
    if not of_folder.off and episode and episode.project not in of_folder.ids and not gitfiles.checkout(cwd):
        return projects.find(episode.cwd, vault)
    return of_folder


def host_process(told: int) -> Process | None:
    """The process the host named, if it lives, else the nearest ancestor that is no wrapper."""
    named = platform.process(told) if told > 1 else None
    pid = posix.getppid()
    for _ in range(0 if named else HOST_GENERATIONS):
        if pid <= 1 or not is_wrapper(platform.command_of(pid)):
            return platform.process(pid) if pid > 1 else None
        pid = platform.parent_of(pid)
    return named


def is_wrapper(command: list[str]) -> bool:
    """True if a process only carries another one: a shell with a command line, a helper, or our own launcher."""
    if command and command[0].rpartition("/")[2] == "busybox":
        command = command[1:]
    name = command[0].rpartition("/")[2].lstrip("-") if command else ""
    if not command or name in WRAPPERS:
        return True
    if name in SHELLS:
        return _carries(command[1:])
    words = command[1:5]
    is_ours = any(word.endswith("/holdfast/hook/start.py") for word in words) or "-m holdfast" in " ".join(words)
    return name.startswith("python") and is_ours


def _carries(words: list[str]) -> bool:
    """True if a shell was given a command line (-c, also behind other options) or runs one of our own scripts."""
    rest = iter(words)
    for word in rest:
        is_long = word.startswith("--")
        if not word.startswith(("-", "+")):
            return "holdfast" in word.rpartition("/")[2]
        if not is_long and "c" in word:
            return True
        if word in ("--rcfile", "--init-file") or (word[-1:] in "oO" and not is_long):
            next(rest, None)  # its value
    return False


# Askers. A close files flags one by one, each by its own origin; upkeep changes no words.
USER, AGENT, JUDGE, CLOSE, SYNC, HAND, UPKEEP = "user", "agent", "judge", "close", "sync", "hand", "upkeep"
OWNERS = (USER, SYNC, HAND, UPKEEP)  # the user; machines and files of theirs; ourselves without words of our own

# Things that bind.
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
    """The asker who runs a command line: a person at a terminal or with no session near that could have typed it, else
    an agent with whatever has entered its context."""
    if not platform.is_there(state(vault)):  # no session was ever heard here, and a look makes no vault
        return Asker(AGENT) if is_named(env) else BY_USER
    where = here(env, cwd, vault)
    origin = origin_of(where, vault)
    if origin == "user" or (not where.found and origin == "agent"):
        return BY_USER
    return Asker(AGENT, origin)


def of_origin(origin: str) -> Asker:
    """The asker for words of this origin: the user for their own, an agent for all others."""
    return Asker(USER if origin == "user" else AGENT, origin)


def decide(by: Asker, change: Change) -> str:
    """Apply, wait or refuse. An unknown asker counts as outside text."""
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
    """The decision on a flag that is filed: words of the user that it answers bear it out, where nobody else could have
    put them into the agent's mouth."""
    origin = "user" if flag.answers and flag.origin == "agent" else flag.origin
    return decide(Asker(AGENT, origin), Change(OF_FLAGS.get(flag.kind, FACT)))


def is_guarded(flag: Flag) -> bool:
    """True if it would steer and came from outside: then it goes only to a person."""
    return flag.origin not in TRUSTED and of_flag(flag) == WAIT


def is_proposal(flag: Flag) -> bool:
    """True if an agent would make a rule that no words of the user bear out: then the user is asked."""
    return flag.origin in TRUSTED and of_flag(flag) == WAIT


def require(by: Asker, change: Change, what: str) -> None:
    """Raises Refused unless the change is applied. `what` begins the sentence: "Disarming a note"."""
    if decide(by, change) == APPLY:
        return
    why = "" if by.is_clean else f" (outside text, {by.origin}, has entered this session)"
    raise Refused(
        f"{what} is the user's to do{why}; nothing was changed. Ask them to run it in a terminal of their own."
    )
