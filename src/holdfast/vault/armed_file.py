"""`.state/armed`: all that hooks know of armed notes, compiled after every change into one small file.

    holdfast armed 2
    <key> <key> … TAB <record>      one line for each note; a key has no blank or line break, and one that begins with
                                    `<` counts only in a call that may remove a folder

A record is decoded only where one of its keys stands in the call, so a thousand notes cost a hook little more than the
reading. Notes come from two sources: `when` in the front matter, written by a person, `arm` or a snag; and a note's own
words (vault/named_calls) where it has none. Those bring a note back and stop nothing, unless it is the user's word that
something is never to be done, or to be asked about.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, home, platform
from holdfast.model import TRUSTED
from holdfast.vault import armed, notes
from holdfast.vault.armed import MOST_LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from holdfast.vault.index import Index
    from holdfast.vault.notes import Note

HEAD = "holdfast armed 2"
ABOVE = "<"
MOST_NOTES = 2000
USER = "user"
TICKED = re.compile(r"`([^`\n]{2,200})`")
LITERAL = re.compile(r"[^*?\[\]{}!|]+")


def compile_all(vault: str, known: Index) -> None:
    """Write `.state/armed` anew where it differs. Raises OSError."""
    lines = known.armed_lines(MOST_NOTES)
    data = "\n".join([HEAD, *lines, ""]).encode("utf-8")
    path = f"{home.state(vault)}/armed"
    try:
        if platform.read_file(path) == data:
            return
    except FileNotFoundError:
        if not lines:
            return
    platform.make_folders(home.state(vault))
    platform.write_atomic(path, data, durable=False)


def is_readable(data: bytes) -> bool:
    """True if a hook can read it whole; one that an older version wrote is good until the next change."""
    if not data.startswith(HEAD.encode("ascii")):
        return isinstance(codec.decode(data), dict)
    lines = data.decode("utf-8").split("\n")[1:-1]
    parts = (one.partition("\t") for one in lines)
    return all(tab and isinstance(codec.decode(record), dict) for _, tab, record in parts)


def lines_of(note: Note, named: dict[str, Any]) -> list[str]:
    """The lines of a note that was read whole; `named` is what its own words name."""
    records = _records(note, named) if note.is_active else ()
    return [f"{' '.join(keys(one['when']))}\t{codec.encode(one).decode('utf-8')}" for one in records]


def _records(note: Note, named: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if note.origin not in TRUSTED:
        return  # an outsider's words do not choose when they are heard
    if note.when:
        if not armed.problems_of(note.when):
            own = [line for one in note.body.splitlines() if (line := one.rstrip())]
            lines = armed.fitting(own) or [note.description[:MOST_LETTERS]]
            made = _record(note, note.when, lines, policy(note), is_own=False)
            # The commands that a snag names as the better path, each as the words that tell it.
            better = [line.partition(" Better: ")[2] for line in lines if line.startswith("Snag: ")]
            ways = [span.lower().split()[:6] for line in better for span in TICKED.findall(line)]
            yield {**made, "better": ways} if ways else made
        return
    stops = policy(note, named)
    if named.get("forbidden") and stops:
        yield _record(note, named["forbidden"], named["lines"], stops)
    if named.get("named"):
        yield _record(note, named["named"], named["lines"], "")


def policy(note: Note, named: Mapping[str, Any] | None = None) -> str:
    """True if a call is denied or asked about: by the user's own word and nobody else's. `named` is what the note's own
    words name: they have to forbid it, and "not without asking me" asks."""
    if note.origin != USER or note.unverified or (named is not None and not named.get("forbidden")):
        return ""
    says_never = named is not None and not note.policy and note.kind in ("rule", "feedback")
    if note.policy in ("never", "ask") or says_never:
        return "ask" if note.policy == "ask" or (named or {}).get("asks") else "never"
    return ""


def _record(note: Note, when: dict[str, Any], lines: list[str], stops: str, *, is_own: bool = True) -> dict[str, Any]:
    """`own`: by the note's own words, so that it is told and does not stop the first call."""
    origin = armed.UNVERIFIED if note.unverified else note.origin
    if note.unverified:
        lines = [*lines, notes.UNVERIFIED.format(note.unverified).strip()]
    record = {"path": note.path, "name": note.name, "policy": stops, "origin": origin, "project": note.project}
    made: dict[str, Any] = {**record, "lines": lines, "when": armed.read(when).as_record()}
    return {**made, "own": True} if is_own else made


def keys(when: dict[str, Any]) -> list[str]:
    """Texts of which one stands in every call that a compiled `when` is true of; "" where there is none."""
    alone = [word for word in when["words"] if not set(word) & set(" \t\n")]
    if alone:
        return [max(alone, key=len)]
    if when["paths"]:
        return _distinct(_longest(glob) for glob in when["paths"])
    # The folder that has all of a glob: a call may remove that, and never name what is in it.
    tops = {glob: next(iter(_names(glob)), "") for glob in when.get("writes", ())}
    found = [
        *(_longest(glob) for glob in (*when.get("writes", ()), *when.get("opens", ()))),
        *(f"{ABOVE}{top}" for glob, top in tops.items() if top != _longest(glob)),
        *(one.split()[0] for one in when.get("runs", ())),
        *(form for one in when.get("packages", ()) for form in (one, one.replace("-", "_"))),
        *(one.partition("=")[0].rpartition(".")[2] for one in when.get("settings", ())),
    ]
    return [] if any(one == "*" for one in found) else _distinct(found)


def _names(glob: str) -> list[str]:
    """The part of each name in a glob that is meant as it is written."""
    parts = (max(LITERAL.findall(part), key=len, default="") for part in glob.split("/"))
    return [part for part in parts if part]


def _longest(glob: str) -> str:
    return max(_names(glob), key=len, default="")


def _distinct(found: Iterable[str]) -> list[str]:
    made = list(dict.fromkeys(one.lower() for one in found))
    return [] if any(one.split() != [one] for one in made) else made
