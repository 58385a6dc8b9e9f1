"""Who is speaking: the host, episode and project that a command line run by an agent or a person belongs to.

The session is what the environment says (HOLDFAST_SESSION, or the host's own variable), else that of the host process
among our ancestors, else the live one that this project opened last. The project is that of the working directory if
it lies in a repository, else the session's.
"""

from __future__ import annotations

import posix
import time

from holdfast.capture import episodes, gitfiles, once, platform, projects
from holdfast.capture.home import state
from holdfast.model import ORIGINS, TRUSTED, Project, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

GENERATIONS = 12
OUTSIDE = tuple(one for one in ORIGINS if one not in TRUSTED)
SESSION_VARIABLES = (
    ("claude-code", "CLAUDE_CODE_SESSION_ID"),
    ("codex", "CODEX_SESSION_ID"),
    ("codex", "CODEX_THREAD_ID"),
)


@value
class Where:
    """`found` says how the session was found: environment, process, project, or nothing."""

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


def origin(where: Where, vault: str) -> str:
    """Whose words a command line has: a person's who typed it, else the agent's, and with it whatever text has entered
    its context. Agents have no terminal. A session that the environment names does not hide the one that runs us."""
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
    """Whose words a `remember` has: the user's also where no agent is here that could have typed it."""
    found = origin(where, vault)
    return "user" if not where.found and found == "agent" else found


def _worst(vault: str) -> str:
    """What any session that goes on was tainted with: one that hides which it is may be that one."""
    found = (agents_origin(state(vault), one.key) for one, _ in _open_ones(vault))
    return next((origin for origin in found if origin != "agent"), "agent")


def _is_in_a_sandbox(vault: str) -> bool:
    """Whether a session goes on here whose processes we cannot see: a terminal may be one that its agent was given."""
    here, machine = platform.namespace(), platform.machine()
    known = [one.process for one, _ in _open_ones(vault) if one.process]
    return any(one.machine == machine and one.namespace != here for one in known)


def _open_ones(vault: str) -> list[tuple[episodes.Episode, float]]:
    return [one for one in episodes.in_live(state(vault), time.time()) if one[0].state == episodes.OPEN]


def agents_origin(state: str, episode: str) -> str:
    """Whose words an agent's are: its own, unless outside text has entered its context."""
    tainted = once.read(state, episode, once.TAINT) if episode else None
    if tainted is None:
        return "agent"
    return tainted if tainted in OUTSIDE else OUTSIDE[0]


def project_at(cwd: str, vault: str, episode: episodes.Episode | None) -> Project:
    """The project that a command line run in this folder, in this session, is about."""
    return _project(projects.find(cwd, vault), cwd, vault, episode)


def is_named(env: Mapping[str, str]) -> bool:
    """Whether the environment names a session."""
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
    found = [one for one, _ in _open_ones(vault) if one.project in ids and _runs(one)]
    return max(found, key=lambda episode: episode.opened, default=None)


def _runs(episode: episodes.Episode) -> bool:
    """Only a process that we can see: a foreign one may well be dead."""
    known = episode.process
    return known is not None and known == platform.process(known.pid)


def _project(of_folder: Project, cwd: str, vault: str, episode: episodes.Episode | None) -> Project:
    if not of_folder.off and episode and episode.project not in of_folder.ids and not gitfiles.checkout(cwd):
        return projects.find(episode.cwd, vault)
    return of_folder
