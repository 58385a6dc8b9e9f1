"""`holdfast embed`: which model finds by meaning, and how far a change of it is."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

from holdfast.capture import gate
from holdfast.cli import output
from holdfast.cli.command import Argument, Option
from holdfast.fielding import Fielding

if TYPE_CHECKING:
    from holdfast.field.embed.choice import Settings

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
    memory = Fielding.here()
    if name or model or url or key_env or folder:
        wanted = memory.wanted_embedder(name, model=model, url=url, key_env=key_env, folder=folder)
        gate.require(memory.asker(), gate.Change(gate.SETTING), "Choosing an embedder")
        _ask(wanted, yes=yes)
        done = memory.choose_embedder(wanted)
        if not json:
            _print(done.lines()[:1] if wait else done.lines())  # who waits is not told that it goes on without them
        elif not wait:
            output.as_json(done.as_record())
        if not wait:
            return
    if wait:
        _follow(memory, hidden=json)
    found = memory.embedders()
    if not found.is_done and not found.is_at_work:
        memory.embed()
    output.as_json(found.as_record()) if json else _print(found.lines(output.clock))


def _ask(wanted: Settings, *, yes: bool) -> None:
    from holdfast.judge import http, openai

    if yes or not wanted.address or http.is_loopback(wanted.address):
        return
    output.echo(
        f"The texts of this memory, and every question, will leave this machine for {openai.shown(wanted.address)}."
    )
    if not output.confirm("Send them there?"):
        output.echo("Nothing was changed.")
        raise SystemExit(1)


def _follow(memory: Fielding, *, hidden: bool) -> None:
    said = 0.0
    with output.progress("embedding the field", hidden=hidden) as bar:
        for found in memory.follow_embedding(lambda: time.sleep(STEP)):
            bar(found.coming, found.thoughts)
            if not hidden and not found.is_done and not sys.stderr.isatty() and time.monotonic() - said > LINE:
                said = time.monotonic()
                output.echo(f"{found.model}: {found.coming:,} of {found.thoughts:,}")


def _print(lines: list[str]) -> None:
    for line in lines:
        output.echo(line)
