"""Armed notes at a tool call: what was learned comes back before the call runs, and a rule answers for it.

Knowing the fix is not applying it. A note's lines are injected once in an episode; a rule that says never denies each
time, with its reason and how the user lifts it; one that says ask has the user asked. Rules whose words came from
outside never decide anything. The notes were compiled into one small file (vault/armed); without it this costs one
look that finds nothing.
"""

from __future__ import annotations

from holdfast.capture import armed_match, codec, course, platform, quoting
from holdfast.capture.ids import digest
from holdfast.model import TRUSTED, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.capture.episodes import Episode
    from holdfast.hook.scene import Scene

LARGEST = 4 << 20
MOST_CHARACTERS = 3000  # of all notes that come back at one call


def look(scene: Scene, episode: Episode) -> Reply:
    """What the armed notes have to say to this tool call."""
    moment = scene.moment
    found = [one for one in _all(scene.state) if _applies(one, scene.project.id)]
    found = [one for one in found if armed_match.matches(one["when"], moment.tool, moment.input, moment.paths)]
    if not found:
        return Reply()
    deciding = [one for one in found if one["policy"] in ("never", "ask") and one["origin"] in TRUSTED]
    never = next((one for one in deciding if one["policy"] == "never"), None)
    if never:
        return _decided(scene, episode, "deny", never, f"{_rule(never)} Only the user lifts it: `{_lift(never)}`.")
    ask = next((one for one in deciding if one["policy"] == "ask"), None)
    if ask and moment.asks:
        return _decided(scene, episode, "ask", ask, f"{_rule(ask)} To stop asking: `{_lift(ask)}`.")
    if ask and course.first(scene.state, episode.key, f"ask-{digest(ask['path'] + moment.input)}"):
        wish = "Ask the user; once they have agreed, run the same command again."
        return _decided(scene, episode, "deny", ask, f"{_rule(ask)} {wish}")
    return _injected(scene, episode, found)


def _all(state: str) -> list[dict[str, Any]]:
    try:
        record = codec.decode(platform.read_file(f"{state}/armed", LARGEST))
        return [one for one in record["notes"] if isinstance(one, dict)] if record["v"] == 1 else []
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _applies(one: dict[str, Any], project: str) -> bool:
    return one["project"] in (quoting.GLOBAL, project)


def _rule(one: dict[str, Any]) -> str:
    said = " ".join(str(line).strip() for line in one["lines"])
    asks = "never" if one["policy"] == "never" else "ask first"
    return f'The rule "{one["name"]}" ({one["path"]}) says {asks}: {said.rstrip(".")}.'


def _lift(one: dict[str, Any]) -> str:
    return f"holdfast disarm {quoting.stem(str(one['path']))}"


def _decided(scene: Scene, episode: Episode, decision: str, one: dict[str, Any], reason: str) -> Reply:
    scene.did["armed"] = f"{decision}: {one['path']}"
    _tell(scene, episode, [one], decision)
    return Reply(decision=decision, reason=reason)


def _injected(scene: Scene, episode: Episode, found: list[dict[str, Any]]) -> Reply:
    """The lines of those that this episode has not seen, as data behind our fence."""
    fresh = [one for one in found if course.first(scene.state, episode.key, f"armed-{digest(str(one['path']))}")]
    if not fresh:
        return Reply()
    from holdfast.hook.layout import escape, tidy

    lines = ["<holdfast-memory>", "Remembered for this very call:"]
    room = MOST_CHARACTERS
    for one in fresh:
        source = "" if one["origin"] in TRUSTED else f", from {one['origin']}"
        said = [escape(tidy(str(line))) for line in (f"{one['name']} ({one['path']}{source}):", *one["lines"])]
        room -= sum(len(line) for line in said)
        lines += said if room > 0 else [f"(more: `holdfast show {quoting.stem(str(one['path']))}`)"]
    scene.did["armed"] = [one["path"] for one in fresh]
    _tell(scene, episode, fresh, "injected")
    return Reply("\n".join([*lines, "</holdfast-memory>"]), tuple(str(one["path"]) for one in fresh))


def _tell(scene: Scene, episode: Episode, found: list[dict[str, Any]], how: str) -> None:
    scene.note(
        "injection",
        event=scene.moment.event,
        episode=episode.key,
        project=scene.project.id,
        carried=[one["path"] for one in found],
        armed=how,
    )
