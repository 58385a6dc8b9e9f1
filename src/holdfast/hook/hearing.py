"""What the hook hears and keeps itself: flags in a tool call that may be refused, and what the user orders.

Both are in the queue, synced, before the model does anything. A flag that its command then saves too is the same flag:
the hook leaves word under the name of its words (capture/flag_words), and the command finds it.
"""

from __future__ import annotations

from holdfast.capture import course, flag_words, flagging, flags
from holdfast.errors import UsageError
from holdfast.hook import nudge
from holdfast.model import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode
    from holdfast.hook.scene import Scene
    from holdfast.hook.spoken import Line, Said

REQUESTS = "requests"  # ids of the user's words that the model was asked to put properly
REMEMBER, STANDING, FORGET = "remember", "standing", "forget"
HEARD = {  # how words of each sort are kept: the kind of flag, and its status
    REMEMBER: ("user-request", ""),
    STANDING: ("preference", "unconfirmed"),
    FORGET: ("user-request", "unconfirmed"),
}
ASKS = {
    REMEMBER: "The user wants this remembered; their words are kept as {ids}. Put it properly, with its reason if they "
    "gave one:\n`{command} remember --for {first} --kind rule|feedback|knowledge|identity --name NAME \"…\"`.",
    STANDING: "This may be an order that holds from now on; the user's words are kept, unconfirmed, as {ids}. If it is "
    "one, confirm it:\n`{command} remember --for {first} --kind rule|feedback --name NAME \"…\"`; if not, go on.",
    FORGET: "The user may want a memory forgotten; nothing was removed. `{command} notes` lists what there is; show "
    "them what you found, and once they agree:\n`{command} forget NOTE`.",
}  # fmt: skip


def take(scene: Scene, episode: Episode, line: Line) -> None:
    """Keep the flags in a tool call, each once. What is not certain is left to the shell, and the ledger says so."""
    kept = 0
    for one in line.said:
        if one.name not in ("flag", "snag"):
            continue
        words = _words(one)
        if words is None or words.nothing:
            continue
        if not one.is_certain:
            scene.did["unheard"] = "only the shell knows what will be run"
            continue
        if not course.first(scene.state, episode.key, words.name):
            continue  # heard before, and refused or not: it is in the queue
        try:
            taken = flagging.take_words(scene.vault, words, speaker(scene, episode), scene.now, insist=True)
        except UsageError:
            course.drop(scene.state, episode.key, words.name)
            continue  # the command will say what is wrong with it
        except Exception:
            course.drop(scene.state, episode.key, words.name)
            raise
        course.put(scene.state, episode.key, words.name, "\n".join(flag.id for flag in taken.flags))
        kept += len(taken.flags)
    if kept:
        scene.did["flags"] = kept


def _words(said: Said) -> flag_words.Words | None:
    try:
        return flag_words.read(said.name, list(said.words))
    except UsageError:
        return None


def speaker(scene: Scene, episode: Episode | None, origin: str = "") -> flagging.Speaker:
    """Who is speaking here: the agent, and with it whatever text has entered its context."""
    key = episode.key if episode else ""
    tainted = course.read(scene.state, key, course.TAINT) if key else None
    return flagging.Speaker(scene.moment.host, key, scene.project, origin or tainted or "agent")


def requests(
    scene: Scene, episode: Episode | None, env: Mapping[str, str], config: Mapping[str, Any]
) -> list[nudge.Due]:
    """The user's own orders, verbatim into the queue; and what the model is asked to do about them."""
    from holdfast.hook import requests as reading
    from holdfast.hook.toolcalls import command_of

    if config.get("requests") is False:
        return []
    found = reading.find(scene.moment.prompt)
    if not found:
        return []
    given = []
    sorts = []
    for one in found:
        kind, status = HEARD[one.kind]
        for piece in flags.cut(one.text):
            given.append(flagging.Given(piece, kind if kind in KINDS else "fact", (), status))
            sorts.append(one.kind)
    taken = flagging.take_all(scene.vault, given, speaker(scene, episode, "user"), scene.now, insist=True)
    ids = [flag.id for flag in taken.flags]
    scene.did["requests"] = sorts
    if not episode:
        return []
    asked = [ident for ident, sort in zip(ids, sorts, strict=True) if sort != FORGET]
    if asked:
        before = course.read(scene.state, episode.key, REQUESTS) or ""
        course.put(scene.state, episode.key, REQUESTS, "\n".join([*before.split(), *asked]))
    sort = next(sort for sort in HEARD if sort in sorts)
    mine = [ident for ident, one in zip(ids, sorts, strict=True) if one == sort]
    text = ASKS[sort].replace("{ids}", ", ".join(mine[:5])).replace("{first}", mine[0])
    return [nudge.Due("user-request", text.replace("{command}", command_of(env)), presses=True)]


def unanswered(scene: Scene, episode: Episode) -> list[str]:
    """The ids of what the user ordered and the model has not put properly."""
    asked = (course.read(scene.state, episode.key, REQUESTS) or "").split()
    return [one for one in asked if course.read(scene.state, episode.key, f"{course.ANSWERED}{one}") is None]
