"""A moment happens: its episode is found, its boundary is served, and the ledger says what was done.

What can still be done after a failure is done: a start on a disk that takes no writes is answered all the same.
"""

from __future__ import annotations

import time

from holdfast.capture import episodes, home, ledger, projects
from holdfast.hook import lifecycle
from holdfast.hook.scene import TROUBLE, Scene
from holdfast.model import Moment, Project, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.capture.episodes import Episode


STALE = 60.0  # seconds after which a start has its brief made anew: not every edit changes what the hook looks at


class Partial(Exception):
    """The moment was answered, though something else failed."""

    def __init__(self, reply: Reply, cause: Exception) -> None:
        super().__init__(str(cause))
        self.reply = reply
        self.cause = cause


def handle(moment: Moment, vault: str, env: Mapping[str, str], now: float, began: int) -> Reply:
    """All that one moment asks for. `began` is the perf_counter_ns at which the process took over."""
    state = home.state(vault)
    version = home.format_of(vault)
    off = home.why_off(env, vault)
    if off:
        _end_if_known(moment, vault, now)
        return _said_off(moment, off)
    project = projects.find(moment.cwd, vault)
    if project.off:
        if version <= home.FORMAT:
            _end_if_known(moment, vault, now)
        return _said_off(moment, home.PROJECT_OFF)
    if version > home.FORMAT:
        if moment.event == "flag":
            _take(Scene(moment, vault, state, project, now, {}, []), None)
        ledger.append(state, "error", now, event=moment.event, error="newer-format", format=version)
        return Reply()
    scene = Scene(moment, vault, state, project, now, {}, [])
    episode: Episode | None = None
    try:
        if not version:
            home.make_vault(vault)
        episode = lifecycle.episode_of(scene)
    except TROUBLE as error:
        scene.failures.append(error)
    reply = _serve(scene, episode, env)
    details = {"source": moment.source, "reason": moment.reason, "tool": moment.tool, "agent": moment.agent}
    scene.note(
        "hook",
        event=ledger.short(moment.event, 200),
        host=moment.host,
        episode=episode.key if episode else "",
        project=project.id,
        **{name: ledger.short(text, 200) for name, text in details.items() if text},
        **scene.did,
        us=(time.perf_counter_ns() - began) // 1000,
    )
    if scene.failures:
        raise Partial(reply, scene.failures[0])
    return reply


def _end_if_known(moment: Moment, vault: str, now: float) -> None:
    """Capture was switched off while a session ran: its end is still noted, or the next start would call it dead."""
    if moment.event != "session-end":
        return
    known = episodes.latest(home.state(vault), moment.host, moment.session)
    if known and known.state == episodes.OPEN:
        project = Project(known.project, "", "", known.cwd)
        lifecycle.end(Scene(moment, vault, home.state(vault), project, now, {}, []), known)


def _said_off(moment: Moment, why: str) -> Reply:
    if moment.event != "session-start":
        return Reply()
    from holdfast.hook.brief import said_off

    return said_off(why)


def _serve(scene: Scene, episode: Episode | None, env: Mapping[str, str]) -> Reply:
    event = scene.moment.event
    try:
        if event == "session-start":
            return _start(scene, episode, env)
        if event == "session-end" and episode:
            _end(scene, episode, env)
        elif event == "flag":
            scene.did["flags"] = _take(scene, episode)
        elif episode and (scene.moment.files or event == "prompt"):
            from holdfast.capture import story

            prompt = scene.moment.prompt if event == "prompt" else ""
            story.add(scene.state, episode.key, scene.now, prompt, scene.moment.files)
    except TROUBLE as error:
        scene.failures.append(error)
    return Reply()


def _end(scene: Scene, episode: Episode, env: Mapping[str, str]) -> None:
    """The episode is over; what it left is closed in the background, so the host need not wait."""
    from holdfast.capture import background, marks, upkeep

    lifecycle.end(scene, episode)
    if marks.any_left(scene.state) and not background.is_off(env):
        scene.did["close"] = background.start(scene.vault, env, "background-close", scene.project.root)
    upkeep.start_if_due(scene.vault, env, scene.now)


def _start(scene: Scene, episode: Episode | None, env: Mapping[str, str]) -> Reply:
    """Find the dead, then say what is remembered. After a compaction the same session goes on: nothing new to say."""
    if scene.moment.source == "compact":
        return Reply()
    from holdfast.capture import background
    from holdfast.hook import brief, live

    living = lifecycle.bury_the_dead(scene)
    if episode:
        living.discard(episode.key)
    closes = not background.is_off(env)
    now = live.gather(scene.state, scene.project, scene.now, living, closes=closes)
    cached = brief.load(scene.vault, scene.state, scene.project)
    reply = brief.compose(scene.vault, now, cached)
    try:
        if closes and now.to_close:
            scene.did["close"] = background.start(scene.vault, env, "background-close", scene.project.root)
        elif closes and (not cached.is_fresh or scene.now - cached.made > STALE):
            scene.did["refresh"] = background.start(scene.vault, env, "background-brief", scene.project.root)
    except OSError as error:
        scene.failures.append(error)
    if reply.text:
        scene.note(
            "injection",
            event=scene.moment.event,
            episode=episode.key if episode else "",
            project=scene.project.id,
            carried=list(reply.carried),
            characters=len(reply.text),
        )
    return reply


def _take(scene: Scene, episode: Episode | None) -> int:
    """Flags that a host hands over. Never refused: an odd kind becomes a fact, a long text several flags."""
    from holdfast.capture import flagging, flags
    from holdfast.model import KINDS

    speaker = flagging.Speaker(scene.moment.host, episode.key if episode else "", scene.project, "agent")
    given = []
    for one in scene.moment.flags:
        text, kind, proofs = one.get("text"), one.get("kind"), one.get("evidence")
        evidence = tuple(proof for proof in proofs if isinstance(proof, str)) if isinstance(proofs, list) else ()
        pieces = flags.cut(text) if isinstance(text, str) else []
        given += [flagging.Given(piece, str(kind) if kind in KINDS else "fact", evidence) for piece in pieces]
    return len(flagging.take_all(scene.vault, given, speaker, scene.now, insist=True).flags) if given else 0
