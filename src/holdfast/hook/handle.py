"""A moment happens: its episode is found, its boundary is served, and the ledger says what was done.

What can still be done after a failure is done: a start on a disk that takes no writes is answered all the same.
"""

from __future__ import annotations

import time

from holdfast.capture import config, episodes, home, ledger, projects
from holdfast.hook import lifecycle
from holdfast.hook.scene import TROUBLE, Scene
from holdfast.model import Moment, Project, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode


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
    if not version and not off:
        from holdfast.hook import vault_place

        kept = vault_place.stand_in(moment, vault, env, now)
        if kept:
            return vault_place.answer(moment, vault, kept, env, now, began)
    if off:
        _end_if_known(moment, vault, now)
        return _rules(moment, vault, env, now) or _said_off(moment, off)
    project = projects.find(moment.cwd, vault)
    if project.off:
        if version <= home.FORMAT:
            _end_if_known(moment, vault, now)
            _note_taint(moment, vault, project, now, env)
        return _rules(moment, vault, env, now) or _said_off(moment, home.PROJECT_OFF)
    if version > home.FORMAT:
        if moment.event == "flag":
            _take(Scene(moment, vault, state, project, now, {}, []), None)
        ledger.append(state, "error", now, event=moment.event, error="newer-format", format=version)
        return _said_newer(moment, version)
    scene = Scene(moment, vault, state, project, now, {}, [])
    episode: Episode | None = None
    try:
        if not version:
            home.make_vault(vault, env)
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


def _rules(moment: Moment, vault: str, env: Mapping[str, str], now: float) -> Reply | None:
    """Switching capture off does not lift what the user forbade, nor make an agent's edits of the vault theirs: a
    repository could do the one, and must not the other."""
    from holdfast.hook import agent_calls

    known = episodes.latest(home.state(vault), moment.host, moment.session) if moment.session else None
    project = Project(known.project if known else "", "", "", moment.cwd)
    scene = Scene(moment, vault, home.state(vault), project, now, {}, [], True)
    if moment.event != "before-tool":
        agent_calls.passed(scene, "", env)
        return None
    from holdfast.hook import armed

    reply = armed.look(scene, None)
    if reply.decision != "deny":
        agent_calls.begun(scene, "", env)
    return reply


def _note_taint(moment: Moment, vault: str, project: Project, now: float, env: Mapping[str, str]) -> None:
    """What enters the context of a session that is captured taints it, also from a folder that is not."""
    known = episodes.latest(home.state(vault), moment.host, moment.session) if moment.session else None
    if moment.event != "after-tool" or not known or known.state != episodes.OPEN or known.project in project.ids:
        return
    from holdfast.hook import taint

    state = home.state(vault)
    taint.look(Scene(moment, vault, state, project, now, {}, [], True), known, env, config.load(state))


def _said_off(moment: Moment, why: str) -> Reply:
    if moment.event != "session-start":
        return Reply()
    from holdfast.capture.brief_file import said_off

    return said_off(why)


def _said_newer(moment: Moment, version: int) -> Reply:
    if moment.event != "session-start":
        return Reply()
    from holdfast.capture.brief_file import said_newer

    return said_newer(version, home.FORMAT)


def _serve(scene: Scene, episode: Episode | None, env: Mapping[str, str]) -> Reply:
    event = scene.moment.event
    try:
        if event == "flag":
            scene.did["flags"] = _take(scene, episode)
        elif event == "session-start":
            from holdfast.hook import session

            return session.start(scene, episode, env)
        elif episode:
            return _serve_episode(scene, episode, env)
        elif event == "after-tool":
            from holdfast.hook import agent_calls

            agent_calls.passed(scene, "", env)
        elif event == "before-tool":
            return _watched(scene, None, env, config.load(scene.state))
        elif event == "before-compaction":
            from holdfast.hook import compaction

            return compaction.before(scene, None)
        elif event == "prompt":
            from holdfast.hook import intercept, scheduled

            if scheduled.is_known(scene):
                return Reply()
            intercept.requests(scene, None, env, config.load(scene.state))
    except TROUBLE as error:
        scene.failures.append(error)
    return Reply()


def _serve_episode(scene: Scene, episode: Episode, env: Mapping[str, str]) -> Reply:
    """What a boundary asks for; a moment that is none costs a look at its name."""
    from holdfast.hook import agent_calls

    event = scene.moment.event
    agent_calls.passed(scene, episode.key, env)
    if event == "session-end":
        from holdfast.hook import session

        session.end(scene, episode, env)
        return Reply()
    if event == "before-compaction":
        from holdfast.hook import compaction

        return compaction.before(scene, episode)
    if event == "after-compaction" and scene.moment.carries:
        from holdfast.hook import session

        return session.after_compaction(scene, episode, env)
    if event not in ("before-tool", "after-tool", "prompt", "turn-stop", "subagent-stop", "task-completed"):
        return Reply()
    wishes = config.load(scene.state)
    if event == "turn-stop":
        from holdfast.hook import turn_end

        return turn_end.stop(scene, episode, env, wishes)
    from holdfast.hook import tool_call

    if event == "before-tool":
        return _watched(scene, episode, env, wishes)
    if event == "prompt":
        from holdfast.hook import prompt

        return prompt.prompt(scene, episode, env, wishes)
    return tool_call.after(scene, episode, env, wishes)


def _watched(scene: Scene, episode: Episode | None, env: Mapping[str, str], wishes: Mapping[str, Any]) -> Reply:
    """Before a tool call: it counts as under way from now on, unless a rule denies it."""
    from holdfast.hook import agent_calls, tool_call

    agent_calls.begun(scene, episode.key if episode else "", env)
    reply = tool_call.before(scene, episode, env, wishes)
    if reply.decision == "deny":
        agent_calls.denied(scene, env)
    return reply


def _take(scene: Scene, episode: Episode | None) -> int:
    """Flags that a host hands over. Never refused: an odd kind becomes a fact, a long text several flags."""
    from holdfast.capture import flagging, flags
    from holdfast.hook.intercept import speaker
    from holdfast.model import KINDS

    given = []
    for one in scene.moment.flags:
        text, kind, proofs = one.get("text"), one.get("kind"), one.get("evidence")
        evidence = tuple(proof for proof in proofs if isinstance(proof, str)) if isinstance(proofs, list) else ()
        pieces = flags.cut(text) if isinstance(text, str) else []
        given += [flagging.Given(piece, str(kind) if kind in KINDS else "fact", evidence) for piece in pieces]
    who = speaker(scene, episode)
    return len(flagging.take_all(scene.vault, given, who, scene.now, insist=True).flags) if given else 0
