"""A judge's decisions carried into the files, under the vault's lock, idempotently by flag id.

Between the question and the lock a person may have edited a note, or another close may have filed a flag: a decision
about a note that is no longer what the judge saw is not carried out, and its flags are filed verbatim. A note that is
made of flags has their lowest trust, names them all as its sources, and keeps their evidence below its words.

A flag that the judge left out is a line with the reason in a file of its month, in the vault and in git.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.capture import gate, platform
from holdfast.close import groups
from holdfast.close.filing import MOST_SOURCES, Filing, is_elsewhere, sources_of
from holdfast.close.groups import DISCARD, MERGE, SUPERSEDE, Decided
from holdfast.model import TRUSTED, Flag
from holdfast.vault import authority, edits, front_matter_edits, notes

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER = "discarded"
HEAD = """# Left out

What was flagged in {month} and a judge did not keep, with its reason. `holdfast remember` brings a line back.

"""
MOST_ANCHORS = 8


def path_of(flag: Flag) -> str:
    where = notes.slug(flag.project or notes.GLOBAL, 40)
    machine = notes.slug(platform.machine().partition(".")[0], 20)
    return f"{FOLDER}/{where}-{notes.day(flag.time)[:7]}-{machine}.md"


def added(text: str | None, flag: Flag, reason: str) -> str:
    """The file with this flag's line."""
    if text and f" ({flag.id}, " in text:
        return text
    before = text or HEAD.format(month=notes.day(flag.time)[:7])
    line = f"- {notes.day(flag.time)} [{flag.kind}] {flag.text} ({flag.id}, {flag.origin}): {reason}\n"
    return before + ("" if before.endswith("\n") else "\n") + line


def know(filing: Filing, flags: Sequence[Flag]) -> None:
    """Flags that an earlier close left out are settled, whoever closes now."""
    for flag in flags:
        path = path_of(flag)
        if not filing.is_filed(flag.id) and f" ({flag.id}, " in (filing.text(path) or ""):
            filing.settle(flag.id, path)


def file(filing: Filing, decided: Decided, by: str) -> bool:
    """Plan one decision; False where its flags have to be filed verbatim."""
    fresh = [flag for flag in decided.flags if not filing.is_filed(flag.id)]
    if len(fresh) < len(decided.flags):
        return not fresh  # some were filed meanwhile: what was decided of all of them together no longer holds
    if decided.action == DISCARD:
        for flag in fresh:
            path = path_of(flag)
            filing.put(path, added(filing.text(path), flag, decided.reason), flag.id)
        return True
    target = filing.known.known.get(decided.target)
    if decided.target in filing.avoid or (target and is_elsewhere(target.note, filing.known)):
        return False
    if decided.target and (any(flag.id in filing.doubts for flag in fresh) or not _may_change(filing, decided)):
        return False  # what is unverified or came from outside changes no note that others believe
    day = notes.day(max(flag.time for flag in fresh))
    sources = [ident for flag in fresh for ident in sources_of(flag)]
    if decided.action == MERGE:
        return merge(filing, decided, by, day=day, sources=sources)
    if decided.action != SUPERSEDE:
        return bool(begin(filing, decided, by, day=day, sources=sources))
    if not is_as_seen(filing, decided) or filing.is_by_hand(decided.target):
        return False
    old = filing.text(decided.target) or ""
    begin(filing, decided, by, day=day, sources=sources, supersedes=[decided.target])
    filing.put(decided.target, notes.with_fields(old, status="superseded", edited=day))
    return True


def _may_change(filing: Filing, decided: Decided) -> bool:
    """Whether the gate lets these flags change the note that they are about."""
    known = filing.known.known.get(decided.target)
    by = gate.Asker(gate.JUDGE, _origin(decided.flags))
    held = known.note.origin if known else ""
    lifted = (gate.Change(what, gate.LIFTED, decided.target, held) for what in authority.of(known))
    return all(gate.decide(by, one) == gate.APPLY for one in lifted)


def take_back(filing: Filing, decided: Decided) -> None:
    """A person was saving the note that this one was to replace: then it replaces nothing."""
    path = filing.places_of([decided.flags[0].id]).get(decided.flags[0].id, "")
    text = filing.text(path) if path else None
    if text is not None and decided.target in (front_matter_edits.parse(text).fields.get("supersedes") or ()):
        filing.put(path, notes.with_fields(text, supersedes=[]))


def is_as_seen(filing: Filing, decided: Decided) -> bool:
    """Whether the note that it is about is what the judge saw, byte for byte: one that was superseded, armed or added
    to meanwhile is another note."""
    return bool(decided.file) and filing.text(decided.target) == decided.file


def begin(
    filing: Filing,
    decided: Decided,
    by: str,
    *,
    day: str,
    sources: Sequence[str],
    supersedes: Sequence[str] = (),
    anchors: Sequence[Any] = (),
) -> str:
    """A new note of what was decided, or the one that says exactly this already; its path, "" where neither can be."""
    flags = decided.flags
    project = flags[0].project or notes.GLOBAL
    kind = notes.OF_FLAGS.get(flags[0].kind, "knowledge")
    same = filing.same(project, kind, decided.body)
    if same and not supersedes:
        are_added = [filing.add_to(same, flag) for flag in flags]
        return same if all(are_added) else ""
    held = [*anchors, *(one for flag in flags for one in filing.anchors(flag))]
    doubt = next((filing.doubts[flag.id] for flag in flags if flag.id in filing.doubts), "")
    found = {"anchors": held[:MOST_ANCHORS], "unverified": doubt, "supersedes": list(supersedes)}
    more: dict[str, Any] = {"judged": by, **{key: one for key, one in found.items() if one}}
    name = decided.name or notes.title(decided.body)
    if supersedes:  # it takes over the name of what it replaces
        path = filing.free(notes.FOLDERS[kind], name)
    else:
        name, path = filing.named(notes.FOLDERS[kind], name, name if decided.name else decided.body)
    text = notes.new_text(
        name=name,
        description=decided.description or decided.body,
        kind=kind,
        body=decided.body,
        day=day,
        project=project,
        origin=_origin(flags),
        sources=sources,
        **more,
    )
    lines = _evidence(flags)
    filing.put(path, edits.with_proofs(text, lines) if lines else text, *sources)
    return path


def merge(filing: Filing, decided: Decided, by: str, *, day: str, sources: Sequence[str]) -> bool:
    """The note that it is about, with what was decided; False where it is not what the judge saw, or full."""
    text = filing.text(decided.target)
    if text is None or not is_as_seen(filing, decided):
        return False
    if groups.lost(decided.seen, decided.body) and filing.is_by_hand(decided.target):
        return False  # the line that it would lose may be the person's
    document = front_matter_edits.parse(text)
    before = [str(one) for one in document.fields.get("sources") or []]
    fresh = [one for one in sources if one not in before]
    if len(before) + len(fresh) > MOST_SOURCES:
        return False
    body = document.body.replace(decided.seen, decided.body, 1)
    head = text[: len(text) - len(document.body)]
    edited = max(str(document.fields.get("edited") or ""), day)
    fields: dict[str, Any] = {"sources": [*before, *fresh], "edited": edited, "judged": by}
    if decided.description:
        fields["description"] = notes.describe(decided.description)
    try:
        changed = front_matter_edits.edit(front_matter_edits.parse(head + body), fields)
    except front_matter_edits.Unparsable:
        return False
    lines = [line for line in _evidence(decided.flags) if line not in changed.splitlines()]
    filing.put(decided.target, edits.with_proofs(changed, lines) if lines else changed, *sources)
    return True


def _origin(flags: Sequence[Flag]) -> str:
    """The lowest trust of the parents."""
    return next((flag.origin for flag in flags if flag.origin not in TRUSTED), flags[0].origin)


def _evidence(flags: Sequence[Flag]) -> list[str]:
    return list(dict.fromkeys(f"- {proof}" for flag in flags for proof in flag.evidence))
