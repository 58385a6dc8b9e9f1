"""How a judge's words and a note's are handled alike, wherever a judge has a say: what is shown, what is taken, what a
rewrite would lose."""

from __future__ import annotations

from holdfast.capture.flags import clean
from holdfast.capture.redaction import redact
from holdfast.vault import frontmatter, index
from holdfast.vault.frontmatter import Unparsable

LONGEST_SHOWN = 3000  # of a note, to a judge
LOST = 0.25  # of a note's lines: a rewrite that loses more is refused


def body_of(text: str) -> str:
    """What stands behind a note's front matter; "" where that cannot be read."""
    try:
        return frontmatter.parse(text).body
    except Unparsable:
        return ""


def own_words(body: str) -> str:
    """A note's words without the proof below them, which is ours to keep."""
    return body.partition(f"\n\n{index.EVIDENCE}\n")[0].strip()


def proofs_in(body: str) -> tuple[str, ...]:
    """And the proof."""
    below = body.partition(f"\n\n{index.EVIDENCE}\n")[2]
    return tuple(line[2:].strip() for line in below.splitlines() if line.startswith("- "))


def shown(own: str) -> str:
    """What a judge sees of a note's own words: not a secret, and not all of a long one."""
    return redact(own)[0][:LONGEST_SHOWN]


def is_shown_whole(own: str) -> bool:
    """Whoever rewrites a note has to have seen all of it."""
    return bool(own) and shown(own) == own


def lost(before: str, after: str) -> float:
    """The share of a note's lines that a rewrite no longer has."""
    kept = {_tidy(line) for line in after.splitlines()}
    lines = [tidy for line in before.splitlines() if (tidy := _tidy(line))]
    return sum(1 for line in lines if line not in kept) / len(lines) if lines else 0.0


def _tidy(text: str) -> str:
    return " ".join(text.split())


def line(text: str, longest: int) -> str:
    """One clean line of a judge's."""
    return redact(clean(text)[0])[0][:longest].strip()


def lines(text: str) -> str:
    """Several lines, each cleaned; none of them can be taken for front matter or for the heading of our proofs."""
    given = text.strip().splitlines()
    cleaned = [redact(clean(one)[0])[0] if one.strip() else "" for one in given]
    indents = [one[: len(one) - len(one.lstrip(" "))][:8] for one in given]
    found = [f"{indent}{one}" if one else "" for indent, one in zip(indents, cleaned, strict=True)]
    return "\n".join(one for one in found if one.strip() not in ("---", index.EVIDENCE)).strip()
