"""`when`: the tool calls at which a note comes back by itself.

    when: {tool: Bash, words: [docker, prune], paths: "infra/**", pattern: "prune +-a"}
    when: {runs: ["git push --force"], writes: ["migrations/"], packages: [left-pad], settings: [DEBUG=true]}

All that is given must be true: one of the tools (any spelling of case, `*` allowed), every word in the tool's input
(any case, no letter or digit directly beside it), one of the globs on one of its paths, the pattern somewhere in its
first 4,000 characters; and of `runs`, `writes`, `opens`, `packages`, `settings` together one, which are about what the
call does, however it is written (hook/call_match). A `when` that can never or always match is refused, since a note
that always comes back is soon read by nobody. `when: false` is a note that was disarmed by hand.

`read` gives the form that a hook decides on: words and tools in lower case, globs one for each alternative in braces,
`**/` before one that may begin at any folder. `arm` and `disarm` change a note's `when` and no other byte of it.
"""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

from holdfast.capture import armed_match, gate
from holdfast.errors import HoldfastError, UsageError
from holdfast.model import value
from holdfast.vault import journal, notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from holdfast.vault.index import Index
    from holdfast.vault.notes import Note

DOES = ("runs", "writes", "opens", "packages", "settings")
GLOBS = ("writes", "opens")
KEYS = ("tool", "words", "paths", "pattern", *DOES)
MOST_LINES = 6
UNVERIFIED = "an unverified flag"  # an origin that nobody trusts: it is told, and stops no call
MOST_LETTERS = 600
MOST_GLOBS = 64
OPEN_REPEATS = 3
BRACES = re.compile(r"\{([^{}/]*,[^{}/]*)\}")
Wish = Any  # a `when`; False: none; None: what the note's own words name


@value
class When:
    """The tool calls that a note waits for, in the compiled spelling."""

    tool: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    pattern: str = ""
    runs: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()

    def as_record(self) -> dict[str, Any]:
        plain = {"tool": list(self.tool), "words": list(self.words), "paths": list(self.paths), "pattern": self.pattern}
        return {**plain, **{key: list(getattr(self, key)) for key in DOES if getattr(self, key)}}


def read(when: Any) -> When:
    """Read a note's `when`. Raises UsageError for keys and types that mean nothing."""
    if not isinstance(when, dict):
        raise UsageError(f"`when` should have some of {', '.join(KEYS)}, like {{tool: Bash, words: [docker]}}.")
    unknown = [key for key in when if key not in KEYS]
    if unknown:
        raise UsageError(f"`when` does not know {', '.join(unknown)}; it has {', '.join(KEYS)}.")
    pattern = when.get("pattern")
    if pattern is not None and not isinstance(pattern, (str, int)):
        raise UsageError("`pattern` in `when` should be one regular expression, in quotes.")
    return When(
        tool=tuple(one.lower() for one in _texts(when, "tool")),
        words=tuple(one.lower() for one in _texts(when, "words")),
        paths=_globs(when, "paths"),
        pattern="" if pattern is None else str(pattern),
        **{key: _globs(when, key) for key in GLOBS},
        **{key: tuple(" ".join(one.lower().split()) for one in _texts(when, key)) for key in ("runs", "packages")},
        settings=tuple(_texts(when, "settings")),
    )


def _globs(when: dict[str, Any], key: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for glob in _texts(when, key) for one in _compiled(glob)))[:MOST_GLOBS]


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
    return armed_match.matches(when.as_record(), tool, text, paths)


def said(when: dict[str, Any]) -> str:
    """The calls that a `when` waits for, in a few words."""
    parts = [
        *(f"`{_plain_command(one)}`" for one in _texts(when, "runs")),
        *(f"a change of {one}" for one in _texts(when, "writes")),
        *(f"{one}, read or changed" for one in _texts(when, "opens")),
        *(f"the package {one}" for one in _texts(when, "packages") if one not in _texts(when, "runs")),
        *(f"the setting {one}" for one in _texts(when, "settings")),
    ]
    plain = [*_texts(when, "words"), *_texts(when, "paths"), str(when.get("pattern") or "")]
    whole = " ".join(one for one in plain if one) or (" ".join(_texts(when, "tool")) if not parts else "")
    return ", ".join([*([whole] if whole else []), *parts])


def fitting(lines: list[str]) -> list[str]:
    """The first lines, as many as come back with a note."""
    kept: list[str] = []
    room = MOST_LETTERS
    for line in lines[:MOST_LINES]:
        if room <= 0:
            break
        kept.append(line if len(line) <= room else line[: room - 1].rstrip() + "…")
        room -= len(kept[-1])
    return kept


def _plain_command(pattern: str) -> str:
    """A command as a person writes it, without the signs that only the match needs."""
    return " ".join(one.lstrip("~") for one in pattern.split() if one[0] not in "[@!" and one != "*")


def problems_of(when: Any) -> list[str]:
    """A sentence for each reason why it can never match, or always would; none where it is good."""
    try:
        known = read(when)
    except UsageError as error:
        return [str(error)]
    empty = [key for key in KEYS if when.get(key) is not None and not getattr(known, key)]
    found = [f"`{key}` is empty, so it would never match." for key in empty]
    found += [
        f"The path {glob} has two dots in it, and no path that is looked at has them, so it would never match."
        for glob in (*known.paths, *known.writes, *known.opens)
        if ".." in glob.split("/")
    ]
    found += _pattern_problems(known.pattern) if known.pattern else []
    return found or _always(known)


def _always(known: When) -> list[str]:
    if known == When():
        return ["It has no condition, so it would come back at every tool call; give a tool, a word or a path."]
    is_any_tool = not known.tool or any(set(one) == {"*"} for one in known.tool)
    is_any_path = not known.paths or any(set(one) <= {"*", "/"} for one in known.paths)
    is_any_text = not known.pattern or re.search(known.pattern, "") is not None
    if any(set(one) <= {"*", "/"} for one in (*known.writes, *known.opens, *known.runs)):
        return ["It would come back at every file or command; name a folder, a file or a program."]
    is_told = any(getattr(known, key) for key in DOES)
    if is_any_tool and is_any_path and is_any_text and not known.words and not is_told:
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
    nodes = [one for one in _nodes(tree) if "REPEAT" in one[0]]
    repeats = [argument[2] for _, argument in nodes if argument[1] - argument[0] > 100]  # as good as without a limit
    inner = {operation for body in repeats for operation, _ in _nodes(body)}
    if len(repeats) > OPEN_REPEATS or any("REPEAT" in one or one == "BRANCH" for one in inner):
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


@value
class Arming:
    """One note before and after. `is_changed` is False where it was so already."""

    note: Note
    when: dict[str, Any] | None
    before: Any
    is_changed: bool


def arm(
    vault: str, now: float, wanted: str, project: str, when: Mapping[str, Any], *, by: gate.Asker, dry_run: bool = False
) -> Arming:
    """Let a note come back at these tool calls, or at those that its words name. Raises UsageError, NotFound."""
    asked = {key: given for key, given in when.items() if given is not None and given != []}
    if asked and (problems := problems_of(asked)):
        raise UsageError(f"{' '.join(problems)} Nothing was changed.")
    return _change(vault, now, wanted, project, asked or None, by, dry_run=dry_run)


def disarm(vault: str, now: float, wanted: str, project: str, *, by: gate.Asker, dry_run: bool = False) -> Arming:
    """Let a note wait for no tool call any more. Raises NotFound."""
    return _change(vault, now, wanted, project, False, by, dry_run=dry_run)


def _change(vault: str, now: float, wanted: str, project: str, when: Wish, by: gate.Asker, *, dry_run: bool) -> Arming:
    from holdfast.vault import index
    from holdfast.vault.transaction import writing

    if dry_run:
        planned, text, value = _planned(vault, index.load(vault), wanted, project, when)
        notes.with_fields(text, when=value)
        return planned
    with writing(vault, now) as writer:
        planned, text, value = _planned(vault, writer.index, wanted, project, when)
        if planned.is_changed:
            path = planned.note.path
            cause = "arm" if planned.when else "disarm"
            texts = {path: notes.with_fields(text, when=value)}
            subject = f"{cause}: {planned.note.name}"
            if path in writer.commit(subject, texts, cause=cause, by=by, planned_on={path: text}).skipped:
                raise HoldfastError(f"{path} was edited at this very moment; the edit was kept. Run it again.")
    return planned


def _planned(vault: str, known: Index, wanted: str, project: str, when: Wish) -> tuple[Arming, str, Wish]:
    """The change, the note's text, and what its `when` is to say: None is by its own words."""
    from holdfast.vault import named_calls

    note = notes.find((one for one in known.notes if one.applies_to(project)), wanted)
    text = (journal.content(vault, note.path) or b"").decode("utf-8")
    found = notes.from_text(note.path, text)
    named = named_calls.as_record(found, found.body) if isinstance(found, notes.Note) else {}
    own = (named.get("forbidden") or named.get("named")) if named else None
    before = note.when or (own if note.when is None else None)
    if when is None and not own:
        raise UsageError(
            f"{note.path} names no file, command, package or setting that tool calls could be told by; nothing was "
            "changed. Say when it should come back: --tool, --word, --path, --run, --write, …"
        )
    value = when if when or when is None or own else None
    after = value or (own if value is None and when is None else None)
    return Arming(note, after, before, note.when != value), text, value
