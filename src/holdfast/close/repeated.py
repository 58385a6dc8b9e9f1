"""What the user says again in another session: evidence that needs no judge.

A sentence that is likely to last, and nearly equal by its words, or by its meaning where the field's embedder is at
hand, to one of an earlier session of the project, becomes a note of the user's words with the days on which it was
said. It is told in starts as said twice, three times; it is not confirmed, and no rule. What a note says already only
learns that it was said again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import alike, home, story
from holdfast.capture.flags import clean
from holdfast.close import lasting
from holdfast.text import sentence_score as scorer
from holdfast.vault import frontmatter, notes, prompts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.close.filing import Filing
    from holdfast.close.work import Work

SESSIONS = 40  # that are looked at
MOST_SENTENCES = 60  # of the session that ends
NEAR = 0.6  # nearness of two vectors, where words alone do not tell


@dataclass(frozen=True)
class Sentence:
    """One sentence and when it was said."""

    session: str
    day: str
    number: int
    text: str
    score: float
    words: frozenset[str]


def file(vault: str, filing: Filing, work: Work) -> None:
    """Plan what was said again in an episode that ended."""
    if not work.tells or not work.episode:
        return
    typed = story.typed(home.state(vault), work.key)
    fresh = _sentences(("" if one.pasted else one.text, notes.day(one.time)) for one in typed)
    heard = [alike.words(flag.text) for flag in work.flags if flag.origin == "user"]
    fresh = [one for one in fresh if not any(alike.are(one.words, other) for other in heard)][:MOST_SENTENCES]
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
        if any(alike.are(one.words, other) for other in done):
            continue
        done.append(one.words)
        source = lasting.source_of(work.key, one.number, one.text)
        known = lasting.like(filing, work.project, one.words)
        if known:
            lasting.add_day(filing, known, one.day, source)
            continue
        again = {
            other.session: other.day
            for nth, other in enumerate(earlier)
            if alike.are(one.words, other.words)
            or (near(at, nth) >= NEAR and not alike.opposed(one.words, other.words))
        }
        if again and one.score >= (scorer.FIFTH if len(again) == 1 else scorer.TWO_FIFTHS):
            _tell(filing, work, one, sorted(again.values()), source)


def _sentences(prompts_: Iterable[tuple[str, str]], session: str = "") -> list[Sentence]:
    found = []
    for number, (text, day) in enumerate(prompts_, 1):
        masked, places = scorer.spans(text)
        surely = scorer.sure(text) if places else masked
        for start, end in places:
            if not scorer.is_sure(masked, surely, start, end):
                continue  # perhaps quoted
            score = scorer.score(masked[start:end])
            words = alike.words(masked[start:end])
            said = " ".join(scorer.said(text, masked, start, end).split())
            if score >= scorer.TWO_FIFTHS and len(words) >= alike.FEWEST:
                found.append(Sentence(session, day, number, said, score, words))
    return found


def _tell(filing: Filing, work: Work, one: Sentence, days: Sequence[str], source: str) -> None:
    """A note with the newest words, and every day on which it was said. Where a judge has just made one of the same
    words, that one gets the days."""
    said = " ".join([*days, one.day][-lasting.MOST_DAYS :])
    for path, text in list(filing.texts.items()):
        fields = frontmatter.parse(text).fields if text and path.startswith(("feedback/", "knowledge/")) else {}
        if fields.get("said") and alike.are(one.words, alike.words(str(fields.get("description") or ""))):
            filing.put(path, notes.with_fields(text or "", said=said), source)
            return
    text = clean(one.text)[0]
    path = filing.free(notes.FOLDERS["feedback"], notes.title(text))
    more: dict[str, Any] = {"status": notes.UNCONFIRMED, "said": said}
    made = notes.new_text(
        name=notes.title(text),
        description=text,
        kind="feedback",
        body=text,
        day=one.day,
        project=work.project,
        origin="user",
        sources=[source],
        **more,
    )
    filing.put(path, made, source)


def _nearness(vault: str, fresh: Sequence[Sentence], earlier: Sequence[Sentence]) -> Callable[[int, int], float]:
    """How near two sentences are by meaning; 0 where no embedder is at hand on this machine."""
    if not earlier or not home.has_field(home.state(vault)):
        return lambda _one, _other: 0.0
    from holdfast.capture import config
    from holdfast.errors import HoldfastError
    from holdfast.field.embed import choice

    try:
        embedder = choice.at_hand(choice.settings(config.load(home.state(vault))), {})
        if embedder is None:
            return lambda _one, _other: 0.0
        table = embedder.embed([one.text for one in fresh]) @ embedder.embed([one.text for one in earlier]).T
    except (HoldfastError, OSError, ImportError):
        return lambda _one, _other: 0.0
    return lambda one, other: float(table[one][other])
