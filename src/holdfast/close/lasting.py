"""Notes of what was not flagged: lasting statements of the user that a judge found, decisions and lessons of a handoff,
and sentences that the user says again in another session, which needs no judge.

A statement is filed verbatim, with its day, an order never confirmed. Each is known by its session, its prompt and its
words, so a close that was killed and is run again files it once. Where a note says nearly the same, it learns that it
was said again. A statement that may be quoted (`doubt`) waits for the user's review, and changes nothing. Decisions
and lessons are filed like flags, so that they do not depend on being copied from handoff to handoff.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import home, quoting, story
from holdfast.capture.flags import clean
from holdfast.capture.ids import digest, made_of
from holdfast.model import Flag
from holdfast.text import folding
from holdfast.text import sentence_score as scorer
from holdfast.vault import edits, front_matter_edits, notes, prompts
from holdfast.vault.lineage import MECHANICAL, Handoff
from holdfast.witness.account import TRACKER
from holdfast.witness.model_words import QuotedWords, names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.capture.episodes import Episode
    from holdfast.close.filing import Filing
    from holdfast.close.statements import Lasts
    from holdfast.close.work import Work

MOST_DAYS = 50
CORRECTION, FACT = "correction", "fact"  # kinds of statements (close/statements)
KINDS = {"decisions": "decision", "learned": "lesson"}
SHORTEST = 30  # characters of an item that can stand alone
MOST = 40
MOST_QUOTED = 12  # of a handoff that nobody wrote
NEWS = 0.3  # share of an item that no note of the project says yet
SESSIONS = 40  # that are looked at
MOST_SENTENCES = 60  # of the session that ends
NEAR = 0.6  # nearness of two vectors, where words alone do not tell


def file_lasting(filing: Filing, work: Work, found: Sequence[Lasts]) -> None:
    """Plan a note for each statement."""
    heard = [folding.words(flag.text) for flag in work.flags if flag.origin == "user"]
    for one in found:
        source = source_of(work.key, one.number, one.quote)
        words = folding.words(one.quote)
        if filing.is_filed(source):
            continue
        replaced = [] if one.doubt else _taken_back(filing, one)
        if any(folding.are(words, other) for other in heard):
            continue  # its flag is filed already
        same = "" if one.doubt else like(filing, work.project, words)
        if same and add_day(filing, same, notes.day(one.time), source):
            continue
        _begin(filing, work, one, source, replaced)


def _taken_back(filing: Filing, one: Lasts) -> list[str]:
    """The note that the user takes back with this: newest word counts. Only a note that still waits is superseded."""
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
    for note in filing.known.like(words):
        is_theirs = note.origin == "user" or note.kind == "rule" or bool(note.fields.get("said"))
        counts = note.applies_to(project) and (note.is_active or note.status == notes.UNCONFIRMED)
        if is_theirs and counts and note.path not in filing.avoid:
            return note.path
    return ""


def add_day(filing: Filing, path: str, day: str, source: str) -> bool:
    """A note was said again: it learns when, and by which words. False where it cannot be added to."""
    text = filing.text(path)
    if text is None:
        return False
    try:
        fields = front_matter_edits.parse(text).fields
        days = str(fields.get("said") or fields.get("created") or "").split()
        sources = [str(one) for one in fields.get("sources") or []]
        if any(one.startswith(source.rsplit(":", 2)[0]) for one in sources):
            return True  # in this session: once more is not again
        changes = {"said": " ".join([*days, day][-MOST_DAYS:]), "sources": [*sources, source]}
        filing.put(path, notes.with_fields(text, **changes), source)
    except (front_matter_edits.Unparsable, TypeError):
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
    folder = notes.QUARANTINE if one.doubt and one.kind != FACT else notes.FOLDERS[kind]
    proofs = [f"- the agent had: {clean(one.about)[0]}"] if one.kind == CORRECTION and one.about else []
    _put(filing, work, folder, text, source, proofs, kind=kind, day=day, origin="tool" if one.doubt else "user", **more)


def _put(
    filing: Filing, work: Work, folder: str, text: str, source: str, proofs: Sequence[str] = (), **fields: Any
) -> None:
    name, project = notes.title(text), work.project or notes.GLOBAL
    made = notes.new_text(name=name, description=text, body=text, project=project, sources=[source], **fields)
    filing.put(filing.free(folder, name), edits.with_proofs(made, proofs) if proofs else made, source)


def file_lessons(filing: Filing, handoff: Handoff, episode: Episode) -> None:
    """Plan a note for every decision and lesson that has none. Of a handoff that nobody wrote, only for items that name
    something."""
    known: QuotedWords | None = None
    is_quoted = handoff.author == MECHANICAL
    filed = 0
    for section, kind in KINDS.items():
        for item in handoff.items(section):
            text, origin = quoting.said_by(item)
            flag = _flag(episode, handoff, kind, text, origin)
            if filing.is_filed(flag.id):
                filed += 1
                continue
            is_whole = len(text) >= SHORTEST and "](../../" not in item and not text.endswith("…")
            stands = is_whole and (not is_quoted or (bool(names(text)) and not text.startswith(TRACKER)))
            if filed >= (MOST_QUOTED if is_quoted else MOST) or not stands:
                continue
            known = known or _seen(filing, handoff.project)
            if known.news(text)[1] >= NEWS:
                filing.file(flag)
                known.add(text)
                filed += 1


def _seen(filing: Filing, project: str) -> QuotedWords:
    """The words of a project's notes."""
    seen = QuotedWords()
    for note in filing.known.active():
        if note.applies_to(project):
            seen.add(f"{note.name} {note.description}")
    return seen


def _flag(episode: Episode, handoff: Handoff, kind: str, text: str, origin: str) -> Flag:
    when = episode.closed or episode.opened
    ident = f"{notes.FROM_HANDOFF}{made_of(when, f'{episode.key} {text}')}"
    proof = (f"{notes.FROM_HANDOFF}{handoff.path.rpartition('/')[2]}",) if handoff.path else ()
    return Flag(ident, when, episode.host, episode.key, handoff.project, kind, text, proof, origin)


@dataclass(frozen=True)
class Utterance:
    """One sentence and when it was said."""

    session: str
    day: str
    number: int
    text: str
    score: float
    words: frozenset[str]


def file_repeated(vault: str, filing: Filing, work: Work) -> None:
    """Plan what was said again in an episode that ended."""
    if not work.tells or not work.episode:
        return
    typed = story.typed(home.state(vault), work.key)
    fresh = _sentences(("" if one.pasted else one.text, notes.day(one.time)) for one in typed)
    heard = [folding.words(flag.text) for flag in work.flags if flag.origin == "user"]
    fresh = [one for one in fresh if not any(folding.are(one.words, other) for other in heard)][:MOST_SENTENCES]
    if not fresh:
        return
    earlier = [
        one
        for session in prompts.sessions(vault, work.project, SESSIONS)
        if session.episode != work.key
        for one in _sentences(((each.text, each.day) for each in session.typed), session.episode)
    ]
    near = _nearness(vault, fresh, earlier)
    done: list[frozenset[str]] = []
    for at, one in enumerate(fresh):
        if any(folding.are(one.words, other) for other in done):
            continue
        done.append(one.words)
        source = source_of(work.key, one.number, one.text)
        known = like(filing, work.project, one.words)
        if known:
            add_day(filing, known, one.day, source)
            continue
        again = {
            other.session: other.day
            for nth, other in enumerate(earlier)
            if folding.are(one.words, other.words)
            or (near(at, nth) >= NEAR and not folding.opposed(one.words, other.words))
        }
        if again and one.score >= (scorer.FIFTH if len(again) == 1 else scorer.TWO_FIFTHS):
            _tell(filing, work, one, sorted(again.values()), source)


def _sentences(prompts_: Iterable[tuple[str, str]], session: str = "") -> list[Utterance]:
    found = []
    for number, (text, day) in enumerate(prompts_, 1):
        masked, places = scorer.spans(text)
        surely = scorer.sure(text) if places else masked
        for start, end in places:
            if not scorer.is_sure(masked, surely, start, end):
                continue  # perhaps quoted
            score = scorer.score(masked[start:end])
            words = folding.words(masked[start:end])
            said = " ".join(scorer.said(text, masked, start, end).split())
            if score >= scorer.TWO_FIFTHS and len(words) >= folding.FEWEST:
                found.append(Utterance(session, day, number, said, score, words))
    return found


def _tell(filing: Filing, work: Work, one: Utterance, days: Sequence[str], source: str) -> None:
    """A note with the newest words, and every day on which it was said. Where a judge has just made one of the same
    words, that one gets the days."""
    said = " ".join([*days, one.day][-MOST_DAYS:])
    for path, text in list(filing.texts.items()):
        fields = front_matter_edits.parse(text).fields if text and path.startswith(("feedback/", "knowledge/")) else {}
        if fields.get("said") and folding.are(one.words, folding.words(str(fields.get("description") or ""))):
            filing.put(path, notes.with_fields(text or "", said=said), source)
            return
    text = clean(one.text)[0]
    more = {"kind": "feedback", "day": one.day, "origin": "user", "status": notes.UNCONFIRMED, "said": said}
    _put(filing, work, notes.FOLDERS["feedback"], text, source, **more)


def _nearness(vault: str, fresh: Sequence[Utterance], earlier: Sequence[Utterance]) -> Callable[[int, int], float]:
    """A function for the nearness of two sentences by meaning; 0 where no embedder is at hand on this machine."""
    table: Any = None
    if earlier and home.has_field(home.state(vault)):
        from holdfast.capture import config
        from holdfast.errors import HoldfastError
        from holdfast.field import embedders

        with suppress(HoldfastError, OSError, ImportError):
            embedder = embedders.at_hand(embedders.settings(config.load(home.state(vault))), {})
            if embedder:
                table = embedder.embed([one.text for one in fresh]) @ embedder.embed([one.text for one in earlier]).T
    return lambda one, other: 0.0 if table is None else float(table[one][other])
