"""The start and the end of an episode: what is remembered is said, and what is left is closed."""

from __future__ import annotations

from holdfast.hook import brief, lifecycle, live
from holdfast.model import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.capture.episodes import Episode
    from holdfast.hook.scene import Scene

STALE = 60.0  # seconds after which a start has its brief made anew: not every edit changes what the hook looks at


def start(scene: Scene, episode: Episode | None, env: Mapping[str, str]) -> Reply:
    """Find the dead, then say what is remembered. After a compaction the same session goes on, with its snapshot."""
    if scene.moment.source == "compact" and episode:
        return after_compaction(scene, episode, env)
    from holdfast.capture import background

    living = lifecycle.bury_the_dead(scene)
    if episode:
        living.discard(episode.key)
    closes = not background.is_off(env)
    now = live.gather(scene.state, scene.project, scene.now, living, closes=closes)
    cached = brief.load(scene.vault, scene.state, scene.project)
    reply = brief.compose(scene.vault, now, cached, command=env.get("HOLDFAST_COMMAND", ""))
    try:
        if closes and now.to_close:
            scene.did["close"] = background.start(scene.vault, env, "background-close", scene.project.root)
        elif closes and (not cached.is_fresh or scene.now - cached.made > STALE):
            scene.did["refresh"] = background.start(scene.vault, env, "background-brief", scene.project.root)
    except OSError as error:
        scene.failures.append(error)
    _tell(scene, episode, reply)
    return reply


def after_compaction(scene: Scene, episode: Episode, env: Mapping[str, str]) -> Reply:
    """Nothing is buried or closed now: the same session goes on, and gets back what it may have lost."""
    from holdfast.hook import compacting

    now = live.gather(scene.state, scene.project, scene.now, set(), closes=False, only_look=True)
    cached = brief.load(scene.vault, scene.state, scene.project)
    command = env.get("HOLDFAST_COMMAND", "")
    half = brief.compose(scene.vault, now, cached, command=command, room=compacting.ROOM)
    reply = compacting.after(scene, episode, half, command or "holdfast")
    _tell(scene, episode, reply)
    return reply


def _tell(scene: Scene, episode: Episode | None, reply: Reply) -> None:
    if reply.text:
        scene.note(
            "injection",
            event=scene.moment.event,
            episode=episode.key if episode else "",
            project=scene.project.id,
            carried=list(reply.carried),
            characters=len(reply.text),
        )


def end(scene: Scene, episode: Episode, env: Mapping[str, str]) -> None:
    """The episode is over; what it left is closed in the background, so the host need not wait."""
    from holdfast.capture import background, marks, upkeep

    lifecycle.end(scene, episode)
    if marks.any_left(scene.state) and not background.is_off(env):
        pid = background.start(scene.vault, env, "background-close", scene.project.root)
        scene.did["close"] = pid
        if background.is_waited_for(env):
            scene.did["waited"] = background.wait(pid)
    upkeep.start_if_due(scene.vault, env, scene.now)
