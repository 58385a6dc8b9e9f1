"""What a judge found to last of the user's words, filed as such: verbatim, with its day, an order never confirmed.

Each is known by its session, its prompt and its words, so a close that was killed and is run again files it once. What
a note says already in nearly the same words is not filed again: the note learns that it was said again. A statement
that may be quoted (`doubt`) waits for the user's review, and changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.capture import alike
from holdfast.capture.flags import clean
from holdfast.capture.ids import digest
from holdfast.close.think.lasting import CORRECTION, FACT
from holdfast.vault import frontmatter, notes, prompts, proofs
from holdfast.vault.frontmatter import Unparsable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.close.filing import Filing
    from holdfast.close.think.lasting import Lasts
    from holdfast.close.work import Work
    from holdfast.vault.notes import Note

MOST_DAYS = 50


def file(filing: Filing, work: Work, found: Sequence[Lasts]) -> None:
    """Plan a note for each statement."""
    heard = [alike.words(flag.text) for flag in work.flags if flag.origin == "user"]
    for one in found:
        source = source_of(work.key, one.number, one.quote)
        words = alike.words(one.quote)
        if filing.is_filed(source):
            continue
        replaced = [] if one.doubt else _taken_back(filing, one)
        if any(alike.are(words, other) for other in heard):
            continue  # its flag is filed already
        same = "" if one.doubt else like(filing, work.project, words)
        if same and add_day(filing, same, notes.day(one.time), source):
            continue
        _begin(filing, work, one, source, replaced)


def _taken_back(filing: Filing, one: Lasts) -> list[str]:
    """What the user said before and takes back with this: newest word counts. Only what still waits is superseded."""
    known = filing.known.known.get(one.replaces)
    text = filing.text(one.replaces) if known and one.replaces not in filing.avoid else None
    if text is None or known is None or known.note.status != notes.UNCONFIRMED:
        return []
    filing.put(one.replaces, notes.with_fields(text, status="superseded", edited=notes.day(one.time)))
    return [one.replaces]


def source_of(episode: str, number: int, words: str) -> str:
    return f"said:{digest(episode, 8)}:{number}:{prompts.key(words)}"


def like(filing: Filing, project: str, words: frozenset[str]) -> str:
    """The path of a note that says nearly the same: one of the user's, a rule, or one that waits; "" for none."""
    found = (note for note in _theirs(filing.known.like(words), project) if note.path not in filing.avoid)
    return next((note.path for note in found), "")


def _theirs(known: Iterable[Note], project: str) -> Iterable[Note]:
    for note in known:
        is_theirs = note.origin == "user" or note.kind == "rule" or bool(note.fields.get("said"))
        if is_theirs and note.applies_to(project) and (note.is_active or note.status == notes.UNCONFIRMED):
            yield note


def add_day(filing: Filing, path: str, day: str, source: str) -> bool:
    """A note was said again: it learns when, and by which words. False where it cannot be added to."""
    text = filing.text(path)
    if text is None:
        return False
    try:
        fields = frontmatter.parse(text).fields
        days = str(fields.get("said") or fields.get("created") or "").split()
        sources = [str(one) for one in fields.get("sources") or []]
        if any(one.startswith(source.rsplit(":", 2)[0]) for one in sources):
            return True  # in this session: once more is not again
        changes = {"said": " ".join([*days, day][-MOST_DAYS:]), "sources": [*sources, source]}
        filing.put(path, notes.with_fields(text, **changes), source)
    except (Unparsable, TypeError):
        return False
    return True


def _begin(filing: Filing, work: Work, one: Lasts, source: str, replaced: list[str]) -> None:
    kind = "knowledge" if one.kind == FACT else "feedback"
    text, day = clean(one.quote)[0], notes.day(one.time)
    more: dict[str, Any] = {} if one.doubt else {"said": day}
    if one.kind != FACT:
        more["status"] = notes.UNCONFIRMED
    if replaced:
        more["supersedes"] = replaced
    path = filing.free(notes.QUARANTINE if one.doubt and one.kind != FACT else notes.FOLDERS[kind], notes.title(text))
    made = notes.new_text(
        name=notes.title(text),
        description=text,
        kind=kind,
        body=text,
        day=day,
        project=work.project or notes.GLOBAL,
        origin="tool" if one.doubt else "user",
        sources=[source],
        **more,
    )
    if one.kind == CORRECTION and one.about:
        made = proofs.with_proofs(made, [f"- the agent had: {clean(one.about)[0]}"])
    filing.put(path, made, source)
