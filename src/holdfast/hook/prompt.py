"""A prompt: a new turn begins. The user's words are noted, their orders kept, and what was held is said."""

from __future__ import annotations

from holdfast.capture import home, once, story
from holdfast.hook import boundary, intercept, nudge, tool_call, turn_end
from holdfast.model import Reply
from holdfast.text import own_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode, Scene


FIRST = "first-prompt"
SHORTEST_PASTE = 100  # characters: no shorter prompt has so many lines
TAIL = 1 << 16  # bytes of a transcript in which the agent's last words are looked for


def prompt(scene: Scene, episode: Episode, env: Mapping[str, str], config: Mapping[str, Any]) -> Reply:
    is_own = not tool_call.is_scheduled(scene)
    if "@" in scene.moment.prompt:
        from holdfast import taint

        taint.look(scene, episode, env, config)
    before = ""
    pasted = is_own and _is_paste(scene, episode)
    if is_own:
        before = _keep(scene, episode, pasted=pasted)
    else:
        scene.did["scheduled"] = True
    turn_end.begin_turn(scene, episode)
    due = intercept.requests(scene, episode, env, config, before, pasted=pasted) if is_own else []
    due += tool_call.due(scene, episode, env, config)
    said = nudge.decide(scene, episode, config, due)
    boundary.close_if_many(scene, episode, env, config)
    if not once.first(scene.state, episode.key, FIRST):
        return Reply(said)
    if not said:
        nudge.note(scene, episode, FIRST, nudge.SILENT, "the start has just said what is remembered")
    found = _recalled(scene, episode) if is_own else Reply()
    return Reply("\n".join(part for part in (found.text, said) if part), found.carried)


def _is_paste(scene: Scene, episode: Episode) -> bool:
    """Whether the prompt is a long text without any mark around it, unlike what this user types. Then outside text has
    entered the session."""
    if len(scene.moment.prompt) < SHORTEST_PASTE or scene.moment.agent:
        return False
    from holdfast import taint
    from holdfast.text import own_words

    def earlier() -> list[str]:
        typed = [one.text for one in story.typed(scene.state, episode.key) if not one.pasted]
        return [*typed, *own_words.kept(scene.vault)]

    if not own_words.is_paste(scene.moment.prompt, earlier):
        return False
    scene.did["pasted"] = True
    taint.note(scene, episode, taint.TOOL)
    return True


def _keep(scene: Scene, episode: Episode, *, pasted: bool) -> str:
    """The prompt, with the end of what the agent had said before it, which is returned. One of a subagent or of the
    host is nobody's."""
    moment = scene.moment
    if moment.agent or not moment.prompt.strip() or own_words.is_the_hosts(moment.prompt):
        story.add(scene.state, episode.key, scene.now, "", moment.files)
        return ""
    before = said_before(scene, episode)
    story.add(scene.state, episode.key, scene.now, moment.prompt, moment.files, before, pasted=pasted)
    return before


def said_before(scene: Scene, episode: Episode) -> str:
    """The end of the agent's last words: as its turn ended with, else as the transcript has them; "" where neither."""
    said = once.take(scene.state, episode.key, once.LAST_SAID)
    if said is not None or not scene.moment.transcript:
        return said or ""
    from holdfast.text import transcript

    for one in transcript.said(scene.moment.host, scene.moment.transcript, TAIL):
        if one.role == transcript.ASSISTANT:
            return one.text
    return ""


def _recalled(scene: Scene, episode: Episode) -> Reply:
    """The few notes that bear on the first prompt; where there is no index nothing is imported for it."""
    if not home.has_field(scene.state):
        return Reply()
    from holdfast.brief import recall

    return recall.recall(scene, episode)
