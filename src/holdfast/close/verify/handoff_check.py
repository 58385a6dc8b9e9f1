"""Handoffs and notes looked over before they are filed: unsupported items are marked, contradicted ones held back.

First by rule (verify/findings), then, where a judge is there, by a second question to a model that did not write it
and sees only the claims and the lines that bear on them (close/draft). A note that says more than the flags it was
made of is not filed at all: its flags are, word for word. A handoff that an agent wrote itself is marked too (`Look`):
contradictions are said to the author, who can still mend it; where they insist, it is filed with the contradiction
beside it.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast.capture import home, notices, story
from holdfast.close import salvage
from holdfast.close.aftermath import CHECKED_FOR, HANDOFF
from holdfast.close.groups import DISCARD, NEW, SUPERSEDE, Decided, Given, Refused
from holdfast.close.verify import evidence
from holdfast.close.verify import findings as verify
from holdfast.close.verify.claims import Claim
from holdfast.close.verify.decisions import amends
from holdfast.close.verify.findings import CONTRADICTED, SUPPORTED, TITLE, UNSUPPORTED
from holdfast.model import replace
from holdfast.text import extract
from holdfast.text.transcript import CALL
from holdfast.vault import index, lineage, note_facets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.capture.episodes import Episode
    from holdfast.close.draft import DraftLine, HandoffDraft
    from holdfast.model import Flag, Project
    from holdfast.vault.notes import Note

OURS = ("note", "files_modified")  # sections that the hook's own knowledge fills
LINK = re.compile(r" \(\[note\]\([^)]*\)\)$")
COMMAND = re.compile(r"holdfast\S*\s+handoff\b")


@dataclass(frozen=True)
class InForce:
    """The decisions that hold in a project, looked up where somebody asks for them: most handoffs decide nothing."""

    known: index.Index
    project: str

    def __iter__(self) -> Iterator[Note]:
        group = note_facets.FIRST + list(note_facets.TITLES).index("project")
        found, _ = self.known.on_map(group, sys.maxsize >> 32)
        return (note for note in found if note.applies_to(self.project))


def checked(
    made: lineage.Handoff, evidence: evidence.Evidence, decisions: Iterable[Note], *, hold_back: bool = True
) -> tuple[lineage.Handoff, tuple[verify.Finding, ...]]:
    """A handoff against its session: marked, and without what the session contradicts, unless that is to stay with the
    contradiction beside it. Without a transcript there is nothing to hold against it."""
    if not evidence.spoken:
        return made, ()
    sections: dict[str, tuple[str, ...]] = {}
    told: list[verify.Finding] = []
    for key, items in made.sections.items():
        if key in OURS:
            sections[key] = items
            continue
        links = {LINK.sub("", one): (LINK.search(one) or [""])[0] for one in items}
        findings = verify.verify([Claim(key, text) for text in links], evidence, decisions)
        told += [one for one in findings if one.verdict != SUPPORTED]
        kept = [one for one in findings if one.verdict != CONTRADICTED or not hold_back]
        sections[key] = tuple(f"{_shown(one)}{links[one.claim.text]}" for one in kept)
    in_order = {key: sections[key] for key in lineage.SECTIONS if sections.get(key)}
    return replace(made, sections=in_order), tuple(told)


def _shown(finding: verify.Finding) -> str:
    """A claim as it is filed."""
    if finding.verdict == CONTRADICTED:
        return f"{finding.claim.text} (contradicted by the session: {finding.why})"
    (claim,), _ = verify.mark([finding.claim], [finding])
    return claim.text


def claims_of(drafted: HandoffDraft) -> list[Claim]:
    """Every item, and the title: the next start reads that first."""
    title = [Claim(TITLE, drafted.title)] if drafted.title else []
    return title + [Claim(name, line.text, line.flags) for name, lines in drafted.sections.items() for line in lines]


def marked(drafted: HandoffDraft, findings: Sequence[verify.Finding]) -> HandoffDraft:
    """A draft with what is unsupported marked and without what is contradicted."""
    verdicts = {(one.claim.section, one.claim.text): one for one in findings}

    def kept(name: str, lines: Sequence[DraftLine]) -> Iterable[DraftLine]:
        for line in lines:
            one = verdicts.get((name, line.text))
            if one is None or one.verdict in (SUPPORTED, UNSUPPORTED):
                yield replace(line, text=_shown(one)) if one else line

    sections = {name: tuple(kept(name, lines)) for name, lines in drafted.sections.items()}
    title = "" if (TITLE, drafted.title) in verdicts else drafted.title  # then it is called by its first request
    return replace(drafted, title=title, sections=sections)


def sound(decisions: Iterable[Decided], evidence: evidence.Evidence) -> tuple[list[Decided], list[Refused]]:
    """Decisions whose notes say nothing that their flags do not; the others as refused."""
    good: list[Decided] = []
    bad: list[Refused] = []
    for one in decisions:
        sources = [*(text for flag in one.flags for text in (flag.text, *flag.evidence)), one.seen]
        shown = [line for line in f"{one.name}\n{one.description}\n{one.body}".splitlines() if line.strip()]
        findings = [] if one.action == DISCARD else verify.check_note("\n".join(shown), sources, evidence)
        wrong = next((found for found in findings if found.verdict != SUPPORTED), None)
        if wrong:
            said = f"{one.action}: {one.name}\n{one.body}"
            bad.append(Refused(one.flags, f"it says what its flags do not ({wrong.why})", said, one.target, one.body))
        else:
            good.append(one)
    return good, bad


def amending(decisions: Sequence[Decided], given: Given) -> list[Decided]:
    """A new decision that amends one in force takes its place, so that only the newest holds; of those that the judge
    was given to change."""
    found, taken = [], {one.target for one in decisions if one.target}
    for one in decisions:
        is_new = one.action == NEW and one.flags[0].kind == "decision"
        free = [handle for handle, note in given.notes.items() if note.path in given.own - taken] if is_new else []
        told = {handle: replace(given.notes[handle], body=given.bodies[handle]) for handle in free}
        old = next((handle for handle, note in told.items() if amends(note, one.body)), "")
        if not old:
            found.append(one)
            continue
        path = given.notes[old].path
        taken.add(path)
        seen, file = given.bodies[old], given.texts[old]
        found.append(replace(one, action=SUPERSEDE, reason="amended", target=path, seen=seen, file=file))
    return found


@dataclass
class Look:
    """A handoff held against its session: `over` before it is filed, `tell` once it is."""

    vault: str
    episode: Episode | None
    flags: Sequence[Flag]
    project: Project
    findings: tuple[verify.Finding, ...] = field(default=())

    def over(self, made: lineage.Handoff) -> tuple[lineage.Handoff, list[str]]:
        """The handoff, marked, and what its session contradicts."""
        if self.episode is None:
            return made, []
        told = story.read(home.state(self.vault), self.episode.key)
        found = evidence.gather(salvage.begun(self.episode), told, self.flags, self.project.root)
        in_force = InForce(index.load(self.vault), self.project.id)
        marked, self.findings = checked(made, _without_itself(found), in_force, hold_back=False)
        wrong = (one for one in self.findings if one.verdict == verify.CONTRADICTED)
        return marked, [f'"{one.claim.text[:120]}" is contradicted by the session: {one.why}.' for one in wrong]

    def tell(self, now: float) -> None:
        """The next starts hear what was found to be wrong in it."""
        said = verify.told(self.findings, is_held_back=False)
        if said and self.episode:
            name = f"{HANDOFF}{self.episode.key}"
            notices.leave(home.state(self.vault), name, said, now, project=self.project.id, lasts=CHECKED_FOR)


def _without_itself(found: evidence.Evidence) -> evidence.Evidence:
    """A handoff is no evidence for itself: the call that writes it stands in the transcript too."""
    spoken = [one for one in found.spoken if not (one.role == CALL and COMMAND.search(extract.command_of(one)))]
    runs = [one for one in found.runs if not COMMAND.search(one.command)]
    return replace(found, spoken=tuple(spoken), runs=tuple(runs))
