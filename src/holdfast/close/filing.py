"""Flags become notes exactly as they were written: the script never decides what matters.

The author's kind says where a flag goes. The same words again only add the flag's id, and proof that is new, to the
note that has them. All of it follows from the flags and the files alone, never from the clock, so a close that was
killed and is run again comes to the same texts: a flag whose id stands in a note's `sources` is filed already.

Every file is read once, and what is planned on that reading is written only where the file still is so. Words from
outside that would steer (rules, feedback, identity) go to quarantine, and never into a note that a person or the agent
wrote, not even as proof.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.capture import gate, quoting
from holdfast.model import TRUSTED, Flag
from holdfast.text.orders import without_request
from holdfast.vault import anchors, edits, front_matter_edits, index, notes
from holdfast.vault.notes import QUARANTINE, UNCONFIRMED, WAITING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

MOST_SOURCES = 200  # of one note; the same words a thousand times need not name each time
MOST_PROGRESS = 500
MOST_SAID = 50  # days that a note names
LARGEST = notes.LARGEST // 4  # bytes up to which a note is added to: one that is too large to be read is lost to all
BINDING = ("rule", "feedback")  # kinds of notes that may wait for the user's word
OPENING_MARKS = "\"'\u201c\u201e\u00ab "
AN_ID = "0" * 25 + "Z"  # as long as any


@dataclass
class GrowingNote:
    """A note to which flags are added. `lines` go last, `proofs` to the evidence."""

    document: front_matter_edits.Document
    sources: list[Any]
    edited: str
    size: int
    seen: set[str]  # its lines
    lines: list[str] = field(default_factory=list)
    proofs: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)  # days on which the user said it again

    @classmethod
    def of(cls, text: str, most: int) -> GrowingNote | None:
        """None where it cannot be added to: somebody is in the middle of it, or wrote what we cannot change."""
        try:
            document = front_matter_edits.parse(text)
            sources = document.fields.get("sources") or []
            if not isinstance(sources, list):
                return None
            # The largest edit that may come is tried now, while the flags can still go elsewhere.
            trial = [*sources, *[AN_ID] * (most - len(sources))]
            front_matter_edits.edit(document, {"sources": trial, "edited": "9999-12-31"})
        except front_matter_edits.Unparsable:
            return None
        size = len(text.encode("utf-8", "surrogateescape"))
        edited = str(document.fields.get("edited") or "")
        return cls(document, list(sources), edited, size, {line.rstrip("\r") for line in text.split("\n")})

    def add(self, lines: list[str], to: list[str]) -> bool:
        """False where it would become too large."""
        fresh = [line for line in dict.fromkeys(lines) if line not in self.seen]
        more = sum(len(line.encode("utf-8", "surrogateescape")) + 1 for line in fresh)
        if fresh and self.size + more > LARGEST:
            return False
        self.size += more
        self.seen.update(fresh)
        to += fresh
        return True

    def text(self) -> str:
        changes: dict[str, Any] = {"sources": self.sources, "edited": self.edited}
        if self.said:
            fields = self.document.fields
            before = str(fields.get("said") or fields.get("created") or "").split()
            changes["said"] = " ".join([*before, *self.said][-MOST_SAID:])
        text = front_matter_edits.edit(self.document, changes)
        if self.proofs:
            text = edits.with_proofs(text, self.proofs)
        return edits.with_lines(text, self.lines)


@dataclass
class Filing:
    """The texts to be written, grown flag by flag. `read` gives a file's text, `root` is the project's folder, `avoid`
    are the paths that somebody else has a hand on."""

    known: index.Index
    read: Callable[[str], str | None]
    root: str = ""
    avoid: frozenset[str] = frozenset()
    is_by_hand: Callable[[str], bool] = lambda _: False  # whether a person has changed a file
    doubts: Mapping[str, str] = field(default_factory=dict)  # why flags are unverified, by id
    planned_on: dict[str, str | None] = field(default_factory=dict)  # every file that was looked at, as it was
    placed: dict[str, str] = field(default_factory=dict)  # flag id -> path of its note
    verbatim: list[str] = field(default_factory=list)  # new notes that nobody has judged

    def __post_init__(self) -> None:
        self._head: str | None = None
        self._fresh: dict[str, str] = {}
        self._drafts: dict[str, GrowingNote | None] = {}
        self._last: dict[str, int] = {}  # the number that a name was last given
        # Additions of this close to the index, which is asked for the rest: it may have many notes.
        self._taken = {path.casefold() for path in self.avoid}
        self._sources: dict[str, str] = {}
        self._words: dict[tuple[str, str, str, str], str] = {}

    @property
    def texts(self) -> dict[str, str | None]:
        """The texts to be written, by path."""
        grown = {path: draft.text() for path, draft in self._drafts.items() if draft and _has_grown(draft)}
        return {**self._fresh, **grown}

    def file(self, flag: Flag) -> str:
        """Plan one flag; returns the path of the note that has it now."""
        path = self._by_source(flag.id) or self._place(flag)
        self.placed[flag.id] = path
        self._sources[flag.id] = path
        for ident in sources_of(flag):
            if not self._by_source(ident):
                self._sources[ident] = path
        return path

    def places_of(self, ids: Iterable[str]) -> dict[str, str]:
        """The paths at which flags were filed before, as far as notes say so."""
        return {ident: path for ident in ids if (path := self._by_source(ident))}

    def _by_source(self, ident: str) -> str:
        """The path of the note that has a flag; "" for none."""
        return self._sources.get(ident) or next(reversed(self.known.made_of(ident)), "")

    def _by_words(self, project: str, kind: str, words: str, waits: str) -> str:
        """The path of the note that says this, and is in force or waits so; "" for none."""
        planned = self._words.get((project, kind, words, waits))
        if planned:
            return planned
        for note in (one.note for one in self.known.saying(words)):
            is_there = note.status in ("active", *WAITING) and note.path not in self.avoid
            is_alike = (note.project, note.kind, _waits(note)) == (project, kind, waits)
            if is_there and is_alike and not is_elsewhere(note, self.known):
                return note.path
        return ""

    def _is_taken(self, path: str) -> bool:
        return path.casefold() in self._taken or self.known.is_taken(path)

    def _place(self, flag: Flag) -> str:
        if flag.kind == "progress":
            return self._progress(flag)
        kind = notes.OF_FLAGS.get(flag.kind, "knowledge")
        guarded = gate.is_guarded(flag)
        project = flag.project or notes.GLOBAL
        waits = QUARANTINE if guarded else flag.status
        text = plain(flag)
        said = (project, kind, index.body_digest(text))
        words = (*said, waits)
        # An order that was confirmed before, as it waited or as the rule it became, is not asked about again.
        kinds = (kind, *BINDING) if flag.status in WAITING else ()
        agreed = (self._by_words(project, one, said[2], "") for one in kinds)
        same = next(filter(None, agreed), "") or self._by_words(*words)
        if same and self._add(same, flag, [f"- {proof}" for proof in flag.evidence]):
            return same
        confirmed = self._confirmed(flag, project, said[2])
        words_of_name = text.lstrip(OPENING_MARKS)
        folder = QUARANTINE if guarded else notes.FOLDERS[kind]
        name, path = self.named(folder, notes.title(words_of_name), words_of_name)
        is_said = flag.origin == "user" or (flag.answers and flag.origin in TRUSTED)
        more: dict[str, Any] = {
            "anchors": self.anchors(flag),
            "status": flag.status,
            "session": flag.episode if waits else "",  # so that a person can decide on all of a session at once
            "said": notes.day(flag.time) if is_said else "",
            "supersedes": confirmed,
            "unverified": self.doubts.get(flag.id, ""),
        }
        more = {"name": name, "kind": kind, **{key: one for key, one in more.items() if one}}
        self._begin(path, flag, description=text, body=_body(flag, text), sources=sources_of(flag), **more)
        self._words[words] = path
        self.verbatim.append(path)
        return path

    def _confirmed(self, flag: Flag, project: str, words: str) -> list[str]:
        """The notes that waited for what this flag says by the user's word: the order it puts properly, or the same
        words. They are superseded, so that nothing that is confirmed is called unconfirmed elsewhere."""
        if flag.status or not (flag.origin == "user" or flag.answers) or flag.origin not in TRUSTED:
            return []
        found = [self._by_source(one) for one in flag.answered]
        found += [self._by_words(project, kind, words, one) for kind in BINDING for one in WAITING]
        settled = []
        for path in dict.fromkeys(one for one in found if one and one not in self.avoid):
            known = self.known.known.get(path)
            text = self.text(path)
            if known is None or text is None or known.note.status not in WAITING:
                continue
            self.put(path, notes.with_fields(text, status="superseded", edited=notes.day(flag.time)))
            settled.append(path)
        return settled

    def anchors(self, flag: Flag) -> list[dict[str, str]]:
        """Evidence that names lines of the project's own files: the note says so when they change."""
        if not self.root or not flag.evidence:
            return []
        if self._head is None:
            self._head = anchors.head(self.root)
        found = (anchors.make(self.root, proof, self._head) for proof in flag.evidence)
        return [made for made in found if made]

    def _progress(self, flag: Flag) -> str:
        """Progress is a line in the month's note of its project, not a note each."""
        month = notes.day(flag.time)[:7]
        project = flag.project or notes.GLOBAL
        stem = f"{notes.slug(project, 40)}-progress-{month}"
        doubt = notes.UNVERIFIED.format(self.doubts[flag.id]) if flag.id in self.doubts else ""
        proof = f" ({'; '.join(flag.evidence)})" if flag.evidence else ""
        line = f"- {notes.day(flag.time)} {flag.text}{doubt}{quoting.from_mark(flag.origin)}{proof}"
        part = 0
        while True:
            part += 1
            path = f"{notes.FOLDERS['project']}/{stem}{'' if part == 1 else f'-{part}'}.md"
            if path in self.avoid:
                continue
            if self._stored(path) is None and not self._is_taken(path):
                name = f"{project} progress {month}" + (f" ({part})" if part > 1 else "")
                about = f"What was done in {flag.project or 'no project'} in {month}, in order"
                self._begin(path, flag, name=name, description=about, kind="project", body=line, sources=[flag.id])
                return path
            if self._add(path, flag, [line], is_progress=True):
                return path

    def _add(self, path: str, flag: Flag, lines: list[str], *, is_progress: bool = False) -> bool:
        """The note gains the id, and the lines that it does not have; False where the flag has to go elsewhere."""
        if path not in self._drafts:
            text = self._stored(path)
            most = MOST_PROGRESS if is_progress else MOST_SOURCES
            self._drafts[path] = None if text is None else GrowingNote.of(text, most)
        draft = self._drafts[path]
        if draft is None:
            return False
        if is_progress:
            owner = str(draft.document.fields.get("project") or notes.GLOBAL)
            if len(draft.sources) >= MOST_PROGRESS or owner != (flag.project or notes.GLOBAL):
                return False  # full, or of another project whose name makes the same file name
        if not draft.add(lines, draft.lines if is_progress else draft.proofs):
            return False
        if is_progress or len(draft.sources) < MOST_SOURCES:
            draft.sources += sources_of(flag)
        draft.edited = max(draft.edited, notes.day(flag.time))
        if flag.origin == "user" and not is_progress:
            draft.said.append(notes.day(flag.time))
        return True

    def text(self, path: str) -> str | None:
        """A file as this close sees it. It is read once: what is planned and what it is planned on are the same."""
        draft = self._drafts.get(path)
        return draft.text() if draft and _has_grown(draft) else self._stored(path)

    def _stored(self, path: str) -> str | None:
        """The file as it is stored, without what is still being added to it."""
        if path in self._fresh:
            return self._fresh[path]
        if path not in self.planned_on:
            self.planned_on[path] = self.read(path)
        return self.planned_on[path]

    def _begin(self, path: str, flag: Flag, **fields: Any) -> None:
        """A new note of a flag, at a path that nobody has."""
        project = flag.project or notes.GLOBAL
        text = notes.new_text(day=notes.day(flag.time), project=project, origin=flag.origin, **fields)
        self.planned_on.setdefault(path, None)
        self._fresh[path] = text
        self._taken.add(path.casefold())

    def put(self, path: str, text: str, *ids: str) -> None:
        """A file is to have this text, in place of what `text` gave; flags with these ids are filed with it."""
        self._stored(path)  # what it is planned on
        self._drafts.pop(path, None)
        self._fresh[path] = text
        self._taken.add(path.casefold())
        for ident in ids:
            self.settle(ident, path)

    def same(self, project: str, kind: str, body: str) -> str:
        """The path of an active note with exactly these words; "" where there is none."""
        return self._by_words(project, kind, index.body_digest(body), "")

    def add_to(self, path: str, flag: Flag) -> bool:
        """A note that is there says it already: it gains the flag's id and its proof."""
        if path in self.avoid or not self._add(path, flag, [f"- {proof}" for proof in flag.evidence]):
            return False
        self.settle(flag.id, path)
        return True

    def settle(self, ident: str, path: str) -> None:
        """A flag is where it belongs, though no note names it."""
        self.placed[ident] = path
        self._sources[ident] = path

    def is_filed(self, ident: str) -> bool:
        """Whether a note has this flag already, from a close before this one or from this one."""
        return bool(self._by_source(ident))

    def named(self, folder: str, name: str, text: str) -> tuple[str, str]:
        """A name and a path that nobody has. Texts with equal first words are told apart by more of their words, and
        by the number in their path where these do not have all of the text."""
        path = self.free(folder, name)
        number = quoting.stem(path).removeprefix(notes.slug(name))[1:]
        if not number:
            return name, path
        longer = notes.longer_title(text)
        is_whole = len(longer) >= len(" ".join(text.split()).rstrip(" .,;:"))
        return (longer if is_whole and longer != name else f"{longer} ({number})"), path

    def free(self, folder: str, name: str) -> str:
        """A path that nobody has, by folder and name."""
        stem = f"{folder}/{notes.slug(name)}"
        nth = self._last.get(stem, 1)
        path = f"{stem}.md" if nth == 1 else f"{stem}-{nth}.md"
        while self._is_taken(path) or self._stored(path) is not None:
            nth += 1
            path = f"{stem}-{nth}.md"
        self._last[stem] = nth
        return path


def is_elsewhere(note: notes.Note, known: index.Index) -> bool:
    """Whether a judged note has all of this one already: a close was killed before it could retire this one. Flags that
    were added to it now would keep it in force, and its older flags would be in two notes."""
    others = [path for path in known.made_of(note.sources[0]) if path != note.path] if note.sources else ()
    found = (known.known[path].note for path in others if path in known.known)
    return any(one.is_active and "judged" in one.fields and set(note.sources) <= set(one.sources) for one in found)


def sources_of(flag: Flag) -> list[str]:
    """The ids that are filed with a flag: its own, and those of the user's words that it puts properly. A session that
    has read outside text may be putting that text's words: then the user's are filed on their own."""
    return [flag.id, *flag.answered] if flag.origin in TRUSTED else [flag.id]


def plain(flag: Flag) -> str:
    """The words of a flag; of what the user wants remembered, without those that ask for it."""
    return without_request(flag.text) if flag.kind == "user-request" and flag.status != UNCONFIRMED else flag.text


def _waits(note: notes.Note) -> str:
    """The word that a note waits for; "" where it is in force."""
    if note.status in WAITING:
        return note.status
    return QUARANTINE if note.path.startswith(f"{QUARANTINE}/") else ""


def _has_grown(draft: GrowingNote) -> bool:
    before = draft.document.fields.get("sources") or []
    return bool(draft.lines or draft.proofs) or draft.sources != before


def _body(flag: Flag, text: str) -> str:
    lines: list[str] = []
    room = LARGEST
    for proof in flag.evidence:
        room -= len(proof.encode("utf-8", "surrogateescape"))
        if room < 0:
            lines.append(f"- and {len(flag.evidence) - len(lines)} more\n")
            break
        lines.append(f"- {proof}\n")
    return f"{text}\n\n{index.EVIDENCE}\n{''.join(lines)}" if lines else text
