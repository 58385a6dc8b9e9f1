"""Quotes of the vault's files in a brief: the same words whether the brief is made or a hook re-reads a file.

Front matter is read by capture/front_matter, as the vault reads it; a file whose own cannot be read is named. A file
that no brief could show whole is not quoted whole, so a file of any size makes a small brief.
"""

from __future__ import annotations

from holdfast.model import ORIGINS, TRUSTED, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

MAP_BEGINS = "<!-- holdfast:map generated from the notes; edit those, or write outside of these two lines -->"
MAP_ENDS = "<!-- holdfast:end -->"
OPENING = """# Brain

What every session should know, in your own words. Holdfast never changes this part.
"""
OWN, BODY, LINE, NOTE, SAID = "own", "body", "line", "note", "said"
HIGHWAY = "highway"  # one line, with the mark of outside text
HANDOFF, NEXT, BESIDE = "handoff", "next", "beside"
EARLIER = "earlier"  # a handoff before the one that is loaded
BESIDE_NAME = ".theirs-"  # in the name of what a sync put beside ours
GLOBAL = "global"
LARGEST = 6000  # characters of one item; a larger one comes in short
LONGEST_LINE = 300  # of a description or title
FROM = " (from "  # behind an item of a handoff or a list, and the origin
OUTSIDE = " [outside text, from "  # what such a line says of itself
LONGEST_NOTE = 1500  # of the text of a note that is not always on
EVIDENCE = "\n\nEvidence:\n"  # what stands below a note's own words
MOST_PARTS = 200  # of one file: more than a brief has lines
FENCES = ("```", "~~~")
SIGNS = ".,;:!?\"'`()[]*_-"  # around a word
# Sections that the next session needs first, should not all of a handoff fit.
FIRST = (
    *("goals", "worked on", "where it stands", "in progress", "blockers", "next steps", "note to the next session"),
    *("done", "decisions", "learned", "files modified"),
)
LASTING = ("where it stands", "done", "decisions", "learned")  # of a handoff that another has overtaken


@value
class Quoted:
    """The items of a file in a brief, each in full and in short, and how many more it has than could ever fit."""

    items: tuple[tuple[str, str], ...] = ()
    more: int = 0


def from_mark(origin: str) -> str:
    """The words that stand behind what came from outside; "" behind the user's and the agent's own."""
    return "" if origin in ("", *TRUSTED) else f"{FROM}{origin})"


def said_by(item: str) -> tuple[str, str]:
    """An item without that mark, and the origin that it names; the agent's where there is none. Nobody is the user by
    ending so: we write the mark behind outside text alone."""
    words, mark, rest = item.rstrip().rpartition(FROM)
    origin = rest.removesuffix(")")
    is_ours = mark and origin in ORIGINS and f"{mark}{rest}" == from_mark(origin)
    return (words, origin) if is_ours else (item, "agent")


def fields_of(text: str) -> dict[str, str]:
    """Simple top-level values of the front matter, lists and tables as ""; {} where it cannot be read."""
    return {name: _text(one) for name, one in (_front(text)[0] or {}).items()}


def _front(text: str) -> tuple[dict[str, Any] | None, list[str]]:
    """The fields and the body's lines; None where there is no front matter that can be read."""
    from holdfast.capture import front_matter

    try:
        found, body = front_matter.read(text)
    except front_matter.Damaged:
        return None, text.removeprefix("\ufeff").split("\n")
    return found, body.split("\n")


def _text(value_of: Any) -> str:
    return "" if value_of is None or isinstance(value_of, (list, dict)) else " ".join(str(value_of).split())


def own_words(text: str) -> str:
    """BRAIN.md without the map, and without the opening that we put there."""
    above, below = around_map(text.replace("\r\n", "\n"))
    return (above + below).replace(OPENING, "").strip()


def around_map(text: str) -> tuple[str, str]:
    """The text before and behind the map. All of it is the operator's unless both markers stand on lines of their own
    with no other marker between: what somebody wrote below half a map is no map."""
    begin, at = -1, 0
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        if bare == MAP_BEGINS:
            begin = at
        elif bare == MAP_ENDS and begin >= 0:
            return text[:begin], text[at + len(line) :]
        at += len(line)
    return text, ""


def parts_of(text: str) -> list[str]:
    """The parts that can stand alone: paragraphs, headings, list items with what is set in below them, fenced code."""
    found: list[list[str]] = []
    fence, begins = "", True
    for line in text.split("\n"):
        tidy = line.strip()
        if fence:
            found[-1].append(line)
            fence = "" if tidy.startswith(fence) and not tidy.strip(fence[0]) else fence
            continue
        if not tidy:
            if found and found[-1][-1]:
                found[-1].append("")
            begins = True
            continue
        at_margin = line[:1] not in (" ", "\t")
        is_item = tidy[:2] in ("- ", "* ", "+ ") or tidy[:1] == "#" or tidy[:3] in FENCES
        if not found or (at_margin and (begins or is_item)):
            found.append([])
        fence = tidy[:3] if tidy[:3] in FENCES else ""
        found[-1].append(line)
        begins = False
    return ["\n".join(lines) for lines in found]


def rule_text(name: str, policy: str, body: str) -> str:
    """An always-on note, verbatim."""
    said = f"({policy}) " if policy else ""
    return f"- {said}{body}" if "\n" not in body else f"- {said}{name}:\n" + _indented(body)


def _indented(body: str, *, blanks: bool = True) -> str:
    return "\n".join(f"  {line}" if line.strip() else "" for line in body.splitlines() if blanks or line.strip())


def map_line(name: str, path: str, description: str) -> str:
    """One note in a line; a name that only begins the description need not stand there twice."""
    name, description = shortened(name), shortened(description)
    if description.casefold().startswith(name.casefold()):
        return f"- {description} ({path})"
    return f"- {name} ({path}): {description}"


def shortened(text: str, longest: int = LONGEST_LINE) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def quote(how: str, path: str, text: str, project: str, merged: tuple[str, ...] = ()) -> Quoted:
    """The items of a file as it is now; none where it is no longer of this project or of one merged into it."""
    kind, _, number = how.partition(":")
    if kind == OWN:
        return _own(path, text)
    fields, lines = _front(text)
    if fields is None:
        return unreadable(path, "its front matter cannot be read")
    known = {name: _text(one) for name, one in fields.items()}
    is_odd = isinstance(fields.get("project"), (list, dict))
    if is_odd or known.get("project", "") not in ("", GLOBAL, project, *merged):
        return Quoted()
    if kind in (HANDOFF, EARLIER):
        return (_handoff if kind == HANDOFF else _earlier)(path, known, lines, number)
    if kind == NEXT:
        return _next_steps(path, lines, number)
    if kind == BESIDE:
        where = known.get("branch") or known.get("host", "")
        return Quoted(((f"- session {number} ({where}): {shortened(known.get('title', ''))} ({path})", ""),))
    body = "\n".join(lines).strip()
    if kind == SAID:
        return _said(known, body)
    if known.get("status", "") not in ("", "active", "proposed"):
        return Quoted()
    name = known.get("name") or stem(path)
    line = map_line(name, path, known.get("description") or " ".join(body.partition("\n")[0].split()))
    if known.get("status") == "proposed":
        line += " (proposed by the agent, not confirmed by the user)"
        return Quoted(((line, line),))
    if kind == HIGHWAY:
        return Quoted((_noted(path, line, "", "", known.get("origin", "")),))
    if kind == NOTE:
        return Quoted((_noted(path, line, known.get("description", ""), body, known.get("origin", "")),))
    if kind != BODY or not body or not _is_always_on(path, known, fields.get("when")):
        return Quoted(((line, line),))
    return Quoted((_fitting(rule_text(name, known.get("policy", ""), body), line),))


def _said(known: dict[str, str], body: str) -> Quoted:
    """The user's own word: what it says, when it was said, how often, and whether anybody confirmed it."""
    status = known.get("status", "")
    if status not in ("", "active", "unconfirmed"):
        return Quoted()
    days = known.get("said", "").split() or [known.get("created", "")[:10]]
    times = {2: "twice", 3: "three times"}.get(len(days), f"{len(days)} times")
    when = f"said by the user on {days[-1]}" if len(days) < 2 else f"said {times}, last on {days[-1]}"
    when += ", in the agent's words" if known.get("origin", "") not in ("", "user") else ""
    when += ", not confirmed" if status == "unconfirmed" else ""
    words = " ".join(body.partition(EVIDENCE)[0].split())
    return Quoted(((f"- {words} ({when})", f"- {shortened(words, 160)} ({when})"),) if words else ())


def _noted(path: str, line: str, description: str, body: str, origin: str) -> tuple[str, str]:
    """A note's own words, and its line. Outside text comes as a line that says so, never as more than that."""
    if origin not in ("", *TRUSTED):
        marked = f"{line}{OUTSIDE}{origin}]"
        return marked, marked
    said = body.partition(EVIDENCE)[0].strip()
    flat = " ".join(said.split())
    if not said or len(said) > LONGEST_NOTE or not _adds(said, line):
        return line, line
    begins = " ".join(description.split()).rstrip("\u2026. ")
    if "\n" not in said and flat.startswith(begins):
        return f"- {said} ({path})", line
    first, _, rest = said.partition("\n")
    return "\n".join((line, *_indented(said if _adds(first, line) else rest, blanks=False).splitlines())), line


def _adds(text: str, line: str) -> bool:
    """True if a text has a word that a line does not have."""
    said, there = ({word.strip(SIGNS) for word in one.casefold().split()} for one in (text, line))
    return not said <= there | {""}


def unreadable(path: str, why: str) -> Quoted:
    """A file that a person is in the middle of, or that the disk does not give: said, and never in the way."""
    line = f"- {stem(path)} ({path}): {why}; `holdfast check` says more"
    return Quoted(((line, line),))


def stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _fitting(full: str, short: str) -> tuple[str, str]:
    return (full, short) if len(full) <= LARGEST else (short, short)


def _own(path: str, text: str) -> Quoted:
    parts = parts_of(own_words(text))
    shorts = (f"- {shortened(part.partition(chr(10))[0], 80)} (a longer part of {path})" for part in parts)
    fitting = tuple(_fitting(part, short) for part, short in zip(parts, shorts, strict=True))
    return Quoted(fitting[:MOST_PARTS], max(0, len(parts) - MOST_PARTS))


def _is_always_on(path: str, known: dict[str, str], when: Any) -> bool:
    """As vault/notes says: identity, and rules that wait for no tool call, by the word of the user or the agent."""
    kind = known.get("kind") or path.partition("/")[0]
    by_us = known.get("origin", "") in ("", *TRUSTED) and not known.get("unverified")
    return by_us and BESIDE_NAME not in path and (kind == "identity" or (kind in ("rule", "rules") and not when))


def _earlier(path: str, known: dict[str, str], lines: list[str], number: str) -> Quoted:
    """The sections of an older one that are still worth knowing: no plan, no list of files."""
    quoted = _handoff(path, known, lines, number)
    kept = [one for one in quoted.items[1:] if one[0].partition(":")[0].casefold() in LASTING]
    heading = f"Before that, session {number} ({known.get('time', '')[:10]}): {shortened(known.get('title', ''))}"
    return Quoted(((heading, ""), *kept)) if kept else Quoted()


def _handoff(path: str, known: dict[str, str], lines: list[str], number: str) -> Quoted:
    ended = known.get("time", "")[:16].replace("T", " ")
    where = ", ".join(part for part in (ended, known.get("branch", ""), known.get("host", "")) if part)
    title = shortened(known.get("title", ""))
    parts = _sections(line.replace("([note](../../", "(").replace(".md))", ".md)") for line in lines)
    _cut_goals(parts, title.rstrip("…"))
    order = {name: at for at, name in enumerate(FIRST)}
    ordered = sorted(parts, key=lambda name: order.get(name.casefold(), len(order)))
    items = [(f"Newest handoff, session {number} ({where}): {title}", "")]
    items += [_fitting(_part(name, parts[name]), f"{shortened(name) or 'More'}: see {path}") for name in ordered]
    return Quoted(tuple(items[:MOST_PARTS]), max(0, len(items) - MOST_PARTS))


def _sections(lines: Iterable[str]) -> dict[str, list[str]]:
    """The lines below each heading, without blank ones."""
    parts: dict[str, list[str]] = {}
    heading = ""
    for line in lines:
        if line.startswith("#"):
            heading = line.lstrip("#").strip().rstrip(":")
        elif line.strip() and (heading or line.strip(" #")):
            parts.setdefault(heading, []).append(line.rstrip())
    return parts


def _cut_goals(parts: dict[str, list[str]], title: str) -> None:
    """A handoff that nobody wrote is called by its first request: that need not stand below its title again."""
    name = next((one for one in parts if one.casefold() == "goals"), "")
    line = parts[name][0] if name else ""
    if not title or not line.removeprefix("- ").lstrip('"').startswith(title):
        return
    rest = line.partition(title)[2].strip(' ."')
    parts[name][:1] = [f'- "… {rest}"'] if rest else []
    if not parts[name]:
        del parts[name]


def _next_steps(path: str, lines: list[str], number: str) -> Quoted:
    """The wishes of the last author, where the newest handoff is nobody's."""
    wanted = (part for name, part in _sections(lines).items() if name.casefold().startswith("next step"))
    found = [line for part in wanted for line in part]
    heading = f"Next steps of session {number}, the last that somebody wrote ({path})"
    return Quoted((_fitting(_part(heading, found), f"{heading}: see there"),) if found else ())


def _part(title: str, lines: list[str]) -> str:
    if len(lines) == 1:
        only = lines[0].removeprefix("- ")
        return f"{title}: {only}" if title else only
    return "\n".join((f"{title}:", *lines) if title else lines)
