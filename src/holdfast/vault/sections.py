"""A Markdown file cut into sections: one heading, the text below it, and the lines it stands on.

Text is taken verbatim. Only headings cut, and none inside a code fence; a section that is too long for a note is cut
between paragraphs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdfast.vault import frontmatter

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 20_000
HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
POINTER = re.compile(r"\s*(?:[-*+]|\d+[.)])?\s*(?:@\S+|\[[^\]]*\]\([^)\s]+\.md\).*)?\s*$")


@dataclass(frozen=True)
class Section:
    """`heading` names it within its file, `first` and `last` are the lines of its text, counted from 1."""

    heading: str
    text: str
    first: int
    last: int
    description: str = ""


def cut(text: str, title: str) -> list[Section]:
    """The sections that say something. `title` names what stands above the first heading."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    name, description, start = title, "", 0
    try:
        document = frontmatter.parse(text)
        name = str(document.fields.get("name") or title)
        description = str(document.fields.get("description") or "")
        start = text.count("\n") - document.body.count("\n")
        text = document.body
    except frontmatter.Unparsable:
        pass
    if description:
        whole = Section(name, text.strip("\n"), start + 1, start + len(_lines(text)), description)
        return _named_once(_pieces(whole)) if says_something(text) else []
    found = [one for one in _by_heading(text, name, start) if says_something(one.text)]
    return _named_once(piece for one in found for piece in _pieces(one))


def says_something(text: str) -> bool:
    """Whether there is more than blank lines, comments and pointers to other files."""
    return any(not POINTER.match(line) for line in COMMENT.sub("", text).splitlines())


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _by_heading(text: str, title: str, start: int) -> Iterator[Section]:
    heading, first, fence, number = title, start + 1, "", start
    held: list[str] = []
    for number, line in enumerate(_lines(text), start + 1):
        mark = FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        found = None if fence else HEADING.match(line)
        if found:
            yield Section(heading, "\n".join(held), first, number - 1)
            heading, first, held = found[1].strip() or title, number, []
        else:
            held.append(line)
    yield Section(heading, "\n".join(held), first, number)


def _pieces(section: Section) -> list[Section]:
    if len(section.text) <= LONGEST:
        return [section]
    texts = [""]
    for paragraph in re.split(r"(?<=\n)(?=[ \t]*\n)", section.text):
        for at in range(0, len(paragraph), LONGEST):
            part = paragraph[at : at + LONGEST]
            if texts[-1] and len(texts[-1]) + len(part) > LONGEST:
                texts.append("")
            texts[-1] += part
    return [
        replace(section, heading=f"{section.heading} ({nth}/{len(texts)})", text=text)
        for nth, text in enumerate(texts, 1)
    ]


def _named_once(sections: Iterator[Section] | list[Section]) -> list[Section]:
    """Two sections of one file may have the same heading; the later one gets a number."""
    seen: dict[str, int] = {}
    out = []
    for one in sections:
        seen[one.heading] = seen.get(one.heading, 0) + 1
        nth = seen[one.heading]
        out.append(one if nth == 1 else replace(one, heading=f"{one.heading} ({nth})"))
    return out
