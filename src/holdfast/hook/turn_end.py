"""The end of a turn: the backstop that notices when a boundary passed and nothing was written.

By default the skip is only recorded. In strict mode the model is asked, once a turn, and may answer that there is
nothing. It is never asked in a turn that goes on because a hook asked: no loop, ever. A note that the agent has opened,
or named in what it said at the end of a turn, counts as used.
"""

from __future__ import annotations

from holdfast.capture import codec, home, log, once
from holdfast.capture import config as machine
from holdfast.errors import HoldfastError
from holdfast.hook import boundary, nudge
from holdfast.model import VERSION, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode, Scene

MOST = 5
FOLDERS = ("identity", "rules", "knowledge", "feedback", "projects", "lineage")
USED = "used-"
READERS = ("Read", "NotebookRead", "read_file")
READING = frozenset(("cat", "head", "tail", "less", "more", "bat", "nl", "sed", "awk"))
AROUND = "`'\"()[]{}<>*,.;:!?"  # signs that stand around a path in a sentence


def opened(scene: Scene, episode: Episode, env: Mapping[str, str]) -> None:
    """A tool call has read notes of the vault."""
    moment = scene.moment
    if moment.failed:
        return
    if moment.tool in READERS:
        named = list(moment.paths)
    elif moment.command:
        from holdfast.text.shell_programs import commands

        found = [one for one in commands(moment.command) if one[0].rpartition("/")[2] in READING]
        named = [word for _, *rest in found for word in rest]
    else:
        return
    top = f"{scene.vault}/"
    _note(scene, episode, env, (path.removeprefix(top) for path in named if path.startswith(top)))


def cited(scene: Scene, episode: Episode, env: Mapping[str, str]) -> None:
    """The agent has named notes in what it said, by their path below the vault or whole."""
    words = (word.strip(AROUND) for word in scene.moment.said.split())
    _note(scene, episode, env, (word.removeprefix(f"{scene.vault}/") for word in words))


def _note(scene: Scene, episode: Episode, env: Mapping[str, str], paths: Iterable[str]) -> None:
    from holdfast.brief import prompt_by_words
    from holdfast.capture import identity

    notes = (path for path in paths if path.endswith(".md") and path.partition("/")[0] in FOLDERS)
    kept = dict.fromkeys(path for path in notes if ".." not in path)
    for path in list(kept)[:MOST]:
        known = prompt_by_words.opened_note(scene.state, path)
        if known is None or not once.first(scene.state, episode.key, f"{USED}{known.id}"):
            continue
        agent = identity.agent_name(env, scene.moment.host, episode.key)
        who = {"agent": agent, "session": episode.key, "project": scene.project.id}
        record = {"v": VERSION, "t": scene.now, "kind": "used", "ids": [known.id], **who}
        record |= {"new": {one: list(began) for one, began in known.new.items()}} if known.new else {}
        try:
            log.append(f"{scene.state}/traffic/log", [codec.encode(record)], durable=False)
        except (HoldfastError, OSError):
            return
        scene.did["used"] = known.id


DECLINES = ("nothing to flag", "nothing durable", "nothing to remember", "nothing worth flagging", "no durable")
NO_ANSWER = "nothing was flagged or declined"
NOT_PUT = "the model has not put it properly; the close files the user's own words"


def stop(scene: Scene, episode: Episode, env: Mapping[str, str], config: Mapping[str, Any]) -> Reply:
    moment = scene.moment
    if moment.agent:
        return Reply()
    boundary.keep_if_due(scene, episode, env, is_boundary=True)
    if ".md" in moment.said and home.has_field(scene.state):
        cited(scene, episode, env)
    if moment.said:
        from holdfast.capture import story

        once.put(scene.state, episode.key, once.LAST_SAID, story.tail(moment.said))
    asked = once.read(scene.state, episode.key, once.ASKED)
    if asked and any(words in moment.said[-4000:].lower() for words in DECLINES):
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
    if is_strict and once.first(scene.state, episode.key, nudge.STOPPED):
        once.drop(scene.state, episode.key, once.HELD)  # this question is the one for it
        question = _question(asked or "", open_requests, words, env)
        nudge.note(scene, episode, "turn-stop", nudge.SAID, "strict mode", characters=len(question))
        return Reply(decision="go-on", reason=question)
    if asked:
        once.drop(scene.state, episode.key, once.ASKED)
        nudge.note(scene, episode, "turn-stop", nudge.SKIPPED, f"a boundary passed ({asked}) and {NO_ANSWER}")
    if open_requests:
        once.drop(scene.state, episode.key, once.REQUESTS)
        nudge.note(scene, episode, "user-request", nudge.SKIPPED, NOT_PUT)
    return Reply()


def _unanswered(scene: Scene, episode: Episode) -> list[str]:
    """The ids of what the user ordered and the model has not put properly."""
    asked = (once.read(scene.state, episode.key, once.REQUESTS) or "").split()
    return [one for one in asked if once.read(scene.state, episode.key, f"{once.ANSWERED}{one}") is None]


def _user_words(scene: Scene, episode: Episode, env: Mapping[str, str], *, is_due: bool) -> str:
    """The user's own sentences that nobody has answered: after work, or where something is asked anyway."""
    if once.read(scene.state, episode.key, nudge.STOPPED) is not None:
        return ""
    from holdfast.hook.tool_call import command_of

    if not is_due and not nudge.worked_since(scene, episode):
        return ""
    return nudge.reminder(scene, episode, command_of(env))


def _question(asked: str, open_requests: list[str], words: str, env: Mapping[str, str]) -> str:
    from holdfast.hook.tool_call import command_of

    command = command_of(env)
    lines = []
    if asked:
        how = f"`{command} flag --kind decision|lesson|progress --evidence FILE:LINE '…'` for each durable fact."
        lines.append(f"Before you stop: a boundary passed ({asked}) and nothing was flagged. {how}")
    if open_requests:
        how = f"`{command} flag --for {open_requests[0]} --kind rule|preference '…'`"
        lines.append(f"What the user asked you to remember is not recorded: {how}.")
    nothing = f'If there is nothing, say "nothing to flag" or run `{command} flag --nothing`.'
    return "\n".join((*lines, *([words] if words else ()), nothing))
