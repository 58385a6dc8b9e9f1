"""The field on the command line: `holdfast recall` finds what bears on a question, shown first and noted afterwards;
`think` keeps a thought, `highways` lists what agents come back to, `embed` chooses the model that finds by meaning."""

from __future__ import annotations

import math
import os
import sys
import textwrap
import time
from typing import TYPE_CHECKING, Annotated, Any

from holdfast.capture import gate, home
from holdfast.cli import output
from holdfast.cli.command import Argument, Json, Option
from holdfast.errors import UsageError
from holdfast.field import handle
from holdfast.field.excerpts import excerpt
from holdfast.field.thought import HYPOTHESIS
from holdfast.memory import Memory
from holdfast.model import ORIGINS, TRUSTED, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holdfast.field.embedders import Settings
    from holdfast.field.highways import Highway
    from holdfast.field.retrieval import Answer, Result
    from holdfast.field.store import Scope
    from holdfast.field.think import Thinking
    from holdfast.field.thought import Thought

BAR = 5
WIDEST = 100
LONGEST_TITLE = 90
CUT = "\u2026"
LINES = 3  # of a text; all of it is a matter of --json, or of the file
NOTHING = "Nothing that is remembered here bears on that."
NONE = "There is no highway yet: a thought becomes one when at least 2 agents have come back to it, 3 times in all."
NONE_HERE = "No highway bears on that."
STEP = 0.2  # seconds between two looks
MOST_NAMED = 3  # agents of a highway
LINE = 10.0  # between two lines, where there is no terminal for a bar


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
    archived: Annotated[bool, Option("--archived", help="Also what sleep has put away.")] = False,
    read_only: Annotated[bool, Option("--read-only", help="Leave no trace: nothing is reinforced.")] = False,
    json: Json = False,
) -> None:
    """Find what is known about something: notes, handoffs, decisions and thoughts. Ends with 1 if nothing is."""
    memory = Memory.open()
    wanted = _filters(memory.at.clock(), space, kind or [], since, until, trust or [], agent)
    if everything and project:
        raise UsageError("--all and --project cannot both be meant; nothing was looked up. Say one of them.")
    if home.is_bare(memory.at.vault) and not memory.field.shared():
        _print_nothing(json=json)
    handle.refuse_unknown(wanted["kinds"], memory.field.open)
    scope = memory.field.scope(everything=everything)
    scope = replace(scope, project=project or scope.project, archived=archived)
    answer = memory.field.recall(" ".join(words), replace(scope, **wanted), most)
    if json:
        output.as_json(answer.as_record())
    elif answer.results:
        _print(answer, _successors(memory, answer, scope))
    else:
        output.echo(NOTHING)
    if answer.answered and not json:
        output.echo(f"({output.plain(answer.answered)})")
    sys.stdout.flush()
    if not read_only:
        memory.field.recalled(answer)
    if not answer.results:
        raise SystemExit(1)


def _print_nothing(*, json: bool) -> None:
    output.as_json({"results": []}) if json else output.echo(NOTHING)
    raise SystemExit(1)


def _filters(
    now: float, space: str, kind: list[str], since: str, until: str, trust: list[str], agent: str
) -> dict[str, Any]:
    """Everything that a scope has besides projects."""
    strange = [one for one in trust if one not in (*ORIGINS, HYPOTHESIS)]
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
    width = WIDEST
    if sys.stdout.isatty():
        from shutil import get_terminal_size

        width = min(width, get_terminal_size().columns)
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
    """A thought in as few lines as serve: its name and then its text, or the text alone, which may be its own
    name; of a long one what the query is about. `beside` columns of the first line are another's."""
    name, text = title(thought), " ".join(output.plain(thought.text).split())
    room = max(20, width - 3 - beside)
    if thought.title and not text.startswith(name.removesuffix(CUT)):
        return [f"{rank}. {textwrap.shorten(name, room, placeholder=CUT)}", *_part(text, query, width, LINES)]
    first, *rest = textwrap.wrap(text, room) or [""]
    return [f"{rank}. {first}", *_part(" ".join(rest), query, width, LINES - 1)]


def _part(text: str, query: str, width: int, lines: int) -> list[str]:
    return _wrapped(excerpt(text, query, lines * max(20, width - 3)), width, lines)


def _wrapped(text: str, width: int, most: int | None = None) -> list[str]:
    """Below a number; a path or an id is never cut."""
    lines = textwrap.wrap(
        text, max(20, width - 3), max_lines=most, placeholder=f" {CUT}", break_long_words=False, break_on_hyphens=False
    )
    return [f"   {line}" for line in lines]


def _successors(memory: Memory, answer: Answer, scope: Scope) -> Mapping[str, Thought]:
    """The thoughts that took the place of results, among them or not; of other projects not even the name."""
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
    origin = f"from {thought.origin}" if thought.origin in TRUSTED else f"from {thought.origin}, outside text"
    if thought.origin == HYPOTHESIS:
        origin = "a hypothesis, not a fact"
    parts = [thought.path or thought.id, f"{what} by {who}" if who else what, origin]
    old = "of today" if thought.is_of_a_day and not one.age else f"{output.age(one.age)} old"
    return output.plain(" \u00b7 ".join([*parts, old]))


def _why(one: Result, known: Mapping[str, Thought]) -> str:
    by = one.thought.superseded_by
    if by not in known:
        return one.why
    new = known[by]
    place = output.plain(new.path or new.id)
    return one.why.replace(f"superseded by {by}", f"superseded by {place} ({title(new)})")


def highways(
    words: Annotated[list[str] | None, Argument(metavar="[QUERY…]", help="Only those that bear on this.")] = None,
    most: Annotated[int, Option("--most", help="How many.", least=1, most=200)] = 10,
    everything: Annotated[bool, Option("--all", help="Of all projects, not only this one and global.")] = False,
    json: Json = False,
) -> None:
    """List the highways of the field, the busiest first, each with its neighbours. It leaves no trace."""
    memory = Memory.open()
    query = " ".join(words or [])
    is_bare = home.is_bare(memory.at.vault) and not memory.field.shared()
    found = [] if is_bare else memory.field.highways(memory.field.scope(everything=everything), query, most)
    lines = _highway_lines(found, memory.at.clock(), NONE_HERE if query else NONE)
    output.answer({"highways": [one.as_record() for one in found]}, lines, json=json)


def _highway_lines(found: list[Highway], now: float, none: str) -> Iterator[str]:
    for rank, one in enumerate(found, 1):
        traffic = one.traffic
        yield f"{rank}. {title(one.thought)}"
        place, agents = output.plain(one.thought.path or one.thought.id), _named(traffic.agents)
        read = f"read {traffic.access_count} times by {agents}"
        yield f"   {place} \u00b7 {read} \u00b7 last {output.age(now - traffic.last_accessed)} ago"
        yield f"   weight {one.weight:.2f}"
        for other in one.beside:
            times = "once" if other.count == 1 else f"{other.count or 'some'} times"
            grown = f", strengthened in sleep by {other.strength:g}" if other.strength else ""
            yield f"   beside it {times}{grown}: {output.plain(other.title)} ({other.id})"
    if not found:
        yield none


def _named(agents: Sequence[str]) -> str:
    """The first few by name: many sessions would fill a page."""
    more = len(agents) - MOST_NAMED
    named = output.plain(", ".join(agents[:MOST_NAMED]))
    return f"{named} and {more} more" if more > 0 else named


def think(
    words: Annotated[list[str], Argument(metavar="TEXT…", help="The thought; - reads it from standard input.")],
    context: Annotated[str, Option("--context", help="What it was thought about or in the course of.")] = "",
    kind: Annotated[
        str,
        Option("--kind", help="original, refinement, consolidation or bridge; all but the first have sources."),
    ] = "original",
    source: Annotated[
        list[str] | None, Option("--source", help="The id of a thought that it is made of; may be repeated.")
    ] = None,
    tag: Annotated[list[str] | None, Option("--tag", help="May be repeated.")] = None,
    category: Annotated[str, Option("--category", help="Such as decision or correction.")] = "",
    space: Annotated[str, Option("--space", help="The knowledge space that it belongs to.")] = "",
    for_all: Annotated[bool, Option("--global", help="For all projects, not only this one.")] = False,
    json: Json = False,
) -> None:
    """Keep a thought in the field. One that is there already is not kept twice: it is reinforced."""
    text = " ".join(words)
    everywhere = {"project": ""} if for_all else {}
    done = Memory.open().field.think(
        sys.stdin.read() if text == "-" else text,
        context=context,
        kind=kind,
        space=space,
        tags=tuple(tag or ()),
        category=category,
        sources=tuple(source or ()),
        **everywhere,
    )
    one = done.thought
    shown = ("id", "text", "kind", "project", "space", "category", "origin", "path")
    lists = {"tags": list(one.tags), "sources": list(one.sources), "changes": list(done.changes)}
    record = {**{name: getattr(one, name) for name in shown}, **lists, "new": done.is_new}
    output.answer(record, (_said(done), *(f"note: {change}" for change in done.changes)), json=json)


def _said(done: Thinking) -> str:
    one = done.thought
    if not done.is_new:
        return f"already thought, and reinforced: {output.plain(one.path or one.id)}"
    where = f"project {one.project}" if one.project else "all projects"
    space = f", in the space {output.plain(one.space)}" if one.space else ""
    return f"thought {one.id} [{one.kind}], for {where}{space}"


def embed(
    name: Annotated[str, Argument(help="wordllama, onnx, openai or none.", metavar="[NAME]")] = "",
    model: Annotated[str, Option("--model", metavar="M", help="Of an endpoint.")] = "",
    url: Annotated[str, Option("--url", metavar="U", help="Of an OpenAI-compatible endpoint.")] = "",
    key_env: Annotated[str, Option("--key-env", metavar="VAR", help="The variable that holds the key.")] = "",
    folder: Annotated[str, Option("--folder", metavar="F", help="Of an ONNX model and its tokenizer.")] = "",
    yes: Annotated[bool, Option("--yes", help="Texts may leave this machine; do not ask.")] = False,
    wait: Annotated[bool, Option("--wait", help="Show how far it is, and end when it serves.")] = False,
    json: Json = False,
) -> None:
    """Show which model finds by meaning, or choose one: the field is embedded in the background, and search goes on."""
    memory = Memory.open()
    if name or model or url or key_env or folder:
        wanted = memory.field.wanted_embedder(name, model=model, url=url, key_env=key_env, folder=folder)
        gate.require(memory.at.asker(), gate.Change(gate.SETTING), "Choosing an embedder")
        _ask_to_send(wanted, yes=yes)
        done = memory.field.choose_embedder(wanted)
        if not json:
            output.lines(
                done.lines()[:1] if wait else done.lines()
            )  # who waits is not told that it goes on without them
        elif not wait:
            output.as_json(done.as_record())
        if not wait:
            return
    if wait:
        _follow(memory, hidden=json)
    found = memory.field.embedders()
    if not found.is_done and not found.is_at_work:
        memory.field.embed()
    output.answer(found.as_record(), found.lines(output.clock), json=json)


def _ask_to_send(wanted: Settings, *, yes: bool) -> None:
    from holdfast.judge import http, models

    if yes or not wanted.address or http.is_loopback(wanted.address):
        return
    where = models.shown(wanted.address)
    output.echo(f"The texts of this memory, and every question, will leave this machine for {where}.")
    if not output.confirm("Send them there?"):
        output.echo("Nothing was changed.")
        raise SystemExit(1)


def _follow(memory: Memory, *, hidden: bool) -> None:
    said = 0.0
    with output.progress("embedding the field", hidden=hidden) as bar:
        for found in memory.field.follow_embedding(lambda: time.sleep(STEP)):
            bar(found.coming, found.thoughts)
            if not hidden and not found.is_done and not sys.stderr.isatty() and time.monotonic() - said > LINE:
                said = time.monotonic()
                output.echo(f"{found.model}: {found.coming:,} of {found.thoughts:,}")
