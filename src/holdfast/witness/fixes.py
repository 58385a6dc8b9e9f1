"""Commands that failed and what was run instead: the way that did not work, what was printed, and the way that did.

A check that fails and later passes was mended by an edit; the model's own words tell of that. A command that was given
otherwise the second time is a lesson in itself.
"""

from __future__ import annotations

import re

from holdfast.model import value
from holdfast.text import extract, shell_programs
from holdfast.witness.commits import DOCUMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.text.transcript import Said

WITHIN = 20  # calls in which the other way is looked for
LONGEST_COMMAND, LONGEST_ERROR = 90, 150
NOISE = re.compile(r"^(?:Exit code \d+|\s*|hint: .*|warning: .*|[-=~^\s|]*)$")
TELLING = re.compile(
    r"error|fatal|fail|cannot|can't|could not|not found|denied|invalid|unknown|missing|ignored|refused", re.I
)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@value
class Fix:
    """`passed` is "" where nothing else was seen to work."""

    failed: str
    printed: str
    passed: str
    at: int

    @property
    def line(self) -> str:
        then = f"; `{self.passed}` worked" if self.passed else ""
        return f'`{self.failed}` failed ("{self.printed}"){then}'


def fixes(calls: Sequence[Said], results: Mapping[str, Said]) -> list[Fix]:
    """In their order, each command's failure once."""
    runs = [(call, extract.command_of(call), results.get(call.call)) for call in calls]
    found: dict[str, Fix] = {}
    for nth, (call, command, result) in enumerate(runs):
        if not command or result is None or not result.failed:
            continue
        names = _names(command)
        printed = error_line(result.text)
        if not names or not printed:
            continue
        others = [
            other
            for _, other, came in runs[nth + 1 : nth + 1 + WITHIN]
            if other and came is not None and not came.failed and names & _names(other)
        ]
        instead = _instead(command, others)
        if instead:
            found.setdefault(instead[0], Fix(instead[0], printed, instead[1], call.at))
    return list(found.values())


def _instead(failed: str, others: Sequence[str]) -> tuple[str, str] | None:
    """The simple command that failed and the one that worked, each shown by what it has and the other has not. The
    other way to the same end is preferred: a command with words that only the failed one had so far."""
    if not others or any(_shown(one) == _shown(failed) for one in others[:1]):
        return None  # the same command passed: something else was mended
    ours = _simple(failed)
    first = _simple(others[0])
    mine = next((one for one in ours if one not in first), "")
    if not mine:
        return None
    only = set(mine.split()) - {word for one in first for word in one.split()}
    for other in others:
        for one in _simple(other):
            words = one.split()
            if words[:2] == mine.split()[:2] and one != mine and (only & set(words) or other == others[-1]):
                return _apart(mine, one), _apart(one, mine)
    return None


def _apart(command: str, other: str) -> str:
    """A command, its program and subcommand, with the words that the other has not; all of it where it is short."""
    if len(command) <= LONGEST_COMMAND:
        return command
    head, known = command.split()[:2], set(other.split())
    own = [word for word in command.split()[2:] if word not in known]
    return extract.flat(" ".join([*head, "…", *own]), LONGEST_COMMAND)


def error_line(output: str) -> str:
    """The first line of an output that tells what went wrong, with the one behind it where it ends in a colon."""
    lines = [COLOUR.sub("", line).strip() for line in output.splitlines()[:200]]
    lines = [line for line in lines if not NOISE.match(line)]
    at = next((nth for nth, line in enumerate(lines) if TELLING.search(line)), 0 if lines else -1)
    if at < 0:
        return ""
    line = lines[at]
    if line.endswith(":") and at + 1 < len(lines):
        line = f"{line} {lines[at + 1]}"
    return extract.flat(line, LONGEST_ERROR).replace('"', "'")


def _names(command: str) -> set[str]:
    """Programs with their subcommands, but for those that only look."""
    return {
        " ".join(words[:2]) for words in shell_programs.commands(command) if words[0] not in ("cd", "echo", "cat", "ls")
    }


def _simple(command: str) -> list[str]:
    bare = re.sub(r"\s2>&1", "", DOCUMENT.sub("<<…", command))
    return [" ".join(one.split()) for one in re.split(r"\s*(?:&&|\|\||;|\n|\|)\s*", bare) if one.strip()]


def _shown(command: str) -> str:
    return " ".join(command.split())
