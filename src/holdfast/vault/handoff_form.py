"""A handoff written by hand: from a form as JSON or Markdown, or from what was flagged; checked, one commit.

The check names what makes a handoff useless to the next session, and how to fix it; a person can override it. It is
deterministic and short: no next step, an agenda word where a step should be, a decision without its reason, a file that
is not there, a transcript instead of a note. A short and honest handoff is worth more than none: where it says in some
other section what is open, a missing step is only warned of, and so is a decision without its reason.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.capture import codec, gate, gitfiles, platform, quoting
from holdfast.capture.flags import clean
from holdfast.capture.redaction import redact
from holdfast.errors import HoldfastError, Unfit, UsageError
from holdfast.model import TRUSTED
from holdfast.vault import front_matter_edits, lineage
from holdfast.vault.front_matter_edits import Unparsable
from holdfast.vault.lineage import Handoff
from holdfast.vault.transaction import writing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.capture.gate import Where
    from holdfast.model import Flag

AGENDA = re.compile(
    r"\b(?:maybe|perhaps|possibly|might (?:want|need|try)|could (?:look|try|maybe)|think about|at some point"
    r"|eventually(?! consistent)|some ?day|if (?:there is|there's|we have|you have) time|if time (?:permits|allows)"
    r"|time permitting|tbd|todo\?|as needed|and so on)\b"
    r"|(?:^|[.;:,] |\b(?:and|also|then|should|to|may|might|could) )(?:look (?:at|into)|consider(?:ing)?)\b"
    r"|(?<![/\w.])etc\b(?![/\w])",
    re.IGNORECASE,
)
CODE = re.compile(r"`[^`]*`")
REASON = re.compile(
    r"\b(because|since|so|due to|in order to|to (?:avoid|keep|prevent|stay|make|let|save|get)|as|for|reason|why|given"
    r"|instead of|rather than|otherwise|until|unless|thus|therefore|after|avoids?|saves?|needs?|requires?|breaks?"
    r"|broke)\b"
    r"|[;:(\u2013\u2014]| -+ |, (?:it|they|that|this|which|no|not)\b",
    re.IGNORECASE,
)
NOTHING = re.compile(r"^(none|nothing)\b", re.IGNORECASE)
MOST_CHARACTERS = 6000
SHORT = 1200  # characters up to which a handoff is a note in passing
SPEAKS_ON = ("note", "in_progress", "blockers")  # sections that tell the next session where it stands
GONE = re.compile(r"\b(?:deleted?|removed?|renamed?|moved?|dropped)\b|\u2192|->", re.IGNORECASE)
LINK = re.compile(r"\[[^\]]*\]\(([^)]+)\)")
QUOTES = "`'\"*[]()<>,;:"
PLACE = re.compile(r"(?:[:#]L?\d[\d,:L-]*)$")  # a line or lines of a file
HINT = '<!-- A handoff is short: what the next session needs, not a transcript. Each "- " is an item. -->'
TITLE = "What this session was about"
LABEL = re.compile(
    r"(?:^|(?<=\s))(?:[-*] )?\**"
    r"(Date|Goals?|Worked on|Done|Completed|In progress|Blockers?|Blocked|(?:Key )?[Dd]ecisions?|Learned"
    r"|Next(?: steps?| actions)?|Files(?: modified| changed)?|Handoff|Notes?(?: to the next session)?):\**(?=\s)"
)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def problems(handoff: Handoff, root: str) -> list[str]:
    """One sentence for each thing to fix; [] where the handoff is fit."""
    merely, size = warnings(handoff), _characters(handoff)
    found = [*_next_steps(handoff), *_decisions(handoff), *_files(handoff, root)]
    if size > MOST_CHARACTERS:
        found.append(f"It has {size:,} characters, {MOST_CHARACTERS:,} is the most: flag what lasts, it becomes notes.")
    return [one for one in found if one not in merely]


def warnings(handoff: Handoff) -> list[str]:
    """Sentences with which a short handoff is accepted."""
    if _characters(handoff) > SHORT:
        return []
    has_word = any(handoff.items(key) for key in SPEAKS_ON)
    missing = _next_steps(handoff) if has_word and not handoff.items("next_steps") else []
    return [*missing, *_decisions(handoff)]


def _next_steps(handoff: Handoff) -> list[str]:
    steps = handoff.items("next_steps")
    if not steps:
        return ['There is no next step. Add one under "Next steps": the first command or edit to make; or "None: why".']
    vague = [(nth, AGENDA.search(CODE.sub("`", step))) for nth, step in enumerate(steps, 1) if not NOTHING.match(step)]
    said = [(nth, found[0].strip(" .;:,")) for nth, found in vague if found]
    advice = 'say what to do and where, such as "run X and fix Y in Z".'
    return [f'Next step {nth} says "{one}": {advice}' for nth, one in said]


def _decisions(handoff: Handoff) -> list[str]:
    return [
        f'Decision {number} has no reason: add "because …", or the next session will decide it again.'
        for number, item in enumerate(handoff.items("decisions"), 1)
        if not REASON.search(item)
    ]


def _files(handoff: Handoff, root: str) -> list[str]:
    items = (item for item in handoff.items("files_modified") if not GONE.search(item) and not NOTHING.match(item))
    return [
        f'There is no file {path} in {root}: correct the path, or write "{path} (deleted)".'
        for path in (_path(item, root) for item in items)
        if path and not os.path.lexists(os.path.join(root, path))
    ]


def _path(item: str, root: str) -> str:
    """The file that an item names, however it is written; "" where it names none, or many at once."""
    item = LINK.sub(r"\1", item)
    whole = item.strip().strip(QUOTES)
    quoted = re.match(r"[`*\[]+([^`*\]]+)[`*\]]", item.strip())
    for candidate in (whole, quoted[1] if quoted else ""):
        if candidate and os.path.lexists(os.path.join(root, candidate)):
            return candidate
    words = [PLACE.sub("", word.strip(QUOTES)).strip(QUOTES) for word in item.split()]
    like = [word for word in words if "/" in word.strip("/") or re.search(r"\w\.\w+$", word)]
    path = like[0] if like else words[0] if len(words) == 1 else ""
    return "" if any(sign in path for sign in "*?{}\u2026") else os.path.expanduser(path)


def _characters(handoff: Handoff) -> int:
    return sum(len(item) for items in handoff.sections.values() for item in items)


@dataclass(frozen=True)
class HandedOff:
    path: str
    number: int
    commit: str
    changes: tuple[str, ...]


def form(flags: Sequence[Flag]) -> str:
    """A form to fill in, with what was flagged already in its place."""
    given: dict[str, list[str]] = {}
    for flag in flags:
        given.setdefault(lineage.section_for(flag.kind), []).append(flag.text)
    parts = [f"# {TITLE}\n\n{HINT}\n"]
    for key, title in lineage.SECTIONS.items():
        items = "".join(f"- {text}\n" for text in given.get(key, [])) or "- \n"
        parts.append(f"\n## {title}\n\n{items}")
    return "".join(parts)


def parse(text: str) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Title and sections from JSON or Markdown; nothing that was said is left out. Raises UsageError."""
    text = text.removeprefix("\ufeff")
    stripped = text.strip()
    if stripped.startswith("{"):
        try:
            form: Any = codec.decode(stripped)
        except ValueError as error:
            raise UsageError(f"The form is no JSON ({error}); nothing was written.") from error
        title = str(form.pop("title", "") or "") if isinstance(form, dict) else ""
        return " ".join(title.split()), lineage.from_form(form)
    try:
        body = front_matter_edits.parse(text).body if stripped.startswith("---") else text
    except Unparsable as error:
        raise UsageError(f"The front matter cannot be read ({error}); nothing was written.") from error
    body = COMMENT.sub("", body)
    labelled = _labelled(body)
    if labelled:
        return labelled
    title = next((line[2:].strip() for line in body.splitlines() if line.startswith("# ")), "")
    return "" if title == TITLE else title, lineage.sections_of(body, others="note")


def _labelled(body: str) -> tuple[str, dict[str, tuple[str, ...]]] | None:
    """The form in which each section is a label with a colon, on lines of their own or all in one: "Worked on: …
    Decisions: … Handoff: …". None where the body has headings of sections, or fewer than two labels."""
    if any(line.startswith("#") and lineage.section_named(line.lstrip("#")) for line in body.splitlines()):
        return None
    text = " ".join(line.strip() for line in body.splitlines() if line.strip())
    found = list(LABEL.finditer(text))
    if len({lineage.section_named(one[1]) for one in found} - {""}) < 2:
        return None
    sections: dict[str, list[str]] = {}
    for one, after in zip(found, [*(other.start() for other in found[1:]), len(text)], strict=True):
        said = text[one.end() : after].strip(" *-")
        key = lineage.section_named(one[1])
        if said:  # the date of the day is ours to know, and no reason to drop a word
            sections.setdefault(key or "note", []).append(said if key else f"{one[1]}: {said}")
    return text[: found[0].start()].strip(" #*"), {key: tuple(items) for key, items in sections.items()}


def write(
    vault: str,
    text: str,
    where: Where,
    now: float,
    started: float,
    *,
    anyway: bool = False,
    look_over: Callable[[Handoff], tuple[Handoff, list[str]]] = lambda made: (made, []),
) -> HandedOff:
    """Check and file one handoff. `look_over` holds it against its session: the handoff with what it doubts marked, and
    sentences about what the session contradicts. Raises Unfit with every problem, unless `anyway`."""
    title, sections = parse(text)
    if not sections:
        names = ", ".join(lineage.SECTIONS.values())
        raise UsageError(f"There is nothing in it; nothing was written. Headings or keys: {names}.")
    labels: list[str] = []
    tidy = {key: tuple(_tidy(item, labels) for item in items) for key, items in sections.items()}
    first = next(tidy[key][0] for key in (*lineage.SECTIONS,) if tidy.get(key))
    made = Handoff(
        title=_tidy(title, labels) or first[:80],
        time=lineage.iso(now),
        started=lineage.iso(started),
        project=where.project.id,
        branch=gitfiles.branch(where.project.root),
        host=where.host,
        episode=where.episode,
        author="agent" if where.found in ("environment", "process") else "user",
        sections=tidy,
    )
    wrong, warned = problems(made, where.project.root), warnings(made)
    made, contradicted = look_over(made)
    wrong += contradicted
    if wrong and not anyway:
        raise Unfit("The handoff was not written: " + " ".join(wrong) + " (--anyway writes it as it is.)")
    made = _stamped(made, gate.origin_of(where, vault))
    with writing(vault, now) as writer:
        listed = lineage.names(vault, made.project)
        parents = tuple(quoting.stem(one) for one in listed[-1:])
        made = replace(made, parents=parents, time=_free_second(now, listed))
        path = _free(lineage.path_for(made, platform.machine()), listed)
        number = sum(1 for one in listed if one < path) + 1
        subject = f"handoff: session {number} of {made.project}, {made.title}"
        texts: dict[str, str | None] = {path: lineage.render(made)}
        applied = writer.commit(subject, texts, cause="handoff", by=gate.BY_UPKEEP, planned_on={path: None})
        if path in applied.skipped:
            raise HoldfastError(f"{path} cannot be written, since something else stands there; nothing was written.")
    changes: tuple[str, ...] = (f"secrets were redacted before writing: {', '.join(labels)}",) if labels else ()
    changes += (f"accepted as it is, though: {' '.join(warned)}",) if warned else ()
    return HandedOff(path, number, applied.commit, changes)


def _stamped(made: Handoff, origin: str) -> Handoff:
    """A handoff that a session wrote after outside text had entered it says so, item by item; and it leaves no note to
    the next one, which would read it as the word of a colleague."""
    if origin in TRUSTED:
        return made
    kept = {key: items for key, items in made.sections.items() if key != "note"}
    mark = quoting.from_mark(origin)
    sections = {key: tuple(f"{one}{mark}" for one in items) for key, items in kept.items()}
    return replace(made, title=f"{made.title}{mark}", sections=sections)


def _tidy(text: str, labels: list[str]) -> str:
    line, found = redact(clean(text)[0])
    labels += [label for label in found if label not in labels]
    return line


def _free_second(now: float, taken: list[str]) -> str:
    """The time of a handoff, a second later where one has it already: the newest is told by its name alone."""
    while any(one.rpartition("/")[2].startswith(lineage.compact(lineage.iso(now))) for one in taken):
        now += 1
    return lineage.iso(now)


def _free(path: str, taken: list[str]) -> str:
    """Two handoffs of one episode within a second are two files all the same."""
    head, _, ending = path.rpartition("-")
    tried = (path, *(f"{head}-{nth}-{ending}" for nth in range(2, len(taken) + 3)))
    return next(one for one in tried if one not in taken)
