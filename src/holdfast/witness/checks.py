"""The last result of each test, build and lint command: passed or failed, and how many, as the tool counted.

Only numbers with a word that counts checks are taken from what a tool printed, never its sentences. A command that was
run on a part of the tree is told only where the whole was never run.
"""

from __future__ import annotations

import re

from holdfast.model import value
from holdfast.text import extract, shell_programs
from holdfast.witness.tracker import TRACKERS

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
WRAPPERS = (
    "npx",
    "pnpx",
    "bunx",
    "uv",
    "poetry",
    "pipenv",
    "bundle",
    "python",
    "python3",
    "node",
    "npm",
    "yarn",
    "pnpm",
)
COLOUR = re.compile(r"\x1b\[[0-9;]*m|\[\d{1,2}(?:;\d{1,2})*m")
TAIL = 6000  # characters of an output in which its counts are looked for
MOST_COUNTS = 5
NO_CHECK = frozenset(
    (
        *TRACKERS,
        "cat",
        "ls",
        "grep",
        "rg",
        "git",
        "cd",
        "echo",
        "find",
        "head",
        "tail",
        "sed",
        "awk",
        "wc",
        "sleep",
        "rm",
        "mkdir",
    )
    + ("cp", "mv", "touch", "curl", "ps", "kill", "which", "test", "[")
)
PLAIN = re.compile(r"(?:--)?[A-Za-z][\w-]*")
PART = re.compile(r"[/.:]|^-k$|^--only|^-t$")


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
    named = [(name, _is_whole(words)) for words in shell_programs.commands(command) if (name := _name(words))]
    if not named:
        return []
    output = COLOUR.sub("", result.text)[-TAIL:]
    counts = _counts(output)
    shown = [(name, is_whole) for name, is_whole in named if counts or NAMED.search(name)]
    if not shown:
        return []
    failed = result.failed or _counts_failures(counts)
    # What several commands in one line printed cannot be told apart: the last one has the counts.
    return [
        Check(
            name, counts if nth == len(shown) - 1 else (), failed if nth == len(shown) - 1 else False, is_whole, call.at
        )
        for nth, (name, is_whole) in enumerate(shown)
    ]


def _name(words: Sequence[str]) -> str:
    """What a command is called: the program, its subcommand, and options that change what it checks."""
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


def _is_whole(words: Sequence[str]) -> bool:
    return not any(_is_part(word) for word in words[1:] if not word.startswith(("-", "2>", ">", "&")))


def _is_part(word: str) -> bool:
    return bool(PART.search(word))


def _counts(output: str) -> tuple[str, ...]:
    """The counts in the last line that has any that tell of checks, and in those right around it."""
    found: list[str] = []
    for line in reversed(output.splitlines()[-60:]):
        counts = [f"{match['n']} {match['unit']}" for match in COUNT.finditer(line)] if len(line) < 400 else []
        if any(TELLING.search(one) for one in counts):
            fresh = [one for one in counts if one.split()[-1] not in {known.split()[-1] for known in found}]
            found += fresh
        if len(found) >= MOST_COUNTS:
            break
    return tuple(found[:MOST_COUNTS])


def _counts_failures(counts: Sequence[str]) -> bool:
    return any(one.split()[0] not in ("0", "no") and re.search(r"fail|error", one, re.I) for one in counts)
