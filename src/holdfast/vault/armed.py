"""Armed notes: those with `when`, the tool calls at which they come back by themselves.

    when: {tool: Bash, words: [docker, prune], paths: "infra/**", pattern: "prune +-a"}

All that is given must be true: one of the tools (any spelling of case, `*` allowed), every word in the tool's input
(any case, no letter or digit directly beside it), one of the globs on one of its paths, the pattern somewhere in its
first 4,000 characters. A `when` that can never or always match is refused, since a note that always comes back is soon
read by nobody.

After every change the active ones are compiled into `.state/armed`, the one small file that a hook reads. There words
and tools are in lower case, and globs stay globs: one for each alternative in braces, `**/` before one that may begin
at any folder. capture/armed_match decides on that form.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.capture import armed_match, codec, home, platform
from holdfast.errors import UsageError
from holdfast.vault import journal, notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.vault.notes import Note

KEYS = ("tool", "words", "paths", "pattern")
MOST_NOTES = 500
MOST_LINES = 6
UNVERIFIED = "an unverified flag"  # an origin that nobody trusts: it is told, and stops no call
MOST_LETTERS = 600
MOST_GLOBS = 64
OPEN_REPEATS = 3
FRONT = re.compile(r"\ufeff?---[ \t\r]*\n(?:.*?\n)??---[ \t\r]*(?:\n|\Z)", re.DOTALL)
BRACES = re.compile(r"\{([^{}/]*,[^{}/]*)\}")


@dataclass(frozen=True)
class When:
    """The tool calls that a note waits for, in the compiled spelling."""

    tool: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    pattern: str = ""

    def as_record(self) -> dict[str, Any]:
        return {
            "tool": list(self.tool),
            "words": list(self.words),
            "paths": list(self.paths),
            "pattern": self.pattern,
        }


def read(when: Any) -> When:
    """What a note's `when` says. Raises UsageError for keys and types that mean nothing."""
    if not isinstance(when, dict):
        raise UsageError(f"`when` should have some of {', '.join(KEYS)}, like {{tool: Bash, words: [docker]}}.")
    unknown = [key for key in when if key not in KEYS]
    if unknown:
        raise UsageError(f"`when` does not know {', '.join(unknown)}; it has {', '.join(KEYS)}.")
    pattern = when.get("pattern")
    if pattern is not None and not isinstance(pattern, (str, int)):
        raise UsageError("`pattern` in `when` should be one regular expression, in quotes.")
    globs = tuple(dict.fromkeys(one for glob in _texts(when, "paths") for one in _compiled(glob)))
    return When(
        tool=tuple(one.lower() for one in _texts(when, "tool")),
        words=tuple(one.lower() for one in _texts(when, "words")),
        paths=globs[:MOST_GLOBS],
        pattern="" if pattern is None else str(pattern),
    )


def _texts(when: dict[str, Any], key: str) -> list[str]:
    value = when.get(key)
    given = value if isinstance(value, list) else [] if value is None else [value]
    for one in given:
        if isinstance(one, bool) or not isinstance(one, (str, int)):
            raise UsageError(f"`{key}` in `when` should be a text or a list of texts; put quotes around {one}.")
    return [text for text in (str(one).strip() for one in given) if text]


def _compiled(glob: str) -> Iterator[str]:
    """One glob for each alternative. A relative one may begin at any folder; a slash at the end means all in it."""
    found = BRACES.search(glob)
    if found and len(glob) <= 500:
        for part in found[1].split(",")[:MOST_GLOBS]:
            yield from _compiled(glob[: found.start()] + part + glob[found.end() :])
        return
    tidy = f"{glob}**" if glob.endswith("/") else glob
    parts = [part for part in tidy.split("/") if part not in ("", ".")]
    rooted = "/" if glob.startswith("/") else "" if parts[:1] == ["**"] else "**/"
    if parts:
        yield rooted + "/".join(parts)


def matches(when: When, tool: str, text: str, paths: Iterable[str]) -> bool:
    """Whether a tool call is one that the note waits for."""
    return armed_match.matches(when.as_record(), tool, text, paths)


def problems(when: Any) -> list[str]:
    """Why it can never match, or always would, as sentences; none where it is good."""
    try:
        known = read(when)
    except UsageError as error:
        return [str(error)]
    found = [f"`{key}` is empty, so it would never match." for key in KEYS if _is_void(when, key, known)]
    found += [
        f"The path {glob} has two dots in it, and no path that is looked at has them, so it would never match."
        for glob in known.paths
        if ".." in glob.split("/")
    ]
    found += _pattern_problems(known.pattern) if known.pattern else []
    return found or _always(known)


def _is_void(when: dict[str, Any], key: str, known: When) -> bool:
    return when.get(key) is not None and not getattr(known, key)


def _always(known: When) -> list[str]:
    if known == When():
        return ["It has no condition, so it would come back at every tool call; give a tool, a word or a path."]
    is_any_tool = not known.tool or any(set(one) == {"*"} for one in known.tool)
    is_any_path = not known.paths or any(set(one) <= {"*", "/"} for one in known.paths)
    is_any_text = not known.pattern or re.search(known.pattern, "") is not None
    if is_any_tool and is_any_path and is_any_text and not known.words:
        return ["It would come back at every tool call; name a tool, a word, a folder or more of a pattern."]
    return []


def _pattern_problems(pattern: str) -> list[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what Python will read in another way one day
            tree = re._parser.parse(pattern)  # type: ignore[attr-defined]
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError, ValueError, Warning) as error:
        return [f"The pattern {pattern} is no regular expression ({error})."]
    if tree.getwidth()[0] > armed_match.LONGEST_TEXT:
        return ["The pattern is longer than what it is tried on, so it would never match."]
    repeats = list(_repeats(tree))
    if any(_is_ambiguous(body) for body in repeats) or len(repeats) > OPEN_REPEATS:
        return [
            f"The pattern {pattern} could take forever on a long input: it repeats what already varies, or has more "
            f"than {OPEN_REPEATS} open repeats. Use words, or write it without a repeat in a repeat."
        ]
    return []


def _nodes(tree: Any) -> Iterator[tuple[str, Any]]:
    """Every node of a parsed pattern, each before what is in it."""
    for operation, argument in tree:
        yield str(operation), argument
        for inner in _inside(argument):
            yield from _nodes(inner)


def _inside(argument: Any) -> Iterator[Any]:
    if isinstance(argument, re._parser.SubPattern):  # type: ignore[attr-defined]
        yield argument
    elif isinstance(argument, (tuple, list)):
        for one in argument:
            yield from _inside(one)


def _repeats(tree: Any) -> Iterator[Any]:
    """What is repeated without a limit, or as good as."""
    for operation, argument in _nodes(tree):
        if "REPEAT" in operation and argument[1] - argument[0] > 100:
            yield argument[2]


def _is_ambiguous(body: Any) -> bool:
    return any("REPEAT" in operation or operation == "BRANCH" for operation, _ in _nodes(body))


def compile_all(vault: str, notes: Iterable[Note]) -> None:
    """Write `.state/armed` anew where it differs. The notes may come without their bodies. Raises OSError."""
    armed = sorted((note for note in notes if note.is_active and note.when), key=lambda note: note.path)
    good = [note for note in armed if not problems(note.when)][:MOST_NOTES]
    data = codec.encode({"v": 1, "notes": [_record(vault, note) for note in good]})
    path = f"{home.state(vault)}/armed"
    try:
        if platform.read_file(path) == data:
            return
    except FileNotFoundError:
        if not good:
            return
    platform.make_folders(home.state(vault))
    platform.write_atomic(path, data, durable=False)


def _record(vault: str, note: Note) -> dict[str, Any]:
    return {
        "path": note.path,
        "name": note.name,
        "kind": note.kind,
        "policy": "" if note.unverified else note.policy,
        "origin": UNVERIFIED if note.unverified else note.origin,
        "project": note.project,
        "lines": [
            *(_own_lines(note.body or _body(vault, note.path)) or [note.description[:MOST_LETTERS]]),
            *([notes.UNVERIFIED.format(note.unverified).strip()] if note.unverified else []),
        ],
        "when": read(note.when).as_record(),
    }


def _body(vault: str, path: str) -> str:
    """Behind the front matter, which the index has read already: parsing it again would cost every change."""
    try:
        text = (journal.content(vault, path) or b"").decode("utf-8", "replace")
    except OSError:
        return ""
    found = FRONT.match(text)
    return text[found.end() :] if found else ""


def _own_lines(body: str) -> list[str]:
    """The first lines that say something, as many as fit."""
    lines: list[str] = []
    room = MOST_LETTERS
    for line in (one.rstrip() for one in body.splitlines()):
        if not line:
            continue
        if len(lines) == MOST_LINES or room <= 0:
            break
        lines.append(line if len(line) <= room else line[: room - 1].rstrip() + "…")
        room -= len(lines[-1])
    return lines
