"""Anchors: what in a project's files a note was true of, so that a note whose ground has moved says so.

    anchors: ["src/a.py", "src/a.py:241-245", "src/a.py#place_order", {path: src/a.py, lines: 241, hash: …, commit: …}]

Promise: no anchor is ever looked for outside of the project's root, by dots or by links, and no file breaks a look.
Lines that only moved still hold: the same block anywhere in the file counts, whatever trailing blanks it has. A symbol
holds while a line defines it, whatever became of its body. A hash without lines is the whole file's. What is stored are
places and digests, never a file's text.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from dataclasses import dataclass, replace
from typing import Any, Literal

from holdfast.capture import gitfiles
from holdfast.vault import anchored

State = Literal["holds", "changed", "gone", "unknown"]

LONGEST_NEEDLE = 1 << 16
SHORT = 10  # letters of a commit

PLACE = re.compile(r"(?P<path>[^#\n]+?)(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?(?::\d+)?|#(?P<symbol>[\w.:$-]+))?")
EVIDENCE = re.compile(rf"{PLACE.pattern}(?:[,;:]?\s.*|[.,;:])?", re.DOTALL)
LINES = re.compile(r"(\d{1,9})(?:\s*-\s*(\d{1,9}))?")


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
        """How people write it."""
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
    if value.get("lines") is not None:
        lines = _lines(value["lines"])
        if lines is None:
            return None
        anchor = replace(anchor, lines=lines)
    symbol, known, commit = (str(value.get(key) or "").strip() for key in ("symbol", "hash", "commit"))
    return replace(anchor, symbol=symbol or anchor.symbol, hash=known, commit=commit)


def _placed(text: str) -> Anchor | None:
    found = PLACE.fullmatch(text)
    if not found or not _is_inside(found["path"]):
        return None
    lines = _lines(f"{found['first']}-{found['last'] or found['first']}") if found["first"] else None
    if found["first"] and lines is None:
        return None
    return Anchor(_tidy(found["path"]), lines, found["symbol"] or "")


def _lines(value: Any) -> tuple[int, int] | None:
    if isinstance(value, list) and len(value) in (1, 2):
        value = f"{value[0]}-{value[-1]}"
    found = LINES.fullmatch(str(value).strip())
    if not found:
        return None
    first, last = int(found[1]), int(found[2] or found[1])
    return (first, last) if 1 <= first <= last else None


def _is_inside(path: str) -> bool:
    parts = path.split("/")
    return path.isprintable() and not path.startswith(("/", "~")) and "" not in parts and ".." not in parts


def _tidy(path: str) -> str:
    return "/".join(part for part in path.split("/") if part != ".") or "."


def make(root: str, text: str, commit: str | None = None) -> dict[str, str] | None:
    """What to store for evidence such as "orders.py:241"; None where it names no file of the project.

    `commit` spares a git process to whoever makes many and has asked `head` once.
    """
    anchor = _in_evidence(root, text.strip())
    if anchor is None:
        return None
    full = anchored.resolve(root, anchor.path)
    if full is None or not os.path.isfile(full):
        return None
    try:
        made = _known_of(full, anchor)
    except OSError:
        return None
    at = head(root) if commit is None else commit
    return {**made, "commit": at} if at else made


def _known_of(full: str, anchor: Anchor) -> dict[str, str]:
    made = {"path": anchor.path}
    content = anchored.text_of(full)
    if content is None:
        made.update({"hash": anchored.ends_of(full)} if anchor.lines or anchor.symbol else {})
    elif anchor.symbol:
        made.update({"symbol": anchor.symbol} if anchored.definition(content, anchor.symbol) else {})
    elif anchor.lines:
        block = anchored.block_at(content.split("\n"), anchor.lines)
        if any(line.strip() for line in block):  # blank lines are everywhere: they would hold for ever
            made.update({"lines": replace(anchor, path="").place[1:], "hash": anchored.digest(block)})
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
    """Whether the anchored place is still as it was. "unknown" where that cannot be told here."""
    return _judge(root, anchor)[0]


def needle(root: str, anchor: Anchor) -> str | None:
    """The anchored text as it stands in the file, so that a cache can test `needle in content`.

    "" where only the file's being there counts; None where the anchor does not hold, or no such test would tell.
    """
    state, text = _judge(root, anchor)
    return text if state == "holds" else None


def _judge(root: str, anchor: Anchor) -> tuple[State, str | None]:
    if not root or not os.path.isdir(root):
        return "unknown", None
    full = anchored.resolve(root, anchor.path)
    try:
        if full is None:
            return "gone", None
        mode = os.stat(full).st_mode
        if not anchor.lines and not anchor.symbol and not anchor.hash:
            return "holds", ""
        if not stat.S_ISREG(mode):
            return "gone", None
        content = anchored.text_of(full)
        if content is None:
            return _judge_unread(full, anchor), None
    except (FileNotFoundError, NotADirectoryError):
        return "gone", None
    except OSError:
        return "unknown", None
    found = _found(content, anchor)
    if found is None:
        return "changed", None
    return "holds", found if len(found) <= LONGEST_NEEDLE else None


def _judge_unread(full: str, anchor: Anchor) -> State:
    if "-" not in anchor.hash:
        return "unknown"  # it was a text when the anchor was made
    return "holds" if anchor.hash == anchored.ends_of(full) else "changed"


def _found(content: str, anchor: Anchor) -> str | None:
    """The anchored part of a text, as it stands there."""
    if anchor.symbol:
        return anchored.definition(content, anchor.symbol)
    lines = content.split("\n")
    if anchor.lines:
        block = anchored.find_block(lines, anchor.lines, anchor.hash)
        return None if block is None else "\n".join(block).rstrip()
    known = (anchored.digest(lines, 64), hashlib.sha256(content.encode("utf-8", "surrogateescape")).hexdigest())
    return content if any(anchored.is_same(one, anchor.hash) for one in known) else None


def sentence(anchor: Anchor, state: State) -> str:
    """What a reader of the note should know; "" while it holds."""
    since = f"was true at {anchor.commit}, " if anchor.commit else ""
    if state == "changed":
        return f"{since}{anchor.place} changed since"
    if state == "gone":
        return f"{since}{anchor.path} is gone"
    return f"{since}{anchor.place} cannot be checked here" if state == "unknown" else ""
