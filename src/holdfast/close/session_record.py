"""The story of an ended episode: its handoff, unless it has one, and its line in activity.log.

Both are known by whose they are and by when the episode ended, so a close that was killed and is run again adds
neither a second time. Somebody's own handoff is better than ours: then only the line is added. Ours is made of flags,
files touched and prompts, with quotations of what was seen and said in the session.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from holdfast.capture import episodes, gitfiles, home, platform, queue, quoting, same_project, story
from holdfast.capture.flags import clean
from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact
from holdfast.close import aftermath, lasting, salvage
from holdfast.close.filing import Filing, plain
from holdfast.close.verify import handoff_check
from holdfast.close.work import Believing, Work
from holdfast.model import TRUSTED, Flag
from holdfast.vault import lineage
from holdfast.vault.notes import QUARANTINE, UNVERIFIED
from holdfast.witness import account as accounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.close.decide import Deliberated
    from holdfast.close.draft import HandoffDraft
    from holdfast.close.verify.evidence import Evidence
    from holdfast.close.verify.findings import Finding
    from holdfast.vault.transaction import Writer

NOTE = "Quoted by holdfast from what was said and done; nobody wrote a handoff."
NOTED = "Written by holdfast from flags and prompts; nobody wrote a handoff."
ASKED = "goals"  # the user's own words, whatever entered later
MOST_FILES = 40
FEW_PROMPTS, FEW_WORDS = 3, 4000  # of a session in which nothing was changed: below that nothing was decided either
LONGEST = 300
LONGEST_TOPIC, SHORTEST_TOPIC = 80, 12
MOST_ITEMS = 30
ACTIVITY = "activity.log"


def says_little(told: story.Story, evidence: Evidence, account: accounts.Account | None) -> bool:
    """Whether nothing was changed and nothing can have been decided: a question and its answer."""
    if account is None or account.worked or told.files or evidence.edited:
        return False
    words = sum(len(one.text) for one in account.answers)
    return 0 < len(account.prompts) <= FEW_PROMPTS and words <= FEW_WORDS


def completed(
    made: lineage.Handoff, account: accounts.Account, cwd: str, origin: str, files: Sequence[str]
) -> lineage.Handoff:
    """A handoff made of flags and prompts, with what was witnessed behind it."""
    own = {key: items for key, items in made.sections.items() if key not in ("goals", "worked_on", "files_modified")}
    found = accounts.sections(account, said=[item for key, items in own.items() if key != "note" for item in items])
    mark = quoting.from_mark(origin)
    root = gitfiles.root_of(cwd)  # paths as the project says them
    where = [f"{_line(one.replace(f'{root}/', ''))}{mark}" for one in found.pop("where", [])]
    found = {key: [f"{one}{'' if key == ASKED else mark}" for one in items] for key, items in found.items()}
    sections = {key: (*made.sections.get(key, ()), *map(_line, found.get(key, ()))) for key in (*own, *found)}
    sections["goals"] = tuple(map(_line, found.get("goals", ()))) or made.sections.get("goals", ())
    sections["files_modified"] = _files(where, files, root) or made.sections.get("files_modified", ())
    sections["note"] = tuple(NOTE if one == NOTED else one for one in made.sections.get("note", ()))
    return replace(made, sections={key: items for key, items in sections.items() if items})


def _line(text: str) -> str:
    return redact(clean(text)[0])[0]


def _files(where: Sequence[str], files: Sequence[str], root: str) -> tuple[str, ...]:
    """The files of which the purpose is known, then the names of the others."""
    told = " ".join(where)
    rest = [clean(path)[0] for path in (_local(one, root) for one in files) if path not in told]
    more = f", and {len(rest) - MOST_FILES} more" if len(rest) > MOST_FILES else ""
    return (*where, *([f"{'also ' if where else ''}{', '.join(rest[:MOST_FILES])}{more}"] if rest else []))


def make(
    episode: episodes.Episode,
    told: story.Story,
    flags: Sequence[Flag],
    placed: Mapping[str, str],
    parents: tuple[str, ...],
    drafted: HandoffDraft | None = None,
    doubts: Mapping[str, str] = MappingProxyType({}),
) -> lineage.Handoff:
    """The handoff of an episode; without a draft, without a model. `doubts` say why flags are unverified."""
    sections: dict[str, list[str]] = {}
    first, last = (told.prompts[0], told.prompts[-1]) if told.prompts else ("", "")
    if first:
        sections["goals"] = [_one_line(first)]
    if last and last != first:
        sections["worked_on"] = [f"last asked for: {_one_line(last)}"]
    answered = {ident for flag in flags for ident in flag.answered}
    guarded = [flag for flag in flags if placed.get(flag.id, "").startswith(f"{QUARANTINE}/")]
    quotable = [flag for flag in flags if not flag.status and flag not in guarded and flag.id not in answered]
    for flag in quotable:
        path, doubt = placed.get(flag.id, ""), doubts.get(flag.id, "")
        link = f" ([note](../../{path}))" if path and flag.kind != "progress" else ""
        marks = f"{UNVERIFIED.format(doubt) if doubt else ''}{quoting.from_mark(flag.origin)}"
        sections.setdefault(lineage.section_for(flag.kind), []).append(f"{_one_line(plain(flag))}{marks}{link}")
    for key, items in sections.items():
        if len(items) > MOST_ITEMS:
            sections[key] = [*items[:MOST_ITEMS], f"and {len(items) - MOST_ITEMS} more, filed as notes"]
    if told.files:
        root, more = gitfiles.root_of(episode.cwd), len(told.files) - MOST_FILES
        shown = [clean(_local(path, root))[0] for path in told.files[:MOST_FILES]]
        sections["files_modified"] = [*shown, *([f"and {more} more"] if more > 0 else [])]
    if episode.state == episodes.DIED:
        request = f" Its last request was: {_one_line(last)}" if last else ""
        sections["in_progress"] = [f"The session died without an end, so its work may be half done.{request}"]
    sections["note"] = [NOTED]
    if drafted:
        from holdfast.close import draft  # pydantic, which a close without a judge need not wait for

        died = sections.get("in_progress", []) if episode.state == episodes.DIED else []
        sections |= {name: [draft.item(line, placed) for line in lines] for name, lines in drafted.sections.items()}
        sections["in_progress"] = [*died, *(one for one in sections.get("in_progress", []) if one not in died)]
        sections["note"] = []
    if guarded:
        sections["note"].append(f"{len(guarded)} flagged from outside text, for a person to review (`holdfast review`)")
    return lineage.Handoff(
        title=(drafted.title if drafted else "") or topic(told, [flag for flag in quotable if flag.origin in TRUSTED]),
        time=lineage.iso(episode.closed or episode.opened),
        started=lineage.iso(episode.opened),
        project=episode.project,
        branch=gitfiles.branch(episode.cwd),
        host=episode.host,
        episode=episode.key,
        author=drafted.author if drafted else lineage.MECHANICAL,
        parents=parents,
        sections={key: tuple(items) for key, items in sections.items() if items},
    )


def topic(told: story.Story, flags: Sequence[Flag]) -> str:
    """The subject of a session: the first sentence of the first prompt's first line, else of the first flag."""
    for text in (*told.prompts[:1], *(flag.text for flag in flags[:1])):
        first = next((line for line in (clean(one)[0] for one in text.splitlines()) if line), "")
        sentence = first.partition(". ")[0]
        first = (sentence if len(sentence) >= SHORTEST_TOPIC else first).rstrip(" .,;:")
        if first:
            cut = first.rfind(" ", LONGEST_TOPIC // 2, LONGEST_TOPIC)
            return first if len(first) <= LONGEST_TOPIC else first[: cut if cut > 0 else LONGEST_TOPIC] + "…"
    return "a session without words"


def _one_line(text: str) -> str:
    return quoting.shortened(clean(text)[0], LONGEST)


def _local(path: str, root: str) -> str:
    """A path as the project says it."""
    return os.path.relpath(path, root) if path.startswith(f"{root}/") else path


@dataclass(frozen=True)
class HandoffPlace:
    """The path of a handoff, "" where there is none, its number, and the findings against it. `topic` is the subject of
    a session that needs no handoff: nothing was changed or decided in it."""

    path: str
    number: int
    findings: tuple[Finding, ...] = ()
    topic: str = ""


def add_handoff(
    writer: Writer, work: Work, filing: Filing, texts: dict[str, str | None], thought: Deliberated
) -> HandoffPlace:
    """The handoff of an ended episode, checked against its session: a draft was when it was judged, ours is now."""
    listed = lineage.names(writer.vault, work.project)
    known = handoff_of(writer.vault, work.episode, listed) if work.episode else ""
    if known:
        return HandoffPlace(known, listed.index(known) + 1)
    told = thought.story or story.read(home.state(writer.vault), work.key)
    refused = aftermath.handoffs(writer.vault, work.project, work.key)
    if not work.episode or not (work.flags or told.prompts or told.files or refused):
        return HandoffPlace("", len(listed) + 1)
    before = filed_before(writer.vault, work, listed)
    account = accounts.gathered(thought.evidence.heard) if thought.evidence.heard else None
    decided = [flag for flag in (*before, *work.flags) if flag.origin != "user"]  # the user's words are notes already
    if not (decided or refused or thought.handoff) and says_little(told, thought.evidence, account):
        return HandoffPlace("", len(listed) + 1, topic=topic(told, ()))
    placed = {**filing.places_of(flag.id for flag in before), **filing.placed}
    parents = tuple(quoting.stem(one) for one in listed[-1:])
    flags = [*before, *work.flags]
    made = make(work.episode, told, flags, placed, parents, thought.handoff, thought.doubts)
    findings = thought.findings
    if thought.salvaged:
        made = salvage.completed(made, thought.salvaged)
    made = aftermath.completed(made, refused)
    if not thought.handoff:
        made, findings = handoff_check.checked(made, thought.evidence, thought.in_force)
        if account:
            made = completed(made, account, work.episode.cwd, thought.origin, told.files)
    path = lineage.path_for(made, platform.machine())
    texts[path] = lineage.render(made)
    filing.planned_on[path] = None
    return HandoffPlace(path, sum(1 for one in listed if one < path) + 1, findings)


def add_lessons(work: Work, found: lineage.Handoff | None, filing: Filing, texts: dict[str, str | None]) -> None:
    """Decisions and lessons of the handoff become notes, whoever wrote it."""
    if found and work.episode and work.is_home:
        lasting.file_lessons(filing, found, work.episode)
        texts.update(filing.texts)


def read(writer: Writer, told: HandoffPlace, texts: dict[str, str | None]) -> lineage.Handoff | None:
    """The handoff as it will be; None where there is none, or none that can be read."""
    if not told.path:
        return None
    found = lineage.from_text(told.path, texts.get(told.path) or writer.read(told.path) or "")
    return found if isinstance(found, lineage.Handoff) else None


def handoff_of(vault: str, episode: episodes.Episode, listed: list[str]) -> str:
    """The path of an episode's handoff; "" where it has none.

    One that we wrote counts for the end that it was written at: an episode that was taken for dead and spoke again has
    more to tell. The name says only so much, so the file is looked at; one that cannot be read is believed.
    """
    at_end = lineage.compact(lineage.iso(episode.closed or episode.opened))
    for path in reversed([one for one in listed if one.endswith(f"-{digest(episode.key, 6)}.md")]):
        found = lineage.read(vault, path)
        is_ours = isinstance(found, lineage.Handoff) and found.is_ours
        is_another = isinstance(found, lineage.Handoff) and found.episode not in ("", episode.key)
        if not is_another and (not is_ours or quoting.stem(path).startswith(at_end)):
            return path
    return ""


def filed_before(vault: str, work: Work, listed: list[str]) -> list[Flag]:
    """Flags of the episode that were filed while it went on: part of its story all the same, unless that was told
    before."""
    if lineage.of_episode(vault, listed, work.key):
        return []
    state = home.state(vault)
    believing = Believing(state)
    mine = {flag.id for flag in work.flags}
    ids = same_project.ids(vault, work.project)
    found: dict[str, Flag] = {}
    for name in episodes.noted_segments(state, work.key):
        for folder in ("live", "archive"):
            part = queue.look(f"{state}/queue/{folder}/{name}", 0.0)
            for flag in (entry.flag for entry in (part.entries.values() if part else ())):
                if flag.episode == work.key and flag.project in ids and flag.id not in mine:
                    found[flag.id] = believing.believed(flag)
    return sorted(found.values(), key=lambda flag: (flag.time, flag.id))


def add_line(
    writer: Writer,
    work: Work,
    told: HandoffPlace,
    found: lineage.Handoff | None,
    filing: Filing,
    texts: dict[str, str | None],
) -> None:
    """One line in activity.log: when, where, what about. It is known by when, where and whose it is."""
    if not (told.path or told.topic) or not work.episode:
        return
    line = activity_line(work.episode, told.topic or (" ".join(found.title.split()) if found else "") or "a session")
    begins, ends = activity_line(work.episode, "\n").split("\n")[:2]
    before = writer.read(ACTIVITY)
    lines = (before or "").split("\n")
    if not any(one.startswith(begins) and one.endswith(ends) for one in lines):
        filing.planned_on[ACTIVITY] = before
        texts[ACTIVITY] = (before or "") + ("" if not before or before.endswith("\n") else "\n") + line


def activity_line(episode: episodes.Episode, topic: str) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(episode.closed or episode.opened))
    return f"[{when}] [{episode.project}] {topic} ({episode.host}, {digest(episode.key, 6)})\n"
