"""Making a brief ahead of the start that will need it, so that the hook only reads one small file.

One file per project and work tree, with the items in order, the files they quote (at most 64, with size and times), and
what has to be there of the files that a note is anchored to. brief/brief_file keeps it true. Beside it lies the same
for work trees of the project that have none yet, where nothing can be said of anchors. Of the handoffs a start tells
that of its branch in full, those before it while there is room, and a line for each that overlapped it and for each
other branch.
"""

from __future__ import annotations

import datetime
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.brief import brief_file as kept
from holdfast.brief import prompt_by_words
from holdfast.brief.brief_file import VERSION, path_of, stamp
from holdfast.capture import codec, field_mode, gitfiles, home, platform, quoting, same_project
from holdfast.capture.agent_files import Edits
from holdfast.model import TRUSTED, Project, replace
from holdfast.vault import anchors, authority, index, journal, lineage, note_facets, notes, prompts
from holdfast.vault.note_facets import Shelf

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.vault.anchors import Anchor
    from holdfast.vault.lineage import Handoff

MOST_FILES = 64
MOST_RULES = 36
MOST_SAID = 20
MOST_ACTIVITY = 5
MOST_HIGHWAYS = 3
MOST_ANCHORS = 4  # of one note
LONGEST_NEEDLE = 1 << 14
MOST_BRIEFS = 20  # that one change renews; the others are renewed by their own next start
TAIL = 1 << 16
NOWHERE = Project("", "", "", "")
WITHIN = 60  # handoffs that are looked at, the newest
WRITTEN_WITHIN = 10  # handoffs: older next steps have been overtaken
MOST_BRANCHES = 4  # that are prepared in full
MOST_BEFORE = 2  # handoffs before the newest of a branch
MOST_LINES = 5


@dataclass
class _Draft:
    """A brief while it is made."""

    vault: str
    project: Project
    watched: list[list[str]]
    shelf: Shelf
    sources: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, list[Any]] = field(default_factory=dict)
    held: list[tuple[dict[str, Any], Anchor]] = field(default_factory=list)
    handed_off: int = 0  # when the newest handoff was written
    branch: str = ""  # of the newest handoff
    edits: Edits = field(init=False)

    def __post_init__(self) -> None:
        self.edits = Edits(self.vault)

    def watch(self, top: str) -> None:
        """The project's folders under one of the vault's."""
        for one in self.project.ids:
            folder = f"{self.vault}/{top}/{notes.slug(one)}"
            self.watched.append([folder, stamp(folder)])

    def place(self, path: str) -> int:
        """The number of a file in the table, -1 where that is full. Call it before the file is read: then an edit that
        comes between is seen by the hook."""
        if path in self.files:
            return list(self.files).index(path)
        if len(self.files) >= MOST_FILES:
            return -1
        seen = stamp(path)
        self.files[path] = [path, seen, *_unsure(seen)]
        return len(self.files) - 1

    def add(
        self, section: str, how: str, path: str, held: tuple[Any, ...] = (), why: dict[str, Any] | None = None
    ) -> None:
        """Quote one file of the vault. One that has nothing to say is watched. `why` is for `boot --explain`."""
        full = f"{self.vault}/{path}"
        number = self.place(full)
        if number < 0:
            self.sources.append({"s": section, "q": [], "more": 1})
            return
        text = authority.committed(self.vault, path) if self.edits.by(path) else kept.read_text(full, notes.LARGEST)
        known = quoting.Quoted()
        if text is not None:
            known = quoting.quote(how, path, text.replace("\r\n", "\n"), self.project.id, self.project.merged)
        source: dict[str, Any] = {"s": section, "how": how, "f": number, "p": path, "q": known.items}
        source |= {"more": known.more, "w": why or {}}
        if how.partition(":")[0] in (quoting.HANDOFF, quoting.EARLIER, quoting.BESIDE) and text is not None:
            fields = quoting.fields_of(text)
            source["e"] = fields.get("episode", "")
            source["w"] = {"author": fields.get("author", ""), "day": fields.get("time", "")[:10]}
            with suppress(ValueError):
                seconds = int(datetime.datetime.fromisoformat(fields.get("time", "")).timestamp())
                self.handed_off = max(self.handed_off, seconds)
        self.sources.append(source)
        found = [anchor for value in held if (anchor := anchors.read(value))]
        self.held += [(source, anchor) for anchor in found[:MOST_ANCHORS]]

    def say(self, section: str, text: str) -> None:
        self.sources.append({"s": section, "q": [[text, ""]]})

    def count(self, section: str, more: int) -> None:
        """There are more than a brief could ever show."""
        if more > 0:
            self.sources.append({"s": section, "q": [], "more": more})

    def with_anchors(self, root: str) -> list[dict[str, Any]]:
        """The sources, with what does not hold and what the hook has to look at. The places left in the table are
        shared out here, last, so that a note with many anchors takes no other note's place."""
        tests: dict[int, list[dict[str, Any]]] = {}
        for source, anchor in self.held:
            tests.setdefault(id(source), []).append(self._test(root, anchor))
        return [{**one, "a": tests[id(one)]} if id(one) in tests else one for one in self.sources]

    def _test(self, root: str, anchor: Anchor) -> dict[str, Any]:
        full = anchors.resolve(root, anchor.path) if root else None
        number = self.place(full) if full else -1
        state = anchors.holds(root, anchor)
        test: dict[str, Any] = {"said": anchors.sentence(anchor, state)}
        if number < 0 or state == "unknown":
            return test
        test.update(f=number, gone=anchors.sentence(anchor, "gone"), changed=anchors.sentence(anchor, "changed"))
        test["unsure"] = f"{anchor.place} may have changed since"
        return {**test, **_look(root, anchor, full or "")}


def _unsure(seen: str) -> list[int]:
    """A file that changed just now may change again within the same tick: the hook reads it whatever its time says."""
    times = seen.split(".")[:2] if seen else ()
    return [1] if max(map(int, times), default=0) > time.time_ns() - index.RACY else []


def _look(root: str, anchor: Anchor, full: str) -> dict[str, Any]:
    """The test that the hook makes, in the words of brief_file.holds_in."""
    if "-" in anchor.hash:
        return {"kind": kept.OPAQUE}
    if not (anchor.symbol or anchor.lines or anchor.hash):
        return {"kind": kept.THERE}
    if not (anchor.symbol or anchor.lines):
        return {"kind": kept.WHOLE, "hash": anchor.hash}
    raw = anchors.needle(root, anchor) or ""
    needle = "\n".join(line.rstrip() for line in raw.split("\n"))
    name = anchor.symbol.replace("::", ".").rpartition(".")[2]
    test: dict[str, Any] = {"kind": kept.SYMBOL, "name": name} if anchor.symbol else {"kind": kept.LINES}
    if anchor.lines:
        test.update(at=list(anchor.lines), hash=anchor.hash)
    if len(needle) <= LONGEST_NEEDLE:
        test["needle"] = needle
    text = kept.read_text(full, kept.LARGEST_ANCHORED)
    if raw and text is not None and not kept.holds_in(test, text):
        return {"kind": kept.OPAQUE}  # a file that our plain look cannot follow
    return {**test, "long": True} if len(needle) > LONGEST_NEEDLE else test


def refresh(vault: str, project: Project, known: index.Index | None = None) -> str:
    """Make the brief of one work tree, or (without an id) the one for places never seen; returns its path."""
    watched = _stamps(vault)
    return _refresh(vault, project, watched, Shelf.of(vault, known or index.load(vault)))


def _stamps(vault: str) -> list[list[str]]:
    """The folders and files of which a change makes a new brief due. To be taken before they are looked into."""
    names = [*notes.FOLDERS.values(), "activity.log", ".state/changed", field_mode.path_of(".state")]
    return [[f"{vault}/{name}", stamp(f"{vault}/{name}")] for name in names]


def _refresh(vault: str, project: Project, watched: list[list[str]], shelf: Shelf) -> str:
    """`watched` was looked at before the notes were: what changes in between makes the brief due again."""
    draft = _Draft(vault, project, list(watched), shelf)
    draft.add("own", quoting.OWN, "BRAIN.md")
    for note in shelf.always_in(project.id, MOST_RULES):
        draft.add("rules", quoting.BODY, note.path, note.anchors, shelf.why(note, "always applies"))
    draft.count("rules", shelf.count("always", project.id) - MOST_RULES)
    _add_said(draft)
    if project.id:
        _add_handoff(draft)
    _add_highways(draft)
    first, more = shelf.first_in(project.id)
    for note in first:
        how = quoting.LINE if note_facets.is_progress(note) else quoting.NOTE  # a list of deeds begins with the oldest
        draft.add("map", how, note.path, note.anchors, shelf.why(note, "by authority, use, then age"))
    draft.count("map", more)
    if project.id:
        _add_activity(draft)
    counts = {  # for the line that the person sees
        "notes": shelf.in_all(project.id),
        "review": shelf.waiting(project.id),
        "handoff": draft.handed_off,
    }
    if project.root and project.id:
        _write(draft, "", counts)
    return _write(draft, project.root, counts)


def _add_said(draft: _Draft) -> None:
    """Add the user's orders in their own words, and the sentences of the last sessions that are likeliest to last."""
    project, shelf = draft.project.id, draft.shelf
    spoken = {}
    if project:
        draft.watch(prompts.FOLDER)
        spoken = prompts.lasting(draft.vault, project, shelf.known)
    sure = [(day, one) for (day, doubt), texts in spoken.items() if not doubt for one in texts]
    theirs, dropped = note_facets.in_force(shelf.said_in(project), MOST_SAID, sure)
    for note in theirs:
        draft.add("said", quoting.SAID, note.path, (), shelf.why(note, "said by the user"))
    draft.count("said", shelf.count("said", project) - dropped - len(theirs))
    for (day, doubt), texts in spoken.items():
        draft.say("said", prompts.said_line(day, texts, doubt=doubt))


def _add_highways(draft: _Draft) -> None:
    """Add the thoughts that several agents come back to, in the shared mode only."""
    state = home.state(draft.vault)
    if field_mode.read(state) != field_mode.SHARED:
        return
    for one in prompt_by_words.busiest(state, draft.project.ids, MOST_HIGHWAYS):
        if one.path.partition("/")[0] in notes.FOLDERS.values():
            draft.add("highways", quoting.HIGHWAY, one.path)
        else:
            outside = "" if one.origin in TRUSTED else f"{quoting.OUTSIDE}{one.origin}]"
            draft.say("highways", f"- {quoting.shortened(' '.join(one.text.split()))} ({one.id}){outside}")


def _add_handoff(draft: _Draft) -> None:
    draft.watch(lineage.FOLDER)
    listed = lineage.names(draft.vault, draft.project.id)
    branch = gitfiles.branch(draft.project.root) if draft.project.root else ""
    chosen, draft.branch = _chosen(draft.vault, listed, branch)
    for one in chosen:
        draft.add(one.section, one.how, one.path)
        if one.only_for is not None:
            draft.sources[-1]["for"] = one.only_for
        if one.not_for is not None:
            draft.sources[-1]["not"] = one.not_for


def _add_activity(draft: _Draft) -> None:
    """The last lines of activity.log about this project, the newest first: a full brief drops what comes last. Those of
    sessions whose handoff is told anyway are passed over."""
    wanted = tuple(f"[{one}] " for one in draft.project.ids)
    raw = journal.readable(draft.vault, "activity.log") or b""
    lines = raw[-TAIL:].decode("utf-8", "replace").split("\n")[1 if len(raw) > TAIL else 0 :]
    mine = [line.partition("] ") for line in lines if line.partition("] ")[2].startswith(wanted)]
    told = tuple(str(source.get("p", "")) for source in draft.sources)
    for when, _, rest in reversed(mine[-MOST_ACTIVITY:]):
        topic = rest.partition("] ")[2]
        ident = topic.rpartition(", ")[2].rstrip(")")
        if not any(path.endswith(f"-{ident}.md") for path in told):
            about = quoting.shortened(topic.rpartition(" (")[0] or topic)
            draft.say("activity", f"- a session ended {when.strip('[ ')[:16]}: {about}")


def _write(draft: _Draft, root: str, counts: dict[str, int]) -> str:
    state = home.state(draft.vault)
    path = path_of(state, draft.project.id, root)
    record = {
        "v": VERSION,
        "project": {**draft.project.as_record(), "root": root},
        "sources": draft.with_anchors(root),
        "files": list(draft.files.values()),
        "watched": draft.watched,
        "branch": draft.branch,
        "counts": counts,
    }
    platform.make_folders(f"{state}/brief")
    platform.write_atomic(path, codec.encode(record), durable=False)
    return path


def refresh_known(vault: str, known: index.Index | None = None, only: str = "") -> int:
    """Make the newest briefs anew, of one project or all; drop those whose work tree is gone. Returns how many."""
    watched = _stamps(vault)
    shelf = Shelf.of(vault, known or index.load(vault))
    if not only:
        _refresh(vault, NOWHERE, watched, shelf)
    done: set[str] = set()
    made = 0
    merged = shelf.known.merged
    for path, before in _made_before(vault):
        if before.id in merged:
            platform.remove(path)  # a merge that is taken back must not find it as it was
        project = _under_merges(before, merged)
        if only not in ("", project.id) or not project.root:
            continue
        if made >= MOST_BRIEFS or not os.path.isdir(project.root):
            platform.remove(path)  # its next start finds none, and has it made
            continue
        _refresh(vault, project, watched, shelf)
        done.add(project.id)
        made += 1
    # Notes that were filed of a project without a brief shall be there at its first start.
    waiting = {only}
    if not only:
        known_before = {project.id for _, project in _made_before(vault)} - merged.keys()
        waiting = {*shelf.known.projects(), *known_before}
    waiting -= {*done, notes.GLOBAL, ""}
    for ident in sorted(waiting):
        if made < MOST_BRIEFS:
            _refresh(vault, _under_merges(Project(ident, "", "", ""), merged), watched, shelf)
            made += 1
        else:  # an old one must not stand in for what is true for all: the global one does, until it is made anew
            platform.remove(path_of(home.state(vault), ident, ""))
    return made


def _under_merges(project: Project, merged: Mapping[str, str]) -> Project:
    first, *others = same_project.family(merged, project.id)
    return replace(project, id=first, merged=tuple(others))


def _made_before(vault: str) -> list[tuple[str, Project]]:
    """The briefs that there are, the newest first."""
    folder = f"{home.state(vault)}/brief"
    names = [name for name in platform.names(folder) if name != "global" and not name.endswith(".tmp")]
    made = []
    for _, path in sorted(((kept.made_at(f"{folder}/{name}"), f"{folder}/{name}") for name in names), reverse=True):
        with suppress(OSError, ValueError, KeyError, TypeError):
            project = Project.from_record(codec.decode(platform.read_file(path, kept.LARGEST_CACHE))["project"])
            if isinstance(project.id, str) and isinstance(project.root, str):
                made.append((path, project))
    return made


@dataclass(frozen=True)
class Choice:
    """One handoff and how it is told. `only_for` is the branch at which it is, `not_for` that at which it is not: there
    it is told in full. None: whatever the branch is."""

    section: str
    how: str
    path: str
    only_for: str | None = None
    not_for: str | None = None


def _chosen(vault: str, listed: list[str], branch: str) -> tuple[list[Choice], str]:
    """The choices in the order in which a start tells them, and the branch of the newest handoff, from `branch` on."""
    by_branch: dict[str, list[tuple[Handoff, int]]] = {}
    newest = ""
    for number in range(len(listed), max(0, len(listed) - WITHIN), -1):
        found = lineage.read(vault, listed[number - 1])
        if isinstance(found, lineage.Handoff):
            newest = newest if by_branch else found.branch
            by_branch.setdefault(found.branch, []).append((found, number))
    first = [name for name in dict.fromkeys((branch, newest)) if name in by_branch]
    names = [*first, *(name for name in by_branch if name not in first)]
    chosen = [one for name in names[:MOST_BRANCHES] for one in _in_full(by_branch[name], name)]
    for name in names[:MOST_LINES]:
        handoff, number = by_branch[name][0]
        chosen.append(Choice("beside", f"{quoting.BESIDE}:{number}", handoff.path, not_for=name))
    return chosen, newest


def _in_full(found: list[tuple[Handoff, int]], branch: str) -> list[Choice]:
    (handoff, number), *before = found
    chosen = [Choice("handoff", f"{quoting.HANDOFF}:{number}", handoff.path, branch)]
    if handoff.author == lineage.MECHANICAL:
        # Nobody wrote this one, so what the last author asked for is still what is to be done next.
        for one, nth in before[:WRITTEN_WITHIN]:
            if one.author != lineage.MECHANICAL and one.items("next_steps"):
                chosen.append(Choice("handoff", f"{quoting.NEXT}:{nth}", one.path, branch))
                break
    began = lineage.compact(handoff.started)
    beside = [(one, nth) for one, nth in before if began and lineage.compact(one.time) > began]
    earlier = [(one, nth) for one, nth in before if (one, nth) not in beside]
    chosen += [Choice("before", f"{quoting.EARLIER}:{nth}", one.path, branch) for one, nth in earlier[:MOST_BEFORE]]
    chosen += [Choice("beside", f"{quoting.BESIDE}:{nth}", one.path, branch) for one, nth in beside[:MOST_LINES]]
    return chosen


def branches(vault: str, project: Project) -> list[str]:
    """The branches for which a start of this work tree is prepared, as it was made last: those of the newest handoffs.
    On any other a start tells the newest."""
    path = path_of(home.state(vault), project.id, project.root)
    try:
        record = codec.decode(platform.read_file(path, kept.LARGEST_CACHE))
        return list(dict.fromkeys(str(one["for"]) for one in record["sources"] if one.get("for")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []  # none was made yet
