"""`holdfast highways`: what several agents keep coming back to, and what they come back to beside it.

`holdfast think`: one thought into the field, or the one that says it already made stronger.

`holdfast embed`: which model finds by meaning, and how far a change of it is.

`holdfast rebuild`: the index of the field made anew from what is true.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

from holdfast.brief import prompt_by_words
from holdfast.capture import gate, home
from holdfast.cli import output, recall
from holdfast.cli.command import Argument, Option
from holdfast.errors import NotFound
from holdfast.field.store import Damaged
from holdfast.memory import Memory

if TYPE_CHECKING:
    from holdfast.field.embedders import Settings
    from holdfast.field.think import Thinking


NONE = "There is no highway yet: a thought becomes one when at least 2 agents have come back to it, 3 times in all."
NONE_HERE = "No highway bears on that."


def highways(
    words: Annotated[list[str] | None, Argument(metavar="[QUERY…]", help="Only those that bear on this.")] = None,
    most: Annotated[int, Option("--most", help="How many.", least=1, most=200)] = 10,
    everything: Annotated[bool, Option("--all", help="Of all projects, not only this one and global.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """List the highways of the field, the busiest first, each with its neighbours. It leaves no trace."""
    memory = Memory.open()
    query = " ".join(words or [])
    is_bare = prompt_by_words.is_bare(memory.at.vault)
    found = [] if is_bare else memory.field.highways(memory.field.scope(everything=everything), query, most)
    if json:
        output.as_json({"highways": [one.as_record() for one in found]})
        return
    for rank, one in enumerate(found, 1):
        traffic = one.traffic
        output.echo(f"{rank}. {recall.title(one.thought)}")
        place = output.plain(one.thought.path or one.thought.id)
        ago = output.age(memory.at.clock() - traffic.last_accessed)
        agents = output.plain(", ".join(traffic.agents))
        output.echo(f"   {place} \u00b7 read {traffic.access_count} times by {agents} \u00b7 last {ago} ago")
        output.echo(f"   weight {one.weight:.2f}")
        for other in one.beside:
            output.echo(f"   beside it {_times(other.count)}: {output.plain(other.title)} ({other.id})")
    if not found:
        output.echo(NONE_HERE if query else NONE)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


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
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
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
    if json:
        one = done.thought
        shown = ("id", "text", "kind", "project", "space", "category", "origin", "path")
        lists = {"tags": list(one.tags), "sources": list(one.sources), "changes": list(done.changes)}
        output.as_json({**{name: getattr(one, name) for name in shown}, **lists, "new": done.is_new})
        return
    output.echo(_said(done))
    for change in done.changes:
        output.echo(f"note: {change}")


def _said(done: Thinking) -> str:
    one = done.thought
    if not done.is_new:
        return f"already thought, and reinforced: {output.plain(one.path or one.id)}"
    where = f"project {one.project}" if one.project else "all projects"
    return f"thought {one.id} [{one.kind}], for {where}"


STEP = 0.2  # seconds between two looks
LINE = 10.0  # between two lines, where there is no terminal for a bar


def embed(
    name: Annotated[str, Argument(help="wordllama, onnx, openai or none.", metavar="[NAME]")] = "",
    model: Annotated[str, Option("--model", metavar="M", help="Of an endpoint.")] = "",
    url: Annotated[str, Option("--url", metavar="U", help="Of an OpenAI-compatible endpoint.")] = "",
    key_env: Annotated[str, Option("--key-env", metavar="VAR", help="The variable that holds the key.")] = "",
    folder: Annotated[str, Option("--folder", metavar="F", help="Of an ONNX model and its tokenizer.")] = "",
    yes: Annotated[bool, Option("--yes", help="Texts may leave this machine; do not ask.")] = False,
    wait: Annotated[bool, Option("--wait", help="Show how far it is, and end when it serves.")] = False,
    json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Show which model finds by meaning, or choose one: the field is embedded in the background, and search goes on."""
    memory = Memory.open()
    if name or model or url or key_env or folder:
        wanted = memory.field.wanted_embedder(name, model=model, url=url, key_env=key_env, folder=folder)
        gate.require(memory.at.asker(), gate.Change(gate.SETTING), "Choosing an embedder")
        _ask(wanted, yes=yes)
        done = memory.field.choose_embedder(wanted)
        if not json:
            _print(done.lines()[:1] if wait else done.lines())  # who waits is not told that it goes on without them
        elif not wait:
            output.as_json(done.as_record())
        if not wait:
            return
    if wait:
        _follow(memory, hidden=json)
    found = memory.field.embedders()
    if not found.is_done and not found.is_at_work:
        memory.field.embed()
    output.as_json(found.as_record()) if json else _print(found.lines(output.clock))


def _ask(wanted: Settings, *, yes: bool) -> None:
    from holdfast.judge import http, models

    if yes or not wanted.address or http.is_loopback(wanted.address):
        return
    output.echo(
        f"The texts of this memory, and every question, will leave this machine for {models.shown(wanted.address)}."
    )
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


def _print(lines: list[str]) -> None:
    for line in lines:
        output.echo(line)


def rebuild(json: Annotated[bool, Option("--json", help="As JSON.")] = False) -> None:
    """Make the field's index anew from notes, thoughts and traffic. Answers and weights stay as they are."""
    memory = Memory.open()
    if not home.format_of(memory.at.vault):
        raise NotFound(f"There is no vault at {memory.at.vault} yet; nothing was made. `holdfast remember` makes one.")
    try:
        with memory.field.open() as field:
            before = field.store.count()
    except Damaged:
        before = 0  # it only tells how long the bar is
    with output.progress("rebuilding the field", hidden=json) as bar:
        done = 0

        def progress(more: int) -> None:
            nonlocal done
            done += more
            bar(done, max(done, 2 * before))  # each is taken in, and given a vector

        made = memory.field.rebuild(progress)
    if json:
        output.as_json({"thoughts": made.thoughts, "embedded": made.embedded, "broken": made.broken})
        return
    output.echo(f"The field has {made.thoughts:,} thoughts, {made.embedded:,} of them with new vectors.")
    if made.broken:
        output.echo(f"{made.broken:,} places in the logs are no records; copies are in .state/thoughts/broken.")
