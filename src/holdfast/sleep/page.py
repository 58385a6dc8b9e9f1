"""The page of a night: what a person likes to read in the morning, in the words of the memory itself.

    sleep/<date>-<machine>.md     a page for each day and machine, so that two machines never write the same one

A second night of a day stands below the first. Every change has the id by which it is taken back alone.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from holdfast.capture import platform
from holdfast.capture.quoting import shortened
from holdfast.field.steps import ARCHIVED, BRIDGED, CONSOLIDATED, FOLDER, LINKED, SUPERSEDED, TIED
from holdfast.field.traffic import machine
from holdfast.model import TRUSTED
from holdfast.sleep.consolidation import OWN_LINES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holdfast.field.steps import Step
    from holdfast.field.thought import Thought
    from holdfast.sleep.plan import Refusal

LONGEST = 160
MOST_LISTED = 12
EVERYWHERE, MEASURED = "All projects", "Recall and cost"
LARGEST = 4 << 20


def path(now: float) -> str:
    return f"{FOLDER}/{time.strftime('%Y-%m-%d', time.gmtime(now))}-{machine()}.md"


def newest(vault: str) -> tuple[str, str]:
    """The path and text of the newest page of any machine; ("", "") where there is none."""
    names = sorted(name for name in platform.names(f"{vault}/{FOLDER}") if name.endswith(".md") and name[:1].isdigit())
    if not names:
        return "", ""
    found = f"{FOLDER}/{names[-1]}"
    return found, platform.read_file(f"{vault}/{found}", LARGEST).decode("utf-8", "replace")


def mark(night: str) -> str:
    """The line by which a night is found on its page."""
    return f"<!-- night {night} -->"


def added(before: str | None, night: str, part: str) -> str:
    """A day's page with a night on it; as it was where that night stands there already."""
    if before and mark(night) in before:
        return before
    return f"{before.rstrip()}\n\n{part}" if before else part


def render(
    night: str,
    now: float,
    steps: Sequence[Step],
    known: Mapping[str, Thought],
    refusals: Sequence[Refusal],
    figures: Mapping[str, Any],
    edits: Sequence[Refusal] = (),
) -> str:
    """The part of a page for one night. `known` has every thought that a step names, `edits` are changes of notes that
    the user lets a night make."""
    day = time.strftime("%A, %-d %B %Y, %H:%M UTC", time.gmtime(now))
    lines = [f"# Sleep of {day}", "", mark(night), "", summary(steps, refusals, figures), ""]
    of_steps = [(_project(one, known), one) for one in steps]
    for project in sorted({*(name for name, _ in of_steps), *(one.project for one in (*refusals, *edits))}):
        mine = [one for name, one in of_steps if name == project]
        waiting, changed = ([one for one in some if one.project == project] for some in (refusals, edits))
        lines += [f"## {project or EVERYWHERE}", "", *_of_project(mine, known, waiting, changed)]
    lines += [f"## {MEASURED}", "", *_measured(figures)]
    return "\n".join(lines).rstrip() + "\n"


def _project(step: Step, known: Mapping[str, Thought]) -> str:
    named = (known.get(one) for one in (step.by, *step.ids))
    return next((one.project for one in named if one is not None), "")


def _of_project(
    steps: Sequence[Step], known: Mapping[str, Thought], refusals: Sequence[Refusal], edits: Sequence[Refusal]
) -> Iterator[str]:
    parts = (
        ("Became one", _consolidated(steps, known)),
        ("Contradicted each other", _superseded(steps, known)),
        ("Said the same", _linked(steps, known)),
        ("Bridges that were tried", _bridged(steps, known)),
        ("Read together", _tied(steps, known)),
        ("Put away", _archived(steps, known)),
        ("Notes that say the same", (f"- {one.why}; `holdfast undo {one.path}` takes it back" for one in edits)),
        ("Waits for you", _refused(refusals)),
    )
    for title, told in parts:
        listed = list(told)
        if listed:
            yield from (f"### {title}", "", *listed, *([""] if listed[-1] else []))


def seen_from(text: str, projects: Sequence[str]) -> str:
    """A page as one project may see it: its own parts and those of all projects; of others only how many there are."""
    wanted = {*projects, EVERYWHERE, MEASURED}
    head, *parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    kept = [one for one in parts if one.partition("\n")[0].removeprefix("## ") in wanted]
    others = len(parts) - len(kept)
    more = f"\nParts about other projects that are not shown: {others}; `--all` shows them.\n" if others else ""
    return head + "".join(kept) + more


def summary(steps: Sequence[Step], refusals: Sequence[Refusal], figures: Mapping[str, Any]) -> str:
    """One sentence about a night."""
    made = [one for one in steps if one.kind == CONSOLIDATED]
    sources = sum(len(one.ids) for one in made)
    kept = [one for one in steps if one.kind == BRIDGED and one.by]
    counts = [
        (len(made), f"{sources} thoughts became {_count(len(made), 'summary', 'summaries')}"),
        (_sum(steps, LINKED), f"{_count(_sum(steps, LINKED), 'repetition')} linked"),
        (_contradictions(steps), f"{_count(_contradictions(steps), 'contradiction')} settled by time"),
        (len(kept), f"{_count(len(kept), 'bridge')} kept"),
        (_sum(steps, ARCHIVED), f"{_count(_sum(steps, ARCHIVED), 'thought')} put away"),
        (len(refusals), f"{_count(len(refusals), 'proposal')} for you to review"),
    ]
    said = [text for count, text in counts if count]
    looked = _count(int(figures.get("looked", 0)), "thought")
    return (
        f"Looked at {looked}: {', '.join(said)}." if said else f"Looked at {looked}; there was nothing to put together."
    )


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _sum(steps: Sequence[Step], kind: str) -> int:
    return sum(len(one.ids) for one in steps if one.kind == kind)


def _contradictions(steps: Sequence[Step]) -> int:
    made = {one.by for one in steps if one.kind == CONSOLIDATED}
    return sum(one.kind == SUPERSEDED and one.by not in made for one in steps)


def _said(known: Mapping[str, Thought], ident: str) -> str:
    thought = known.get(ident)
    if thought is None:
        return ident
    outside = "" if thought.origin in TRUSTED else f" [{thought.origin}, outside text]"
    return f"{shortened(' '.join(thought.text.split()), LONGEST)}{outside}"


def _day(known: Mapping[str, Thought], ident: str) -> str:
    thought = known.get(ident)
    return time.strftime("%Y-%m-%d", time.gmtime(thought.created)) if thought else "?"


def _consolidated(steps: Sequence[Step], known: Mapping[str, Thought]) -> Iterator[str]:
    for one in steps:
        if one.kind == CONSOLIDATED:
            thought = known.get(one.by)
            lines = thought.text.splitlines() if thought else []
            yield f"#### {shortened(lines[0], LONGEST) if lines else one.by}"
            yield ""
            if one.why != OWN_LINES and lines:  # else the sources below say it already
                yield from (f"> {line}" for line in lines)
                yield ""
            yield f"{len(one.ids)} thoughts, {one.why}. Take it back: `holdfast sleep --undo {one.id}`"
            yield ""
            yield from (f"- {_day(known, source)}: {_said(known, source)} ({source})" for source in one.ids)
            yield ""


def _superseded(steps: Sequence[Step], known: Mapping[str, Thought]) -> Iterator[str]:
    made = {one.by for one in steps if one.kind == CONSOLIDATED}
    for one in steps:
        if one.kind == SUPERSEDED and one.by not in made:
            (old,) = one.ids
            yield f"- Stands, of {_day(known, one.by)}: {_said(known, one.by)} ({one.by})"
            yield f"  - no longer, of {_day(known, old)}: {_said(known, old)} ({old})"
            yield f"  - take it back: `holdfast sleep --undo {one.id}`"


def _linked(steps: Sequence[Step], known: Mapping[str, Thought]) -> Iterator[str]:
    by: dict[str, list[Step]] = {}
    for one in steps:
        if one.kind == LINKED:
            by.setdefault(one.by, []).append(one)
    for centre, linked in by.items():
        yield f"- {sum(len(one.ids) for one in linked) + 1} times: {_said(known, centre)} ({centre})"
        for one in linked[:MOST_LISTED]:
            yield f"  - also {', '.join(_said(known, each) for each in one.ids)} (`holdfast sleep --undo {one.id}`)"
        if len(linked) > MOST_LISTED:
            yield f"  - and {len(linked) - MOST_LISTED} more"


def _bridged(steps: Sequence[Step], known: Mapping[str, Thought]) -> Iterator[str]:
    for one in steps:
        if one.kind == BRIDGED:
            said = str(one.figures.get("text", "")) or _said(known, one.by)
            fate = f"kept; `holdfast sleep --undo {one.id}`" if one.by else "withdrawn"
            yield f"- Hypothesis, {fate}: {shortened(said, LONGEST)}"
            yield f"  - {one.why}"


def _tied(steps: Sequence[Step], known: Mapping[str, Thought]) -> Iterator[str]:
    pairs = [
        (count, one.by, other)
        for one in steps
        if one.kind == TIED
        for other, count in zip(one.ids, one.counts, strict=True)
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1:]))
    for count, one_id, other in pairs[:MOST_LISTED]:
        yield f"- {count:g} times: {_said(known, one_id)} | {_said(known, other)}"
    if len(pairs) > MOST_LISTED:
        yield f"- and {len(pairs) - MOST_LISTED} pairs more"


def _archived(steps: Sequence[Step], known: Mapping[str, Thought]) -> Iterator[str]:
    for one in steps:
        if one.kind == ARCHIVED:
            yield from (f"- {_said(known, ident)} ({ident})" for ident in one.ids[:MOST_LISTED])
            if len(one.ids) > MOST_LISTED:
                yield f"- and {len(one.ids) - MOST_LISTED} more"
            yield ""
            yield f"Nobody reads them and nothing refers to them. All of them back: `holdfast sleep --undo {one.id}`."


def _refused(refusals: Sequence[Refusal]) -> Iterator[str]:
    for one in refusals:
        yield f"- {one.why} (`holdfast review --diff {one.id}`)"


def _measured(figures: Mapping[str, Any]) -> Iterator[str]:
    recall = figures.get("recall")
    if recall and recall["questions"]:
        yield (
            f"- Recall in the first ten: {recall['before']:.1%} before, {recall['after']:.1%} after, on "
            f"{_count(recall['questions'], 'question')} that decided nothing ({recall['deciding']} decided)."
        )
    if figures.get("calls"):
        money = f", {figures['money']:.4f} in money" if figures.get("money") else ""
        yield f"- The judge took {figures['tokens']:,} tokens{money}."
    else:
        yield "- No model was asked."
    if figures.get("set_aside"):
        yield f"- A night before could not be gone on with: its plan is damaged, and lies in {figures['set_aside']}."
    if figures.get("why_no_judge"):
        yield f"- {figures['why_no_judge']}"
