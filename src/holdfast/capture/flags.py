"""From words to flags: one clean line each, secrets removed, and an answer that says what was changed.

Only an empty text or one over 4,000 characters is refused. The hook's own path, which carries the user's words,
never refuses: `cut` spreads a long text over several flags.
"""

from __future__ import annotations

from holdfast.capture.ids import new_id
from holdfast.capture.redaction import redact
from holdfast.errors import UsageError
from holdfast.model import KINDS, ORIGINS, Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 4000

LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
JOINERS = "\u200c\u200d"
# Format characters that are drawn, or that arrange the signs of a script: number signs, the end of a verse,
# the quadrats of hieroglyphs.
DRAWN = ("\u0600\u0605", "\u06dd\u06dd", "\u070f\u070f", "\u0890\u0891", "\u08e2\u08e2", "\U000110bd\U000110bd",
         "\U000110cd\U000110cd", "\U00013430\U0001345f")  # fmt: skip
NEVER_DRAWN = ("\u2065\u2065", "\ufff0\ufff8", "\U000e0000\U000e0fff")  # unassigned, and to stay invisible
HIDDEN = ("bidi", "dropped")  # of what _what says
BLACK_FLAG = "\U0001f3f4"  # the emoji that tag characters may follow: England, Scotland, Wales
TAGS, LAST_TAG = "\U000e0020\U000e007e", "\U000e007f"


def clean(text: str) -> tuple[str, tuple[str, ...]]:
    """One line of visible text, and a sentence for each thing that was changed. Cleaning it again changes nothing."""
    bare = text.strip()
    if bare.isprintable():
        return bare, ()
    changes: list[str] = []
    if any(letter in bare for letter in LINE_BREAKS):
        bare = " ".join(part.strip() for part in _split_lines(bare) if part.strip())
        changes.append("line breaks became spaces")
    out: list[str] = []
    counts = {"bidi": 0, "space": 0, "broken": 0, "dropped": 0}
    at = 0
    while at < len(bare):
        letter = bare[at]
        what = "" if letter.isprintable() else _what(letter, out[-1] if out else "")
        tags = _flag_tags(bare, at) if letter == BLACK_FLAG else ""
        if what:
            counts[what] += 1
        if what in ("", "space", "broken"):
            out.append({"": letter, "space": " ", "broken": "\ufffd"}[what])
        out.extend(tags)
        at += 1 + len(tags)
    for name, sentence in (
        ("bidi", "text-direction controls were dropped"),
        ("dropped", "invisible characters were dropped"),
        ("broken", "broken characters were replaced"),
        ("space", "tabs or odd spaces became plain ones"),
    ):
        if counts[name]:
            changes.append(f"{counts[name]} {sentence}")
    return "".join(out).strip(), tuple(changes)


def visible(text: str) -> str:
    """A text without signs that nobody sees, or that turn the direction of what follows. Line breaks, tabs and control
    characters, which others deal with, stay."""
    out: list[str] = []
    at = 0
    while at < len(text):
        letter = text[at]
        tags = _flag_tags(text, at) if letter == BLACK_FLAG else ""
        is_kept = letter.isprintable() or ord(letter) < 160 or _what(letter, out[-1] if out else "") not in HIDDEN
        out += [letter, *tags] if is_kept else []
        at += 1 + len(tags)
    return "".join(out)


def _split_lines(text: str) -> list[str]:
    for mark in LINE_BREAKS:
        text = text.replace(mark, "\n")
    return text.split("\n")


def _what(letter: str, before: str) -> str:
    """What a character is that does not simply print; "" if it does real work and stays."""
    if letter in BIDI:
        return "bidi"
    if letter in JOINERS:
        return "" if before and ord(before) > 0x2FF and before not in JOINERS else "dropped"
    if letter.isspace():
        return "space"
    import unicodedata

    kind = unicodedata.category(letter)
    if kind == "Cs":
        return "broken"
    if kind == "Cn" and any(pair[0] <= letter <= pair[1] for pair in NEVER_DRAWN):
        return "dropped"
    if kind == "Cc" or (kind == "Cf" and not any(pair[0] <= letter <= pair[1] for pair in DRAWN)):
        return "dropped"
    return ""  # private use or newer than our tables: some font may draw it


def _flag_tags(text: str, at: int) -> str:
    """The tags that make a black flag a nation's: a few letters and the closing one. A longer run hides a message."""
    stop = at + 1
    while stop < len(text) and TAGS[0] <= text[stop] <= TAGS[1]:
        stop += 1
    return text[at + 1 : stop + 1] if 3 <= stop - at - 1 <= 6 and text[stop : stop + 1] == LAST_TAG else ""


def make(
    text: str,
    *,
    now: float,
    kind: str = "fact",
    evidence: Iterable[str] = (),
    host: str = "",
    episode: str = "",
    project: str = "",
    origin: str = "agent",
    nth: int = 0,
    status: str = "",
    answers: str = "",
) -> tuple[Flag, tuple[str, ...]]:
    """A flag, and what was changed to make it. Raises UsageError in one sentence."""
    if kind not in KINDS:
        raise UsageError(f'"{kind}" is no kind of flag; nothing was written. Use one of: {", ".join(KINDS)}.')
    if origin not in ORIGINS:
        raise UsageError(f'"{origin}" is no origin; nothing was written. Use one of: {", ".join(ORIGINS)}.')
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
        changes += tuple(f"in the evidence {sentence}" for sentence in tidied)
        proof, proof_labels = redact(tidy)
        labels += proof_labels
        if len(proof) > LONGEST:
            proof = proof[: LONGEST - 1] + "…"
            changes += (f"evidence was shortened to {LONGEST:,} characters",)
        if proof:
            proofs.append(proof)
    if labels:
        changes += (f"secrets were redacted before writing: {', '.join(labels)}",)
    flag = Flag(new_id(now, nth), now, host, episode, project, kind, line, tuple(proofs), origin, status, answers)
    return flag, changes


def cut(text: str) -> list[str]:
    """A text of any length as pieces that `make` takes; [] only where nothing visible is left.

    Secrets go before the cut: half a secret on either side of it would no longer be recognised.
    """
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


def from_record(record: dict[str, object]) -> Flag:
    """The flag in a queue record; fields that a newer version added are left aside."""
    proofs = record.get("evidence")
    when = record.get("time")
    return Flag(
        id=str(record["id"]),
        time=float(when) if isinstance(when, (int, float)) else 0.0,
        host=str(record.get("host", "")),
        episode=str(record.get("episode", "")),
        project=str(record.get("project", "")),
        kind=str(record.get("kind", "fact")),
        text=str(record.get("text", "")),
        evidence=tuple(str(one) for one in proofs) if isinstance(proofs, list) else (),
        origin=str(record.get("origin", "agent")),
        status=str(record.get("status", "")),
        answers=str(record.get("answers", "")),
    )
