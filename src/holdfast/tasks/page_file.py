"""One task's page on disk: put in place in one step, and a person's hand in it read back as entries.

    .state/tasks/pages/<task>.md           the page as we rendered it last: what an edit is compared with
    .state/tasks/pages/<task>.coming.md    the same, of a rendering that is being put in place
    .state/tasks/pages/<task>.fresh        our rendering before the two change places, and what stood there after it

Promise: a page that was displaced is looked at before it goes, so whatever kills us, one of these has what a person
saved. In the four sections a changed line with an id is a new word on that entry, a line without one (or a paragraph)
is a new entry, and an entry that was on the page we rendered and is gone was withdrawn. The goal may be changed. Any
other change cannot be read: then the page is left exactly as it is, and `Unreadable` says where and why. A page that
somebody cut off has no seal, and is never taken for one whose entries were withdrawn.
"""

from __future__ import annotations

import posix

from holdfast.capture import platform
from holdfast.model import value
from holdfast.tasks import page, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.tasks.record import Entry

LARGEST = 1 << 20  # bytes of a page that a person may make of it


def put(vault: str, task: str, data: bytes, before: bytes | None) -> bool:
    """The new page in the place of the one that was read; False where somebody saved in between: their text lies
    aside then, and is believed next."""
    path, fresh = record.page_path(vault, task), fresh_path(vault, task)
    platform.remove(fresh)
    # Its bytes are synced, or a crash could leave an empty page, which nobody may overwrite; its name need not be.
    half = f"{fresh}.tmp"
    platform.remove(half)
    platform.write_new(half, data, durable=True)
    posix.rename(half, fresh)  # so what lies there is never half of a page
    try:
        if before is None:
            posix.link(fresh, path)
        elif not platform.exchange(fresh, path):
            posix.rename(fresh, path)
            return True
    except FileExistsError:
        platform.remove(fresh)
        return False
    except FileNotFoundError:
        return False
    if before is not None and not is_still(fresh, before):
        return False
    platform.remove(fresh)
    return True


def read(vault: str, task: str) -> bytes | None:
    """Raises Unreadable."""
    if platform.is_behind_link(vault, f"{record.FOLDER}/{task}"):
        raise Unreadable(0, "it lies behind a link")
    try:
        return content(record.page_path(vault, task))
    except OSError as error:
        raise Unreadable(0, error.strerror or "it cannot be read") from error


def base_of(vault: str, task: str, text: str) -> str:
    """The rendering of ours that a page began as: the last one, or one that was being put in place when we were
    killed. "" where it was neither."""
    _, said = page.seal_of(text)
    for path in (base_path(vault, task), coming_path(vault, task)):
        base = (content(path) or b"").decode("utf-8", "replace")
        if said and page.seal_of(base)[1] == said:
            return base
    return ""


def keep_base(vault: str, task: str, raw: bytes) -> None:
    """A rendering that was put in place by somebody who was then killed: the next one must not take its name."""
    base = base_of(vault, task, raw.decode("utf-8", "replace")).encode("utf-8", "replace")
    if base and not is_still(base_path(vault, task), base):
        posix.rename(coming_path(vault, task), base_path(vault, task))


def base_path(vault: str, task: str) -> str:
    return f"{record.own(vault)}/pages/{task}.md"


def coming_path(vault: str, task: str) -> str:
    return f"{record.own(vault)}/pages/{task}.coming.md"


def fresh_path(vault: str, task: str) -> str:
    return f"{record.own(vault)}/pages/{task}.fresh"


def content(path: str) -> bytes | None:
    """A file of ours or a person's; None where there is none. Raises OSError for what is no file, or too large."""
    try:
        return platform.read_regular(path, LARGEST)
    except FileNotFoundError:
        return None


def is_still(path: str, data: bytes) -> bool:
    try:
        return content(path) == data
    except OSError:
        return False


def text_of(raw: bytes) -> str:
    """Raises Unreadable."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable(0, "it is no UTF-8 text") from None


def give_back(theirs: str, path: str) -> None:
    """A person's page in the place of ours. Whatever they saved meanwhile is newer, and what they mean."""
    try:
        platform.exchange(theirs, path)
    except FileNotFoundError:
        posix.rename(theirs, path)
        return
    try:
        is_ours = not page.is_edited((content(theirs) or b"").decode("utf-8", "replace"))
    except OSError:
        is_ours = False
    if not is_ours:
        platform.exchange(theirs, path)


ALIASES = {
    **{heading.lower(): kind for kind, heading in page.HEADINGS.items()},
    "decisions made": record.DECISION,
    "progress markers": record.PROGRESS,
    "key discoveries": record.DISCOVERY,
}
OURS = (page.STATES.lower(), page.FINDINGS.lower())
BULLETS = ("- ", "* ", "+ ")
CONFLICT = ("<<<<<<< ", ">>>>>>> ")


class Unreadable(Exception):
    """A page that cannot be read, with the line and the reason."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(f"line {number}: {why}" if number else why)
        self.number = number
        self.why = why


@value
class Edits:
    """A person's edits: new entries by section, new words for old ones, withdrawn ones, and a new goal."""

    fresh: tuple[tuple[str, str], ...] = ()
    changed: tuple[tuple[str, str, str], ...] = ()  # id, section, words
    gone: tuple[str, ...] = ()
    goal: str = ""
    is_old: bool = False  # of a page that was rendered before our last one, or elsewhere

    def __bool__(self) -> bool:
        return bool(self.fresh or self.changed or self.gone or self.goal)


@value
class _Said:
    """One line or paragraph that is not as it was."""

    number: int
    section: str
    text: str


def read_edits(text: str, base: str, find: Callable[[str], Entry | None]) -> Edits:
    """A person's edits. `base` is the page as we rendered it last, "" where that is not known; `find` gives the entry
    that the short id on a page means. Raises Unreadable."""
    _, said = page.seal_of(text)
    if not text.strip():
        raise Unreadable(0, "it is empty")
    if not said:
        raise Unreadable(text.count("\n") + 1, f'its last line ("{page.SEAL}…") is missing, so its end may be too')
    body, _ = page.seal_of(text)
    is_ours = bool(base) and page.seal_of(base)[1] == said
    known = page.seal_of(base)[0].split("\n") if is_ours else []
    now = body.split("\n")
    told, headings = _changed(now, known)
    _check_headings(headings)
    fresh: list[tuple[str, str]] = []
    changed: list[tuple[str, str, str]] = []
    goal = ""
    # A copy of a line that still stands is an entry of its own.
    met = {_split(one)[1] for _, one in _places(known).keys() & _places(now).keys()}
    struck = {_split(one)[1] for one in known if _is_struck(one)}
    for one in told:
        if not one.section:
            mark = page.GOAL.strip()
            if not one.text.startswith(mark):
                where = "stands above the sections, where only the goal may be changed"
                raise Unreadable(one.number, f'"{_short(one.text)}" {where}')
            goal = one.text[len(mark) :].strip()
            continue
        if one.section not in page.HEADINGS:
            raise Unreadable(one.number, f'"{_short(one.text)}" stands where only holdfast writes')
        words, ident = _split(one.text)
        entry = find(ident) if ident and ident not in met else None
        if entry is None or entry.kind not in page.HEADINGS:
            if words:
                fresh.append((one.section, words))
            continue
        met.add(ident)
        is_restored = ident in struck and not _is_struck(one.text)
        is_same = one.section == entry.kind and entry.text in (words, _bare(one.text)[0])
        if words and (is_restored or not is_same):
            changed.append((entry.id, one.section, words))
    gone = _gone(known, now, find) if is_ours else ()
    return Edits(tuple(fresh), tuple(changed), gone, goal, not is_ours)


def _changed(lines: list[str], known: list[str]) -> tuple[list[_Said], list[tuple[int, str]]]:
    """Lines and paragraphs that were not there before, each with its section; and the headings."""
    left = _places(known)
    said: list[_Said] = []
    headings: list[tuple[int, str]] = []
    section = ""
    goes_on = False
    for number, one in enumerate(lines, 1):
        if one.startswith(CONFLICT):
            raise Unreadable(number, "git's marks of a conflict stand there")
        heading = _heading(one)
        if heading:
            headings.append((number, heading))
            section = _section(heading)
        is_known = left.get((section, one), 0) > 0
        if is_known:
            left[section, one] -= 1
        bare = one.strip()
        if heading or is_known or not bare or _is_generated(one, section, is_ours=bool(known)):
            goes_on = goes_on and bool(bare) and not heading and not is_known
            continue
        if goes_on and not bare.startswith(BULLETS) and said and section:
            said[-1] = _Said(said[-1].number, section, f"{said[-1].text} {bare}")
        else:
            said.append(_Said(number, section, bare))
        goes_on = True
    return said, headings


def _places(lines: list[str]) -> dict[tuple[str, str], int]:
    """How often each line stands in each section."""
    found: dict[tuple[str, str], int] = {}
    section = ""
    for one in lines:
        section = _section(_heading(one)) if _heading(one) else section
        found[section, one] = found.get((section, one), 0) + 1
    return found


def _heading(line: str) -> str:
    return line[3:].strip() if line.startswith("## ") else ""


def _section(heading: str) -> str:
    return ALIASES.get(heading.lower(), heading.lower())


def _is_generated(one: str, section: str, *, is_ours: bool) -> bool:
    """Whether holdfast wrote a line beside the entries, by its form, where the page is another rendering than ours."""
    if is_ours:
        return False
    marks = (page.STANDING, page.STEP, "> State: ", "> Read this first.", "# Session Memory")
    if one.startswith(marks) or (one.startswith(page.LEFT_OUT) and one.endswith(page.LISTED)):
        return True
    if section in page.HEADINGS or not section:
        return False
    return bool(_bare(one)[1]) or one.startswith(page.STATUS)


def _check_headings(headings: list[tuple[int, str]]) -> None:
    """Each section once, and none that is not ours."""
    found: dict[str, int] = {}
    for number, heading in headings:
        kind = ALIASES.get(heading.lower())
        is_end = heading.startswith((page.COMPLETE, "TASK ABANDONED"))
        if kind is None and heading.lower() not in OURS and not is_end:
            raise Unreadable(number, f'"## {_short(heading)}" is no section of a task\'s memory')
        if kind in found:
            raise Unreadable(number, f'"## {_short(heading)}" stands there twice')
        if kind:
            found[kind] = number
    for kind, heading in page.HEADINGS.items():
        if kind not in found:
            raise Unreadable(0, f'the section "## {heading}" is missing')


def _is_struck(line: str) -> bool:
    bare = _bare(line)[0]
    return bare.startswith("~~") and "~~ superseded by ^" in bare


def _split(text: str) -> tuple[str, str]:
    """The words of a line and the id at its end, without bullet, time and what holdfast adds."""
    bare, ident = _bare(text)
    if _is_struck(text):
        bare = bare[2:].partition("~~ superseded by ^")[0]
    if bare.startswith("SUPERSEDES ^") and " — " in bare:
        bare = bare.partition(" — ")[2]
    return bare.strip(), ident


def _bare(text: str) -> tuple[str, str]:
    """A line without bullet and time, and the id at its end."""
    bare = text.lstrip()
    if bare.startswith(BULLETS):
        bare = bare[2:].lstrip()
    head, mark, ident = bare.rpartition(" ^")
    if mark and ident.isalnum() and len(ident) >= record.SHORTEST:
        bare, ident = head, ident.upper()
    else:
        ident = ""
    first, dash, rest = bare.partition(" — ")
    shape = "".join("0" if letter.isdigit() else letter for letter in first)
    if dash and shape in ("0000-00-00T00:00Z", "0000-00-00T00:00:00Z", "0000-00-00"):
        bare = rest
    if bare.endswith(record.NO_ORDER) and record.ORIGIN in bare:
        bare = bare.rpartition(record.ORIGIN)[0]
    return bare.strip(), ident


def _gone(known: list[str], now: list[str], find: Callable[[str], Entry | None]) -> tuple[str, ...]:
    """The entries whose ids our page had and this one has not."""
    there = {_split(one)[1] for one in now}
    before = [_split(one)[1] for one in known]
    lost = [entry for ident in before if ident and ident not in there and (entry := find(ident))]
    return tuple(dict.fromkeys(one.id for one in lost if one.kind in page.HEADINGS))


def _short(text: str, size: int = 40) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"
