"""What the tests of the close share: a session that flags three facts and a snag, and a judge that answers by script.

The judge is the scripted model again, asked through whatever the user chose: it knows a question by the schema that
every question carries, reads the fenced data behind its handles, and answers as a sensible model would.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from holdfast.judge.seam import ASKED

from .claude_desk import ClaudeDesk
from .runners import Desk, wait_for
from .steps import JUDGE, Request, Step, Told, fail, say
from .terminal import Terminal

PATIENCE = 120.0  # seconds for a close that asks a host's own command line: half a dozen programs on a small machine
# What is flagged below must have been spoken of, or it is held to be made up.
WISH = (
    "Lock the orders, retry a stale version 3 times, then number the invoices from 2031 on; "
    "pytest hung for ten minutes, so mind a --timeout 60"
)
ORDERS = ("Orders carry a version column", "Orders with a stale version are retried 3 times")
INVOICES = "Invoices are numbered per year"
FACTS = (*ORDERS, INVOICES)
WRONG, BETTER = "pytest hung for ten minutes", "run pytest with --timeout 60"
RULE = "Tests have an end"
TOGETHER = "What is known of Orders"  # the note that the judge makes of both
NEXT, TITLE = "Number the invoices from 2031 on", "Locks first, numbers after"
SHELVES = tuple(f"Shelf {nth:02} holds the orders of week {nth:02}" for nth in range(1, 14))  # one more than waits
LAST = "The last shelf stays empty"
READY = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"  # Claude Code waits for a prompt
CHANGED = "Changed by a snag: "
FENCED = re.compile(r'<data-([0-9a-f]+) is="([^"]*)">\n(.*?)\n</data-\1>', re.DOTALL)
# Which field of its schema tells a question from those below it.
JOBS = {
    "title": "handoff",
    "decisions": "consolidate",
    "items": "pending",
    "target": "improve",
    "claims": "verify",
    "statements": "lasting",
    "ready": "probe",
}
Json = dict[str, Any]


def flagging(desk: Desk, *options: str) -> list[Step]:
    """What the agent does in its session: three facts and a snag, by its own commands."""
    flags = [desk.shell(f'holdfast flag --kind decision "{text}"') for text in FACTS]
    return [*flags, desk.shell(f'holdfast snag "{WRONG}" --better "{BETTER}" {" ".join(options)}'.strip())]


def closed(desk: Desk, session: str, ordinal: int = 1) -> Json:
    """The ledger's line about the close of an episode, as soon as it is there."""
    key = f"{desk.agent}/{session}/{ordinal}"

    def look() -> list[Json]:
        return [one for one in desk.log("--kind", "close") if one["episode"] == key and one.get("handoff")]

    return wait_for(f"the close of {key}", look, PATIENCE, more=lambda: desk.log()[-12:])[0]


def first_request(desk: Desk, prompt: str) -> Request:
    """What a new session tells the model first."""
    session = desk.ask(prompt, say("I see."))
    return desk.server.of("main", session)[0]


@contextmanager
def going_on(desk: Desk, prompt: str, *steps: Step) -> Iterator[tuple[subprocess.Popen[str], Request]]:
    """A session that does its steps and then waits for its model, until the context is left; and its first request."""
    held, before = threading.Event(), len(desk.server.of())
    process = desk.begin(prompt, *steps, say("Done.", held=held))
    try:
        seen = wait_for(
            f"{prompt!r} with {len(steps)} steps",
            lambda: found if len(found := desk.server.of()[before:]) > len(steps) else [],
            more=lambda: [process.poll(), desk.log()[-6:]],
        )
        yield process, seen[0]
    finally:
        held.set()
        process.communicate(timeout=60)


def killed(desk: Desk, *options: str) -> str:
    """The same session, killed before it could end; its id."""
    with going_on(desk, WISH, *flagging(desk, *options)) as (process, asked):
        desk.end(process, signal.SIGKILL)
    return asked.session


# --- a long session


def long_session(claude: ClaudeDesk) -> tuple[str, Json]:
    """Two turns in a terminal: the first flags so much that the second begins a close; then it ends. Returns its id and
    the ledger's line about the close on the way."""
    words = " ".join(f'"{text}"' for text in SHELVES)
    with Terminal(claude, claude.terminal_words()) as terminal:
        terminal.wait(READY)
        claude.server.play(claude.shell(f"holdfast flag --kind fact {words}"), say("Flagged."))
        terminal.type(WISH)
        wait_for("the first turn", lambda: _turns(claude) == 1, more=terminal.screen)
        assert len(claude.waiting()) == len(SHELVES)
        claude.server.play(claude.shell(f'holdfast flag --kind decision "{LAST}"'), say("Done."))
        terminal.type("Go on")
        (midway,) = wait_for(
            "the close on the way", lambda: claude.log("--kind", "close"), PATIENCE, more=lambda: claude.log()[-8:]
        )
        assert midway["filed"] >= len(SHELVES)
        assert not midway.get("handoff"), "the session goes on"
        wait_for("the second turn", lambda: _turns(claude) == 2, more=terminal.screen)
        terminal.type("/exit")
        wait_for("the end of the terminal", terminal.is_over)
    (session,) = {one.session for one in claude.server.of()}
    return session, midway


def _turns(desk: Desk) -> int:
    return [one["event"] for one in desk.log("--kind", "hook")].count("turn-stop")


def assert_told_once(desk: Desk, told: Json, midway: Json) -> None:
    """What was filed on the way is part of the story all the same, and nothing is filed twice."""
    assert told["filed"] + midway["filed"] == len(SHELVES) + 1
    (handoff,) = desk.handoffs()
    for text in (*SHELVES, LAST):
        assert handoff.count(text) == 1, text
    assert desk.waiting() == []
    assert desk.errors() == []


# --- the judge


@dataclass(frozen=True)
class Asked:
    """One question: its job and what it gives behind handles (F1, N2), or by its label where that has none."""

    job: str
    texts: dict[str, str]

    def of(self, letter: str) -> dict[str, str]:
        return {handle: text for handle, text in self.texts.items() if re.fullmatch(rf"{letter}\d+", handle)}


Answering = Callable[[Asked], Json]


def asked_in(told: Iterable[Told]) -> Asked | None:
    """The question of a judge; None where somebody else asks."""
    whole = "\n".join(one.text for one in told if one.place != "tools")
    if ASKED not in whole:
        return None
    schema, _ = json.JSONDecoder().raw_decode(whole.partition(ASKED)[2].lstrip())
    job = next((job for name, job in JOBS.items() if name in schema["properties"]), "")
    assert job, schema
    found = {}
    for _, label, text in FENCED.findall(whole):
        handle = re.search(r"\b[A-Z]\d+\b", label)
        found[handle[0] if handle else label] = text
    return Asked(job, found)


def judging(
    answering: Answering | None = None, held: threading.Event | None = None
) -> Callable[[tuple[Told, ...]], Step | None]:
    """For `server.judge`: a judge that answers every question, as soon as it is let."""

    def answer(told: tuple[Told, ...]) -> Step | None:
        asked = asked_in(told)
        return say(json.dumps((answering or sensible)(asked)), held=held) if asked else None

    return answer


def failing(status: int) -> Callable[[tuple[Told, ...]], Step | None]:
    """For `server.judge`: a model that turns every question of a judge away."""
    return lambda told: fail(status, "go away") if asked_in(told) else None


def sensible(asked: Asked) -> Json:
    answers: dict[str, Answering] = {
        "consolidate": consolidated,
        "handoff": about,
        "pending": pending,
        "improve": improved,
        "verify": verified,
        "lasting": lambda _: {"statements": []},
        "probe": lambda _: {"ready": "yes"},
    }
    return answers[asked.job](asked)


def consolidated(asked: Asked) -> Json:
    """Flags that begin with the same word are about the same thing."""
    topics: dict[str, list[str]] = {}
    for handle, text in asked.of("F").items():
        topics.setdefault(text.split()[0], []).append(handle)
    texts = asked.of("F")
    return {
        "decisions": [
            {
                "flags": handles,
                "action": "new",
                "name": f"What is known of {topic}",
                "description": "; ".join(texts[handle] for handle in handles),
                "body": "\n".join(texts[handle] for handle in handles),
            }
            for topic, handles in topics.items()
        ]
    }


def about(asked: Asked) -> Json:
    goals = [{"text": text, "cites": [handle]} for handle, text in asked.of("P").items()]
    mark = "[decision] "
    flags = {handle: text.removeprefix(mark) for handle, text in asked.of("F").items() if text.startswith(mark)}
    decisions = [{"text": text, "cites": [handle]} for handle, text in flags.items()]
    return {"title": TITLE, "goals": goals[:1], "decisions": decisions}


def pending(asked: Asked) -> Json:
    """What was asked for and not begun; and what was open before is still open."""
    wish = [handle for handle, text in asked.of("P").items() if text == WISH]
    left = [{"text": text, "cites": [handle], "state": "next"} for handle, text in asked.of("H").items()]
    return {"items": [*({"text": NEXT, "cites": [handle], "state": "next"} for handle in wish), *left]}


def improved(asked: Asked) -> Json:
    wrong, _, better = asked.texts["SNAG"].partition("\nBetter: ")
    line = f"Snag: {wrong}. Better: {better}"
    return {"target": "rule", "name": RULE, "lines": [line], "when": {"tool": ["Bash"], "words": ["pytest"]}}


def verified(asked: Asked) -> Json:
    """Whatever stands in the session word for word is supported; the rest is not found in it."""
    lines = asked.of("E").values()

    def verdict(handle: str, text: str) -> Json:
        found = any(text in line for line in lines)
        return {"claim": handle, "verdict": "supported" if found else "not-found", "quote": text if found else ""}

    return {"claims": [verdict(handle, text) for handle, text in asked.of("C").items()]}


def asked_of(desk: Desk) -> list[tuple[str, Request]]:
    """What the judge was asked: the job of each question, and its request."""
    found = []
    for request in desk.server.of(JUDGE):
        asked = asked_in(request.told)
        assert asked
        found.append((asked.job, request))
    return found


def tools_of(request: Request) -> list[Any]:
    """Every tool that a request offers, wherever a host puts them."""
    listed = list(request.body.get("tools") or [])
    items = [one for one in request.body.get("input") or [] if isinstance(one, dict)]
    return listed + [tool for one in items if one.get("type") == "additional_tools" for tool in one.get("tools") or []]


def assert_the_judge_stayed_apart(desk: Desk) -> None:
    """It had no tools, it was told nothing that a start tells, and our hooks never heard of it."""
    for job, request in asked_of(desk):
        assert tools_of(request) == [], job
        assert not request.knows("<holdfast-memory>"), job
        assert not request.knows("holdfast flag --kind decision|lesson|progress"), job
    sessions = {one.session for one in desk.server.of()}
    heard = {one["episode"].split("/")[1] for kind in ("hook", "episode") for one in desk.log("--kind", kind)}
    assert heard == sessions
    assert desk.errors() == []
