"""`holdfast recall`: what is known that bears on a question. Shown first, noted afterwards.

The part of a text that a question is about, where there is no room for all of it: a long note's beginning is rarely
what it was found for.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import sys
import textwrap
from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from holdfast.brief import prompt_by_words
from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.errors import UsageError
from holdfast.field import handle, words
from holdfast.memory import Memory
from holdfast.model import ORIGINS, TRUSTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.field.retrieval import Answer, Result
    from holdfast.field.store import Scope
    from holdfast.field.thought import Thought


CUT_MARK = "\u2026"
WORD = re.compile(r"\S+")
SENTENCE = re.compile(r"(?<=[.!?:;])\s+(?=\S)")
BEFORE = 6  # words that are shown before the first that was asked for, where no sentence begins near by


def of(text: str, query: str, room: int) -> str:
    """As much as there is room for, from where the most of the query's words are; from the beginning where that is as
    good, all of it where it fits."""
    wanted = set(words.content(query))
    if len(text) <= room or not wanted:
        return text
    said = list(WORD.finditer(text))
    hits = [(one.start(), stem, nth) for nth, one in enumerate(said) for stem in wanted & set(words.content(one[0]))]
    starts = [0, *(one.end() for one in SENTENCE.finditer(text))]
    shorter = [said[max(0, nth - BEFORE)].start() for _, _, nth in hits]
    places = [at for at, _, _ in hits]

    def worth(start: int) -> int:
        shown = hits[bisect_left(places, start) : bisect_left(places, start + room - 2)]
        return len({stem for _, stem, _ in shown})

    most = max(map(worth, [*starts, *shorter]))
    if worth(0) == most:
        return text
    best = max((one for one in starts if worth(one) == most), default=-1)  # the last: more of what follows is seen
    return f"{CUT_MARK} {text[best if best > 0 else next(one for one in shorter if worth(one) == most) :]}"


BAR = 5
WIDEST = 100
LONGEST_TITLE = 90
CUT = CUT_MARK
LINES = 3  # of a text; all of it is a matter of --json, or of the file
NOTHING = "Nothing that is remembered here bears on that."


def recall(
    words: Annotated[list[str], Argument(metavar="QUERY…", help="What you want to know, in any words.")],
    most: Annotated[int, Option("--most", help="How many results.")] = 10,
    everything: Annotated[bool, Option("--all", help="Of all projects, not only this one and global.")] = False,
    project: Annotated[str, Option("--project", help="Of this project instead of the one here.")] = "",
    space: Annotated[str, Option("--space", help="Only of this knowledge space.")] = "",
    kind: Annotated[
        list[str] | None,
        Option("--kind", help="note, original, refinement, rule, decision, handoff …; may be repeated."),
    ] = None,
    since: Annotated[str, Option("--since", help="Made since then: 3d, 2026-01-31.")] = "",
    until: Annotated[str, Option("--until", help="Made until then.")] = "",
    trust: Annotated[
        list[str] | None, Option("--trust", help="Only of this origin: user, agent …; may be repeated.")
    ] = None,
    agent: Annotated[str, Option("--agent", help="Only what this agent thought.")] = "",
    read_only: Annotated[bool, Option("--read-only", help="Leave no trace: nothing is reinforced.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Find what is known about something: notes, handoffs, decisions and thoughts. Ends with 1 if nothing is."""
    memory = Memory.open()
    wanted = _filters(memory.at.clock(), space, kind or [], since, until, trust or [], agent)
    if everything and project:
        raise UsageError("--all and --project cannot both be meant; nothing was looked up. Say one of them.")
    if prompt_by_words.is_bare(memory.at.vault):
        _print_nothing(json=json)
    handle.refuse_unknown(wanted["kinds"], memory.field.open)
    scope = memory.field.scope(everything=everything)
    scope = replace(scope, project=project or scope.project)
    answer = memory.field.recall(" ".join(words), replace(scope, **wanted), most)
    if json:
        output.as_json({"results": [one.as_record() for one in answer.results]})
    elif answer.results:
        _print(answer, _successors(memory, answer, scope))
    sys.stdout.flush()
    if not answer.results:
        _print_nothing(json=json, is_said=json)
    if not read_only:
        memory.field.recalled(answer)


def _print_nothing(*, json: bool, is_said: bool = False) -> None:
    if not is_said:
        output.as_json({"results": []}) if json else output.echo(NOTHING)
    raise SystemExit(1)


def _filters(
    now: float, space: str, kind: list[str], since: str, until: str, trust: list[str], agent: str
) -> dict[str, Any]:
    """Everything that a scope has besides projects."""
    strange = [one for one in trust if one not in ORIGINS]
    if strange:
        raise UsageError(f'"{strange[0]}" is no origin; nothing was looked up. Use one of: {", ".join(ORIGINS)}.')
    begin, end = (output.moment(text, now) if text else 0.0 for text in (since, until))
    if begin and end and begin > end:
        raise UsageError("--since is later than --until, so nothing could be found. Exchange the two.")
    given = {"space": space, "agent": agent, "since": begin, "until": end}
    return {**given, "kinds": tuple(kind), "trust": tuple(trust)}


def _print(answer: Answer, taken: Mapping[str, Thought]) -> None:
    is_fine = sys.stdout.isatty() and (sys.stdout.encoding or "").lower().startswith("utf")
    colours = is_fine and not os.environ.get("NO_COLOR")
    width = min(WIDEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDEST
    for rank, one in enumerate(answer.results, 1):
        bar = f"  {bar_of(one.weight)}" if is_fine else ""
        head, *rest = shown(one.thought, rank, width, len(bar), answer.query)
        output.echo(f"{output.styled(head, bold=True)}{bar}" if colours else f"{head}{bar}")
        for line in rest:
            output.echo(line)
        said = (_provenance(one), _why(one, taken))
        for line in (line for part in said for line in (_wrapped(part, width) if is_fine else (f"   {part}",))):
            output.echo(output.styled(line) if colours else line)


def shown(thought: Thought, rank: int, width: int, beside: int = 0, query: str = "") -> list[str]:
    """What it says, in as few lines as serve: its name and then its text, or the text alone, which may be its own
    name; of a long one what the query is about. `beside` columns of the first line are another's."""
    name, text = title(thought), " ".join(output.plain(thought.text).split())
    room = max(20, width - 3 - beside)
    if thought.title and not text.startswith(name.removesuffix(CUT)):
        return [f"{rank}. {textwrap.shorten(name, room, placeholder=CUT)}", *_part(text, query, width, LINES)]
    first, *rest = textwrap.wrap(text, room) or [""]
    return [f"{rank}. {first}", *_part(" ".join(rest), query, width, LINES - 1)]


def _part(text: str, query: str, width: int, lines: int) -> list[str]:
    return _wrapped(of(text, query, lines * max(20, width - 3)), width, lines)


def _wrapped(text: str, width: int, most: int | None = None) -> list[str]:
    """Below a number; a path or an id is never cut."""
    lines = textwrap.wrap(
        text, max(20, width - 3), max_lines=most, placeholder=f" {CUT}", break_long_words=False, break_on_hyphens=False
    )
    return [f"   {line}" for line in lines]


def _successors(memory: Memory, answer: Answer, scope: Scope) -> Mapping[str, Thought]:
    """What took the place of results, whether or not it is among them; of other projects not even the name."""
    shown = {one.thought.id: one.thought for one in answer.results}
    missing = {one.thought.superseded_by for one in answer.results if one.thought.superseded_by} - set(shown)
    others = memory.field.thoughts(sorted(missing)) if missing else {}
    return {**shown, **{ident: one for ident, one in others.items() if scope.has(one)}}


def title(thought: Thought) -> str:
    """Its name, or its first line where that says more."""
    first = thought.text.partition("\n")[0]
    name = thought.title if thought.title and not first.startswith(thought.title) else first
    return textwrap.shorten(output.plain(name), LONGEST_TITLE, placeholder=CUT)


def bar_of(weight: float) -> str:
    """A weight from 0.1 to 10 as blocks, by its logarithm: a new thought is in the middle."""
    full = max(1, min(BAR, round(1 + (BAR - 1) * (math.log10(max(weight, 0.1)) + 1) / 2)))
    return "\u25ae" * full + "\u25af" * (BAR - full)


def _provenance(one: Result) -> str:
    """Where it lies or by which id it is named, what it is, whose words it has, how old it is."""
    thought = one.thought
    what = thought.category or thought.kind
    who = thought.contributor or thought.agent
    origin = thought.origin if thought.origin in TRUSTED else f"{thought.origin}, outside text"
    parts = [thought.path or thought.id, f"{what} by {who}" if who else what, f"from {origin}"]
    old = "of today" if thought.is_of_a_day and not one.age else f"{output.age(one.age)} old"
    return output.plain(" \u00b7 ".join([*parts, old]))


def _why(one: Result, known: Mapping[str, Thought]) -> str:
    by = one.thought.superseded_by
    if by not in known:
        return one.why
    new = known[by]
    place = output.plain(new.path or new.id)
    return one.why.replace(f"superseded by {by}", f"superseded by {place} ({title(new)})")
