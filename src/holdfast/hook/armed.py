"""Armed notes at a tool call: what was learned comes back before the call runs, and a rule answers for it.

Hosts hand the text of this moment to the model together with the tool's result, which is too late for a render that
hangs. So the first call of an episode, and of each subagent, that a snag or a person has armed a note for is stopped
with its lines; run again, it passes. A note that comes back by its own words is told along with the result and stops
nothing, and so are words from outside. Only the user's rule decides: never denies each time, with its reason and how
the user lifts it; ask has the user asked. A rule holds where no episode is known too, on a disk that takes nothing.

The notes were compiled into one small file (vault/armed_file); without it this costs one look that finds nothing. The
ledger gets what is called after a note was told (`armed`): from it the close learns whether a snag's lesson was taken.
"""

from __future__ import annotations

from holdfast.capture import codec, once, platform
from holdfast.capture.ids import digest
from holdfast.hook import lifecycle
from holdfast.model import TRUSTED, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from holdfast.capture.episodes import Episode, Scene

LARGEST = 4 << 20
MOST_CHARACTERS = 3000  # of all notes that come back at one call, as JSON spells them
LONGEST_RULE = 1000
TEXTS = ("path", "name", "policy", "origin")
MARK = b"holdfast armed 2\n"
DOES = ("runs", "writes", "opens", "packages", "settings")
REMOVING = ("rm ", "mv ", "rmdir", "unlink", "-delete", "rmtree", "trash", "shred")
USER = "user"
AGAIN = "The call has not run. Mind what is remembered; if it still fits, run it again: it is not stopped twice."
HEAD, FOOT = ("<holdfast-memory>", "Remembered for this very call:"), "</holdfast-memory>"


def look(scene: Scene, episode: Episode | None) -> Reply:
    """The answer of the armed notes to this tool call."""
    moment = scene.moment
    found = matching(scene, episode)
    if not found:
        return Reply()
    deciding = {one["policy"]: one for one in reversed(found) if one["origin"] == USER}  # the first of each
    if never := deciding.get("never"):
        lifts = f"Only the user lifts it: `holdfast disarm {_stem(never)}`."
        return _decided(scene, episode, "deny", never, f"{_rule(never)} {lifts}")
    ask = deciding.get("ask")
    if ask and moment.asks:
        lifts = f"To stop asking: `holdfast disarm {_stem(ask)}`."
        return _decided(scene, episode, "ask", ask, f"{_rule(ask)} {lifts}")
    if not episode:
        return Reply()
    if ask and once.first(scene.state, episode.key, _once("ask", scene, ask["path"], moment.input)):
        once.first(scene.state, episode.key, _once("armed", scene, ask["path"]))  # with this its lines are told
        wish = "Ask the user; once they have agreed, run the same command again."
        return _decided(scene, episode, "deny", ask, f"{_rule(ask)} {wish}")
    return _told_first(scene, episode, found)


def failed(scene: Scene, episode: Episode) -> None:
    """A call has failed: the notes that were told for it have not helped."""
    for one in matching(scene, episode):
        name = _once("armed", scene, one["path"])
        if once.read(scene.state, episode.key, name) is not None and not one["own"]:
            scene.note("armed", episode=episode.key, project=scene.project.id, path=one["path"], how="failed")


def matching(scene: Scene, episode: Episode | None) -> list[dict[str, Any]]:
    """The notes that wait for this call, of the session's project and of the call's own."""
    moment = scene.moment
    lowered = moment.input.lower()
    found = []
    effects = None
    wanted: set[str] = set()
    for one in _candidates(scene.state, f"{lowered}\n{moment.tool}\n{moment.cwd}".lower()):
        from holdfast.capture import armed_match, projects

        try:
            when = one["when"]
            if not wanted:
                wanted = {"global", *scene.project.ids}
                if episode and episode.project not in wanted:  # the call is made in another project
                    wanted |= {episode.project, *projects.find(episode.cwd, scene.vault).ids}
            if one["project"] not in wanted:
                continue
            if not armed_match.matches(when, moment.tool, moment.input, moment.paths, lowered):
                continue
            if any(when.get(key) for key in DOES):
                from holdfast.hook import call_effects, call_match

                effects = effects or call_effects.of(moment)
                if not call_match.does(when, effects):
                    continue
            lines = [str(line) for line in one["lines"]]
            more = {"lines": lines, "own": bool(one.get("own")), "better": one.get("better") or []}
            found.append({**{name: str(one[name]) for name in TEXTS}, **more})
        except (KeyError, TypeError, AttributeError, ValueError, IndexError):
            continue
    return found


def _candidates(state: str, lowered: str) -> Iterator[dict[str, Any]]:
    """The compiled notes of which a key stands in the call; those of a file that an older version wrote, all."""
    try:
        data = platform.read_file(f"{state}/armed", LARGEST)
        if not data.startswith(MARK):
            record = codec.decode(data)
            yield from [one for one in record["notes"] if isinstance(one, dict)] if record["v"] == 1 else []
            return
        text = data.decode("utf-8", "replace")
    except (OSError, ValueError, KeyError, TypeError):
        return
    removes = any(word in lowered for word in REMOVING)
    for line in text.split("\n"):
        keys, tab, record = line.partition("\t")
        wanted = keys.split(" ") if tab else ()  # "" is in every call
        if any(key in lowered or (removes and key[:1] == "<" and key[1:] in lowered) for key in wanted):
            try:
                one = codec.decode(record)
            except ValueError:
                continue
            if isinstance(one, dict):
                yield one


def _once(what: str, scene: Scene, *words: str) -> str:
    return f"{what}-{digest(chr(0).join((scene.moment.agent, *words)))}"


def _rule(one: dict[str, Any]) -> str:
    from holdfast.text.layout import tidy

    said = tidy(" ".join(line.strip() for line in one["lines"]))[:LONGEST_RULE]
    asks = "never" if one["policy"] == "never" else "ask first"
    return f'The rule "{one["name"]}" ({one["path"]}) says {asks}: {said.rstrip(".")}.'


def _stem(one: dict[str, Any]) -> str:
    return str(one["path"]).rpartition("/")[2].removesuffix(".md")


def _decided(scene: Scene, episode: Episode | None, decision: str, one: dict[str, Any], reason: str) -> Reply:
    scene.did["armed"] = f"{decision}: {one['path']}"
    _tell(scene, episode, [one], decision)
    return Reply(decision=decision, reason=reason)


def _told_first(scene: Scene, episode: Episode, found: list[dict[str, Any]]) -> Reply:
    """The lines of those that this episode has not seen, as data behind our fence; the call waits for the model."""
    call = digest(scene.moment.input)
    fresh = []
    for one in found:
        name = _once("armed", scene, one["path"])
        if once.first(scene.state, episode.key, name, call):
            fresh.append(one)
        elif not one["own"]:
            _note_call(scene, episode, one, is_same=once.read(scene.state, episode.key, name) == call)
    if not fresh:
        return Reply()
    from holdfast.text.layout import cost, escape, tidy

    lines = [*HEAD]
    room = MOST_CHARACTERS
    shown = []
    for one in fresh:
        source = "" if one["origin"] in TRUSTED else f", from {one['origin']}"
        said = [tidy(line) for line in (f"{one['name']} ({one['path']}{source}):", *one["lines"])]
        spent = sum(cost(line) for line in said)
        if spent <= room:
            room -= spent
            shown.append(one)
            lines += [escape(line) for line in said]
    if len(shown) < len(fresh):
        left = next(one for one in fresh if one not in shown)
        lines.append(escape(tidy(f"({len(fresh) - len(shown)} more: `holdfast show {_stem(left)[:100]}`, …)")))
    text = "\n".join([*lines, FOOT])
    carried = tuple(one["path"] for one in shown)
    scene.did["armed"] = list(carried)
    if any(one["origin"] in TRUSTED and not one["own"] for one in fresh):
        _tell(scene, episode, shown, "told first")
        return Reply(carried=carried, decision="deny", reason=f"{text}\n{AGAIN}")
    _tell(scene, episode, shown, "injected")
    return Reply(text, carried)


def _note_call(scene: Scene, episode: Episode, one: dict[str, Any], *, is_same: bool) -> None:
    """A call that a note was told for comes again: the same one, the better one that it names, or another."""
    from holdfast.capture import armed_match

    ways, lowered = [way for way in one["better"] if isinstance(way, list) and way], scene.moment.input.lower()
    is_better = any(all(armed_match.has_word(lowered, str(word)) for word in way) for way in ways)
    how = "better" if is_better else "again" if is_same else "other"
    scene.note("armed", episode=episode.key, project=scene.project.id, path=one["path"], how=how)


def _tell(scene: Scene, episode: Episode | None, found: list[dict[str, Any]], how: str) -> None:
    lifecycle.note(scene, "injection", episode, carried=[one["path"] for one in found], armed=how)
