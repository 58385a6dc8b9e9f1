"""The end of a turn: the backstop that notices when a boundary passed and nothing was written.

By default the skip is only recorded. In strict mode the model is asked, once a turn, and may answer that there is
nothing. It is never asked in a turn that goes on because a hook asked: no loop, ever.
"""

from __future__ import annotations

from holdfast.capture import config as machine
from holdfast.capture import home, once
from holdfast.hook import keeping, nudge
from holdfast.model import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode
    from holdfast.hook.scene import Scene

STOPPED = "stopped"  # in this turn the model was asked
DECLINES = ("nothing to flag", "nothing durable", "nothing to remember", "nothing worth flagging", "no durable")
NO_ANSWER = "nothing was flagged or declined"
NOT_PUT = "the model has not put it properly; the close files the user's own words"


def stop(scene: Scene, episode: Episode, env: Mapping[str, str], config: Mapping[str, Any]) -> Reply:
    moment = scene.moment
    if moment.agent:
        return Reply()
    keeping.keep_if_due(scene, episode, env, is_boundary=True)
    if ".md" in moment.said and home.has_field(scene.state):
        from holdfast.hook import using

        using.cited(scene, episode)
    if moment.said:
        from holdfast.capture import story

        once.put(scene.state, episode.key, once.LAST_SAID, story.tail(moment.said))
    asked = once.read(scene.state, episode.key, once.ASKED)
    if asked and _declines(moment.said):
        once.drop(scene.state, episode.key, once.ASKED)
        once.drop(scene.state, episode.key, once.HELD)
        nudge.note(scene, episode, asked, "declined", "the model said that there is nothing")
        asked = None
    open_requests = _unanswered(scene, episode)
    is_strict = config.get("mode") == machine.STRICT and not moment.is_again
    words = _user_words(scene, episode, env, is_due=bool(asked or open_requests)) if is_strict else ""
    if not asked and not open_requests and not words:
        scene.did["stop"] = "nothing was due"
        return Reply()
    if is_strict and once.first(scene.state, episode.key, STOPPED):
        once.drop(scene.state, episode.key, once.HELD)  # this question is the one for it
        nudge.note(scene, episode, "turn-stop", nudge.SAID, "strict mode")
        return Reply(decision="go-on", reason=_question(asked or "", open_requests, words, env))
    if asked:
        once.drop(scene.state, episode.key, once.ASKED)
        nudge.note(scene, episode, "turn-stop", nudge.SKIPPED, f"a boundary passed ({asked}) and {NO_ANSWER}")
    if open_requests:
        once.drop(scene.state, episode.key, once.REQUESTS)
        nudge.note(scene, episode, "user-request", nudge.SKIPPED, NOT_PUT)
    return Reply()


def _unanswered(scene: Scene, episode: Episode) -> list[str]:
    """What the user ordered and the model has not put properly. Most turns have no order, and need not load hearing."""
    if once.read(scene.state, episode.key, once.REQUESTS) is None:
        return []
    from holdfast.hook import intercept

    return intercept.unanswered(scene, episode)


def _user_words(scene: Scene, episode: Episode, env: Mapping[str, str], *, is_due: bool) -> str:
    """The user's own sentences that nobody has answered: after work, or where something is asked anyway."""
    if once.read(scene.state, episode.key, STOPPED) is not None:
        return ""
    from holdfast.hook import user_words
    from holdfast.hook.tool_call import command_of

    if not is_due and not user_words.worked_since(scene, episode):
        return ""
    return user_words.reminder(scene, episode, command_of(env))


def begin_turn(scene: Scene, episode: Episode) -> None:
    once.drop(scene.state, episode.key, STOPPED)


def _declines(said: str) -> bool:
    lowered = said[-4000:].lower()
    return any(words in lowered for words in DECLINES)


def _question(asked: str, open_requests: list[str], words: str, env: Mapping[str, str]) -> str:
    from holdfast.hook.tool_call import command_of

    command = command_of(env)
    lines = []
    if asked:
        lines.append(
            f"Before you stop: a boundary passed ({asked}) and nothing was flagged. "
            f"`{command} flag --kind decision|lesson|progress --evidence FILE:LINE '…'` for each durable fact."
        )
    if open_requests:
        lines.append(
            "What the user asked you to remember is not recorded: "
            f"`{command} flag --for {open_requests[0]} --kind rule|preference '…'`."
        )
    if words:
        lines.append(words)
    lines.append(f'If there is nothing, say "nothing to flag" or run `{command} flag --nothing`.')
    return "\n".join(lines)
