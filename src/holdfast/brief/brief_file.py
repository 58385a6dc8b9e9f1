"""The brief as vault/brief made it ahead, kept true by the hook at the moment it is needed (brief/composition).

The cache lists the files that the brief quotes and is anchored to, at most 64, with size and times. The hook stats
them: a source that a person changed is read again in place, one that is gone is left out, one that cannot be read is
named, one that an agent changed with its own tools (capture/agent_files) says what it said before, and an item whose
anchored lines are no longer there says so. Anything else that changed is made anew in the background, for the next
start. A work tree without a brief gets its project's; a new project, that of all projects.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, gitfiles, platform, quoting
from holdfast.capture.agent_files import Edits
from holdfast.capture.ids import digest
from holdfast.model import Project, Reply, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = 1
LARGEST = 1 << 20  # of a source that is read again
LARGEST_CACHE = 4 << 20
LARGEST_ANCHORED = 4 << 20  # of a project's file, as in vault/anchors
THERE, LINES, WHOLE, SYMBOL, OPAQUE = "there", "lines", "whole", "symbol", "opaque"
FENCE, FOOT = "<holdfast-memory>", ("</holdfast-memory>",)
NOTHING = "Nothing is remembered here yet."
ALWAYS = ("identity", "rules")
MOST_ADDED = 32  # files of a folder that a start reads beyond those of its brief


@value
class Part:
    """One file's items in a section, in full and in short, and how many more there are. `episode` is that of a handoff,
    `is_doubted` says that its anchored lines are no longer there, `why` why the maker chose it."""

    section: str
    path: str
    texts: tuple[tuple[str, str], ...]
    more: int = 0
    episode: str = ""
    is_doubted: bool = False
    why: dict[str, Any] = {}  # noqa: RUF012


@value
class Cached:
    """A brief that was made ahead, and whether everything it was made of is as it was. `counts` are for the person:
    notes, those to review, and when the newest handoff was written."""

    parts: tuple[Part, ...]
    is_fresh: bool
    is_there: bool
    made: float = 0.0
    counts: dict[str, Any] = {}  # noqa: RUF012


def path_of(state: str, project: str, root: str) -> str:
    """Where the brief of a project's work tree lies; without a project, the one for places never seen before."""
    return f"{state}/brief/{digest(f'{project} {root}', 24) if project else 'global'}"


def stamp(path: str) -> str:
    """A file's times and size; "" where there is none."""
    try:
        seen = posix.stat(path)
    except (OSError, ValueError):
        return ""
    return f"{seen.st_mtime_ns}.{seen.st_ctime_ns}.{seen.st_size}"


def load(vault: str, state: str, project: Project, branch: str = "") -> Cached:
    """The cached brief with its changed sources read again, for a branch: that of the work tree unless one is given."""
    for ident, root in ((project.id, project.root), (project.id, ""), ("", "")):
        record = _read(path_of(state, ident, root))
        if not record:
            continue
        is_there = (ident, root) == (project.id, project.root)
        edits = Edits(vault)
        try:
            files = [(str(one[0]), str(one[1]), stamp(str(one[0])), len(one) > 2) for one in record["files"]]
            is_fresh = is_there and all(known == now for _, known, now, _ in files)
            is_fresh = is_fresh and all(stamp(str(path)) == known for path, known in record["watched"])
            is_fresh = is_fresh and tuple(record["project"].get("merged", ())) == project.merged
            changed = {at for at, (_, known, now, is_unsure) in enumerate(files) if known != now or is_unsure}
            names = [path for path, *_ in files]
            sources = _of_branch(record["sources"], str(record.get("branch", "")), project.root, branch)
            parts = tuple(_current(edits, one, names, changed, project.ids) for one in sources)
            parts += _added(edits, {str(path): str(known) for path, known in record["watched"]}, names, project.ids)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError):
            continue  # not what we write: made anew
        shown = tuple(part for part in parts if part.texts or part.more)
        counts = _dict(record.get("counts")) if ident == project.id else {}
        return Cached(shown, is_fresh, is_there, made_at(path_of(state, ident, root)), counts)
    return Cached((), is_fresh=False, is_there=False)


def _of_branch(sources: list[dict[str, Any]], newest: str, root: str, named: str) -> list[dict[str, Any]]:
    """The sources for the branch that is named or that the work tree is at; where that has no handoff, for that of the
    newest."""
    branches = {one["for"] for one in sources if "for" in one}
    if not branches:
        return sources
    here = named or (gitfiles.branch(root) if root else "")
    branch = here if here in branches else newest
    return [one for one in sources if one.get("for", branch) == branch and one.get("not") != branch]


def _added(edits: Edits, watched: dict[str, str], quoted: list[str], ids: tuple[str, ...]) -> tuple[Part, ...]:
    """Rules and identity that somebody put there since the brief was made: a new rule holds from the very next start.
    Only what is always on: the others were left out for a reason, or are in the map."""
    found = []
    vault = edits.vault
    for folder in (f"{vault}/{name}" for name in ALWAYS):
        if watched.get(folder, "") == stamp(folder):
            continue
        names = [name for name in platform.names(folder) if name.endswith(".md") and name[:1] != "."]
        fresh = [path for path in (f"{folder}/{name}" for name in sorted(names)) if path not in quoted]
        for path in fresh[:MOST_ADDED]:
            if edits.by(path.removeprefix(f"{vault}/")):
                continue
            said = _again(vault, path, quoting.BODY, ids).items
            if said and said[0][1] and said[0][0] != said[0][1]:
                found.append(Part("rules", path.removeprefix(f"{vault}/"), said))
    return tuple(found)


def _dict(found: object) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def made_at(path: str) -> float:
    try:
        return posix.stat(path).st_mtime
    except OSError:
        return 0.0


def _read(path: str) -> dict[str, Any]:
    try:
        record = _dict(codec.decode(platform.read_file(path, LARGEST_CACHE)))
    except (OSError, ValueError):
        return {}
    return record if record.get("v") == VERSION else {}


def _current(edits: Edits, source: dict[str, Any], files: list[str], changed: set[int], ids: tuple[str, ...]) -> Part:
    """A source's part as its file and its anchors are now."""
    section, path = str(source["s"]), str(source.get("p", ""))
    quoted = quoting.Quoted(tuple((str(full), str(short)) for full, short in source["q"]), int(source.get("more", 0)))
    number = int(source.get("f", -1))
    if number in changed and not edits.by(path):
        quoted = _again(edits.vault, files[number], str(source["how"]), ids)
    tests = [(test, files[test["f"]] if test.get("f", -1) in changed else None) for test in source.get("a", ())]
    said = [sentence for test, file in tests if (sentence := _judge(test, file))]
    texts = quoted.items
    if said and texts:
        more = f" ({'; '.join(said)})"
        # What is wrong with a note stands in its first line: that is the one that is read.
        ends = [full.find("\n") if section == "map" and "\n" in full else len(full) for full, _ in texts]
        pairs = zip(texts, ends, strict=True)
        texts = tuple((full[:at] + more + full[at:], short and short + more) for (full, short), at in pairs)
    why, episode = _dict(source.get("w")), str(source.get("e", ""))
    return Part(section, path, texts, quoted.more, episode, is_doubted=bool(said), why=why)


def still_says(vault: str, path: str, *ids: str) -> bool:
    """Whether a rule or identity that was told before is still in force here."""
    return bool(Edits(vault).by(path) or _again(vault, f"{vault}/{path}", quoting.BODY, ids).items)


def _again(vault: str, path: str, how: str, ids: tuple[str, ...]) -> quoting.Quoted:
    relative = path.removeprefix(f"{vault}/")
    if not stamp(path):
        return quoting.Quoted()
    is_linked = platform.is_behind_link(vault, relative.rpartition("/")[0])
    text = None if is_linked else read_text(path, LARGEST)
    if text is None:
        return quoting.unreadable(relative, "it cannot be read")
    return quoting.quote(how, relative, text.replace("\r\n", "\n"), ids[0], ids[1:])


def read_text(path: str, largest: int) -> str | None:
    """A regular file's text; None for a link, a pipe, or more than that. Nothing that lies there can make us wait."""
    try:
        return platform.read_regular(path, largest).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None


def _judge(test: dict[str, Any], path: str | None) -> str:
    """The sentence about an anchor; `path` is its file where that changed since the brief was made."""
    if path is None:
        return str(test.get("said", ""))
    if not stamp(path):
        return str(test["gone"])
    if test["kind"] == THERE:
        return ""
    text = read_text(path, LARGEST_ANCHORED)
    holds = None if test["kind"] == OPAQUE or text is None else holds_in(test, text)
    return "" if holds else str(test["unsure"] if holds is None else test["changed"])


def holds_in(test: dict[str, Any], text: str) -> bool | None:
    """Whether a text still has what a note is anchored to, lines that only moved included. None: not to be told here.
    Trailing blanks do not count, as in vault/anchors; a line must be whole, so `LIMIT = 30` is not `LIMIT = 3`."""
    lines = [line.rstrip() for line in text.split("\n")]
    trimmed = "\n".join(lines)
    wanted, needle = str(test.get("hash", "")).lower(), str(test.get("needle", ""))
    is_found = bool(needle) and f"\n{needle}\n" in f"\n{trimmed}\n"
    if test["kind"] == WHOLE:
        return len(wanted) >= 8 and any(digest(one, 64).startswith(wanted) for one in (trimmed, text))
    if test["kind"] == SYMBOL:
        return is_found or (None if str(test["name"]) in text else False)
    first, last = test["at"]
    block = lines[first - 1 : last] if last <= len(lines) else []
    if not wanted:
        return bool(block)
    is_same = len(wanted) >= 8 and digest("\n".join(block), 64).startswith(wanted)
    return is_same or is_found or (None if test.get("long") else False)


def said_newer(version: int, known: int) -> Reply:
    """The start where a newer holdfast has written the vault: silence would look like an empty memory."""
    return Reply(
        f"Holdfast remembers more than it can tell here: this vault has format {version}, written by a newer holdfast, "
        f"and the one on this machine knows format {known}. Nothing of it was changed. Flags are kept and filed later; "
        "notes, rules and handoffs are not told in this session. Tell the user to upgrade holdfast on this machine.",
        line="Holdfast: this vault needs a newer holdfast; flags are kept",
    )


def said_off(why: str) -> Reply:
    """The start where capture is switched off."""
    return Reply(f"Holdfast captures nothing in this session: {why}.")
