"""The story of an ended episode: its handoff, unless it has one, and its line in activity.log.

Both are known by whose they are and by when the episode ended, so a close that was killed and is run again adds
neither a second time. Somebody's own handoff is better than ours: then only the line is added.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture import episodes, home, platform, project_merges, queue, quoting, story
from holdfast.capture.ids import digest
from holdfast.close import handoff, lessons, refusals, salvage, witnessed
from holdfast.close.believing import Believing
from holdfast.close.verify import checking
from holdfast.vault import lineage

if TYPE_CHECKING:
    from holdfast.capture.episodes import Episode
    from holdfast.close.filing import Filing
    from holdfast.close.think.decide import Deliberated
    from holdfast.close.verify.findings import Finding
    from holdfast.close.work import Work
    from holdfast.model import Flag
    from holdfast.vault.writing import Writer

ACTIVITY = "activity.log"


@dataclass(frozen=True)
class Told:
    """Where a handoff lies, "" where there is none, its number, and what was found to be wrong in it. `topic` is what a
    session was about that needs no handoff: nothing was changed or decided in it."""

    path: str
    number: int
    findings: tuple[Finding, ...] = ()
    topic: str = ""


def add_handoff(writer: Writer, work: Work, filing: Filing, texts: dict[str, str | None], thought: Deliberated) -> Told:
    """The handoff of an ended episode, checked against its session: a draft was when it was judged, ours is now."""
    listed = lineage.names(writer.vault, work.project)
    known = handoff_of(writer.vault, work.episode, listed) if work.episode else ""
    if known:
        return Told(known, listed.index(known) + 1)
    told = thought.story or story.read(home.state(writer.vault), work.key)
    refused = refusals.handoffs(writer.vault, work.project, work.key)
    if not work.episode or not (work.flags or told.prompts or told.files or refused):
        return Told("", len(listed) + 1)
    before = filed_before(writer.vault, work, listed)
    account = witnessed.account_of(thought.evidence)
    decided = [flag for flag in (*before, *work.flags) if flag.origin != "user"]  # the user's words are notes already
    is_slight = not (decided or refused or thought.handoff) and witnessed.is_slight(told, thought.evidence, account)
    if is_slight:
        return Told("", len(listed) + 1, topic=handoff.topic(told, ()))
    placed = {**filing.places_of(flag.id for flag in before), **filing.placed}
    parents = tuple(quoting.stem(one) for one in listed[-1:])
    flags = [*before, *work.flags]
    made = handoff.make(work.episode, told, flags, placed, parents, thought.handoff, thought.doubts)
    findings = thought.findings
    if thought.salvaged:
        made = salvage.completed(made, thought.salvaged)
    made = refusals.completed(made, refused)
    if not thought.handoff:
        made, findings = checking.checked(made, thought.evidence, thought.in_force)
        if account:
            made = witnessed.completed(made, account, work.episode.cwd, thought.origin, told.files)
    path = lineage.path_for(made, platform.machine())
    texts[path] = lineage.render(made)
    filing.planned_on[path] = None
    return Told(path, sum(1 for one in listed if one < path) + 1, findings)


def add_lessons(writer: Writer, work: Work, told: Told, filing: Filing, texts: dict[str, str | None]) -> None:
    """What the handoff decided and learned becomes notes, whoever wrote it."""
    if not told.path or not work.episode or not work.is_home:
        return
    found = lineage.from_text(told.path, texts.get(told.path) or writer.read(told.path) or "")
    if isinstance(found, lineage.Handoff):
        lessons.file(filing, found, work.episode)
        texts.update(filing.texts)


def handoff_of(vault: str, episode: Episode, listed: list[str]) -> str:
    """The path of what is told of an episode; "" where nothing is.

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
    """What the episode had flagged and somebody filed while it went on: part of its story all the same, unless that
    was told before."""
    if lineage.of_episode(vault, listed, work.key):
        return []
    state = home.state(vault)
    believing = Believing(state)
    mine = {flag.id for flag in work.flags}
    ids = project_merges.ids(vault, work.project)
    found: dict[str, Flag] = {}
    for name in episodes.noted_segments(state, work.key):
        for folder in ("live", "archive"):
            part = queue.look(f"{state}/queue/{folder}/{name}", 0.0)
            for flag in (entry.flag for entry in (part.entries.values() if part else ())):
                if flag.episode == work.key and flag.project in ids and flag.id not in mine:
                    found[flag.id] = believing.believed(flag)
    return sorted(found.values(), key=lambda flag: (flag.time, flag.id))


def add_line(writer: Writer, work: Work, told: Told, filing: Filing, texts: dict[str, str | None]) -> None:
    """One line in activity.log: when, where, what about. It is known by when, where and whose it is."""
    if not (told.path or told.topic) or not work.episode:
        return
    topic = told.topic
    if told.path:
        found = lineage.from_text(told.path, texts.get(told.path) or writer.read(told.path) or "")
        topic = " ".join(found.title.split()) if isinstance(found, lineage.Handoff) else ""
    line = activity_line(work.episode, topic or "a session")
    begins, ends = activity_line(work.episode, "\n").split("\n")[:2]
    before = writer.read(ACTIVITY)
    lines = (before or "").split("\n")
    if not any(one.startswith(begins) and one.endswith(ends) for one in lines):
        filing.planned_on[ACTIVITY] = before
        texts[ACTIVITY] = (before or "") + ("" if not before or before.endswith("\n") else "\n") + line


def activity_line(episode: Episode, topic: str) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(episode.closed or episode.opened))
    return f"[{when}] [{episode.project}] {topic} ({episode.host}, {digest(episode.key, 6)})\n"
