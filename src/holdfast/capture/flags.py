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
BLACK_FLAG = "\U0001f3f4"  # the emoji that tag characters may follow: England, Scotland, Wales


def clean(text: str) -> tuple[str, tuple[str, ...]]:
    """One line of visible text, and a sentence for each thing that was changed."""
    bare = text.strip()
    if bare.isprintable():
        return bare, ()
    changes: list[str] = []
    if any(letter in bare for letter in LINE_BREAKS):
        bare = " ".join(part.strip() for part in _split_lines(bare) if part.strip())
        changes.append("line breaks became spaces")
    out: list[str] = []
    dropped_bidi = dropped = replaced = spaced = 0
    for at, letter in enumerate(bare):
        if letter.isprintable():
            out.append(letter)
        elif letter in BIDI:
            dropped_bidi += 1
        elif letter.isspace():
            out.append(" ")
            spaced += 1
        elif _belongs(bare, at):
            out.append(letter)
        elif "\ud800" <= letter <= "\udfff":
            out.append("\ufffd")
            replaced += 1
        else:
            dropped += 1
    for count, what in (
        (dropped_bidi, "text-direction controls were dropped"),
        (dropped, "invisible characters were dropped"),
        (replaced, "broken characters were replaced"),
        (spaced, "tabs or odd spaces became plain ones"),
    ):
        if count:
            changes.append(f"{count} {what}")
    return "".join(out).strip(), tuple(changes)


def _split_lines(text: str) -> list[str]:
    for mark in LINE_BREAKS:
        text = text.replace(mark, "\n")
    return text.split("\n")


def _belongs(text: str, at: int) -> bool:
    """Whether an invisible character does real work here: a joiner inside a script or emoji, a tag of a flag emoji,
    or a private-use or unassigned character that some font may draw."""
    letter = text[at]
    if letter in JOINERS:
        return at > 0 and ord(text[at - 1]) > 0x2FF
    if "\U000e0020" <= letter <= "\U000e007f":
        start = at
        while start and "\U000e0020" <= text[start] <= "\U000e007f":
            start -= 1
        return text[start] == BLACK_FLAG
    return ord(letter) >= 0xE000 and not ("\ufeff" <= letter <= "\ufffb") and letter < "\U000e0000"


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
        proof, proof_labels = redact(clean(one)[0])
        labels += proof_labels
        if len(proof) > LONGEST:
            proof = proof[: LONGEST - 1] + "…"
            changes += (f"evidence was shortened to {LONGEST:,} characters",)
        if proof:
            proofs.append(proof)
    if labels:
        changes += (f"secrets were redacted before writing: {', '.join(labels)}",)
    flag = Flag(new_id(now, nth), now, host, episode, project, kind, line, tuple(proofs), origin)
    return flag, changes


def cut(text: str) -> list[str]:
    """A text of any length as pieces that `make` takes; [] only where nothing visible is left.

    Secrets go before the cut: half a secret on either side of it would no longer be recognised.
    """
    line, _ = redact(clean(text)[0])
    if len(line) <= LONGEST:
        return [line] if line else []
    size = LONGEST - 20
    pieces = []
    while line:
        stop = len(line) if len(line) <= size else (line.rfind(" ", size // 2, size) + 1 or size)
        pieces.append(line[:stop].strip())
        line = line[stop:]
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
    )
