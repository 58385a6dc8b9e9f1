"""Looking into a project's files for what a note is anchored to.

Promise: nothing outside of the project is opened, and the work is bounded whatever the file is.
"""

from __future__ import annotations

import hashlib
import os
import re
from itertools import accumulate

from holdfast.capture import platform

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


def find_block(lines: list[str], place: tuple[int, int], wanted: str) -> list[str] | None:
    """The anchored lines, at their place or wherever they moved to; without a digest, whatever stands there now."""
    block = block_at(lines, place)
    if block and (not wanted or is_same(digest(block, 64), wanted)):
        return block
    count = place[1] - place[0] + 1
    if not wanted or count > MOST_LINES:
        return None
    at = _block_elsewhere([line.rstrip().encode("utf-8", "surrogateescape") for line in lines], count, wanted)
    return None if at is None else lines[at : at + count]


def _block_elsewhere(tidy: list[bytes], count: int, wanted: str) -> int | None:
    """Where a block of so many lines has this digest. One text and its offsets, since joining each block costs most."""
    whole = b"\n".join(tidy)
    starts = list(accumulate((len(line) + 1 for line in tidy), initial=0))
    for at in range(len(tidy) - count + 1):
        if is_same(hashlib.sha256(whole[starts[at] : starts[at + count] - 1]).hexdigest(), wanted):
            return at
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
