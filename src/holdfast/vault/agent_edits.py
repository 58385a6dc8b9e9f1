"""Edits that agents made in the vault with their own tools: they go through the gate like everything else.

A writer looks before it commits what a person edited. Facts, decisions and lessons that an agent wrote into a file are
filed with the agent's origin, whatever the file claims. A rule, preference or identity is a proposal, or, from a
stretch that outside text has entered, goes to quarantine. A note that the agent may not change or remove is put back
from the last commit that was vouched for, and the agent's version waits in quarantine. Nothing is lost: what is no file
at all, such as a link, goes aside into `.state/aside`.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.capture import calls, gate, home, notices, platform, quoting
from holdfast.capture.agent_files import BRAIN, Edits
from holdfast.capture.gate import APPLY, OUTSIDE, REFUSE, Asker, Change, agents_origin
from holdfast.capture.ids import digest
from holdfast.errors import GitFailed, UsageError
from holdfast.model import TRUSTED, replace
from holdfast.vault import authority, index, note_facets, notes
from holdfast.vault.notes import Broken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.vault.index import Known
    from holdfast.vault.transaction import Writer

NOTICE = "agent-edits"
BY_AGENT = "edited_by"  # a field: an agent wrote it into the vault's files
REPLACES = "replaces"  # a field: the note that this version of it would take the place of
IN_FOLDER = {"rules": gate.RULE, "identity": gate.IDENTITY}
NO_WORDS = ("reviewed", "edited", "created", "sources")  # fields in which a note says nothing


@dataclass
class _Plan:
    """One agent's edits: texts to write, those that they were read as, and what to say of it."""

    by: Asker
    texts: dict[str, str | None] = field(default_factory=dict)
    planned_on: dict[str, str | None] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Settled:
    """`is_done`: nothing of an agent's is left to settle; `paths` are the files that were."""

    is_done: bool
    paths: tuple[str, ...] = ()


def settle(writer: Writer, changed: Iterable[str]) -> Settled:
    """Settle agents' edits of these files and of those committed since the last writer. The vault's lock is held."""
    edits = Edits(writer.vault)
    state = home.state(writer.vault)
    if not edits.are_possible():
        _drop_written(state)
        return Settled(is_done=True)
    began = _now(state)
    known, listed = calls.settled(state).head, set(changed)
    with suppress(GitFailed):  # files in commits that no writer of ours made
        listed |= writer.repository.differing(known, writer.repository.head()) if known else set()
    groups: dict[str, list[str]] = {}
    for path in sorted(listed):
        # The words are the agent's own, unless outside text had entered one of the sessions, or nobody looked.
        found = [OUTSIDE[0] if one.startswith(calls.UNKNOWN) else agents_origin(state, one) for one in edits.by(path)]
        if found:
            origin = next((one for one in found if one not in TRUSTED), found[0])
            groups.setdefault(origin, []).append(path)
    done = [_settle(writer, Asker(gate.AGENT, origin), paths) for origin, paths in groups.items()]
    is_done = all(done)
    if is_done:
        drop_until(state, began)
    return Settled(is_done, tuple(path for paths in groups.values() for path in paths))


def drop_until(state: str, time: int) -> None:
    """Drop what agents changed until this time: it is settled. The vault's lock is held."""
    folder = f"{state}/calls/open"
    names = platform.names(folder)
    for name in names:
        known = calls.read_open(f"{folder}/{name}")
        if known and known.begin < time - calls.ABANDONED:
            calls.end(state, name, died=True)
    _keep(state, "ended", lambda line: (end := line.split(" ", 2)[1]).isdecimal() and int(end) >= time)
    _keep(state, "missing", lambda _: False)
    if not names:
        _drop_written(state)


def _drop_written(state: str) -> None:
    """Forget what we wrote: no call is under way that it could be taken for. The vault's lock is held."""
    platform.remove(f"{state}/calls/written")


def _keep(state: str, name: str, wanted: Callable[[str], bool]) -> None:
    """Drop the lines of a list that are not wanted; one that a hook adds meanwhile is kept."""
    path = f"{state}/calls/{name}"
    was_killed = platform.is_there(f"{path}.before")  # a writer before us
    if not was_killed and platform.is_there(path):
        os.rename(path, f"{path}.before")
    kept = [line for line in calls.lines(state, name) if line.count(" ") and wanted(line)]
    if was_killed:
        platform.remove(f"{path}.before")
        platform.remove(path)
    for line in dict.fromkeys(kept):
        calls.append(state, name, line)
    platform.remove(f"{path}.before")


def _now(state: str) -> int:
    """The file system's time."""
    path = f"{state}/calls/now"
    try:
        os.close(os.open(path, calls.MORE, 0o600))
        os.utime(path)
        return os.stat(path).st_ctime_ns
    except OSError:
        return 0


def _settle(writer: Writer, by: Asker, paths: Sequence[str]) -> bool:
    for strict in (False, True):
        plan = _planned(writer, by, paths, strict=strict)
        if not plan.texts:
            return True
        asker = gate.BY_UPKEEP if strict else by
        subject, before = f"edited by an agent: {notes.some_of(list(paths))}", plan.planned_on
        try:
            applied = writer.commit(subject, plan.texts, cause="agent", by=asker, planned_on=before, in_vain=True)
        except gate.Refused:
            continue  # then nothing of it is filed: all waits
        _tell(writer, plan)
        return not any(path in plan.texts for path in applied.skipped)
    return False


def _planned(writer: Writer, by: Asker, paths: Sequence[str], *, strict: bool) -> _Plan:
    plan = _Plan(by)
    for path in paths:
        plan.aside += _set_aside(writer.vault, path)
        before, after = authority.committed(writer.vault, path), writer.read(path)
        plan.planned_on[path] = after
        if before == after and before is not None:
            plan.texts[path] = after  # committed with git in between
        elif path == BRAIN:
            _plan_brain(writer, plan, before, after)
        elif not index.is_note_path(path):
            _put_back(writer, plan, path, before, after)
        else:
            _plan_note(writer, plan, path, before, after, strict=strict)
    if BRAIN in plan.texts:
        known = writer.index.with_texts(plan.texts)
        plan.texts[BRAIN] = note_facets.refreshed(plan.texts[BRAIN], known)
    return plan


def _plan_note(writer: Writer, plan: _Plan, path: str, before: str | None, after: str | None, *, strict: bool) -> None:
    old, new = _known(path, before), _known(path, after)
    is_quarantined = path.startswith(f"{notes.QUARANTINE}/")
    if before is not None and (is_quarantined or (old and old.note.status in notes.WAITING)):
        # It waits for the user, and for nobody else.
        _put_back(writer, plan, path, before, None if is_quarantined else after)
        return
    # A note from outside with the same words: a new name does not make them the agent's.
    same = writer.index.saying(new.digest) if new and before is None else ()
    twin = next((one for one in same if one.note.origin not in TRUSTED), None)
    by = Asker(gate.AGENT, twin.note.origin) if twin and plan.by.is_clean else plan.by
    asked = [gate.decide(by, change) for change in _changes(path, old, new)]
    is_users = old is not None and old.note.origin == "user" and not (new and _is_same(old, new))
    is_readable = new is not None or after is None
    if is_readable and not (strict or is_users) and all(one == APPLY for one in asked):
        plan.texts[path] = after
        if after is not None and new:  # with its true origin: outside text stays outside text, whoever changes it
            is_kept = old is not None and (_is_same(old, new) or old.note.origin not in TRUSTED)
            plan.texts[path] = _stamped(path, after, old.note.origin if old and is_kept else by.origin)
    elif before is not None:
        _put_back(writer, plan, path, before, None if new and old and _is_same(old, new) else after)
    elif twin and twin.note.is_quarantined:
        plan.texts[path] = None  # the same words wait there already
    elif is_quarantined or (by.is_clean and new and not strict and REFUSE not in asked):
        status = {} if is_quarantined else {"status": notes.PROPOSED}
        plan.texts[path] = _stamped(path, after or "", by.origin, **status)
        plan.waiting.append(path)
    else:
        _put_back(writer, plan, path, None, after)


def _known(path: str, text: str | None) -> Known | None:
    found = notes.from_text(path, text) if text is not None else None
    return None if found is None or isinstance(found, Broken) else index.known_of(found)


def _changes(path: str, old: Known | None, new: Known | None) -> list[Change]:
    """Changes that the file claims, lifted and made: as the user's own word, by its kind and by its folder. A file does
    not say whether feedback is a lesson or a preference, so it counts as the latter."""
    claimed = replace(new, note=replace(new.note, origin="user")) if new else None
    lost, gained = authority.of(old), authority.of(claimed)
    if gained and (kind := IN_FOLDER.get(path.partition("/")[0])):
        gained = {*gained, kind}
    if old and new and _is_same(old, new):
        lost, gained = lost - gained, gained - lost
    held = old.note.origin if old else "user"
    lifted, made = ([gate.PREFERENCE if one == gate.LESSON else one for one in sorted(all_)] for all_ in (lost, gained))
    return [*(Change(one, gate.LIFTED, path, held) for one in lifted), *(Change(one, gate.MADE, path) for one in made)]


def _is_same(old: Known, new: Known) -> bool:
    """True if two versions of a note say the same; its proof and its dates are no words of it."""
    keys = {*old.note.fields, *new.note.fields}.difference(NO_WORDS)
    return old.digest == new.digest and all(old.note.fields.get(key) == new.note.fields.get(key) for key in keys)


def _stamped(path: str, text: str, origin: str, **more: str) -> str:
    try:
        return notes.with_fields(text, origin=origin, **{BY_AGENT: "agent"}, **more)
    except UsageError:
        return _wrapped(path, text, origin)


def _wrapped(path: str, text: str, origin: str, **more: str) -> str:
    """A text that is no note, as the body of one."""
    kind = next((kind for kind, folder in notes.FOLDERS.items() if path.startswith(f"{folder}/")), "knowledge")
    name = f"{quoting.stem(path)}, as an agent wrote it"
    body = text.encode("utf-8", "replace").decode("utf-8")
    fields = {**more, BY_AGENT: "agent"}
    return notes.new_text(
        name=name, description=body.strip(), kind=kind, body=body, day="", project=notes.GLOBAL, origin=origin, **fields
    )


def _put_back(writer: Writer, plan: _Plan, path: str, before: str | None, after: str | None) -> None:
    """The file as it was, and the agent's version, if there is one, where a person decides on it."""
    plan.texts[path] = before
    if before is not None:
        plan.restored.append(path)
    if after is None:
        return
    more = {REPLACES: path} if before is not None and index.is_note_path(path) else {}
    is_note = _known(path, after) is not None and index.is_note_path(path)
    try:
        made = notes.with_fields(after, origin=plan.by.origin, status="active", **{BY_AGENT: "agent"}, **more)
    except UsageError:
        is_note = False
    _wait(writer, plan, path, made if is_note else _wrapped(path, after, plan.by.origin, **more))


def _wait(writer: Writer, plan: _Plan, path: str, text: str) -> None:
    taken = {*writer.index.known, *(one.path for one in writer.index.broken), *plan.texts}
    where = notes.free_path("", quoting.stem(path), taken, notes.QUARANTINE)
    plan.texts[where], plan.planned_on[where] = text, None
    plan.waiting.append(where)


def _plan_brain(writer: Writer, plan: _Plan, before: str | None, after: str | None) -> None:
    """The user's own part of the brain is as it was; lines that the agent brought wait."""
    was = quoting.around_map(note_facets.OPENING if before is None else before)
    now = quoting.around_map(after) if after is not None else None
    plan.texts[BRAIN] = before
    if now == was:
        return
    plan.restored.append(BRAIN)
    had = {line.strip() for part in was for line in part.splitlines()}
    fresh = [line for part in now or () for line in part.splitlines() if line.strip() and line.strip() not in had]
    if fresh:
        text = _wrapped("rules/BRAIN.md", "\n".join(fresh), plan.by.origin)
        _wait(writer, plan, "rules/lines-for-the-brain.md", text)


def _set_aside(vault: str, path: str) -> list[str]:
    """Move away a link, a pipe, a folder in the note's place, or more than a note can be, on the way to a note."""
    place = vault
    names = path.split("/")
    for depth, name in enumerate(names):
        place = f"{place}/{name}"
        try:
            seen = os.lstat(place)
        except OSError:
            break
        is_last = depth == len(names) - 1
        fits = stat.S_ISREG(seen.st_mode) and seen.st_size <= notes.LARGEST if is_last else stat.S_ISDIR(seen.st_mode)
        if not fits:
            folder = f"{home.state(vault)}/aside"
            platform.make_folders(folder)
            aside = f"{digest(f'{place} {seen.st_ino} {seen.st_ctime_ns}')}-{name[:80]}"
            os.rename(place, f"{folder}/{aside}")
            return [f".state/aside/{aside}"]
    return []


def _tell(writer: Writer, plan: _Plan) -> None:
    told = (
        ("{} put back as it was (`holdfast forget` removes a note)", plan.restored),
        ("{} waiting for your word (`holdfast review`)", plan.waiting),
        ("what is no file moved to {}", plan.aside),
    )
    parts = [said.format(notes.some_of(paths)) for said, paths in told if paths]
    if parts:
        line = f"An agent edited the vault's files with its own tools: {'; '.join(parts)}."
        with suppress(OSError):
            notices.leave(home.state(writer.vault), f"{NOTICE}-{plan.by.origin}", line, writer.now, once=True)
