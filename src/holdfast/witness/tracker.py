"""The issue tracker and pull requests as the session left them: what was closed or opened with its reason, and what the
tracker last listed as open.

A tracker's own text was written by anybody, so what it printed is told apart from what the session said to it.
"""

from __future__ import annotations

import re

from holdfast.model import value
from holdfast.text import extract, shell_programs
from holdfast.witness.work_tree import DOCUMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.text.transcript import Said

TRACKERS = ("gh", "glab", "bd", "br", "tea", "hub", "jira", "linear", "acli", "git-bug", "backlog", "tk", "td", "az")
DOING = frozenset(
    ("close", "create", "comment", "merge", "reopen", "edit", "done", "resolve", "transition", "new", "add", "note")
)
LISTING = frozenset(("ready", "list", "ls", "status", "blocked", "next"))
SAYING = (
    "--reason",
    "--title",
    "--body",
    "--description",
    "--comment",
    "--message",
    "--notes",
    "-t",
    "-b",
    "-m",
    "-d",
    "-r",
)
NAME = re.compile(r"[A-Z][A-Z0-9]+-\d+|#?\d+|[a-z][\w]*-[a-z0-9]+(?:\.\d+)*|https?://\S+")
LOOKED_FOR = re.compile(rf"(?<![\w.-])(?:{'|'.join(TRACKERS)})\s")
ENTRY_NAME = re.compile(r"\b[A-Z][A-Z0-9]{1,9}-\d+\b|#\d+\b")
ENTRY = re.compile(r"^\s*(?:\d+[.)]\s+|[-*○●◐✓☐]\s*|#?\d+\s)")
MOST_ENTRIES = 12
SHOWING = frozenset(("show", "view", "get", "info"))
# A line by which an entry limits the work: what must not be, and what only may.
LIMIT = re.compile(
    r"^no\b|\bmust not\b|\bdo (?:\*\*)?not\b|\bdon't\b|\bnever\b|\bprohibit|\bno-gos?\b|\bout of scope\b|\bscope only\b"
    r"|\b\w+ only\b|^keep\b.*\b(?:only|unchanged|as is)\b|\bmust (?:stay|remain|be)\b",
    re.IGNORECASE,
)
LEAST_LIMIT, LONGEST_LIMIT = 24, 200


@value
class Act:
    """What was done to which entries, in whose words; `answer` is the first line that the tracker printed."""

    verb: str
    names: tuple[str, ...]
    words: str
    answer: str
    at: int


@value
class Listing:
    """What the tracker last showed as open: its lines."""

    lines: tuple[str, ...]
    at: int


def acts(calls: Sequence[Said], results: Mapping[str, Said]) -> list[Act]:
    found = []
    for call, words, result in _commands(calls, results):
        verb = next((word for word in words[1:4] if word in DOING), "")
        if not verb or result.failed:
            continue
        behind = words[words.index(verb) + 1 :]
        names = tuple(dict.fromkeys(word for word in _positional(behind) if NAME.fullmatch(word)))
        said = " ".join(_said(behind, extract.command_of(call))) or " ".join(
            word for word in _positional(behind) if not NAME.fullmatch(word)
        )
        answer = next((line.strip() for line in result.text.splitlines() if line.strip()), "")
        found.append(Act(verb, names, said, answer, call.at))
    return found


def listing(calls: Sequence[Said], results: Mapping[str, Said]) -> Listing | None:
    """The newest list of what is open."""
    for call, words, result in reversed(list(_commands(calls, results))):
        if any(word in LISTING for word in words[1:4]) and not result.failed:
            lines = [ENTRY.sub("", line).strip() for line in result.text.splitlines() if ENTRY.match(line)]
            if lines:
                return Listing(tuple(lines[:MOST_ENTRIES]), call.at)
    return None


def limits(calls: Sequence[Said], results: Mapping[str, Said]) -> list[str]:
    """The lines of the entries that were looked at in which the work is limited, each once, newest entry first."""
    found: dict[str, None] = {}
    for _, words, result in reversed(list(_commands(calls, results))):
        if any(word in SHOWING for word in words[1:4]) and not result.failed:
            for line in result.text.splitlines():
                bare = line.strip().lstrip("-*•0123456789.) ").strip()
                if LEAST_LIMIT <= len(bare) <= LONGEST_LIMIT and LIMIT.search(bare):
                    found.setdefault(bare.replace("**", ""))
    return list(found)


def _commands(calls: Sequence[Said], results: Mapping[str, Said]) -> list[tuple[Said, list[str], Said]]:
    found = []
    for call in calls:
        command = extract.command_of(call)
        result = results.get(call.call)
        if result is not None and (LOOKED_FOR.search(command) or ENTRY_NAME.search(command)):
            found += [(call, words, result) for words in shell_programs.commands(command) if _is_tracker(words)]
    return found


def _is_tracker(words: Sequence[str]) -> bool:
    """A tracker by its name; or a script of the project's own, by what it does to an entry that is named as one."""
    if words[0].rpartition("/")[2] in TRACKERS:
        return True
    verb = next((nth for nth, word in enumerate(words[1:5], 1) if word in DOING), 0)
    return bool(verb) and words[0] != "git" and any(ENTRY_NAME.fullmatch(word) for word in words[verb + 1 : verb + 3])


def _positional(words: Sequence[str]) -> list[str]:
    """The words that belong to no option, up to a redirection."""
    found: list[str] = []
    skips = False
    for word in words:
        if word in ("2", "&1", "2>&1", ">", "|"):
            break
        if word.startswith("-"):
            skips = "=" not in word
        elif skips:
            skips = False
        else:
            found.append(word)
    return found


def _said(words: Sequence[str], command: str) -> list[str]:
    """The session's own words to the tracker; a document in the line stands for the option that reads it."""
    found = []
    for at, word in enumerate(words):
        name, equals, value_ = word.partition("=")
        if name in SAYING:
            text = value_ if equals else (words[at + 1] if at + 1 < len(words) else "")
            if text and not text.startswith("$("):
                found.append(text)
    documents = [match[3] for match in DOCUMENT.finditer(command)]
    return [*found, *documents]
