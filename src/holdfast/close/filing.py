"""Flags become notes exactly as they were written: the script never decides what matters.

The author's kind says where a flag goes. The same words again only add the flag's id to the note that has them. All of
it follows from the flags and the files alone, never from the clock, so a close that was killed and is run again comes
to the same texts: a flag whose id stands in a note's `sources` is filed already.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.vault import anchors, frontmatter, index, notes
from holdfast.vault.frontmatter import Unparsable
from holdfast.vault.index import EVIDENCE
from holdfast.vault.notes import QUARANTINE

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.model import Flag

NOTE_KINDS = {
    "decision": "project",
    "progress": "project",
    "rule": "rule",
    "lesson": "knowledge",
    "fact": "knowledge",
    "preference": "feedback",
    "snag": "feedback",
    "user-request": "feedback",
}
TRUSTED = ("user", "agent")
GUARDED = ("rule", "feedback", "identity")  # kinds that steer: from outside text they wait for a person
MOST_SOURCES = 200  # of one note; the same words a thousand times need not name each time
MOST_PROGRESS = 500
LONGEST_TITLE = 48


@dataclass
class Filing:
    """The texts to be written, grown flag by flag. `read` gives a file's text, `root` is the project's folder."""

    known: index.Index
    read: Callable[[str], str | None]
    root: str = ""
    texts: dict[str, str | None] = field(default_factory=dict)
    planned_on: dict[str, str | None] = field(default_factory=dict)
    placed: dict[str, str] = field(default_factory=dict)  # flag id -> path of its note

    def __post_init__(self) -> None:
        self._head: str | None = None
        self._taken = {path.casefold() for path in (*self.known.known, *(one.path for one in self.known.broken))}
        self._by_source = {source: note.path for note in self.known.notes for source in note.sources}
        self._by_words = {
            (one.note.project, one.note.kind, one.digest): path
            for path, one in self.known.known.items()
            if one.note.is_active
        }

    def file(self, flag: Flag) -> str:
        """Plan one flag; returns the path of the note that has it now."""
        path = self._by_source.get(flag.id) or self._place(flag)
        self.placed[flag.id] = path
        self._by_source[flag.id] = path
        return path

    def _place(self, flag: Flag) -> str:
        if flag.kind == "progress":
            return self._progress(flag)
        kind = NOTE_KINDS.get(flag.kind, "knowledge")
        words = (flag.project, kind, index.body_digest(flag.text))
        same = self._by_words.get(words)
        if same and self._add_to(same, flag):
            return same
        guarded = flag.origin not in TRUSTED and kind in GUARDED
        path = self._free(QUARANTINE if guarded else notes.FOLDERS[kind], title(flag.text))
        more: dict[str, Any] = {}
        held = (
            [made for made in (anchors.make(self.root, proof) for proof in flag.evidence) if made] if self.root else []
        )
        if held:
            more["anchors"] = held
        self._write(
            path,
            notes.new_text(
                name=title(flag.text),
                description=flag.text,
                kind=kind,
                body=_body(flag),
                day=day(flag.time),
                project=flag.project or notes.GLOBAL,
                origin=flag.origin,
                sources=[flag.id],
                **more,
            ),
        )
        if not guarded:
            self._by_words[words] = path
        return path

    def _anchors(self, flag: Flag) -> list[dict[str, Any]]:
        """Evidence that names lines of the project's own files: the note says so when they change."""
        if not self.root or not flag.evidence:
            return []
        if self._head is None:
            self._head = anchors.head(self.root)
        found = (anchors.make(self.root, proof, self._head) for proof in flag.evidence)
        return [made for made in found if made]

    def _progress(self, flag: Flag) -> str:
        """Progress is a line in the month's note of its project, not a note each."""
        month = day(flag.time)[:7]
        stem = f"{notes.slug(flag.project or 'global', 40)}-progress-{month}"
        for part in range(1, 1000):
            path = f"{notes.FOLDERS['project']}/{stem}{'' if part == 1 else f'-{part}'}.md"
            text = self._text(path)
            if text is None:
                name = f"progress {month}" + (f" ({part})" if part > 1 else "")
                described = f"What was done in {flag.project or 'no project'} in {month}, in order"
                text = notes.new_text(
                    name=f"{flag.project or 'global'} {name}",
                    description=described,
                    kind="project",
                    body="",
                    day=day(flag.time),
                    project=flag.project or notes.GLOBAL,
                    origin=flag.origin,
                )
            if self._append(path, text, flag, f"- {day(flag.time)} {flag.text}{_proof(flag)}\n", MOST_PROGRESS):
                return path
        raise AssertionError("a thousand full notes of one month")

    def _add_to(self, path: str, flag: Flag) -> bool:
        """The same words once more: the note gains the id, and proof that it did not have."""
        text = self._text(path)
        if text is None:
            return False
        fresh = [proof for proof in flag.evidence if proof not in text]
        lines = "".join(f"- {proof}\n" for proof in fresh)
        if fresh and f"\n{EVIDENCE}\n" not in text:
            lines = f"\n{EVIDENCE}\n{lines}"
        return self._append(path, text, flag, lines, None)

    def _append(self, path: str, text: str, flag: Flag, lines: str, most: int | None) -> bool:
        try:
            document = frontmatter.parse(text)
            sources = document.fields.get("sources") or []
            if not isinstance(sources, list):
                return False
            if most is not None and len(sources) >= most:
                return False
            listed = [*sources, flag.id] if most or len(sources) < MOST_SOURCES else sources
            edited = max(str(document.fields.get("edited") or ""), day(flag.time))
            text = frontmatter.edit(document, {"sources": listed, "edited": edited})
        except Unparsable:
            return False  # a person is in the middle of it: the flag gets a note of its own
        if lines and not text.endswith("\n"):
            text += "\n"
        self._write(path, text + lines)
        return True

    def _text(self, path: str) -> str | None:
        return self.texts[path] if path in self.texts else self.read(path)

    def _write(self, path: str, text: str) -> None:
        if path not in self.planned_on:
            self.planned_on[path] = self.read(path)
        self.texts[path] = text
        self._taken.add(path.casefold())

    def _free(self, folder: str, name: str) -> str:
        stem = notes.slug(name)
        path, nth = f"{folder}/{stem}.md", 1
        while path.casefold() in self._taken or self._text(path) is not None:
            nth += 1
            path = f"{folder}/{stem}-{nth}.md"
        return path


def day(when: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(when))


def title(text: str) -> str:
    """A short name: the beginning of a text, cut at a word."""
    line = " ".join(text.split())
    if len(line) > LONGEST_TITLE:
        cut = line.rfind(" ", LONGEST_TITLE // 2, LONGEST_TITLE)
        line = line[: cut if cut > 0 else LONGEST_TITLE]
    return line.rstrip(" .,;:-\u2013\u2014(") or "note"


def _body(flag: Flag) -> str:
    proofs = "".join(f"- {proof}\n" for proof in flag.evidence)
    return f"{flag.text}\n\n{EVIDENCE}\n{proofs}" if proofs else flag.text


def _proof(flag: Flag) -> str:
    return f" ({'; '.join(flag.evidence)})" if flag.evidence else ""
