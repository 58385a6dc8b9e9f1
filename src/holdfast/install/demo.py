"""The demonstration, `holdfast demo`: three sessions of an agent, one of them killed, and what is left of them.

Promise: every line that it shows was printed a moment ago by the launcher as it is registered, by the installed
`holdfast`, by git, or by a host process that was really killed; each step checks that it has shown what it says,
and the play ends with one sentence where it has not. No key, no model, no network, no agent is needed.
"""

from __future__ import annotations

import textwrap
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.capture.ids import LENGTH
from holdfast.errors import HoldfastError
from holdfast.install.demo_host import Host
from holdfast.install.demo_stage import REPORT, Stage, stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

WIDTH = 80
BELOW = "     "
BOLD, CYAN, YELLOW, FAINT, PLAIN = "\x1b[1m", "\x1b[36m", "\x1b[33m", "\x1b[2m", "\x1b[0m"


@dataclass
class Telling:
    """The printer of the play, and how many steps there were."""

    say: Callable[[str], None]
    colour: bool = False
    steps: int = 0

    def step(self, text: str) -> None:
        """Begin a step: what happens now, and what to look at."""
        if self.steps:
            self.say("")
        self.steps += 1
        number = f"{self.steps}. "
        self._fold(BOLD, text, number, " " * len(number))

    def then(self, text: str) -> None:
        """Go on in the same step."""
        self._fold(BOLD, text, "   ", "   ")

    def command(self, words: str) -> None:
        """Show a command that an agent or a person types."""
        self._fold(CYAN, f"$ {words}", BELOW, BELOW + "    ")

    def quote(self, lines: Iterable[str], loud: str = "") -> None:
        """Show printed lines; the one that begins with `loud` is what to look at."""
        for line in lines:
            self._fold(YELLOW if loud and line.startswith(loud) else "", line, BELOW, BELOW + "  ")

    def excerpt(self, lines: Iterable[str], *beginnings: str, loud: str = "") -> None:
        """The lines that begin so; where others stood between them, that is to be seen."""
        is_cut = False
        for line in lines:
            if line.startswith(beginnings):
                self.quote([line], loud)
                is_cut = False
            elif not is_cut:
                self._fold(FAINT, "[...]", BELOW, BELOW)
                is_cut = True

    def close(self, *texts: str) -> None:
        """The last words."""
        for text in texts:
            self.say("")
            self._fold(BOLD, text, "", "")

    def _fold(self, style: str, text: str, first: str, more: str) -> None:
        """A line as several that fit; what has no blank in it, such as a path, is left whole."""
        more += " " * (len(text) - len(text.lstrip(" ")))
        wrapper = textwrap.TextWrapper(WIDTH, first, more, break_long_words=False, break_on_hyphens=False)
        for line in wrapper.wrap(text) or [first.rstrip()]:
            self.say(f"{style}{line}{PLAIN}" if self.colour and style else line)


FACT = "Orders use optimistic locking; do not add row locks"
ORDER = "Remember: staging is wiped every night."
WRONG, BETTER = "`npm test` ran against the live database", "`sh check.sh`, which starts one of its own"
RISKY = "npm test -- --watch"
BRIEF = ("<", "Changed by", "Newest", "In progress", "- Under way", "- The last", "Decisions", "Learned", "- Remember")
CODE = "def reserve(order, stock):\n    stock.take(order.item, if_version=order.seen)\n"
COMMIT = "git commit -qam 'Reserve by version'"
FLAG = f"holdfast flag --kind decision --evidence orders.py:2 '{FACT}'"
SNAG = f"holdfast snag '{WRONG}' --better '{BETTER}'"


def run(
    say: Callable[[str], None],
    *,
    colour: bool = False,
    keep: bool = False,
    then: Callable[[Stage], None] = lambda _: None,
) -> None:
    """Play it all; `then` is done before the stage is struck. Raises HoldfastError where a step does not show what it
    promises."""
    began = time.monotonic()
    with stage(keep=keep) as made:
        Story(made, Telling(say, colour)).play()
        took = time.monotonic() - began
        then(made)
    where = f"Kept in {made.folder}; it is yours to look at." if keep else "The folder that it was played in is gone."
    Telling(say, colour).close(
        "Nothing was lost. The hooks, the kill and git were real; no key, no model and no network were needed. "
        f"It took {took:.1f} s. {where}",
        "To have it for good in Claude Code and Codex: holdfast init",
    )


class Story:
    """The steps, in order."""

    def __init__(self, made: Stage, tell: Telling) -> None:
        self.stage = made
        self.tell = tell

    def play(self) -> None:
        with Host(self.stage, "demo-1") as first:
            self._begins(first)
            self._boundary(first)
            self._flags(first)
            self._dies(first)
        with Host(self.stage, "demo-2") as second:
            self._warns(second)
            self._heals()
            self._is_in_git()
            self._fires(second)
        with Host(self.stage, "demo-3") as third:
            self._goes_on(third)
            self._is_undone(third)
        self._adds_up()

    def _begins(self, host: Host) -> None:
        self.tell.step("A session starts. The host runs the registered hook; its model is told:")
        told = host.starts()
        if not told.text:
            raise HoldfastError(
                "The hook said nothing at the start: the temporary folder may forbid running programs. Nothing of "
                "yours was touched; set TMPDIR to another folder and run it again."
            )
        self.tell.quote(told.lines)
        asked = f"Two customers can buy the last item. Fix it. {ORDER}"
        self.tell.then("The user types. What they order is kept before the model reads it:")
        self.tell.quote([f"> {asked}"])
        heard = host.asked(asked)
        self.tell.quote(heard.lines)
        _expect("the user's order was kept", "their words are kept", heard.lines)

    def _boundary(self, host: Host) -> None:
        self.tell.step("A boundary: the agent commits. The hook asks, once, what was learned:")
        host.says("I make the reservation depend on the version that was read.")
        host.writes("orders.py", CODE)
        self.tell.command(COMMIT)
        nudge = host.bash(COMMIT).after
        self.tell.quote(nudge.lines)
        _expect("a commit makes the hook ask", "holdfast flag", nudge.lines)

    def _flags(self, host: Host) -> None:
        self.tell.step("The agent answers, one cheap line each, on disk before the answer:")
        host.says("Careful: `npm test` used the live database just now; `sh check.sh` starts one of its own.")
        for command in (FLAG, SNAG):
            self.tell.command(command)
            output = host.bash(command).output.splitlines()
            self.tell.quote(output)
            _expect("a flag is acknowledged", "flagged ", output)

    def _dies(self, host: Host) -> None:
        host.begins("Bash", command="sh load-test.sh")
        self.tell.step(f"The host is killed in the middle of a call: kill -9 {host.process.pid}")
        self.tell.then("No event fires. Nobody wrote a summary. The model's context is gone.")
        host.killed()

    def _warns(self, host: Host) -> None:
        self.tell.step("The next session starts in this project. Its model is told:")
        told = host.starts().lines
        self.tell.excerpt(told, "<", "WARNING", "3 flags", "- ", loud="WARNING")
        _expect("the next start warns of the death", "WARNING: the claude-code session demo-1 died", told)
        for text in (FACT, WRONG, ORDER):
            _expect("the next start has what was flagged", text, told)

    def _heals(self) -> None:
        self.tell.step("Meanwhile that start has begun the close. Nobody asked for it:")
        closed = self.stage.closed("demo-1")
        self._typed("holdfast", "log", "--kind", "close")
        if closed.get("filed") != 3:
            raise HoldfastError(f"The close filed {closed.get('filed')} flags of 3; {REPORT}")
        self.tell.then("The flags are notes now, Markdown that you can edit:")
        listed = self._typed("holdfast", "notes")
        _expect("the fact is a note", FACT, listed)
        shown = self._typed("holdfast", "show", "feedback/snag-npm-test.md")
        _expect("the snag's note waits for its call", "when:", shown)

    def _is_in_git(self) -> None:
        self.tell.step("Every change is a commit that names its cause:")
        listed = self._typed("holdfast", "history", "--count", "1")
        _expect("the close is in the history", "close of session 1", listed)
        path = next((line.strip() for line in listed if line.strip().startswith("projects/")), "")
        command = ("git", "-C", "../vault", "show", "--format=format:%s", "HEAD", "--", path)
        diff = self._typed(*command, only=("close", "+++", "+name:", f"+{FACT}", "+- "))
        _expect("git has the note", f"+{FACT}", diff)

    def _fires(self, host: Host) -> None:
        self.tell.step("The second agent is about to make the same mistake. The hook stops the call:")
        self.tell.command(RISKY)
        stopped = host.bash(RISKY).before
        self.tell.quote(stopped.lines, loud="Snag: ")
        if stopped.decision != "deny":
            raise HoldfastError(f"The snag's note did not stop the call; {REPORT}")
        _expect("the better path is said", BETTER, stopped.lines)
        self.tell.command("sh check.sh")
        self.tell.quote(host.bash("sh check.sh").output.splitlines())
        host.ends()

    def _goes_on(self, host: Host) -> None:
        self.stage.settle()
        self.tell.step("It ends, another starts. What the first one knew is there:")
        told = host.starts().lines
        self.tell.excerpt(told, *BRIEF)
        _expect("the next start has the fact from its note", FACT, told)
        _expect("the next start has the handoff", "Newest handoff", told)
        _expect("the next start hears what the snag changed", "Changed by a snag", told)

    def _is_undone(self, host: Host) -> None:
        self.tell.step("You disagree? One change goes back, and only that one:")
        loop = self._typed("holdfast", "loops", only=(" ",))
        self._typed("holdfast", "loops", "--undo", _id(loop))
        self.tell.then(f"The same call, {RISKY!r}, in the third session:")
        answer, _ = host.begins("Bash", command=RISKY)
        if answer.decision:
            raise HoldfastError(f"What was taken back still stops the call; {REPORT}")
        self.tell.quote(["(the hook says nothing: it may run)"])
        self.tell.then("And taking back is a change like any other:")
        change = self._typed("holdfast", "history", "--count", "1")
        self._typed("holdfast", "undo", _id(change))
        answer, _ = host.begins("Bash", command=RISKY)
        if answer.decision != "deny":
            raise HoldfastError(f"What was brought back does not stop the call; {REPORT}")
        self.tell.quote([f"(it is back: the hook stops {RISKY!r} again)"])
        host.ends()
        self.stage.settle()

    def _adds_up(self) -> None:
        self.tell.step("Everything that should have run did. The ledger says so, not a model:")
        counted = self._typed("holdfast", "audit", only=("sessions", "closes", "loops", "All of it"))
        _expect("every session was closed and drained", "seen 3", counted)
        _expect("nothing was skipped", "All of it is as it should be.", counted)

    def _typed(self, *command: str, only: tuple[str, ...] = ("",)) -> list[str]:
        """A command that a person types, shown with what it prints, or with those lines that begin so."""
        output = self.stage.run(*command)
        self.tell.command(" ".join(command))
        self.tell.excerpt(output, *only)
        return output


def _id(lines: list[str]) -> str:
    """The first id in what a command has listed."""
    words = " ".join(lines).split()
    found = next((word for word in words if len(word) == LENGTH and word.isalnum() and word.isupper()), "")
    if not found:
        raise HoldfastError(f"There was to be an id in a list, and there was none; {REPORT}")
    return found


def _expect(what: str, text: str, lines: Iterable[str]) -> None:
    if not any(text in line for line in lines):
        raise HoldfastError(f"It was to be seen that {what}, and it was not; {REPORT}")
