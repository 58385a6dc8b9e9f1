"""Anchors: what in a project's files a note was true of, so that a note whose ground has moved says so.

    anchors: ["src/a.py", "src/a.py:241-245", "src/a.py#place_order", {path: src/a.py, lines: 241, hash: …, commit: …}]

Promise: no anchor is ever looked for outside of the project's root, by dots or by links, and no file breaks a look.
Lines that only moved still hold: the same block anywhere in the file counts, whatever trailing blanks it has. A symbol
holds while a line defines it, whatever became of its body. A hash without lines is the whole file's. Places and digests
are stored, never a file's text.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Literal

from holdfast.capture import gitfiles, platform

State = Literal["holds", "changed", "gone", "unknown"]

LONGEST_NEEDLE = 1 << 16
SHORT = 10  # letters of a commit

PLACE = re.compile(r"(?P<path>[^#\n]+?)(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?(?::\d+)?|#(?P<symbol>[\w.:$-]+))?")
EVIDENCE = re.compile(rf"{PLACE.pattern}(?:[,;:]?\s.*|[.,;:])?", re.DOTALL)
LINES = re.compile(r"(\d{1,9})(?:\s*-\s*(\d{1,9}))?")
LARGEST = 4 << 20  # bytes; beyond it a file is known by its size and both ends
END = 1 << 20
MOST_LINES = 200  # of a block that is looked for elsewhere in its file
LONGEST_LINE = 1000  # that may define a symbol; longer ones no person wrote
HASH = 16
WORDS = (
    r"def|class|func|fn|fun|function\*?|interface|struct|type|const|let|var|val|enum|trait|impl|mod|module|namespace|"
    r"package|protocol|record|object|macro|macro_rules!|union|typedef|sub|proc|procedure|#?define|table|view"
)
COMMENTS = ("//", "# ", "* ", "-- ")
NO_TYPE = re.compile(r"\s*(?:if|else|elif|while|for|return|switch|case|await|yield|not|and|or|in|match|when|new)\b")


@dataclass(frozen=True)
class Anchor:
    """One place in a project. `lines` are counted from 1, both ends included."""

    path: str
    lines: tuple[int, int] | None = None
    symbol: str = ""
    hash: str = ""
    commit: str = ""

    @property
    def place(self) -> str:
        if self.symbol:
            return f"{self.path}#{self.symbol}"
        if self.lines is None:
            return self.path
        first, last = self.lines
        return f"{self.path}:{first}" if first == last else f"{self.path}:{first}-{last}"


def read(value: Any) -> Anchor | None:
    """The anchor in a note's front matter; None where it is none, or would leave the project."""
    if isinstance(value, str):
        return _placed(value.strip())
    if not isinstance(value, dict) or not isinstance(value.get("path"), str):
        return None
    anchor = _placed(value["path"].strip())
    if anchor is None or not all(isinstance(value.get(key, ""), (str, int)) for key in ("symbol", "hash", "commit")):
        return None
    lines = anchor.lines if value.get("lines") is None else _lines(value["lines"])
    if lines is None and value.get("lines") is not None:
        return None
    symbol, known, commit = (str(value.get(key) or "").strip() for key in ("symbol", "hash", "commit"))
    return Anchor(anchor.path, lines, symbol or anchor.symbol, known, commit)


def _placed(text: str) -> Anchor | None:
    found = PLACE.fullmatch(text)
    path = found["path"] if found else ""
    parts = path.split("/")
    if not found or not path.isprintable() or path.startswith(("/", "~")) or "" in parts or ".." in parts:
        return None
    lines = _lines(f"{found['first']}-{found['last'] or found['first']}") if found["first"] else None
    if found["first"] and lines is None:
        return None
    return Anchor("/".join(part for part in parts if part != ".") or ".", lines, found["symbol"] or "")


def _lines(value: Any) -> tuple[int, int] | None:
    if isinstance(value, list) and len(value) in (1, 2):
        value = f"{value[0]}-{value[-1]}"
    found = LINES.fullmatch(str(value).strip())
    if not found:
        return None
    first, last = int(found[1]), int(found[2] or found[1])
    return (first, last) if 1 <= first <= last else None


def make(root: str, text: str, commit: str | None = None) -> dict[str, str] | None:
    """The record for evidence such as "orders.py:241" (at `commit`); None where it names no file of the project."""
    anchor = _in_evidence(root, text.strip())
    full = resolve(root, anchor.path) if anchor else None
    if anchor is None or full is None or not os.path.isfile(full):
        return None
    try:
        made = _known_of(full, anchor)
    except OSError:
        return None
    at = head(root) if commit is None else commit
    return {**made, "commit": at} if at else made


def _known_of(full: str, anchor: Anchor) -> dict[str, str]:
    made = {"path": anchor.path}
    content = text_of(full)
    if content is None:
        made.update({"hash": ends_of(full)} if anchor.lines or anchor.symbol else {})
    elif anchor.symbol:
        made.update({"symbol": anchor.symbol} if definition(content, anchor.symbol) else {})
    elif anchor.lines:
        block = block_at(content.split("\n"), anchor.lines)
        if any(line.strip() for line in block):  # blank lines are everywhere: they would hold for ever
            made.update({"lines": replace(anchor, path="").place[1:], "hash": digest(block)})
    return made


def _in_evidence(root: str, text: str) -> Anchor | None:
    top = os.path.realpath(root)
    for prefix in (f"{root.rstrip('/')}/", f"{top}/"):
        text = text.removeprefix(prefix)
    found = EVIDENCE.fullmatch(text)
    if not found:
        return None
    place = found["path"]
    if found["first"]:
        place += f":{found['first']}-{found['last'] or found['first']}"
    elif found["symbol"]:
        place += f"#{found['symbol'].rstrip('.:')}"
    return _placed(place)


def head(root: str) -> str:
    """The commit that a project's work tree stands at, short; "" outside of git."""
    return gitfiles.head_commit(root)[:SHORT]


def holds(root: str, anchor: Anchor) -> State:
    """True if the anchored place is still as it was. "unknown" where that cannot be told here."""
    return _judge(root, anchor)[0]


def needle(root: str, anchor: Anchor) -> str | None:
    """The anchored text as it stands in the file, so that a cache can test `needle in content`; "" where only the
    file's being there counts; None where the anchor does not hold, or no such test would tell."""
    state, text = _judge(root, anchor)
    return text if state == "holds" else None


def _judge(root: str, anchor: Anchor) -> tuple[State, str | None]:
    if not root or not os.path.isdir(root):
        return "unknown", None
    full = resolve(root, anchor.path)
    try:
        if full is None:
            return "gone", None
        mode = os.stat(full).st_mode
        if not anchor.lines and not anchor.symbol and not anchor.hash:
            return "holds", ""
        if not stat.S_ISREG(mode):
            return "gone", None
        content = text_of(full)
        if content is None and "-" in anchor.hash:
            return "holds" if anchor.hash == ends_of(full) else "changed", None
        if content is None:
            return "unknown", None  # it was a text when the anchor was made
    except (FileNotFoundError, NotADirectoryError):
        return "gone", None
    except OSError:
        return "unknown", None
    found = _found(content, anchor)
    if found is None:
        return "changed", None
    return "holds", found if len(found) <= LONGEST_NEEDLE else None


def _found(content: str, anchor: Anchor) -> str | None:
    """The anchored part of a text, as it stands there."""
    if anchor.symbol:
        return definition(content, anchor.symbol)
    lines = content.split("\n")
    if anchor.lines:
        block = find_block(lines, anchor.lines, anchor.hash)
        return None if block is None else "\n".join(block).rstrip()
    known = (digest(lines, 64), hashlib.sha256(content.encode("utf-8", "surrogateescape")).hexdigest())
    return content if any(is_same(one, anchor.hash) for one in known) else None


def sentence(anchor: Anchor, state: State) -> str:
    """A clause for the reader of the note; "" while it holds."""
    since = f"was true at {anchor.commit}, " if anchor.commit else ""
    if state == "changed":
        return f"{since}{anchor.place} changed since"
    if state == "gone":
        return f"{since}{anchor.path} is gone"
    return f"{since}{anchor.place} cannot be checked here" if state == "unknown" else ""


def find_block(lines: list[str], place: tuple[int, int], wanted: str) -> list[str] | None:
    """The anchored lines, at their place or wherever they moved to; without a digest, whatever stands there now."""
    block = block_at(lines, place)
    if block and (not wanted or is_same(digest(block, 64), wanted)):
        return block
    count = place[1] - place[0] + 1
    if not wanted or count > MOST_LINES:
        return None
    tidy = [line.rstrip().encode("utf-8", "surrogateescape") for line in lines]
    whole = b"\n".join(tidy)  # one text and its offsets, since joining each block costs most
    starts = list(accumulate((len(line) + 1 for line in tidy), initial=0))
    for at in range(len(tidy) - count + 1):
        if is_same(hashlib.sha256(whole[starts[at] : starts[at + count] - 1]).hexdigest(), wanted):
            return lines[at : at + count]
    return None


def block_at(lines: list[str], place: tuple[int, int]) -> list[str]:
    """These lines; none where the file does not reach so far."""
    return lines[place[0] - 1 : place[1]] if place[1] <= len(lines) else []


def definition(content: str, symbol: str) -> str | None:
    """The line that defines a symbol, of a dotted one its last part."""
    name = re.split(r"::|\.", symbol)[-1]
    if not name or name not in content:
        return None
    word = re.escape(name)
    declared = re.compile(rf"(?:^|[\s(])(?:{WORDS})\s+(?:\([^)]*\)\s*)?{word}(?![\w$-])", re.IGNORECASE)
    assigned = re.compile(rf"""\s*(?:[\w$]+\.)?["']?{word}["']?\s*(?::|:?=(?![=~]))""")
    method = re.compile(rf"[\w\s*&<>,:\[\]~?]*(?<![\w$]){word}\s*\([^;]*\{{\s*")
    for line in content.split("\n"):
        if name not in line or len(line) > LONGEST_LINE or line.lstrip().startswith(COMMENTS):
            continue
        is_method = method.fullmatch(line) and not NO_TYPE.match(line)
        if declared.search(line) or assigned.match(line) or is_method:
            return line.rstrip()
    return None


def resolve(root: str, path: str) -> str | None:
    """The real file, if it is one of the project's."""
    top = os.path.realpath(root)
    try:
        full = os.path.realpath(f"{top}/{path}")
    except (OSError, ValueError):
        return None
    return full if full == top or full.startswith(f"{top.rstrip('/')}/") else None


def text_of(full: str) -> str | None:
    """A file's text; None where it is no text, or too much of it."""
    raw = platform.read_file(full, LARGEST + 1)
    return None if b"\0" in raw or len(raw) > LARGEST else raw.decode("utf-8", "surrogateescape")


def ends_of(full: str) -> str:
    """Size and digest of both ends: bounded work for a file of any size."""
    with open(platform.opened(full), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        known = hashlib.sha256(file.read(END))
        if size > END:
            file.seek(max(END, size - END))
            known.update(file.read(END))
    return f"{size}-{known.hexdigest()[:HASH]}"


def digest(lines: list[str], length: int = HASH) -> str:
    text = "\n".join(line.rstrip() for line in lines)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:length]


def is_same(whole: str, wanted: str) -> bool:
    return len(wanted) >= 8 and whole.startswith(wanted.lower())
