"""From words to flags: one clean line each, secrets removed, saved in the queue and named in the ledger.

Only an empty text or one over 4,000 characters is refused. The hook's own path, which carries the user's words,
never refuses: `cut` spreads a long text over several flags. An answer says what was changed on the way.
"""

from __future__ import annotations

import time

from holdfast.capture import episodes, home, ledger, once, platform
from holdfast.capture.ids import new_id
from holdfast.capture.redaction import redact
from holdfast.errors import NotSaved, UsageError
from holdfast.model import KINDS, ORIGINS, Flag, Project, replace, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from holdfast.capture.flag_words import Words

LONGEST = 4000
SHORTEST_ID = 10  # letters of what may be an id and no number
LOOKED_AT = 1 << 18  # bytes of the queue in which the user's own words are looked for

LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
JOINERS = "\u200c\u200d"
# Format characters that are drawn, or that arrange the signs of a script: number signs, the end of a verse,
# the quadrats of hieroglyphs.
DRAWN = ("\u0600\u0605", "\u06dd\u06dd", "\u070f\u070f", "\u0890\u0891", "\u08e2\u08e2", "\U000110bd\U000110bd",
         "\U000110cd\U000110cd", "\U00013430\U0001345f")  # fmt: skip
NEVER_DRAWN = ("\u2065\u2065", "\ufff0\ufff8", "\U000e0000\U000e0fff")  # unassigned, and to stay invisible
HIDDEN = ("bidi", "dropped")  # kinds of characters, as `_kind` names them
CHANGED = {
    "bidi": "text-direction controls were dropped",
    "dropped": "invisible characters were dropped",
    "broken": "broken characters were replaced",
    "space": "tabs or odd spaces became plain ones",
}
BLACK_FLAG = "\U0001f3f4"  # the emoji that tag characters may follow: England, Scotland, Wales
TAGS, LAST_TAG = "\U000e0020\U000e007e", "\U000e007f"


def clean(text: str) -> tuple[str, tuple[str, ...]]:
    """One line of visible text, and a sentence for each thing that was changed. Cleaning it again changes nothing."""
    bare = text.strip()
    if bare.isprintable():
        return bare, ()
    changes: list[str] = []
    if any(letter in bare for letter in LINE_BREAKS):
        for mark in LINE_BREAKS:
            bare = bare.replace(mark, "\n")
        bare = " ".join(part.strip() for part in bare.split("\n") if part.strip())
        changes.append("line breaks became spaces")
    out: list[str] = []
    counts = dict.fromkeys(CHANGED, 0)
    at = 0
    while at < len(bare):
        letter = bare[at]
        what = "" if letter.isprintable() else _kind(letter, out[-1] if out else "")
        tags = _flag_tags(bare, at) if letter == BLACK_FLAG else ""
        if what:
            counts[what] += 1
        if what not in HIDDEN:
            out.append({"space": " ", "broken": "\ufffd"}.get(what, letter))
        out.extend(tags)
        at += 1 + len(tags)
    changes += [f"{counts[what]} {sentence}" for what, sentence in CHANGED.items() if counts[what]]
    return "".join(out).strip(), tuple(changes)


def visible(text: str) -> str:
    """A text without invisible characters and text-direction controls. Line breaks, tabs and control characters, which
    others deal with, stay."""
    out: list[str] = []
    at = 0
    while at < len(text):
        letter = text[at]
        tags = _flag_tags(text, at) if letter == BLACK_FLAG else ""
        is_kept = letter.isprintable() or ord(letter) < 160 or _kind(letter, out[-1] if out else "") not in HIDDEN
        out += [letter, *tags] if is_kept else []
        at += 1 + len(tags)
    return "".join(out)


def _kind(letter: str, before: str) -> str:
    """Name the kind of a character that does not simply print; "" if it does real work and stays."""
    if letter in BIDI:
        return "bidi"
    if letter in JOINERS:
        return "" if before and ord(before) > 0x2FF and before not in JOINERS else "dropped"
    if letter.isspace():
        return "space"
    import unicodedata

    category = unicodedata.category(letter)
    if category == "Cs":
        return "broken"
    is_hidden = category == "Cc" or (category == "Cn" and _is_in(letter, NEVER_DRAWN))
    if is_hidden or (category == "Cf" and not _is_in(letter, DRAWN)):
        return "dropped"
    return ""  # private use or newer than our tables: some font may draw it


def _is_in(letter: str, ranges: tuple[str, ...]) -> bool:
    return any(pair[0] <= letter <= pair[1] for pair in ranges)


def _flag_tags(text: str, at: int) -> str:
    """The tags that make a black flag a nation's: a few letters and the closing one. A longer run hides a message."""
    stop = at + 1
    while stop < len(text) and TAGS[0] <= text[stop] <= TAGS[1]:
        stop += 1
    return text[at + 1 : stop + 1] if 3 <= stop - at - 1 <= 6 and text[stop : stop + 1] == LAST_TAG else ""


def make(
    text: str, *, now: float, nth: int = 0, kind: str = "fact", evidence: Iterable[str] = (), **stamp: str
) -> tuple[Flag, tuple[str, ...]]:
    """A flag with its stamp (host, episode, project, origin, status, answers), and a sentence for each thing that was
    changed to make it. Raises UsageError in one sentence."""
    origin = stamp.get("origin", "agent")
    for said, known, name in ((kind, KINDS, "kind of flag"), (origin, ORIGINS, "origin")):
        if said not in known:
            raise UsageError(f'"{said}" is no {name}; nothing was written. Use one of: {", ".join(known)}.')
    line, changes = clean(text)
    if not line:
        raise UsageError("The text is empty; nothing was written. Say the fact in one line.")
    if len(line) > LONGEST:
        raise UsageError(
            f"The text has {len(line):,} characters, {LONGEST:,} is the most; nothing was written. "
            "Flag the fact in a line and name the file that has the rest with --evidence."
        )
    line, labels = redact(line)
    proofs = []
    for one in evidence:
        tidy, tidied = clean(one)
        proof, proof_labels = redact(tidy)
        changes += tuple(f"in the evidence {sentence}" for sentence in tidied)
        labels += proof_labels
        if len(proof) > LONGEST:
            proof = proof[: LONGEST - 1] + "…"
            changes += (f"evidence was shortened to {LONGEST:,} characters",)
        proofs += [proof] if proof else []
    if labels:
        changes += (f"secrets were redacted before writing: {', '.join(labels)}",)
    stamp = {"host": "", "episode": "", "project": "", **stamp}
    return Flag(id=new_id(now, nth), time=now, kind=kind, text=line, evidence=tuple(proofs), **stamp), changes


def cut(text: str) -> list[str]:
    """A text of any length as pieces that `make` takes; [] only where nothing visible is left. Secrets go before the
    cut: half a secret on either side of it would no longer be recognised."""
    line, _ = redact(clean(text)[0])
    if len(line) <= LONGEST:
        return [line] if line else []
    size = LONGEST - 20
    pieces, at = [], 0
    while at < len(line):
        space = line.rfind(" ", at + size // 2, at + size) + 1
        stop = len(line) if len(line) - at <= size else space or at + size
        pieces.append(line[at:stop].strip())
        at = stop
    return [f"({n}/{len(pieces)}) {piece}" for n, piece in enumerate(pieces, 1)]


@value
class Speaker:
    """The source of flags, as stamped by us, not by their author. `is_open`: the episode's end is still to come."""

    host: str
    episode: str
    project: Project
    origin: str
    is_open: bool = True


@value
class Taken:
    """The flags that were saved, and sentences for their author: what was changed on the way, what else to know."""

    flags: tuple[Flag, ...]
    changes: tuple[str, ...]


@value
class Given:
    """An author's words with the kind they gave them, and what proves them."""

    text: str
    kind: str = "fact"
    evidence: tuple[str, ...] = ()
    status: str = ""
    answers: str = ""


def take_all(
    vault: str, given: Sequence[Given], speaker: Speaker, now: float, *, insist: bool = False, ids: Sequence[str] = ()
) -> Taken:
    """Save all flags or none. When this returns they are on the medium; raises UsageError or NotSaved. `insist` tries a
    second time, in a new segment: for authors who cannot. `ids` are those that somebody has given them before, who may
    have saved them or not."""
    from holdfast.capture import queue

    began = time.perf_counter_ns()
    made: list[Flag] = []
    changes: list[str] = []
    stamp: dict[str, Any] = {"host": speaker.host, "episode": speaker.episode, "origin": speaker.origin}
    for nth, one in enumerate(given):
        flag, changed = make(**one.__dict__, **stamp, project=speaker.project.id, now=now, nth=nth)
        made.append(replace(flag, id=ids[nth]) if ids else flag)
        changes += [sentence for sentence in changed if sentence not in changes]
    changes += prepare(vault)
    state = home.state(vault)
    try:
        segment = queue.append(f"{state}/queue", made, now)
    except NotSaved:
        if not insist:
            raise
        segment = queue.append(f"{state}/queue", made, now)  # the ids are the same, so twice is once
    try:
        if speaker.episode:
            _remember_place(state, speaker, segment, len(made), now)
        if speaker.episode and speaker.origin != "user":  # the user's own words, which we heard, answer no boundary
            once.answered(state, speaker.episode, now, [ident for flag in made for ident in flag.answered])
        if speaker.episode and speaker.is_open:
            once.add(state, speaker.episode, once.UNFILED, [flag.id for flag in made])
            once.said_itself(state, speaker.episode, [flag.text for flag in made])
    except OSError:
        pass  # the flags are safe; the end of their episode finds them by looking
    spent = (time.perf_counter_ns() - began) // 1000
    whose = {"episode": speaker.episode, "project": speaker.project.id, "origin": speaker.origin}
    common = {**whose, "segment": segment, "us": spent}
    try:
        ledger.append_all(state, "flag", now, [{"id": flag.id, "flag": flag.kind, **common} for flag in made])
    except NotSaved:
        changes.append("the ledger could not be written; the flag itself is safe")
    return Taken(tuple(made), tuple(changes))


def _remember_place(state: str, speaker: Speaker, segment: str, count: int, now: float) -> None:
    """Note where an episode's flags lie. If nobody will end it any more it gets its mark now, or no start names it."""
    episodes.note_segment(state, speaker.episode, segment, count)
    episodes.heard(state, speaker.episode, now)
    if not speaker.is_open:
        from holdfast.capture import marks

        key, project = speaker.episode, speaker.project.id
        places = tuple(sorted(episodes.noted_segments(state, key)))
        waiting = marks.waiting_in(state, project, key) + count
        marks.leave(state, marks.Mark(key, project, episodes.ENDED, "flagged outside of it", now, waiting, places))


def take_words(
    vault: str, words: Words, speaker: Speaker, now: float, *, insist: bool = False, ids: Sequence[str] = ()
) -> Taken:
    """Save the words of a command line. Raises UsageError, NotSaved."""
    state = home.state(vault)
    meant = answered_words(state, speaker.episode, words.answers, now) if words.answers else []
    evidence = (*words.evidence, *(f'the user: "{said}"' for _, said in meant))
    answers = ",".join(ident for ident, _ in meant)
    given = [Given(text, words.kind, evidence, answers=answers) for text in words.texts]
    taken = take_all(vault, given, speaker, now, insist=insist, ids=ids)
    if platform.is_there(f"{state}/drafts"):
        from holdfast.capture import drafts

        what = drafts.SNAG if words.kind == "snag" else drafts.FLAG
        drafts.submitted(state, what, words.texts, speaker.project.id, speaker.episode)
    return taken


def decline(state: str, speaker: Speaker, now: float, *, is_noted: bool = False) -> str:
    """Note that a boundary passed and there is nothing to keep, which is an answer too. Returns the boundary that had
    asked, "" for none. `is_noted`: the ledger knows it already, unless there is one to name."""
    asked = once.take(state, speaker.episode, once.ASKED) or ""
    once.drop(state, speaker.episode, once.HELD)
    if asked or not is_noted:
        told = {"episode": speaker.episode, "project": speaker.project.id, "event": "flag"}
        ledger.append(state, "nudge", now, boundary=asked or "none", decision="declined", **told)
    return asked


def _newest(state: str, now: float) -> dict[str, Flag]:
    """The flags in the newest part of the queue, by id."""
    from holdfast.capture import queue

    return {entry.flag.id: entry.flag for entry in queue.read(f"{state}/queue", now, newest=LOOKED_AT).entries}


def are_waiting(state: str, ids: Sequence[str], now: float) -> bool:
    """True if all of these are in the newest part of the queue."""
    return _newest(state, now).keys() >= set(ids)


def answered_words(state: str, episode: str, named: str, now: float) -> list[tuple[str, str]]:
    """The user's words that `--for` names, each with its id: by ids of those that wait, or numbers of the sentences
    that a reminder has shown in this session, with commas between. Raises UsageError."""
    wanted = [one.strip() for one in named.split(",") if one.strip()]
    shown = (once.read(state, episode, once.SHOWN) or "").splitlines() if episode else []
    found = []
    for one in dict.fromkeys(wanted or [named]):
        number = int(one) if one.isdecimal() and len(one) < SHORTEST_ID else 0
        if 0 < number <= len(shown):
            ident, _, rest = shown[number - 1].partition("\t")
            found.append((ident, rest.partition("\t")[2]))
        else:
            found.append((one, asked_for(state, one, now).text))
    return found


def asked_for(state: str, ident: str, now: float) -> Flag:
    """The user's own words that wait in the queue under this id. Raises UsageError."""
    found = _newest(state, now).get(ident)
    if found and found.origin == "user":
        return found
    raise UsageError(f"No words of the user wait under {ident}; nothing was written. Leave --for out.")


def prepare(vault: str) -> list[str]:
    """Make the vault if there is none; a sentence if it is of a newer format, which is no reason to lose a flag."""
    version = home.format_of(vault)
    if version > home.FORMAT:
        return [f"this vault has the newer format {version}: upgrade holdfast on this machine"]
    if not version:
        try:
            home.make_vault(vault)
        except OSError as error:
            raise NotSaved(
                f"NOT saved: the vault {vault} cannot be made ({error.strerror or error}). "
                "Set HOLDFAST_HOME to a folder that can be written, then run the same command again."
            ) from error
    return []
