"""Which stretches of a prompt stand between quotation marks or backticks.

Promise: a text that is quoted cannot leave its quotation, whatever marks it holds itself. Between two marks stands what
a user quotes, and also what a quoted page may have put between marks of its own: `"a" remember this "b"` is two
quotations, or one page that closes the first and opens the second. Nothing tells the two apart, so everything from the
first mark of a kind to the last of them is quoted; and where the marks do not add up, everything after the first.

A mark only counts as the first where it can open: not `27"`, not the apostrophes of "don't" and "the users' table".
Behind the first one every mark counts, because the user's closing mark may stand behind any letter.

Plain string operations: a prompt must cost microseconds.
"""

from __future__ import annotations

# Marks of one kind, as (those that open, those that close, those that do both).
KINDS = (
    ("", "", '"\uff02'),
    ("“„‟❝〝", "”❞〞〟", ""),
    ("«", "»", ""),
    ("\u2039", "\u203a", ""),
    ("「｢", "」｣", ""),
    ("『", "』", ""),
    ("《", "》", ""),
    ("〈", "〉", ""),
    ("\u2018\u201a\u201b❛", "\u2019❜", ""),
    ("", "", "'\uff07"),
    ("", "", "`"),
)
APOSTROPHES = "'\uff07\u2018\u2019\u201b"  # these stand within words, and at their ends
SINGLE = "'\uff07\u2018\u2019\u201a\u201b❛❜"
STRICT = "«\u2039「『《〈"  # only ever used as pairs, so each has to be closed; the others have more than one custom
LONGEST_SINGLE = 300  # characters between two of them, where they are taken for a pair
WIDE = "\u2e80"  # scripts without spaces begin here: a mark between two of their signs is no apostrophe


def spans(text: str, seen: str, *, loosely: bool = False) -> list[tuple[int, int]]:
    """From where to where `text` is quoted. `seen` is the text with what is hidden already in place of it: a quotation
    begins where both have its mark; where it ends, the marks in hidden lines count too. `loosely` takes each pair of
    marks for one quotation, as a reader would who trusts the text."""
    found = []
    for opening, closing, both in KINDS:
        signs = opening + closing + both
        if not any(sign in seen for sign in signs):
            continue
        marks = _marks(text, signs)
        first = next((nth for nth, at in enumerate(marks) if seen[at] == text[at] and _opens(text, at, opening)), -1)
        if first < 0:
            continue
        marks = marks[first:]
        if loosely:
            found += _pairs(text, marks) if both != "`" else _code(text)
        else:
            whole = _adds_up(text, marks, opening, closing)
            found.append((marks[0], marks[-1] + 1 if whole else len(text)))
    return sorted(found)


def _pairs(text: str, marks: list[int]) -> list[tuple[int, int]]:
    """One quotation for each two marks; one that is never closed reaches to the end of its paragraph, and apostrophes
    are only a pair within a line."""
    found = []
    left = list(reversed(marks))
    while left:
        begin = left.pop()
        end = left[-1] if left else -1
        if text[begin] in SINGLE:
            if end < 0 or end - begin > LONGEST_SINGLE or "\n" in text[begin:end]:
                continue
        elif end < 0:
            stop = text.find("\n\n", begin)
            found.append((begin, stop if stop >= 0 else len(text)))
            break
        found.append((begin, left.pop() + 1))
    return found


def _code(text: str) -> list[tuple[int, int]]:
    """`code` within a paragraph, closed by as many backticks as opened it."""
    found = []
    at = text.find("`")
    while at >= 0:
        size = 1
        while text[at + size : at + size + 1] == "`":
            size += 1
        stop = text.find("\n\n", at)
        end = text.find("`" * size, at + size, stop if stop >= 0 else len(text))
        if end >= 0:
            found.append((at, end + size))
        at = text.find("`", end + size if end >= 0 else at + size)
    return found


def _marks(text: str, signs: str) -> list[int]:
    """Where the marks of one kind stand; an apostrophe within a word is none."""
    found = []
    for sign in signs:
        at = text.find(sign)
        while at >= 0:
            if sign not in APOSTROPHES or not (_is_letter(text[at - 1 : at]) and _is_letter(text[at + 1 : at + 2])):
                found.append(at)
            at = text.find(sign, at + 1)
    found.sort()
    return found


def _opens(text: str, at: int, opening: str) -> bool:
    """Whether a mark may be the first of a quotation: not where it ends a word."""
    if text[at] in opening:
        return True
    before, behind = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if not before or before.isspace():
        return bool(behind)
    if before < WIDE and before.isalnum():
        return behind.isalnum()  # says"so
    return not (behind.isspace() and before in ".,;:!?)]}") if behind else False


def _is_letter(sign: str) -> bool:
    return sign.isalnum() and sign < WIDE


def _adds_up(text: str, marks: list[int], opening: str, closing: str) -> bool:
    """Whether the marks can be read as whole quotations."""
    if len(marks) % 2:
        return False
    if not opening or opening[0] not in STRICT:
        return True
    turned = text[marks[0]] in closing  # »so«
    depth = 0
    for at in marks:
        depth += 1 if (text[at] in opening) != turned else -1
        if depth < 0:
            return False
    return depth == 0
