"""Two versions of one file that grew from a third, put together: pure, by what the file is.

Promise: what only one side changed is taken, what both changed alike is taken once, and where they disagree nothing is
guessed: `conflict` says so, and the text is the one that must not be lost (ours; theirs where we removed the file).
Notes are merged field by field, because a list of sources that grew on two machines is no disagreement while two
descriptions are. Logs are merged as sets of lines, so that an undo takes back exactly the lines of its change. A patch
shows what one side changed; one with all of its context has both texts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from typing import Any

from holdfast.capture import quoting
from holdfast.capture.redaction import redact
from holdfast.tasks import page as tasks
from holdfast.tasks.record import is_archive, joined
from holdfast.vault import front_matter_edits, note_facets
from holdfast.vault.front_matter_edits import Document, Unparsable

LISTS = ("sources", "supersedes", "anchors")
DAYS = {"edited": max, "reviewed": max, "created": min}  # which of two days counts
LINE_SETS = ("activity.log", "purged", ".gitignore", ".gitattributes")
TABLES = "projects.toml"
TIME = re.compile(r"\[?(\d{4}-\d\d-\d\d(?:[T ]\d\d[\d:.]*)?)")
MOST_COMPARED = 1_000_000  # pairs of lines; beyond it a changed stretch counts as one change
MISSING: Any = object()
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")


@dataclass(frozen=True)
class Merged:
    """The text of the merge, None for no file. On a conflict it is one side's, whole."""

    text: str | None
    conflict: bool = False


class _Conflict(Exception):
    """Both sides changed the same thing differently."""


def merge(path: str, base: str | None, ours: str | None, theirs: str | None) -> Merged:
    """One file out of two that come from `base`. BRAIN.md comes back with an empty map, to be generated again."""
    if path == note_facets.PATH:
        return _merge_brain(base, ours, theirs)
    if theirs in (ours, base):
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    if path in LINE_SETS or path == TABLES:
        return _merge_set(path, base, ours, theirs)
    if tasks.is_page(path) and ours is not None and theirs is not None and not tasks.is_edited(theirs):
        return Merged(ours)  # it is made anew of the logs of both
    if is_archive(path) and ours is not None and theirs is not None:
        return Merged(joined(ours, theirs))
    if ours is None or theirs is None:
        return Merged(theirs if ours is None else ours, conflict=True)
    try:
        if path.endswith(".md"):
            return Merged(_merge_note(base, ours, theirs))
        return Merged(merge_lines(base or "", ours, theirs))
    except _Conflict:
        return Merged(ours, conflict=True)


def _merge_brain(base: str | None, ours: str | None, theirs: str | None) -> Merged:
    """The operator's words only: with the same empty map in all three, the map cannot disagree."""
    bare = [note_facets.refreshed(text, ()) for text in (base, ours, theirs)]
    try:
        return Merged(merge_lines(*bare))
    except _Conflict:
        if base is not None:
            return Merged(bare[1], conflict=True)
    # Two brains that began apart do not contradict each other: the words of both are one person's.
    above, below = (_united(*parts) for parts in zip(*(quoting.around_map(text) for text in bare), strict=True))
    return Merged(note_facets.refreshed(f"{above}{note_facets.BEGIN}\n{note_facets.END}\n{below}", ()))


def _united(base: str, ours: str, theirs: str) -> str:
    """One of two texts that replaced a third; the lines of both, ours first, where neither left it as it was."""
    with suppress(_Conflict):
        return merge_lines(base, ours, theirs)
    mine, other = ([line if line.endswith("\n") else f"{line}\n" for line in _lines(text)] for text in (ours, theirs))
    united: list[str] = []
    for _, begin, end, start, stop in SequenceMatcher(None, mine, other, autojunk=False).get_opcodes():
        united += mine[begin:end]
        united += [] if mine[begin:end] == other[start:stop] else other[start:stop]
    return "".join(united)


def _merge_set(path: str, base: str | None, ours: str | None, theirs: str | None) -> Merged:
    split = _tables if path == TABLES else _whole_lines
    parts = three_way(split(base or ""), split(ours or ""), split(theirs or ""))
    text = "".join(_by_time(parts) if path == "activity.log" else sorted(parts) if path == "purged" else parts)
    return Merged(None if not text and None in (ours, theirs) else text)


def three_way(base: Collection[Any], ours: Collection[Any], theirs: Collection[Any]) -> list[Any]:
    """Everything that is in both or was added by one, each once: ours in its order, then what theirs added."""
    kept = [one for one in ours if one in theirs or one not in base]
    kept += [one for one in theirs if one not in ours and one not in base]
    try:
        return list(dict.fromkeys(kept))
    except TypeError:  # tables cannot be hashed
        return [one for nth, one in enumerate(kept) if one not in kept[:nth]]


def _whole_lines(text: str) -> dict[str, None]:
    """Every line with its break, once. A table, because a log of years is looked up line by line."""
    return dict.fromkeys(line if line.endswith("\n") else f"{line}\n" for line in _lines(text))


def _tables(text: str) -> dict[str, None]:
    """The tables of a TOML file as they stand, each with a blank line before it; what precedes them is one too."""
    found = re.split(r"^(?=\[)", text, flags=re.MULTILINE)
    return dict.fromkeys(f"\n{part.strip()}\n" for part in found if part.strip())


def _by_time(lines: Iterable[str]) -> list[str]:
    """In the order of their leading times; a line without one stays below the line that it followed."""
    keyed, key = [], ""
    for line in lines:
        found = TIME.match(line)
        key = found[1].replace("T", " ") if found else key
        keyed.append((key, line))
    return [line for _, line in sorted(keyed, key=lambda pair: pair[0])]


def _merge_note(base: str | None, ours: str, theirs: str) -> str:
    try:
        mine, other = front_matter_edits.parse(ours), front_matter_edits.parse(theirs)
        root = front_matter_edits.parse(base) if base is not None else None
    except Unparsable:
        return merge_lines(base or "", ours, theirs)
    wanted = _merge_fields(root.fields if root else {}, mine.fields, other.fields)
    body = merge_lines(root.body if root else "", mine.body, other.body)
    head = _merge_head(root, mine, other, wanted)
    return head + ("\n" if body and not head.endswith("\n") else "") + body


def _merge_fields(base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    sides = (base, ours, theirs)
    found = {key: _merge_field(key, *(one.get(key, MISSING) for one in sides)) for key in {**ours, **theirs}}
    return {key: value for key, value in found.items() if value is not MISSING}


def _merge_field(key: str, base: Any, ours: Any, theirs: Any) -> Any:
    if theirs in (ours, base):
        return ours
    if ours == base:
        return theirs
    if key in LISTS:
        return three_way(_as_list(base), _as_list(ours), _as_list(theirs))
    days = [str(day) for day in (ours, theirs) if day is not MISSING and day is not None]
    if key in DAYS and days:
        return DAYS[key](days)
    raise _Conflict


def _as_list(value: Any) -> list[Any]:
    return [] if value is MISSING or value is None else value if isinstance(value, list) else [value]


def _merge_head(root: Document | None, ours: Document, theirs: Document, wanted: dict[str, Any]) -> str:
    """The front matter: by lines where that gives the wanted fields, for the comments of both; else ours, changed."""
    with suppress(_Conflict, Unparsable):
        text = merge_lines(_head(root) if root else "", _head(ours), _head(theirs))
        if front_matter_edits.parse(text).fields == wanted:
            return text
    with suppress(Unparsable):
        text = _without(ours, [key for key in ours.fields if key not in wanted])
        text = _head(front_matter_edits.parse(front_matter_edits.edit(front_matter_edits.parse(text), wanted)))
        if front_matter_edits.parse(text).fields == wanted:
            return text
    raise _Conflict


def _head(document: Document) -> str:
    return document.text[: len(document.text) - len(document.body)]


def _without(document: Document, keys: Iterable[str]) -> str:
    """The text without the lines of these keys."""
    text = document.text
    for key in sorted(keys, key=lambda key: document.spans[key], reverse=True):
        start, end = document.spans[key]
        shown = re.compile(rf"^[\"']?{re.escape(key)}[\"']?\s*:", re.MULTILINE)
        begins = [found.start() for found in shown.finditer(text, 0, start + 1)]
        stop = text.find("\n", max(start, end - 1))
        if not begins or stop < 0:
            raise _Conflict
        text = text[: begins[-1]] + text[stop + 1 :]
    return text


def merge_lines(base: str, ours: str, theirs: str) -> str:
    """By lines, as diff3 does it. Raises where both changed the same lines differently."""
    if theirs in (ours, base):
        return ours
    if ours == base:
        return theirs
    root, mine, other = _lines(base), _lines(ours), _lines(theirs)
    to_mine, to_other = _pairs(root, mine), _pairs(root, other)
    steady = [(at, to_mine[at], to_other[at]) for at in sorted(to_mine.keys() & to_other.keys())]
    merged: list[str] = []
    i = j = k = 0
    for at, in_mine, in_other in (*steady, (len(root), len(mine), len(other))):
        was, here, there = root[i:at], mine[j:in_mine], other[k:in_other]
        if here not in (was, there) and there != was:
            raise _Conflict
        merged += there if here == was else here
        merged += root[at : at + 1]
        i, j, k = at + 1, in_mine + 1, in_other + 1
    return "".join(merged)


def _lines(text: str) -> list[str]:
    """Lines with their breaks; only a line feed ends one, as for git."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _pairs(root: list[str], other: list[str]) -> dict[int, int]:
    """The lines of the root that stand in the other, with their places there, in order."""
    first = 0
    while first < min(len(root), len(other)) and root[first] == other[first]:
        first += 1
    last = 0
    while last < min(len(root), len(other)) - first and root[-1 - last] == other[-1 - last]:
        last += 1
    found = {at: at for at in range(first)}
    found |= {len(root) - nth: len(other) - nth for nth in range(1, last + 1)}
    middle, changed = root[first : len(root) - last], other[first : len(other) - last]
    if len(middle) * len(changed) <= MOST_COMPARED:
        for one in SequenceMatcher(None, middle, changed, autojunk=False).get_matching_blocks():
            found |= {first + one.a + nth: first + one.b + nth for nth in range(one.size)}
    return found


def patch(path: str, before: str | None, after: str | None, context: int = 3) -> str:
    """A unified diff. Where its context has a secret, it goes without context: a record travels with the vault."""
    for lines_around in (context, 0):
        names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if after is None else f"b/{path}")
        old, new = (_lines(side or "") for side in (before, after))
        lines = unified_diff(old, new, *names, n=lines_around)
        text = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
        text = text.encode("utf-8", "replace").decode("utf-8")
        if redact(text)[0] == text:
            break
    return text


def whole_patch(path: str, before: str | None, after: str) -> str:
    """A diff that both texts can be had from again; "" where there is none that may be kept."""
    made = patch(path, before, after, 1 << 30)
    try:
        return made if sides(made) == (before or "", after) else ""
    except ValueError:
        return ""


def sides(diff: str) -> tuple[str, str]:
    """Both texts of a diff that has all of its context. Raises ValueError where it does not have all that it says."""
    old: list[str] = []
    new: list[str] = []
    lines = _lines(diff)[2:]
    hunk = HUNK.fullmatch(lines[0]) if lines else None
    if not hunk or max(int(hunk[1]), int(hunk[3])) > 1:
        raise ValueError("its patch does not begin with the first line")
    for at, line in enumerate(lines[1:], 1):
        if line[:1] not in (" ", "-", "+", "\\"):
            raise ValueError("its patch has a gap")
        is_last = at + 1 < len(lines) and lines[at + 1].startswith("\\")
        body = line[1:-1] if is_last else line[1:]
        old += [body] if line[:1] in (" ", "-") else []
        new += [body] if line[:1] in (" ", "+") else []
    if (len(old), len(new)) != (int(hunk[2] or 1), int(hunk[4] or 1)):
        raise ValueError("its patch is cut off")
    return "".join(old), "".join(new)


def reversed_patch(diff: str) -> str:
    """The same patch the other way round; "" where its head was cut off."""
    if len(_lines(diff)) < 2:
        return ""
    first, second, *lines = _lines(diff)
    out = [f"--- {second[4:]}", f"+++ {first[4:]}"]
    for line in lines:
        if line.startswith("@@ -"):
            old, new = line[4:].partition(" @@")[0].split(" +")
            out.append(f"@@ -{new} +{old} @@\n")
        else:
            out.append({"+": "-", "-": "+"}.get(line[:1], line[:1]) + line[1:])
    return "".join(out)
