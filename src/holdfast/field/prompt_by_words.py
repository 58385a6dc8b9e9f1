"""The look-up at a session's first prompt: which notes clearly bear on it, by words alone, read-only, in milliseconds.

It runs in the hook, so it needs neither `re` nor numpy, takes the index as it is and never waits. A note bears on a
prompt if it shares so many of the prompt's words, and so rare ones, that hardly any note would by chance: with N notes
of which a word is in df, chance alone finds N x product(df/N). Words of any work (field/prompts) count as frequent,
however few notes there are. Where it is unsure it says nothing: a wrong note costs more than a missing one. A missing,
foreign, newer or busy index finds nothing either.
"""

from __future__ import annotations

import math
import time

from holdfast.capture import platform
from holdfast.capture.ids import digest
from holdfast.field import prompts
from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from typing import Any
else:
    try:
        import _sqlite3 as sqlite3  # without the datetime and collections that the package brings along
    except ImportError:
        import sqlite3

FILE = "field.db"
STEP, MADE = 3, "4"  # of the index that can be read here: field/sqlite/schema, field/words
KINDS = ("identity", "rule", "knowledge", "feedback", "project")
FOLDERS = ("identity", "rules", "knowledge", "feedback", "projects", "lineage", "thoughts", "tasks")
WITHIN = 0.015  # seconds
WITHIN_MAKING = 0.5  # seconds, for whoever makes a brief ahead
OPCODES = 500  # between two looks at the clock
COMMON = 400  # notes: a word that is in more of them says too little to be followed
LOOKED_AT = 24  # candidates
MOST = 5
PRIOR = 50.0  # notes that are thought of beside those that there are, so that in a small vault chance counts too
USUAL, UNUSUAL = 0.4, 0.01  # in what part of them a word of any work is, and any other
DEAREST = 1.6  # what a word of any work is worth at most, however many notes there are
CLEAR = 3.2  # how far above chance, as a logarithm
NEAR = 0.55  # of the best: what is far below it is beside the point
CHOICE = 0.35  # what each shared word costs in a prompt of many: the more words, the more meet by chance
IN_TITLE = 1.25
SHORT = 80  # words: a longer note shares more of any prompt
OF_PAIR = 0.8  # of what a word is worth: one word makes several pairs


@value
class Seen:
    """A note that bears on a prompt: how far above chance, and by which of its words."""

    id: str
    path: str
    score: float
    words: tuple[str, ...]


@value
class Read:
    """What the traffic log needs of a note that was opened: its id, and the weight and time it began with where nobody
    has read it before."""

    id: str
    new: dict[str, tuple[float, float]]


def is_bare(vault: str) -> bool:
    """Whether a vault has nothing that a field could be made of, so that none need be made to say so."""
    return not any(platform.names(f"{vault}/{folder}") for folder in FOLDERS)


def note_id(path: str) -> str:
    """As field/thought.note_id, which brings along what a hook cannot afford."""
    return f"{'h' if path.startswith('lineage/') else 'n'}-{digest(path, 24)}"


def scope_word(project: str) -> str:
    """As field/sqlite/scoping.word."""
    return f"p{digest(project, 16)}"


def look(state: str, project: str, prompt: str, within: float = 0.0, merged: tuple[str, ...] = ()) -> list[Seen]:
    """The notes of a project, of those merged into it, and the global ones, that clearly bear on a prompt, the best
    first."""
    wanted, within = prompts.terms(prompt), within or WITHIN
    if not wanted:
        return []
    try:
        db = _opened(f"{state}/{FILE}", within)
    except (OSError, sqlite3.Error):
        return []
    try:
        return _found(db, wanted, (project, *merged), time.perf_counter() + within) if _is_known(db) else []
    except (sqlite3.Error, TypeError, ValueError, IndexError):
        return []
    finally:
        db.close()


def opened_note(state: str, path: str) -> Read | None:
    """What is known of the note or handoff at a path; None where the index does not have it."""
    try:
        db = _opened(f"{state}/{FILE}", WITHIN)
    except (OSError, sqlite3.Error):
        return None
    ident = note_id(path)
    query = "SELECT start, created, EXISTS (SELECT 1 FROM traffic r WHERE r.id = t.id) FROM thought t WHERE id = ?"
    try:
        row = db.execute(query, (ident,)).fetchone() if _is_known(db) else None
        return Read(ident, {} if row[2] else {ident: (float(row[0]), float(row[1]))}) if row else None
    except (sqlite3.Error, TypeError, ValueError):
        return None
    finally:
        db.close()


def used(state: str, now: float) -> dict[str, tuple[float, int]]:
    """The notes that somebody has read, by path: what each weighs now, and how often it was. {} without an index."""
    from holdfast.field import pheromone

    try:
        db = _opened(f"{state}/{FILE}", WITHIN_MAKING)
    except (OSError, sqlite3.Error):
        return {}
    query = (
        "SELECT t.path, r.weight, r.last, r.count FROM traffic r JOIN thought t ON t.id = r.id WHERE t.kind = 'note'"
    )
    try:
        rows = db.execute(query).fetchall() if _is_known(db) else []
        return {str(path): (pheromone.decayed(float(weight), float(last), now), int(count))
                for path, weight, last, count in rows}  # fmt: skip
    except (sqlite3.Error, TypeError, ValueError):
        return {}
    finally:
        db.close()


def _opened(path: str, within: float) -> sqlite3.Connection:
    platform.refuse_odd(path)
    place = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    db = sqlite3.connect(f"file:{place}?mode=ro", timeout=0.0, isolation_level=None, uri=True)
    until = time.perf_counter() + within
    db.set_progress_handler(lambda: time.perf_counter() > until, OPCODES)
    return db


def _is_known(db: sqlite3.Connection) -> bool:
    if db.execute("PRAGMA user_version").fetchone()[0] != STEP:
        return False
    row = db.execute("SELECT value FROM meta WHERE name = 'made'").fetchone()
    return bool(row) and row[0] == MADE


def _found(db: sqlite3.Connection, wanted: list[tuple[str, bool]], ids: tuple[str, ...], until: float) -> list[Seen]:
    total = (db.execute("SELECT max(n) FROM thought").fetchone()[0] or 0) + PRIOR
    evidence: dict[int, dict[str, float]] = {}
    done: list[tuple[str, list[int]]] = []
    for term, is_usual in wanted:
        if time.perf_counter() > until:
            break
        try:
            rows = _rows(db, term, ids)
        except sqlite3.OperationalError:
            break  # out of time; what was found so far is true all the same
        is_again = any(rows == known and term[:3] == before[:3] for before, known in done)
        if rows and len(rows) < COMMON and not is_again:  # two forms of one word are one piece of evidence
            done.append((term, rows))
            worth = math.log(total / (len(rows) + PRIOR * (USUAL if is_usual else UNUSUAL)))
            worth = min(worth, DEAREST) if is_usual else worth * OF_PAIR if prompts.is_pair(term) else worth
            for n in rows:
                evidence.setdefault(n, {})[term] = worth
    chance = math.log(total)
    listed = sorted(evidence, key=lambda n: (-sum(evidence[n].values()), n))[:LOOKED_AT]
    listed = [n for n in listed if sum(evidence[n].values()) * IN_TITLE > chance]
    db.set_progress_handler(None, 0)  # these few rows are worth the rest
    return _clear(_notes(db, listed), evidence, chance, len(wanted)) if listed else []


def _rows(db: sqlite3.Connection, term: str, ids: tuple[str, ...]) -> list[int]:
    """The notes with a term, of one project and the global ones, up to the number at which it says too little."""
    scope = " OR ".join(f'"{scope_word(one)}"' for one in dict.fromkeys((*ids, "")))
    said = f'{{title text context extra}} : "{term}" AND scope : ({scope})'
    return [row[0] for row in db.execute("SELECT rowid FROM words WHERE words MATCH ? LIMIT ?", (said, COMMON))]


def _notes(db: sqlite3.Connection, listed: list[int]) -> Iterable[Any]:
    marks = ", ".join("?" * len(listed))
    kinds = ", ".join("?" * len(KINDS))
    return db.execute(
        f"SELECT n, id, path, title, size FROM thought t WHERE n IN ({marks}) AND kind = 'note' AND "
        f"category IN ({kinds}) AND NOT EXISTS (SELECT 1 FROM gone g WHERE g.old = t.id)",
        (*listed, *KINDS),
    ).fetchall()


def _clear(rows: Iterable[Any], evidence: dict[int, dict[str, float]], chance: float, asked: int) -> list[Seen]:
    found = []
    for n, ident, path, title, size in rows:
        own = str(title).casefold()
        shared = evidence[n]
        sums = sum(
            worth * (IN_TITLE if term[: max(4, len(term) - 3)] in own else 1.0) for term, worth in shared.items()
        )
        luck = len(shared) * CHOICE * math.log(max(1.0, asked / len(shared))) + math.log(max(1.0, size / SHORT))
        if sums - chance - luck >= CLEAR:
            found.append(Seen(str(ident), str(path), sums - chance - luck, tuple(shared)))
    found.sort(key=lambda one: (-one.score, one.id))
    return [one for one in found if one.score >= NEAR * found[0].score][:MOST]
