"""The look-up at a session's first prompt: notes that clearly bear on it, by words alone, read-only, in milliseconds.

A prompt is looked up by its words, and by names of code whole and in parts. It runs in the hook, so the words are told
apart without `re`. Words of any work (fix, test, file) say little of what a prompt is about, however rare they are in a
vault; words that hold a sentence together say nothing and are left out.
"""

from __future__ import annotations

import math
import time

from holdfast.capture import platform
from holdfast.capture.ids import digest
from holdfast.model import value, word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    T = TypeVar("T")
else:
    try:
        import _sqlite3 as sqlite3  # without the datetime and collections that the package brings along
    except ImportError:
        import sqlite3

LONGEST = 3000  # characters of a prompt that are looked at: what is pasted below says less of what is wanted
MOST_TERMS = 32
# Scripts without spaces, as in field/words: their words are looked up by every two signs that stand together.
SIGNS = (
    (0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF),
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF),
)  # fmt: skip
JOINING = "_./:#-"  # signs that make one name of several words
STOP = word_set("""
a about above after again all also am an and any are as at be because been before being below between both but by can
cannot could did do does doing down during each either else even ever every few for from further get gets getting go
going gone good got had has have having he hello her here hers hey hi him his how i if in into is it its just know let
lets like ll look may maybe me might mine more most much must my need needs no nor not now of off ok okay on once one
only onto or other our ours out over own per please put re right said same say see seem shall she should so some such
sure tell than thank thanks that the their theirs them then there these they thing things think this those through to
too under until up upon us use used uses using ve very via want wants was way we well were what when where which while
who whom whose why will with without would yes yet you your yours der die das ein eine und ist im mit el la los las un
una le les et est
""")
WORK = word_set("""
add added adding agent app back bad branch break breaking broken bug bugs build builds call calls case change changed
changes check class clean clear code command commit config continue correct crash create current daily data date day
days default delete deploy doc docs done edit empty end error errors example exception exist explain fail failed failing
fails feature file files find first fix fixed flag folder function functions give handle help hour hours implement
import improve input install issue item job js json kind last line lines list load local log logs main make makes making
md merge message method minute minutes missing model module move name names new next note notes number old open option
output package page part pass passes path point pr print problem process project prompt pull push py python question
read readme recent refactor reference release remove rename repo repository request result return returns review rule
run running runs script second server service session set setting setup show side simple small something start state
status step steps stop string summarise summarize support system take task tasks test tests text time times today todo
tomorrow tool traceback try ts type typo understand unit update user users value version warning wire word words work
working works write writes writing wrong yaml yml
""")


def terms(prompt: str) -> list[tuple[str, bool]]:
    """The words that a prompt is looked up by, and whether each is a word of any work. The telling ones come first:
    should time run out, the others are missed least."""
    found: dict[str, bool] = {}
    for whole in prompt[:LONGEST].split():
        chunk, pairs = (whole, []) if whole.isascii() else _pairs(whole)
        found.update(dict.fromkeys(pairs, False))
        pieces = "".join(sign if sign.isalnum() else " " for sign in chunk).split()
        for piece in pieces:
            for word in (piece.casefold(), *_humps(piece)):
                if len(word) > 1 and word not in STOP:
                    is_year = len(word) == 4 and word[:2] in ("19", "20")
                    is_small = word.isdecimal() and (len(word) < 3 or is_year)
                    found.setdefault(word, is_small or word in WORK or word.removesuffix("s") in WORK)
        inner = chunk.strip("\"'`.,:;!?()[]{}<>*#-_/")
        if len(pieces) > 1 and not any(sign in JOINING for sign in inner):
            continue
        name = [piece.casefold() for piece in pieces]
        if 1 < len(name) <= 8:
            found.setdefault(" ".join(name), all(one in WORK or one in STOP for one in name))
    return sorted(found.items(), key=lambda pair: pair[1])[:MOST_TERMS]


def _pairs(chunk: str) -> tuple[str, list[str]]:
    """What is left of a chunk, and every two signs that stand together in a script without spaces."""
    left, pairs, before = "", [], ""
    for sign in chunk:
        is_one = any(low <= ord(sign) <= high for low, high in SIGNS)
        if is_one and before:
            pairs.append(before + sign)
        before = sign if is_one else ""
        left += " " if is_one else sign
    return left, pairs


def is_pair(term: str) -> bool:
    return len(term) == 2 and any(low <= ord(term[0]) <= high for low, high in SIGNS)


def _humps(word: str) -> list[str]:
    """The words in a name such as leaseExpires; nothing where it is but one."""
    if word.islower() or word.isupper() or not word.isascii():
        return []
    cut = "".join(f" {sign}" if sign.isupper() else sign for sign in word).split()
    return [one.lower() for one in cut if len(one) > 2] if len(cut) > 1 else []


FILE = "field.db"
STEP, MADE = 4, "4"  # of the index that can be read here: field/sqlite/schema, field/words
KINDS = ("identity", "rule", "knowledge", "feedback", "project")
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
class NoteByWords:
    """A note that bears on a prompt: how far above chance, and by which of its words."""

    id: str
    path: str
    score: float
    words: tuple[str, ...]


@value
class OpenedNote:
    """A note that was opened: its id, and the weight and time it began with where nobody has read it before."""

    id: str
    new: dict[str, tuple[float, float]]


def note_id(path: str) -> str:
    """As field/thought.note_id, which brings along what a hook cannot afford."""
    return f"{'h' if path.startswith('lineage/') else 'n'}-{digest(path, 24)}"


def scope_word(project: str) -> str:
    """As field/sqlite/scoping.word."""
    return f"p{digest(project, 16)}"


def look(state: str, project: str, prompt: str, within: float = 0.0, merged: tuple[str, ...] = ()) -> list[NoteByWords]:
    """Notes of a project, of those merged into it, and global ones, that clearly bear on a prompt, the best first."""
    wanted, within = terms(prompt), within or WITHIN
    if not wanted:
        return []
    until = time.perf_counter() + within
    return _read(state, within, lambda db: _found(db, wanted, (project, *merged), until), [])


def opened_note(state: str, path: str) -> OpenedNote | None:
    """The note or handoff at a path; None where the index does not have it."""
    ident = note_id(path)
    query = "SELECT start, created, EXISTS (SELECT 1 FROM traffic r WHERE r.id = t.id) FROM thought t WHERE id = ?"
    row = _read(state, WITHIN, lambda db: db.execute(query, (ident,)).fetchone(), None)
    return OpenedNote(ident, {} if row[2] else {ident: (float(row[0]), float(row[1]))}) if row else None


def used(state: str, now: float) -> dict[str, tuple[float, int]]:
    """The notes that somebody has read, by path: what each weighs now, and how often it was. {} without an index."""
    from holdfast.pheromone import decayed

    query = "SELECT t.path, r.weight, r.last, r.count FROM traffic r JOIN thought t USING (id) WHERE t.kind = 'note'"
    rows: list[Any] = _read(state, WITHIN_MAKING, lambda db: db.execute(query).fetchall(), [])
    try:
        return {str(path): (decayed(float(weight), float(last), now), int(count)) for path, weight, last, count in rows}
    except (TypeError, ValueError):
        return {}


@value
class BusyThought:
    """A thought that several agents come back to; `path` is "" for one that is no file's."""

    id: str
    path: str
    text: str
    origin: str


ACCESSES, AGENTS = 3, 2  # of a highway, as in field/retrieval


def busiest(state: str, ids: tuple[str, ...], most: int) -> list[BusyThought]:
    """The busiest highways of these projects and global ones, for a brief that is made ahead: what is in force, and
    neither a guess nor what a start tells anyway."""
    marks = ", ".join("?" * (len(ids) + 1))
    query = (
        "SELECT t.id, t.path, t.text, t.origin FROM traffic r JOIN thought t USING (id) "
        f"WHERE r.count >= {ACCESSES} AND r.agents >= {AGENTS} AND t.project IN ({marks}) AND t.kind != 'bridge' "
        "AND t.category NOT IN ('handoff', 'said', 'rule', 'identity') "
        "AND NOT EXISTS (SELECT 1 FROM gone g WHERE g.old = t.id) ORDER BY r.count * r.agents DESC, t.id LIMIT ?"
    )
    rows: list[Any] = _read(state, WITHIN_MAKING, lambda db: db.execute(query, (*ids, "", most)).fetchall(), [])
    return [BusyThought(*map(str, row)) for row in rows]


def _read(state: str, within: float, ask: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
    """The answer of the index, within so many seconds; `otherwise` where there is none that we can read."""
    try:
        platform.refuse_odd(f"{state}/{FILE}")
        place = f"{state}/{FILE}".replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        db = sqlite3.connect(f"file:{place}?mode=ro", timeout=0.0, isolation_level=None, uri=True)
    except (OSError, sqlite3.Error):
        return otherwise
    until = time.perf_counter() + within
    try:
        db.set_progress_handler(lambda: time.perf_counter() > until, OPCODES)
        if db.execute("PRAGMA user_version").fetchone()[0] != STEP:
            return otherwise
        row = db.execute("SELECT value FROM meta WHERE name = 'made'").fetchone()
        return ask(db) if row and row[0] == MADE else otherwise
    except (sqlite3.Error, TypeError, ValueError, IndexError):
        return otherwise
    finally:
        db.close()


def _found(
    db: sqlite3.Connection, wanted: list[tuple[str, bool]], ids: tuple[str, ...], until: float
) -> list[NoteByWords]:
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
            worth = min(worth, DEAREST) if is_usual else worth * OF_PAIR if is_pair(term) else worth
            for n in rows:
                evidence.setdefault(n, {})[term] = worth
    chance = math.log(total)
    listed = sorted(evidence, key=lambda n: (-sum(evidence[n].values()), n))[:LOOKED_AT]
    listed = [n for n in listed if sum(evidence[n].values()) * IN_TITLE > chance]
    db.set_progress_handler(None, 0)  # these few rows are worth the rest
    return _clear(_notes(db, listed), evidence, chance, len(wanted)) if listed else []


def _rows(db: sqlite3.Connection, term: str, ids: tuple[str, ...]) -> list[int]:
    """The notes with a term, up to the number at which it says too little."""
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


def _clear(rows: Iterable[Any], evidence: dict[int, dict[str, float]], chance: float, asked: int) -> list[NoteByWords]:
    found = []
    for n, ident, path, title, size in rows:
        own = str(title).casefold()
        shared = evidence[n]
        titled = [term for term in shared if term[: max(4, len(term) - 3)] in own]
        sums = sum(shared.values()) + (IN_TITLE - 1.0) * sum(shared[term] for term in titled)
        luck = len(shared) * CHOICE * math.log(max(1.0, asked / len(shared))) + math.log(max(1.0, size / SHORT))
        if sums - chance - luck >= CLEAR:
            found.append(NoteByWords(str(ident), str(path), sums - chance - luck, tuple(shared)))
    found.sort(key=lambda one: (-one.score, one.id))
    return [one for one in found if one.score >= NEAR * found[0].score][:MOST]
