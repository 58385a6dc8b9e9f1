"""Match a tool call against the compiled form of what a note waits for, with nothing imported.

The same code serves `holdfast arm` and a hook that has milliseconds: globs are walked by hand in time that is bounded
by their length times the path's, a word is looked for as a whole one, and `re` is loaded only for a note that has a
pattern.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

LONGEST_TEXT = 4000  # characters of a tool's input that a pattern is tried on
PATIENCE = 0.05  # seconds for one pattern; a good one takes microseconds
MOST_TRIES = 500  # places of one word that are looked at; a text with more parts like it is taken to have it
UNSPACED = "\u0e00"  # from here on are the scripts that put no space between words, where a part is all there is


def matches(when: Mapping[str, Any], tool: str, text: str, paths: Iterable[str], lowered: str | None = None) -> bool:
    """True if everything that a compiled `when` asks for is true of a tool call. `lowered` is the text in lower case,
    from a caller that asks about many notes and has made it once."""
    if when["tool"] and not any(glob_matches(one, tool.lower()) for one in when["tool"]):
        return False
    small = text.lower() if lowered is None and when["words"] else lowered or ""
    if not all(has_word(small, word) for word in when["words"]):
        return False
    if when["paths"] and not any(path_matches(glob, path) for path in paths for glob in when["paths"]):
        return False
    return not when["pattern"] or _occurs(when["pattern"], text[:LONGEST_TEXT])


def has_word(text: str, word: str) -> bool:
    """True if a word stands in a text by itself: `rg` not in `cargo`, and `.py` in `a.py`, since a sign at its edge
    already sets it apart."""
    starts, ends = _is_bound(word[:1]), _is_bound(word[-1:])
    is_option = word.startswith("-")  # of which `--force` is one and `--force-with-lease` another
    at = text.find(word)
    for _ in range(MOST_TRIES):
        if at < 0:
            return False
        after = at + len(word)
        is_longer = (ends and _is_bound(text[after : after + 1])) or (is_option and text[after : after + 1] == "-")
        if not (starts and at and _is_bound(text[at - 1])) and not is_longer:
            return True
        at = text.find(word, at + 1)
    return at >= 0


def _is_bound(letter: str) -> bool:
    return letter.isalnum() and letter < UNSPACED


class _TooLate(Exception):
    """A pattern took too long."""


def _occurs(pattern: str, text: str) -> bool:
    """True if a pattern is found in time. Python's own search never gives up, but it does look for signals."""
    import re
    import signal

    try:
        before = signal.signal(signal.SIGALRM, _give_up)
    except ValueError:  # not the main thread, so not a hook
        return re.search(pattern, text) is not None
    timer = signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        try:
            return re.search(pattern, text) is not None
        finally:
            signal.setitimer(signal.ITIMER_REAL, *timer)
            signal.signal(signal.SIGALRM, before)
    except (re.error, RecursionError, _TooLate):
        return False


def _give_up(*_: object) -> None:
    raise _TooLate


def path_matches(glob: str, path: str) -> bool:
    """Match a compiled glob with a path, folder by folder; `**` stands for any number of folders."""
    parts: list[str] = [""] if path.startswith("/") else []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    reached = {0}  # how many parts the globs so far can have taken
    for one in glob.split("/"):
        if one == "**" and reached:
            reached = set(range(min(reached), len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and glob_matches(one, parts[at])}
    return len(parts) in reached


def glob_matches(glob: str, text: str) -> bool:
    """`*`, `?` and `[abc]`, `[!a-z]` within one name. After a mismatch the last star takes one letter more."""
    signs = _signs(glob)
    at = here = 0
    star = behind = -1
    while here < len(text):
        if at < len(signs) and signs[at] == "*":
            star, behind, at = at, here, at + 1
        elif at < len(signs) and _takes(signs[at], text[here]):
            at, here = at + 1, here + 1
        elif star >= 0:
            behind += 1
            at, here = star + 1, behind
        else:
            return False
    return all(sign == "*" for sign in signs[at:])


def _signs(glob: str) -> list[str]:
    """A glob letter by letter, a set of letters as one."""
    signs = []
    at = 0
    while at < len(glob):
        end = glob.find("]", at + 2) if glob[at] == "[" else -1
        stop = end + 1 if end > 0 else at + 1
        signs.append(glob[at:stop])
        at = stop
    return signs


def _takes(sign: str, letter: str) -> bool:
    if len(sign) == 1:
        return sign in ("?", letter)
    negated = sign[1] in "!^"
    inside, at = sign[2 if negated else 1 : -1], 0
    found = False
    while at < len(inside):
        is_range = inside[at + 1 : at + 2] == "-" and at + 2 < len(inside)
        found = found or inside[at] <= letter <= inside[at + 2 if is_range else at]
        at += 3 if is_range else 1
    return found != negated
