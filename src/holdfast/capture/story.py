"""The story of an episode: the user's prompts and the files that tools changed, as the hook saw them.

A close makes the mechanical handoff of it, files the prompts in the vault (vault/prompts), and drops it once both are
committed. It is a help, not a promise: appended without a sync, so the last lines may go with the power. Secrets are
removed before anything is written.
"""

from __future__ import annotations

from holdfast.capture import codec, log, platform
from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact
from holdfast.errors import NotSaved
from holdfast.model import VERSION, replace, value

LONGEST = 4000  # of one prompt, where it is told
KEPT = 16_000  # of one prompt, where it is kept
BEFORE = 600  # of what the agent had said before it
MARGIN = 8000  # looked at behind it: a secret that is cut in half is no longer recognised
MOST_FILES = 200


@value
class Story:
    """Prompts in the order they were given, files in the order they were first touched."""

    prompts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@value
class Typed:
    """One prompt: its number within the episode, when it came, its words, and the end of what the agent had said before
    it. `worked`: a tool has changed a file since. `pasted`: a long text, and nothing says that the user wrote it."""

    number: int
    time: float
    text: str
    before: str = ""
    worked: bool = False
    pasted: bool = False


def add(
    state: str,
    episode: str,
    now: float,
    prompt: str = "",
    files: tuple[str, ...] = (),
    before: str = "",
    *,
    pasted: bool = False,
) -> bool:
    """Append what a moment tells; False where there was nothing, or no place for it."""
    text = redact(prompt.strip()[: KEPT + MARGIN])[0][:KEPT]
    told = {"prompt": text, "before": tail(before) if text else "", "pasted": bool(text) and pasted}
    told |= {"files": [redact(one)[0] for one in files]}
    record = {"v": VERSION, "t": round(now, 3), **{name: one for name, one in told.items() if one}}
    try:
        if len(record) > 2:
            log.append(_path(state, episode), [codec.encode(record)], durable=False)
    except NotSaved:
        return False
    return len(record) > 2


def is_told(state: str, episode: str) -> bool:
    """True if anything is known of an episode."""
    return bool(platform.text(_path(state, episode), 1))


def read(state: str, episode: str) -> Story:
    """All that was noted; what is torn or odd in it is left aside."""
    records = codec.logged(_path(state, episode))
    prompts = tuple(str(one["prompt"])[:LONGEST] for one in records if one.get("prompt"))
    listed = (one["files"] for one in records if isinstance(one.get("files"), list))
    files = dict.fromkeys(str(path) for paths in listed for path in paths)
    return Story(prompts, tuple(files)[:MOST_FILES])


def typed(state: str, episode: str) -> list[Typed]:
    """The prompts as they are kept, numbered from 1."""
    prompts: list[Typed] = []
    for record in codec.logged(_path(state, episode)):
        said, when = record.get("prompt"), record.get("t")
        if said:
            time = float(when) if isinstance(when, (int, float)) else 0.0
            before, pasted = str(record.get("before", "")), bool(record.get("pasted"))
            prompts.append(Typed(len(prompts) + 1, time, str(said), before, pasted=pasted))
        elif record.get("files") and prompts:
            prompts[-1] = replace(prompts[-1], worked=True)
    return prompts


def tail(said: str) -> str:
    """The end of what an agent said, short and without secrets; one that the cut would halve is looked at whole."""
    text = redact(said.strip()[-(BEFORE + MARGIN) :])[0].strip()
    return text if len(text) <= BEFORE else f"…{text[-BEFORE:]}"


def forget(state: str, episode: str) -> None:
    platform.remove(_path(state, episode))


def _path(state: str, episode: str) -> str:
    return f"{state}/episodes/story/{digest(episode, 24)}"
