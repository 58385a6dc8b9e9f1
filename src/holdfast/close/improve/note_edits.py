"""A snag's edit of the vault, planned into a close: which note, which lines, which `when`; nothing is written here.

Without any model: the rule that is named gets the better path, or is made; what names a tool, a command or a file goes
to a note that is armed for it; the rest is a note as any flag's. The same snag again finds the note that has it. What
the operator wrote, and what is everybody's, is not changed on an agent's word: that edit is proposed, and the snag is a
note of its own meanwhile, so that the memory works before anybody looks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture.quoting import stem as stem_of
from holdfast.close.filing import LARGEST, MOST_SOURCES, Filing, sources_of
from holdfast.close.improve import edit_record, snags
from holdfast.close.improve.edit_record import APPLIED, NOTED, Record
from holdfast.close.improve.snags import Snag
from holdfast.model import TRUSTED, Flag
from holdfast.vault import armed, edits, front_matter_edits, notes
from holdfast.vault.index import EVIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHARED = 2  # words of a snag and of a note's first line, for its records to be looked at
ALIKE = 0.6  # of the words of two snags


@dataclass(frozen=True)
class Edit:
    """A snag's edit of one note: the lines that come to it, and what it is armed with from now on. `before` is its
    text as it was (None: it is made), `after` as it shall be. `is_held`: only a person may let it happen."""

    path: str
    before: str | None
    after: str
    lines: tuple[str, ...] = ()
    when: dict[str, Any] | None = None
    was: dict[str, Any] | None = None
    is_armed: bool = False
    is_held: bool = False
    is_whole: bool = False
    why: str = ""


def planned(filing: Filing, flag: Flag, snag: Snag) -> Edit | None:
    """The edit by rule; None where the snag becomes a note as any flag does."""
    if snag.rule:
        return _rule(filing, flag, snag)
    when = snags.derived(snag)
    return _armed_note(filing, flag, snag, when) if when else None


def _rule(filing: Filing, flag: Flag, snag: Snag) -> Edit | None:
    """The rule that a snag names gets its line, or is made."""
    asked = snag.rule.removeprefix("rules/").removesuffix(".md")
    stem = notes.slug(asked)

    def applies(note: notes.Note) -> bool:
        return note.kind == "rule" and note.is_active and note.applies_to(_project(flag))

    named = [one for one in filing.known.notes if asked in (one.name, one.path) or stem_of(one.path) == stem]
    named.sort(key=lambda one: (one.project == notes.GLOBAL, one.path))
    for path in dict.fromkeys((*(one.path for one in named if applies(one)), f"rules/{stem}.md")):
        found = note_at(filing, path)
        if found and applies(found[0]):
            return added(flag, *found, (snag.line,), None)
    return made(filing, flag, "rule", asked, (snag.line,), snags.derived(snag))


def _armed_note(filing: Filing, flag: Flag, snag: Snag, when: dict[str, Any]) -> Edit | None:
    name = f"Snag {snags.subject(when)}"
    line, key = snag.line, snag.key
    roomy: _ArmedNote | None = None
    for seen in _waiting_for(filing, flag, when, name):
        if key in seen.keys:
            return added(flag, seen.note, seen.text, (), None)
        if roomy is None and len(seen.lines) < armed.MOST_LINES and seen.letters + len(line) <= armed.MOST_LETTERS:
            roomy = seen
    grown = added(flag, roomy.note, roomy.text, (line,), None) if roomy else None
    return grown or made(filing, flag, "feedback", name, (line,), when)


@dataclass(frozen=True)
class _ArmedNote:
    """A note as it was when it was last looked at, with the facts that every snag for the same calls asks for."""

    note: notes.Note
    text: str
    lines: tuple[str, ...]
    letters: int
    keys: frozenset[str]


def _armed_at(filing: Filing, path: str) -> _ArmedNote | None:
    """Many snags of one close may wait for one call, and share many notes: each is parsed once, not for each snag. What
    is remembered lives as long as the close's filing, and only while the text is the same."""
    kept: dict[str, _ArmedNote | None] = vars(filing).setdefault("_seen_by_snags", {})
    known = kept.get(path)
    if not known or known.text != filing.text(path):
        found = note_at(filing, path)
        lines = tuple(own_lines(found[0].body)) if found else ()
        keys = frozenset(snags.key_of(line) for line in lines)
        kept[path] = _ArmedNote(*found, lines, sum(len(line) for line in lines), keys) if found else None
    return kept[path]


def _waiting_for(filing: Filing, flag: Flag, when: dict[str, Any], name: str) -> Iterator[_ArmedNote]:
    """The notes of this project that wait for the same calls and may be added to: those that are known, and those that
    this very close has planned, which are found by the name that they get."""
    known = [one.path for one in filing.known.notes if one.when == when]
    stem = f"{notes.FOLDERS['feedback']}/{notes.slug(name)}"
    nth = 1
    while filing.text(path := f"{stem}{'' if nth == 1 else f'-{nth}'}.md") is not None:
        known.append(path)
        nth += 1
    for path in dict.fromkeys(known):
        found = _armed_at(filing, path)
        if found and found.note.when == when and found.note.is_active and may_change(flag, found.note):
            yield found


def note_at(filing: Filing, path: str) -> tuple[notes.Note, str] | None:
    """A note as this close sees it; None where there is none that can be added to."""
    text = None if path in filing.avoid else filing.text(path)
    if text is None or len(text) > LARGEST:
        return None
    found = notes.from_text(path, text)
    return None if isinstance(found, notes.Broken) else (found, text)


def may_change(flag: Flag, note: notes.Note) -> bool:
    """The operator's own words and what holds everywhere are theirs to change; so is what came from outside."""
    if note.is_beside or note.origin not in TRUSTED:
        return False
    return flag.origin == "user" or (note.origin != "user" and note.project == _project(flag))


def added(flag: Flag, note: notes.Note, text: str, lines: Sequence[str], when: dict[str, Any] | None) -> Edit | None:
    """A note with more lines below its words, and armed where it was not; None where it cannot be changed in place."""
    fresh = tuple(line for line in lines if line not in text.splitlines())
    why = ""
    if note.when and fresh and not _fits([*own_lines(note.body), *fresh]):
        why = "the note is long, so the line does not come back with its first ones"
    return _changed(flag, note, text, _with_lines(text, fresh), when, lines=fresh, why=why)


def _changed(
    flag: Flag, note: notes.Note, before: str, after: str, when: dict[str, Any] | None, **more: Any
) -> Edit | None:
    arms = when if when and note.when is None and note.kind != "rule" else None  # an armed rule is no longer always on
    try:
        made = _with_sources(after, flag, {"when": arms} if arms else {})
    except front_matter_edits.Unparsable:
        return None
    is_armed, is_held = bool(arms or note.when), not may_change(flag, note)
    return Edit(note.path, before, made, when=arms, was=note.when, is_armed=is_armed, is_held=is_held, **more)


def widened(flag: Flag, note: notes.Note, text: str, when: dict[str, Any] | None) -> Edit | None:
    """The note of a snag that came again: it waits for more calls, and knows the later flag too."""
    try:
        after = _with_sources(text, flag, {"when": when} if when else {})
    except front_matter_edits.Unparsable:
        return None
    why = "" if when else "it came again, and its note cannot wait for more calls without firing at every step"
    return Edit(note.path, text, after, (), when, note.when, is_armed=bool(when), why=why)


def rewritten(flag: Flag, note: notes.Note, text: str, body: str, when: dict[str, Any] | None) -> Edit | None:
    """A note with other words, its proof kept below them."""
    proof = note.body.partition(f"\n\n{EVIDENCE}\n")
    head = text[: len(text) - len(note.body)]
    whole = f"{head}\n{body.strip()}\n" + (f"\n{EVIDENCE}\n{proof[2]}" if proof[1] else "")
    return _changed(flag, note, text, whole, when, is_whole=True)


def made(filing: Filing, flag: Flag, kind: str, name: str, lines: Sequence[str], when: dict[str, Any] | None) -> Edit:
    """A note of its own, by the flag's own trust."""
    path = filing.free(notes.FOLDERS[kind], name)
    number = stem_of(path)[len(notes.slug(name)) + 1 :]  # of a path whose name was taken
    more: dict[str, Any] = {name: one for name, one in (("when", when), ("anchors", filing.anchors(flag))) if one}
    text = notes.new_text(
        name=f"{name} ({number})" if number else name,
        description=lines[0].removeprefix("Snag: "),
        kind=kind,
        body="\n\n".join(lines),
        day=notes.day(flag.time),
        project=_project(flag),
        origin=flag.origin,
        sources=sources_of(flag),
        **more,
    )
    return Edit(path, None, _with_proofs(text, flag), tuple(lines), when, None, bool(when))


def own_lines(body: str) -> list[str]:
    """The lines of a note's own words, without the proof below them."""
    words = body.partition(f"\n\n{EVIDENCE}\n")[0]
    return [line.rstrip() for line in words.splitlines() if line.strip()]


def _fits(lines: Sequence[str]) -> bool:
    """Whether all of them come back with an armed note."""
    return len(lines) <= armed.MOST_LINES and sum(len(line) for line in lines) <= armed.MOST_LETTERS


def _with_lines(text: str, lines: Sequence[str]) -> str:
    if not lines:
        return text
    heading = f"\n\n{EVIDENCE}\n"
    at = text.rfind(heading)
    words, rest = (text[:at], text[at:]) if at >= 0 else (text, "")
    grown = words.rstrip("\r\n") + "".join(f"\n\n{line}" for line in lines)
    return grown + (rest or "\n")


def _with_sources(text: str, flag: Flag, more: dict[str, Any]) -> str:
    """The text with the flag's id, day and proof. Raises Unparsable."""
    document = front_matter_edits.parse(text)
    before = document.fields.get("sources") or []
    if not isinstance(before, list):
        raise front_matter_edits.Unparsable(1, "its sources are no list")
    fresh = [one for one in sources_of(flag) if one not in before]
    listed = [*before, *fresh] if len(before) + len(fresh) <= MOST_SOURCES else before
    edited = max(str(document.fields.get("edited") or ""), notes.day(flag.time))
    return _with_proofs(front_matter_edits.edit(document, {"sources": listed, "edited": edited, **more}), flag)


def _with_proofs(text: str, flag: Flag) -> str:
    known = text.splitlines()
    lines = [line for line in (f"- {one}" for one in flag.evidence) if line not in known]
    return edits.with_proofs(text, lines) if lines else text


def _project(flag: Flag) -> str:
    return flag.project or notes.GLOBAL


@dataclass(frozen=True)
class Again:
    """The earlier snag, its note as it is now, and the wider `when`; None where no wider one may be."""

    earlier: Record
    note: notes.Note
    text: str
    when: dict[str, Any] | None


def earlier(filing: Filing, flag: Flag, snag: Snag) -> Again | None:
    """The snag that this one repeats, where an earlier close has dealt with it: its note did not come back where it was
    needed, so it waits for more calls from now on (`snags.wider`), and both records say so."""
    project = flag.project or notes.GLOBAL
    named, words = snags.derived(snag), _words(snag.wrong)
    for known in filing.known.notes:
        if known.kind not in ("feedback", "knowledge") or known.project != project or not known.is_active:
            continue
        if (not named or known.when != named) and len(words & _words(f"{known.name} {known.description}")) < SHARED:
            continue  # its records need not be read
        found = note_at(filing, known.path)
        for record in _records(filing, known):
            theirs = _words(record.wrong)
            is_same = bool(words and theirs) and len(words & theirs) / len(words | theirs) >= ALIKE
            if is_same and record.time < flag.time and found and may_change(flag, found[0]):
                when = found[0].when if isinstance(found[0].when, dict) else None
                return Again(record, *found, snags.wider(when, named) if when else named)
    return None


def _records(filing: Filing, note: notes.Note) -> Iterator[Record]:
    for ident in note.sources:
        path = edit_record.path_of(ident)
        record = edit_record.read(path, filing.text(path)) if edit_record.is_id(ident) else None
        if record and record.state in (APPLIED, NOTED) and record.note == note.path and not record.again:
            yield record


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W_]{3,}", text.casefold()) if word not in ("the", "and", "was", "again")}
