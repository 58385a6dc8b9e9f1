"""The last result of each test, build and lint command, as the tool counted; and commands that failed with what was
run instead.

Only numbers with a word that counts checks are taken from what a tool printed, never its sentences. A command that
was run on a part of the tree is told only where the whole was never run.
"""

from __future__ import annotations

import re

from holdfast.model import value, word_set
from holdfast.text import extract, shell_programs
from holdfast.witness.changes import DOCUMENT, TRACKERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.text.transcript import Said

UNITS = (
    "tests? files?|test suites?|tests?|doctests?|specs?|examples?|assertions?|suites?|passed|passing|pass|failed|"
    "failing|fail|failures?|errors?|warnings?|issues?|problems?|skipped|pending|todo|xfailed|xpassed|excluded|ignored|"
    "properties|scenarios?|steps?|source files?|files?|mods/funs|checks?|violations?|offenses?|vulnerabilities"
)
COUNT = re.compile(rf"(?<![\w.])(?P<n>\d+|no)\s+(?:\w+\s+)?(?P<unit>{UNITS})\b", re.IGNORECASE)
TELLING = re.compile(
    r"\b(?:tests?|specs?|examples?|passed|failed|failures?|passing|failing|errors?|warnings?|issues?|problems?)\b", re.I
)
NAMED = re.compile(
    r"test|spec|lint|check|clippy|build|compile|mypy|ruff|tsc|credo|dialyzer|eslint|prettier|format|fmt|vet|verify|cov"
)
WRAPPERS = word_set("npx pnpx bunx uv poetry pipenv bundle python python3 node npm yarn pnpm")
COLOUR = re.compile(r"\x1b\[[0-9;]*m|\[\d{1,2}(?:;\d{1,2})*m")
TAIL = 6000  # characters of an output in which its counts are looked for
MOST_COUNTS = 5
NO_CHECK = word_set(
    "cat ls grep rg git cd echo find head tail sed awk wc sleep rm mkdir cp mv touch curl ps kill which test ["
).union(TRACKERS)
PLAIN = re.compile(r"(?:--)?[A-Za-z][\w-]*")
PART = re.compile(r"[/.:]|^-k$|^--only|^-t$")
WITHIN = 20  # calls in which the other way is looked for
LONGEST_COMMAND, LONGEST_ERROR = 90, 150
NOISE = re.compile(r"^(?:Exit code \d+|\s*|hint: .*|warning: .*|[-=~^\s|]*)$")
TELLING_FAILURE = re.compile(
    r"error|fatal|fail|cannot|can't|could not|not found|denied|invalid|unknown|missing|ignored|refused", re.I
)
COLOUR_CODE = re.compile(r"\x1b\[[0-9;]*m")


@value
class Check:
    """One command's last result. `counts` are what it counted, `is_whole` whether it looked at everything."""

    name: str
    counts: tuple[str, ...]
    failed: bool
    is_whole: bool
    at: int

    @property
    def line(self) -> str:
        came = ", ".join(self.counts)
        return f"`{self.name}` {'failed' if self.failed else 'passed'}{f': {came}' if came else ''}"


def last(calls: Sequence[Said], results: Mapping[str, Said]) -> list[Check]:
    """The newest result of each command, in the order of those."""
    found: dict[str, Check] = {}
    for call in calls:
        for one in _checks(call, results):
            known = found.get(one.name)
            if known is None or one.is_whole or not known.is_whole:
                found.pop(one.name, None)
                found[one.name] = one
    return sorted(found.values(), key=lambda one: one.at)


def _checks(call: Said, results: Mapping[str, Said]) -> list[Check]:
    command = extract.command_of(call)
    result = results.get(call.call)
    if not command or result is None:
        return []
    named = [(name, not _has_part(words)) for words in shell_programs.commands(command) if (name := _name(words))]
    if not named:
        return []
    output = COLOUR.sub("", result.text)[-TAIL:]
    counts = _counts(output)
    shown = [(name, is_whole) for name, is_whole in named if counts or NAMED.search(name)]
    if not shown:
        return []
    has_failures = any(one.split()[0] not in ("0", "no") and re.search(r"fail|error", one, re.I) for one in counts)
    # The output of several commands in one line cannot be told apart: the last one has the counts.
    *others, (last_name, last_whole) = shown
    made = [Check(name, (), False, is_whole, call.at) for name, is_whole in others]
    return [*made, Check(last_name, counts, result.failed or has_failures, last_whole, call.at)]


def _name(words: Sequence[str]) -> str:
    """The name of a command: the program, its subcommand, and options that change what it checks."""
    program = words[0].rpartition("/")[2]
    if not program or program in NO_CHECK or not re.match(r"[A-Za-z]", program):
        return ""
    kept = [program]
    limit = 4 if program in WRAPPERS else 2
    for word in words[1:]:
        is_module = word == "-m" and program.startswith("python")
        if not (is_module or PLAIN.fullmatch(word)) or (len(kept) >= limit and not word.startswith("--")):
            break
        kept.append(word)
    return " ".join(kept)


def _has_part(words: Sequence[str]) -> bool:
    return any(PART.search(word) for word in words[1:] if not word.startswith(("-", "2>", ">", "&")))


def _counts(output: str) -> tuple[str, ...]:
    """The counts in the last line that has any that tell of checks, and in those right around it."""
    found: list[str] = []
    for line in reversed(output.splitlines()[-60:]):
        counts = [f"{match['n']} {match['unit']}" for match in COUNT.finditer(line)] if len(line) < 400 else []
        if any(TELLING.search(one) for one in counts):
            found += [one for one in counts if one.split()[-1] not in {known.split()[-1] for known in found}]
        if len(found) >= MOST_COUNTS:
            break
    return tuple(found[:MOST_COUNTS])


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
    """The fixes in their order, each command's failure once."""
    runs = [(call, extract.command_of(call), results.get(call.call)) for call in calls]
    found: dict[str, Fix] = {}
    for nth, (call, command, result) in enumerate(runs):
        if not command or result is None or not result.failed:
            continue
        names, printed = _names(command), error_line(result.text)
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
    if not others or others[0].split() == failed.split():
        return None  # the same command passed: something else was mended
    first = _simple(others[0])
    mine = next((one for one in _simple(failed) if one not in first), "")
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
    lines = [COLOUR_CODE.sub("", line).strip() for line in output.splitlines()[:200]]
    lines = [line for line in lines if not NOISE.match(line)]
    at = next((nth for nth, line in enumerate(lines) if TELLING_FAILURE.search(line)), 0)
    line = " ".join(lines[at : at + 1])
    if line.endswith(":"):
        line = " ".join(lines[at : at + 2])
    return extract.flat(line, LONGEST_ERROR).replace('"', "'")


def _names(command: str) -> set[str]:
    """Programs with their subcommands, but for those that only look."""
    return {
        " ".join(words[:2]) for words in shell_programs.commands(command) if words[0] not in ("cd", "echo", "cat", "ls")
    }


def _simple(command: str) -> list[str]:
    bare = re.sub(r"\s2>&1", "", DOCUMENT.sub("<<…", command))
    return [" ".join(one.split()) for one in re.split(r"\s*(?:&&|\|\||;|\n|\|)\s*", bare) if one.strip()]
