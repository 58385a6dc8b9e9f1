"""Evidence of use: the agent has opened a note, or named it in what it said at the end of a turn.

Once per episode and note it is appended to the traffic log, from which the field reinforces it. A disk that takes
nothing costs a little weight, and nothing else. Where there is no index (`field.db`) nobody imports this.
"""

from __future__ import annotations

from holdfast.capture import codec, log, once
from holdfast.errors import HoldfastError
from holdfast.model import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.capture.episodes import Episode
    from holdfast.hook.scene import Scene

MOST = 5
FOLDERS = ("identity", "rules", "knowledge", "feedback", "projects", "lineage")
USED = "used-"
READERS = ("Read", "NotebookRead", "read_file")
READING = frozenset(("cat", "head", "tail", "less", "more", "bat", "nl", "sed", "awk"))
AROUND = "`'\"()[]{}<>*,.;:!?"  # signs that stand around a path in a sentence


def opened(scene: Scene, episode: Episode) -> None:
    """A tool call has read notes of the vault."""
    moment = scene.moment
    if moment.failed:
        return
    if moment.tool in READERS:
        named = list(moment.paths)
    elif moment.command:
        from holdfast.text.shell_programs import commands

        named = [word for program, *rest in commands(moment.command) if _reads(program) for word in rest]
    else:
        return
    top = f"{scene.vault}/"
    _note(scene, episode, (path.removeprefix(top) for path in named if path.startswith(top)))


def cited(scene: Scene, episode: Episode) -> None:
    """The agent has named notes in what it said, by their path below the vault or whole."""
    words = (word.strip(AROUND) for word in scene.moment.said.split())
    _note(scene, episode, (word.removeprefix(f"{scene.vault}/") for word in words))


def _reads(program: str) -> bool:
    return program.rpartition("/")[2] in READING


def _note(scene: Scene, episode: Episode, paths: Iterable[str]) -> None:
    from holdfast.field import prompt_by_words

    kept = dict.fromkeys(path for path in paths if _is_note(path))
    for path in list(kept)[:MOST]:
        known = prompt_by_words.opened_note(scene.state, path)
        if known is None or not once.first(scene.state, episode.key, f"{USED}{known.id}"):
            continue
        record = {
            "v": VERSION,
            "t": scene.now,
            "kind": "used",
            "ids": [known.id],
            "agent": scene.moment.host,
            "session": episode.key,
            "project": scene.project.id,
            **({"new": {one: list(began) for one, began in known.new.items()}} if known.new else {}),
        }
        try:
            log.append(f"{scene.state}/traffic/log", [codec.encode(record)], durable=False)
        except (HoldfastError, OSError):
            return
        scene.did["used"] = known.id


def _is_note(path: str) -> bool:
    return path.endswith(".md") and path.partition("/")[0] in FOLDERS and ".." not in path
