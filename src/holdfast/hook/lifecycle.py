"""The life of an episode as moments tell it: opened, continued, ended, found dead, revived.

A start in another process opens a new episode of the session (a resume), a compaction does not. What ends or dies with
flags waiting leaves a mark. Every step can be cut short by a kill and is finished by the next start.
"""

from __future__ import annotations

import posix

from holdfast.capture import episodes, once, platform
from holdfast.capture.episodes import Episode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.capture.episodes import Scene

ACTIVITY = ("prompt", "before-tool", "after-tool", "flag")
SHORTEST_SESSION = 8  # letters of a word that could be a session's id


def episode_of(scene: Scene) -> Episode | None:
    """The episode that this moment belongs to, opened or revived if need be. None without a session id."""
    moment = scene.moment
    if not moment.session:
        return None
    known = episodes.latest(scene.state, moment.host, moment.session)
    if known is None:
        return None if moment.event == "session-end" else _open(scene, None)
    if known.state == episodes.OPEN:
        if scene.is_start and moment.source != "compact" and known.process is not None:
            from holdfast.capture.gate import host_process

            if host_process(moment.pid) != known.process:
                _close_the_old(scene, known)
                return _open(scene, known)
        try:
            episodes.touch(scene.state, known, scene.now)
        except OSError as error:
            scene.failures.append(error)  # a disk that takes nothing: what is known of it is known all the same
        return known
    if scene.is_start:
        return _open(scene, known)
    if known.state == episodes.DIED:
        from holdfast.capture import marks

        scene.did["revived"] = True
        marks.remove(scene.state, known.project, known.key)
        return episodes.revive(scene.state, known, scene.now)
    # Ended, and yet it works on: a host that tells of an end and continues begins a new stretch.
    return _open(scene, known) if moment.event in ACTIVITY else known


def _close_the_old(scene: Scene, known: Episode) -> None:
    """The session goes on in another process; the stretch in the old one is over, by death or because it was left."""
    seen = episodes.last_moment(scene.state, known)
    if platform.alive(known.process, seen, scene.now):
        _finish(scene, known, episodes.ENDED, "taken over", scene.now)
    else:
        _finish(scene, known, episodes.DIED, "resumed", seen)


def _finish(scene: Scene, known: Episode, how: str, reason: str, closed: float) -> None:
    from holdfast.capture import marks

    seen = episodes.last_moment(scene.state, known)
    marks.finish(scene.state, episodes.end_episode(scene.state, known, how, reason, closed), seen, scene.now)


def _open(scene: Scene, before: Episode | None) -> Episode:
    from holdfast.capture.gate import host_process

    moment = scene.moment
    process = host_process(moment.pid)
    parent = before
    if parent is None and process and moment.source in ("clear", "fork", "resume"):
        if moment.source != "resume":  # a session that is resumed is another than the one this process was in
            parent = episodes.of_process(scene.state, process.namespace, process.pid, process.start)
        parent = parent or _named_by(scene, process.pid)
    if parent and moment.source == "clear" and parent.state == episodes.OPEN and parent.project in scene.project.ids:
        _finish(scene, parent, episodes.ENDED, "clear", scene.now)  # also in a host that does not say so, as Codex
    scene.did["opened"] = True
    try:
        offset = posix.stat(moment.transcript).st_size if moment.transcript else 0
    except (OSError, ValueError):
        offset = 0
    fresh = Episode(
        host=moment.host, session=moment.session, ordinal=before.ordinal + 1 if before else 1,
        project=scene.project.id, cwd=moment.cwd, opened=scene.now, transcript=moment.transcript, offset=offset,
        source=moment.source or ("" if scene.is_start else "joined"),
        parent=parent.key if parent else moment.parent, process=process,
    )  # fmt: skip
    opened = episodes.open_episode(scene.state, fresh)
    _note_taint(scene, opened)
    return opened


def _named_by(scene: Scene, pid: int) -> Episode | None:
    """The session that a host was started with: `--resume ID --fork-session`, `fork ID`."""
    for word in platform.command_of(pid)[1:]:
        if len(word) >= SHORTEST_SESSION and not word.startswith("-") and " " not in word:
            found = episodes.latest(scene.state, scene.moment.host, word)
            if found:
                return found
    return None


def _note_taint(scene: Scene, opened: Episode) -> None:
    """A context that goes on keeps what entered it; one in a repository of strangers begins with that."""
    from holdfast import taint

    if opened.parent and opened.source not in ("startup", "clear"):
        once.go_on(scene.state, opened.parent, opened.key)
    elif opened.source in ("fork", "resume"):  # of a session that we never saw: anything may be in its context
        taint.note(scene, opened, taint.TOOL)
    if taint.is_strange(opened.cwd):
        taint.note(scene, opened, taint.REPOSITORY)


def note(scene: Scene, kind: str, episode: Episode | None, **more: Any) -> None:
    """One line in the ledger about this moment."""
    key = episode.key if episode else ""
    scene.note(kind, event=scene.moment.event, episode=key, project=scene.project.id, **more)


def end(scene: Scene, episode: Episode) -> None:
    """The host says that it is over. Hosts may say so more than once."""
    if episode.state != episodes.OPEN:
        scene.did["repeated"] = True
        return
    from holdfast.capture import marks

    ended = episodes.end_episode(scene.state, episode, episodes.ENDED, scene.moment.reason, scene.now)
    scene.did["waiting"] = marks.finish(scene.state, ended, scene.now, scene.now)
