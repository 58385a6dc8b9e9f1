"""Records of the ledger as sentences that a person understands: what fired, what an agent was told, what was kept, what
stayed silent and why. A record of a kind that is not known here is shown as it is: nothing is left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.health.ledger_choice import STOPPED
from holdfast.text.layout import many

if TYPE_CHECKING:
    from collections.abc import Callable

GOOD, WARN, BAD, ACCENT = "good", "warn", "bad", "accent"
LONGEST = 600
BOUNDARIES = {
    "session-start": "the start", "session-end": "the end", "first-prompt": "the first prompt",
    "user-request": "a request of the user", "chapter": "a finished chapter", "task": "a finished task",
    "subagent": "a subagent's end", "commit": "a commit", "checkpoint": "a checkpoint",
    "consider": "a filling context", "write": "a nearly full context", "handoff": "a full context",
    "before-compaction": "a compaction", "after-compaction": "the time after a compaction",
    "turn-stop": "the end of a turn", "none": "no moment in particular",
}  # fmt: skip
CAUSES = {
    "remember": "A note was written by hand", "close": "A close wrote notes and a handoff",
    "handoff": "A handoff was written", "promote": "A finding became a note", "review": "A decision of a review",
    "forget": "Notes were forgotten", "undo": "A change was taken back", "sleep": "Sleep wrote a page",
    "purge": "Something was purged for good", "edit": "An edit by hand was taken over",
    "loops": "Snags were looked at again", "improve": "Snags became edits", "check": "The notes were tidied",
    "import": "Notes were imported", "project": "Projects were changed",
    "mended": "The history was mended", "arm": "A note was armed", "disarm": "A note was disarmed",
    "sync": "Memory of another machine came in",
}  # fmt: skip
ARMED = {
    "told first": "A call was stopped until the agent had read", "deny": "A call was stopped by",
    "ask": "A call was put to the user by", "injected": "A call was told of",
}  # fmt: skip
AFTER = {
    "better": ("corrected", "The call was then made the better way", GOOD),
    "again": ("repeated", "The same call was made again after it was told of", WARN),
    "other": ("another call", "Another call was made after it was told of", ""),
    "failed": ("failed", "A call failed although it had been told of", WARN),
}


@dataclass(frozen=True)
class Name:
    """A thing that a record names: a note or a handoff by its path, else a flag that was not filed then."""

    path: str
    words: str
    is_file: bool


@dataclass(frozen=True)
class Said:
    """`label` is one or two words for the kind, `names` the notes that it is about."""

    label: str
    text: str
    tone: str = ""
    why: str = ""
    names: tuple[Name, ...] = ()


def name_of(carried: str) -> Name:
    """A thing that was carried, without the digest behind it."""
    path = carried.rpartition(":")[0] or carried
    is_file = path.endswith(".md")
    words = (
        path.rpartition("/")[2].removesuffix(".md").replace("-", " ") if is_file else "a flag that waited to be filed"
    )
    if path.startswith("lineage/"):
        words = "the handoff of an earlier session"
    return Name(path if is_file else "", words, is_file)


def told(record: dict[str, Any]) -> Said:
    """The sentence of a record."""
    kind = str(record.get("kind") or "")
    return KINDS.get(kind, _other)(record)


def _text(record: dict[str, Any], name: str, most: int = LONGEST) -> str:
    found = record.get(name)
    return str(found)[:most] if found not in (None, "", False) else ""


def _count(record: dict[str, Any], name: str) -> int:
    found = record.get(name)
    return int(found) if isinstance(found, int | float) and not isinstance(found, bool) else 0


def _names(record: dict[str, Any]) -> tuple[Name, ...]:
    carried = record.get("carried")
    return tuple(name_of(str(one)) for one in carried) if isinstance(carried, list) else ()


def _moment(record: dict[str, Any]) -> str:
    named = _text(record, "boundary", 60)
    return BOUNDARIES.get(named, named)


def _hook(one: dict[str, Any]) -> Said:
    event = _text(one, "event", 60)
    spent = f" ({_count(one, 'us') / 1000:.1f} ms)"
    if one.get("opened"):
        how = {"resume": "was taken up again", "clear": "began after a clear"}.get(_text(one, "source"), "began")
        return Said("session", f"A session {how}.", ACCENT)
    tool = _text(one, "tool", 80)
    what = f"a call of {tool}" if tool else {"prompt": "a prompt", "turn-stop": "the end of a turn"}.get(event, event)
    return Said("looked", f"The hook looked at {what}{spent}.")


def _nudge(one: dict[str, Any]) -> Said:
    moment, why = _moment(one), _text(one, "reason")
    decision = _text(one, "decision", 40)
    if decision == "said":
        return Said("asked", f"The agent was asked at {moment} what is worth keeping.", ACCENT, why)
    if decision == "silent":
        return Said("silent", f"Nothing was asked at {moment}.", "", why)
    if decision == "held":
        return Said("held", f"The question at {moment} was kept for a later moment.", "", why)
    if decision == "declined":
        return Said(
            "nothing", f"The agent said at {moment} that there is nothing to keep.", "", "" if "nothing" in why else why
        )
    if decision == "skipped":
        return Said("unanswered", f"There was no answer at {moment}.", WARN, why)
    if decision == "snapshot":
        return Said("snapshot", "The context is about to be cut down; what it held was saved before.", GOOD)
    if decision == "no snapshot":
        return Said("no snapshot", "The context was cut down, and what it held could not be saved.", BAD, why)
    return Said("boundary", f"{decision or 'Something'} at {moment}.", "", why)


def _injection(one: dict[str, Any]) -> Said:
    names, how = _names(one), _text(one, "armed", 40)
    things, size = many(len(names), "thing"), _count(one, "characters")
    room = f" ({size:,} characters)" if size else ""
    if how:
        which = ", ".join(f"“{name.words}”" for name in names[:2]) or "a note"
        return Said("stopped" if how in STOPPED else "told", f"{ARMED.get(how, how)} {which}.",
                    GOOD if how in STOPPED else ACCENT, "", names)  # fmt: skip
    event = _text(one, "event", 40)
    if event == "session-start":
        return Said("told", f"The start was told {things}{room}.", ACCENT, "", names)
    if event == "prompt":
        return Said("told", f"A prompt was given {many(len(names), 'note')} that bear on it{room}.", ACCENT, "", names)
    return Said("told", f"The agent was told {things}{room}.", ACCENT, "", names)


def _armed(one: dict[str, Any]) -> Said:
    label, text, tone = AFTER.get(_text(one, "how", 40), ("armed", "An armed note was met", ""))
    return Said(label, f"{text}.", tone, "", (name_of(_text(one, "path")),) if one.get("path") else ())


def _flag(one: dict[str, Any]) -> Said:
    by = {"agent": "The agent", "user": "You"}.get(_text(one, "origin", 60), "")
    what = _text(one, "flag", 60) or "something"
    who = by or "The agent, with outside text in its context,"
    return Said(
        "kept", f"{who} flagged: {what}.", GOOD if by else WARN, "" if by else f"origin {_text(one, 'origin', 60)}"
    )


def _episode(one: dict[str, Any]) -> Said:
    waiting = _count(one, "waiting")
    left = f" {many(waiting, 'flag')} waited to be filed." if waiting else ""
    if one.get("how") == "died":
        return Said("died", f"A session died without an end.{left}", WARN, _text(one, "reason"))
    return Said("session", f"A session ended.{left}", ACCENT, _text(one, "reason"))


def _close(one: dict[str, Any]) -> Said:
    if one.get("error"):
        return Said("not closed", "A close failed; everything waits as before.", BAD, _text(one, "error"))
    filed = many(_count(one, "filed"), "flag")
    judge = _text(one, "judge", 60)
    by = "word for word" if judge in ("", "verbatim") else f"with {judge}"
    dropped = _count(one, "discarded")
    out = f", {dropped:,} of them left out with a reason" if dropped else ""
    path = _text(one, "handoff")
    wrote = " A handoff was written." if path else ""
    names = (Name(path, "the handoff", is_file=True),) if path else ()
    return Said("closed", f"A close filed {filed} {by}{out}.{wrote}", GOOD, _text(one, "fell_back"), names)


def _vault(one: dict[str, Any]) -> Said:
    cause = _text(one, "cause", 60)
    files = _count(one, "files")
    size = f" ({many(files, 'file')})" if files else ""
    return Said("written", f"{CAUSES.get(cause, f'The memory was changed: {cause}')}{size}.", GOOD, _text(one, "why"))


def _model(one: dict[str, Any]) -> Said:
    by = " / ".join(part for part in (_text(one, "judge", 60), _text(one, "model", 80)) if part) or "A model"
    tokens = f"{_count(one, 'tokens_in'):,} tokens in, {_count(one, 'tokens_out'):,} out"
    job = f" for {_text(one, 'job', 60)}" if one.get("job") else ""
    if one.get("ok", True):
        return Said("model", f"{by} was asked{job}: {tokens}.")
    return Said("model failed", f"{by} was asked{job} and gave no answer: {tokens}.", WARN, _text(one, "error"))


def _task(one: dict[str, Any]) -> Said:
    section = _text(one, "section", 60)
    return Said("task", f"A task was written to{f': {section}' if section else ''}.", GOOD, _text(one, "task", 120))


def _improve(one: dict[str, Any]) -> Said:
    became = {"applied": "became an edit", "noted": "was noted", "proposed": "waits for your word"}.get(
        _text(one, "became", 40), _text(one, "became", 40)
    )
    path = _text(one, "path")
    return Said("snag", f"A snag {became}.", GOOD, "", (name_of(f"{path}:"),) if path.endswith(".md") else ())


def _sleep(one: dict[str, Any]) -> Said:
    counts = [
        f"{_count(one, name):,} {words}"
        for name, words in (("consolidations", "put together"), ("links", "linked"), ("archived", "archived"))
        if _count(one, name)
    ]
    return Said("sleep", f"The memory slept: {', '.join(counts) or 'nothing had to be put together'}.", ACCENT)


def _density(one: dict[str, Any]) -> Said:
    return Said("density", f"The field was measured; its mode is {_text(one, 'mode', 40)}.", "", _text(one, "why"))


def _error(one: dict[str, Any]) -> Said:
    who = " ".join(part for part in (_text(one, "host", 60), _text(one, "event", 80)) if part)
    return Said("error", f"Something failed{f' ({who})' if who else ''}.", BAD, _text(one, "error"))


def _upkeep(_: dict[str, Any]) -> Said:
    return Said("upkeep", "Old files were swept away, and what must be there was counted.")


def _other(one: dict[str, Any]) -> Said:
    rest = ", ".join(f"{name} {str(one[name])[:80]}" for name in one if name not in ("v", "t", "kind", "project"))
    return Said(_text(one, "kind", 40) or "record", f"{rest[:LONGEST] or 'a record'}.")


KINDS: dict[str, Callable[[dict[str, Any]], Said]] = {
    "hook": _hook, "nudge": _nudge, "injection": _injection, "armed": _armed, "flag": _flag, "episode": _episode,
    "close": _close, "vault": _vault, "model": _model, "task": _task, "improve": _improve, "sleep": _sleep,
    "density": _density, "error": _error, "upkeep": _upkeep,
}  # fmt: skip
