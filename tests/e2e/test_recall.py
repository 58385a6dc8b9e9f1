"""What one session learned comes back at the first prompt of the next that it bears on, and at no other prompt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from .claude_desk import ClaudeDesk
from .model_server import ModelServer
from .runners import Desk, both_hosts, wait_for
from .steps import call, say

pytestmark = pytest.mark.e2e

BEARS = "Notes that bear on this request"
FACT = "Supplier CSV files are Windows-1252 with semicolons"
DETAIL = "the parser guesses UTF-8 without a hint"
MORE = "Pass encoding='cp1252' to read_rows."
ABOUT = "Umlauts are broken in the supplier CSV files, have a look"
ELSE = "Rename the button on the login page"
PICTURES = "Product images are resized by libvips in a worker; ImageMagick ran out of memory at 40 MB"
OTHER_WORDS = "Uploaded photos make the thumbnail worker run out of memory"


def remembered(desk: Desk) -> str:
    """A session that flags what it found, and its close; the note's path, once it can be recalled."""
    flag = f'holdfast flag --kind lesson --evidence orders.py:1 "{FACT}; {DETAIL}, which cost us an afternoon in May"'
    session = desk.ask("Why are the names garbled?", desk.shell(flag), say("Noted."))
    desk.wait_for_close(session)

    return found_as(desk, "supplier CSV encoding", FACT)


def found_as(desk: Desk, query: str, fact: str) -> str:
    """The path of the note with a fact, once the field has it."""

    def recalled() -> str:
        found = desk.holdfast("recall", "--json", "--read-only", query, may_fail=True)
        paths = [str(one["path"]) for one in json.loads(found)["results"] if fact in one["text"]]
        return paths[0] if paths else ""

    return wait_for("the note in the field", recalled)


def lengthen(desk: Desk, path: str, more: str = MORE) -> None:
    """A person adds to the note, so that it says more than the start's line of it."""
    file = desk.vault / path
    before, mark, proof = file.read_text(encoding="utf-8").partition("\n\nEvidence:\n")
    file.write_text(f"{before}\n{more}{mark}{proof}", encoding="utf-8")


@both_hosts
def test_a_note_of_one_session_is_told_at_the_first_prompt_of_the_next_that_it_bears_on(
    desk: Desk, server: ModelServer
) -> None:
    path = remembered(desk)
    lengthen(desk, path)
    session = desk.ask(ABOUT, say("I see."))
    (first,) = server.of(session=session)
    assert len(first.places(BEARS)) == 1
    assert first.knows(MORE)
    (injected,) = [one for one in desk.log("--kind", "injection") if one["event"] == "prompt"]
    assert [name.rpartition(":")[0] for name in injected["carried"]] == [path]
    assert injected["characters"] <= 1200
    other = desk.ask(ELSE, say("Renamed."))
    assert not server.of(session=other)[0].knows(BEARS), "nothing bears on this one"
    assert desk.errors() == []


def test_a_second_prompt_of_the_same_session_is_told_nothing(claude: ClaudeDesk, server: ModelServer) -> None:
    lengthen(claude, remembered(claude))
    options = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
    pipe = 'first=$1; second=$2; shift 2; printf "%s\\n%s\\n" "$first" "$second" | "$@"'
    for prompts, told in (((ELSE, ABOUT), (0, 0)), ((ABOUT, ABOUT), (1, 1))):
        lines = [json.dumps({"type": "user", "message": {"role": "user", "content": text}}) for text in prompts]
        before = len(server.of())
        server.play(say("One."), say("Two."))
        done = claude.run(["/bin/sh", "-c", pipe, "sh", *lines, str(claude.program), "-p", *options])
        assert done.status == 0, done.err
        asked = server.of()[before:]
        assert [len(one.places(BEARS)) for one in asked] == list(told), "the second has what the first was told"


@contextmanager
def served(desk: Desk) -> Iterator[None]:
    """`holdfast serve` of this desk's vault, until it is told to stop."""
    process = desk.start([str(desk.venv / "bin" / "holdfast"), "serve", "--port", "0"])
    try:
        assert process.stdout
        assert process.stdout.readline().startswith("Serving on ")
        yield
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 0


def test_a_prompt_is_looked_up_by_meaning_while_a_server_is_up_and_by_words_without(
    claude: ClaudeDesk, server: ModelServer
) -> None:
    """A start of a small vault tells its few notes itself, so the prompt has nothing to add; how it was looked up is in
    the ledger."""
    flag = f'holdfast flag --kind lesson --evidence orders.py:1 "{PICTURES}"'
    claude.wait_for_close(claude.ask("What kills it?", claude.shell(flag), say("Noted.")))

    def asked() -> tuple[bool, str]:
        """Whether the model knew it at its first prompt, and by what the hook had looked."""
        session = claude.ask(OTHER_WORDS, say("I see."))
        (first,) = server.of(session=session)
        (moment,) = [one for one in claude.log("--session", session, "--kind", "hook") if one["event"] == "prompt"]
        return first.knows(PICTURES), str(moment["recall_by"])

    with served(claude):
        told = wait_for("the server answers in time", lambda: found if (found := asked())[1] == "hybrid" else None)
        assert told == (True, "hybrid")
    assert asked() == (True, "words")
    assert claude.errors() == []


def test_a_note_that_the_agent_opens_gains_weight(claude: ClaudeDesk, server: ModelServer) -> None:
    path = remembered(claude)

    def weight() -> float:
        found = json.loads(claude.holdfast("recall", "--json", "--read-only", "supplier CSV encoding"))["results"]
        return next(float(one["weight"]) for one in found if one["path"] == path)

    before = weight()
    claude.allow("Read(//**)")
    claude.ask(ELSE, call("Read", file_path=str(claude.vault / path)), say("Read it."))
    assert FACT in server.of()[-1].last_result
    assert weight() - before > 0.01
