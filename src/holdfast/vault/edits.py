"""Edits that a person or agent asks for by name: remember, forget, promote. One commit each, no filter.

`remember` has the user's authority: it is filed at once, as it was said; words that an agent remembers are stamped with
their origin by us and not by their author. `forget` takes a note out of what is loaded
and indexed; history keeps it, and `undo` brings it back. `promote` moves a durable fact out of a handoff into a note at
once, and leaves a link there, so that nothing relies on being copied forward.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.capture import flags, gate, home, once, quoting
from holdfast.capture.flag_words import Words
from holdfast.capture.flags import clean
from holdfast.capture.ids import new_id
from holdfast.capture.quoting import stem
from holdfast.capture.redaction import redact
from holdfast.errors import HoldfastError, NotFound, UsageError
from holdfast.model import KINDS, TRUSTED, Flag
from holdfast.vault import armed, armed_file, authority, index, lineage, notes
from holdfast.vault.front_matter_edits import Unparsable
from holdfast.vault.index import EVIDENCE
from holdfast.vault.transaction import Writer, writing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holdfast.vault.journal import Applied
    from holdfast.vault.lineage import Handoff
    from holdfast.vault.notes import Note

LONGEST = 100_000
LONGEST_NAME = 200
POLICY = re.compile(r"\s*\((never|ask|do)\)\s+", re.IGNORECASE)
KIND_OF_SECTION = {"decisions": "project", "learned": "knowledge"}
AS_FLAGS = {"rule": "rule", "feedback": "preference", "identity": "preference", "project": "decision"}


def with_proofs(text: str, proofs: Sequence[str]) -> str:
    """The note's text with these lines below the proofs that it has, else under a heading of their own at the end."""
    heading = f"\n{EVIDENCE}\n"
    at = text.rfind(heading)
    if at < 0:
        return with_lines(text, ["", EVIDENCE, *proofs])
    at += len(heading)
    while text.startswith("- ", at):
        newline = text.find("\n", at)
        at = len(text) if newline < 0 else newline + 1
    return with_lines(text[:at], proofs) + text[at:]


def with_lines(text: str, lines: Sequence[str]) -> str:
    if lines and not text.endswith("\n"):
        text += "\n"
    return text + "".join(f"{line}\n" for line in lines)


@dataclass(frozen=True)
class Asked:
    """A text to be remembered, and where it applies."""

    text: str
    kind: str = "knowledge"
    project: str = notes.GLOBAL
    name: str = ""
    reason: str = ""
    apply: str = ""
    policy: str = ""
    supersedes: str = ""
    origin: str = "user"  # whose words they are; from outside, what would steer waits for a person
    sources: tuple[str, ...] = ()  # flags that this one puts properly
    evidence: tuple[str, ...] = ()
    here: str = ""  # the project its author is in, where that is not the one it applies to
    status: str = ""  # proposed: it binds once the user accepts it
    session: str = ""  # that it is said in


@dataclass(frozen=True)
class Filed:
    """A text as it was filed. `changes` are sentences about what was altered; `was_there`: nothing new was needed."""

    path: str
    commit: str
    changes: tuple[str, ...] = ()
    was_there: bool = False


def can_be_written(vault: str) -> bool:
    """True if notes can be written from here; a vault that is not there yet can be made."""
    return not os.path.isdir(vault) or os.access(vault, os.W_OK)


def as_flag(vault: str, cwd: str, env: Mapping[str, str], asked: Asked, answers: str, now: float) -> tuple[Flag, ...]:
    """The same words as a flag. Raises UsageError, NotSaved."""
    if asked.policy or asked.supersedes or asked.project == notes.GLOBAL:
        raise UsageError(
            "Notes cannot be written from here, and a flag has no policy, replaces no note and belongs to one project; "
            "nothing was written. Leave those options out, or let the user run it."
        )
    where = gate.here(env, cwd, vault)
    speaker = flags.Speaker(where.host, where.episode, where.project, gate.origin_of(where, vault), where.is_open)
    kind = asked.kind if asked.kind in KINDS else AS_FLAGS.get(asked.kind, "fact")
    more = "".join(f" ({what}: {said})" for what, said in (("why", asked.reason), ("how", asked.apply)) if said)
    words = Words((f"{asked.text}{more}",), kind, answers=answers)
    return flags.take_words(vault, words, speaker, now).flags


@contextmanager
def as_said_here(vault: str, where: gate.Where, asked: Asked, answers: str, now: float) -> Iterator[Asked]:
    """The note as it is to be filed; once it is, the session has answered. Raises UsageError."""
    state = home.state(vault)
    origin = gate.typed_origin(where, vault)
    made = replace(asked, origin=origin, here=where.project.id, session=where.episode)
    meant: list[tuple[str, str]] = []
    if answers:
        meant = flags.answered_words(state, where.episode, answers, now)
        made = replace(made, evidence=tuple(f'the user: "{words}"' for _, words in meant))
        if origin in TRUSTED:
            made = replace(made, origin="user", sources=tuple(ident for ident, _ in meant))
    yield made
    if where.episode:
        once.answered(state, where.episode, now, [ident for ident, _ in meant])


def remember(vault: str, asked: Asked, now: float) -> Filed:
    """File a text as a note, with the user's authority. A rule of the agent's own is a proposal."""
    by = gate.of_origin(asked.origin)
    what = {"preference": gate.PREFERENCE}.get(asked.kind, "")
    asked = _as_policy(replace(asked, kind=notes.OF_FLAGS.get(asked.kind, asked.kind)))
    what = what or authority.OF_KIND.get(asked.kind, gate.FACT)
    if by.is_clean and gate.decide(by, gate.Change(what)) == gate.WAIT:
        asked = replace(asked, status=notes.PROPOSED)
    with writing(vault, now) as writer:
        old = None
        if asked.supersedes:  # another project's is not to be replaced from here, whatever part of its name was said
            mine = (note for note in writer.index.notes if note.applies_to(asked.here or asked.project))
            old = notes.find(mine, asked.supersedes)
            gate.require(by, gate.Change(gate.FACT, gate.LIFTED, old.path, old.origin), f"Replacing {old.path}")
        path, made, changes = _plan(writer, asked, asked.origin, f"remember:{new_id(now)}")
        subject = f"remember: {title(_utf8(asked.name or asked.text))}"
        if made is None:
            return Filed(path, _add_sources(writer, path, asked, subject, by), changes, was_there=True)
        texts: dict[str, str | None] = {path: made}
        planned_on: dict[str, str | None] = {path: None}
        if old:
            planned_on[old.path] = writer.read(old.path) or ""
            texts[old.path] = notes.with_fields(planned_on[old.path] or "", status="superseded", edited=notes.day(now))
            texts[path] = notes.with_fields(made, supersedes=[old.path])
            changes += (f"{old.path} is superseded; it is kept, and no longer loaded",)
        applied = writer.commit(subject, texts, cause="remember", by=by, planned_on=planned_on)
        _refuse_skipped(path, applied)
        return Filed(path, applied.commit, (*changes, *_comes_back(writer, path)))


def _as_policy(asked: Asked) -> Asked:
    """`(never) Never force-push main` is a rule as the map shows one."""
    found = POLICY.match(asked.text)
    if not found or asked.policy or asked.kind not in ("rule", "knowledge"):
        return asked
    return replace(asked, text=asked.text[found.end() :], kind="rule", policy=found[1].lower())


def _comes_back(writer: Writer, path: str) -> Iterator[str]:
    """At which calls a new note will come back by its own words, and whether it stops them."""
    known = writer.index.known.get(path)
    named = known.named if known else {}
    if known and named and known.note.is_active:
        stops = armed_file.policy(known.note, named)
        does = {"never": "it stops", "ask": "you are asked before"}.get(stops, "it comes back at")
        calls = named["forbidden"] if stops else named.get("named") or named["forbidden"]
        yield f"{does} {armed.said(calls)}; `holdfast disarm {stem(path)}` ends that"


def _add_sources(writer: Writer, path: str, asked: Asked, subject: str, by: gate.Asker) -> str:
    """A note says it already: it gets what it did not know of, the user's own words; returns the commit."""
    known = writer.index.known[path].note
    fresh = [one for one in asked.sources if one not in known.sources]
    text = writer.read(path)
    is_confirmed = known.status in notes.WAITING and not asked.status
    if text is None or not (fresh or is_confirmed):
        return ""
    more = {"status": "active", "origin": asked.origin} if is_confirmed else {}
    try:
        changed = notes.with_fields(text, sources=[*known.sources, *fresh], **more)
    except Unparsable:
        return ""  # the flag is filed on its own
    changed = with_proofs(changed, _proofs(asked))
    return writer.commit(subject, {path: changed}, cause="remember", by=by, planned_on={path: text}).commit


def _proofs(asked: Asked) -> list[str]:
    return [f"- {redact(clean(_utf8(one))[0])[0]}" for one in asked.evidence]


def _refuse_skipped(path: str, applied: Applied) -> None:
    if path in applied.skipped:
        raise HoldfastError(f"{path} cannot be written, since something else stands there; nothing was remembered.")


def _utf8(text: str) -> str:
    """Bytes of a command line that are no text become signs: a note has to be readable."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if not text.isascii() else text


def _plan(writer: Writer, asked: Asked, origin: str, source: str) -> tuple[str, str | None, tuple[str, ...]]:
    """The note's path, its text (None: one says exactly this already), and sentences about what was altered."""
    text, labels = redact(_utf8(asked.text).strip())
    changes: tuple[str, ...] = (f"secrets were redacted before writing: {', '.join(labels)}",) if labels else ()
    if not text:
        raise UsageError("The text is empty; nothing was written. Say what to remember.")
    more = (("Why", asked.reason), ("How to apply", asked.apply))
    said = [(head, redact(_utf8(words))[0].strip()) for head, words in more]
    body = "\n\n".join([text, *(f"**{head}:** {words}" for head, words in said if words)])
    if asked.evidence:
        body = with_proofs(f"{body}\n", _proofs(asked))
    if len(body) > LONGEST:
        raise UsageError(f"The text has {len(body):,} characters, {LONGEST:,} is the most; nothing was written.")
    if len(asked.name) > LONGEST_NAME:
        size = f"{len(asked.name):,} characters, {LONGEST_NAME} is the most"
        raise UsageError(f"The name has {size}; nothing was written.")
    if asked.kind not in notes.FOLDERS:
        raise UsageError(f'"{asked.kind}" is no kind of note; nothing was written. One of: {", ".join(notes.FOLDERS)}.')
    if asked.policy and (asked.policy not in notes.POLICIES or asked.kind != "rule"):
        wrong = f'A rule can say do, ask or never, not "{asked.policy}", and other notes nothing'
        raise UsageError(f"{wrong}; nothing was written.")
    same = _with_words(writer.index, asked, index.body_digest(body))
    if same:
        return same, None, changes
    name = redact(clean(_utf8(asked.name))[0])[0] or title(text)
    by = gate.of_origin(origin)
    what = gate.Change(authority.OF_KIND.get(asked.kind, gate.FACT))
    is_guarded = not by.is_clean and gate.decide(by, what) == gate.WAIT
    if is_guarded:
        changes += (f"outside text ({origin}) has entered this session, so it waits for a person: `holdfast review`",)

    def is_taken(path: str) -> bool:  # by a note, a folder, or whatever else has the name
        return writer.index.is_taken(path) or os.path.lexists(f"{writer.vault}/{path}")

    path = notes.free_path(asked.kind, name, is_taken, folder=notes.QUARANTINE if is_guarded else "")
    made = notes.new_text(
        name=name,
        description=clean(text)[0],
        kind=asked.kind,
        body=body,
        day=notes.day(writer.now),
        project=asked.project,
        origin=origin,
        sources=[source, *asked.sources],
        policy=asked.policy,
        **({"status": asked.status} if asked.status and not is_guarded else {}),
        **({"session": asked.session} if asked.session and (is_guarded or asked.status) else {}),
    )
    if asked.status and not is_guarded:
        changes += ("it is a proposal: it binds once the user accepts it (`holdfast review`)",)
    return path, made, changes


def _with_words(known: index.Index, asked: Asked, words: str) -> str:
    """The note that says exactly this already, active or waiting for the user's word; "" where there is none."""
    for note in (one.note for one in known.saying(words)):
        is_waiting = note.waits and not note.is_quarantined and asked.origin in TRUSTED
        if (note.is_active or is_waiting) and (note.kind, note.project) == (asked.kind, asked.project):
            return note.path
    return ""


def title(text: str) -> str:
    return notes.title(clean(text)[0])


def matching(known: Sequence[Note], wanted: str) -> list[Note]:
    """The notes that a person may mean: the one of that name or path, else those with these words."""
    try:
        return [notes.find(known, wanted)]
    except NotFound:
        words = _utf8(wanted).casefold().split()
        said = [(note, f"{note.name} {note.description} {note.path}".casefold()) for note in known]
        return [note for note, text in said if words and all(word in text for word in words)]


def forget(vault: str, paths: Sequence[str], now: float, *, by: gate.Asker) -> str:
    """Take notes out of the vault; returns the commit. History keeps them."""
    with writing(vault, now) as writer:
        there = [path for path in paths if writer.read(path) is not None]
        if not there:
            raise NotFound("There is no such note any more; nothing was changed.")
        some = notes.some_of(there)
        applied = writer.commit(f"forget: {some}", dict.fromkeys(there), cause="forget", by=by)
        kept = [path for path in there if path in applied.skipped]
        if kept:
            raise HoldfastError(f"{', '.join(kept)} was edited at this very moment and is kept. Run it again.")
        return applied.commit


def promotable(handoff: Handoff) -> list[tuple[str, str]]:
    """The durable items of a handoff that have no note yet: (section, text)."""
    sections = ("decisions", "learned", "note", "done", "in_progress", "blockers")
    return [(key, item) for key in sections for item in handoff.items(key) if "](../../" not in item]


def promote(vault: str, project: str, wanted: str, kind: str, now: float, *, by: gate.Asker) -> tuple[Filed, str]:
    """Move one item of the newest handoff into a note; returns where, and the handoff's path. One commit."""
    with writing(vault, now) as writer:
        found = lineage.newest(vault, project)
        if not found:
            raise NotFound("This project has no handoff yet; nothing was changed.")
        handoff, _ = found
        section, item = _chosen(promotable(handoff), wanted)
        text = writer.read(handoff.path) or ""
        place = _line_with(text, item)
        if place is None:
            raise HoldfastError(f"That item spans several lines of {handoff.path}; nothing was changed. Use remember.")
        asked = Asked(item, kind or KIND_OF_SECTION.get(section, "knowledge"), project)
        source = f"{notes.FROM_HANDOFF}{handoff.path.rpartition('/')[2]}"
        path, made, changes = _plan(writer, asked, _origin(item, asked.kind), source)
        linked = f"{text[: place[0]]}{title(item)} ([note](../../{path})){text[place[1] :]}"
        texts = {handoff.path: linked, **({} if made is None else {path: made})}
        planned_on = {handoff.path: text, **({} if made is None else {path: None})}
        applied = writer.commit(f"promote: {title(item)}", texts, cause="promote", by=by, planned_on=planned_on)
        _refuse_skipped(path, applied)
        if handoff.path in applied.skipped:
            changes += (f"{handoff.path} was edited at this very moment, so it has no link yet",)
    return Filed(path, applied.commit, changes, was_there=made is None), handoff.path


def _line_with(text: str, item: str) -> tuple[int, int] | None:
    """The place of an item's words, if they are one line; bullet, indent and line break are not of them."""
    at = 0
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        if (bare[2:].strip() if bare.startswith(("- ", "* ")) else bare) == item:
            return at + line.index(item), at + line.index(item) + len(item)
        at += len(line)
    return None


def _origin(item: str, kind: str) -> str:
    """The origin of an item. Outside text does not steer because somebody moved it. Raises UsageError."""
    found = quoting.said_by(item)[1]
    if found not in TRUSTED and kind in ("rule", "feedback", "identity"):
        raise UsageError(
            f"That came from outside ({found}), and a note of kind {kind} would steer; nothing was changed. "
            "Say it in your own words with `holdfast remember`."
        )
    return found


def _chosen(items: list[tuple[str, str]], wanted: str) -> tuple[str, str]:
    if wanted.isdecimal() and 0 < int(wanted) <= len(items):
        return items[int(wanted) - 1]
    found = [one for one in items if wanted.casefold() in one[1].casefold()]
    if len(found) != 1:
        what = "No item of the newest handoff has" if not found else f"{len(found)} items of the newest handoff have"
        raise NotFound(f'{what} "{wanted}"; nothing was changed. `holdfast promote` lists them with numbers.')
    return found[0]
