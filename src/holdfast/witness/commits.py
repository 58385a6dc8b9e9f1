"""The commits that a session made: their ids, subjects and bodies as they were given to git, and the branch.

A commit counts when git said so, or said nothing and did not fail. An amended commit takes the place of the one before.
Trailers name tools and people, not the work, and are left out.
"""

from __future__ import annotations

import re

from holdfast.model import value
from holdfast.text import commit_lines, extract
from holdfast.text.transcript import NO_OUTPUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.text.transcript import Said

MADE = re.compile(r"^\[(?P<branch>[^\]\n]+?) (?:\([^)\n]*\) )?(?P<id>[0-9a-f]{7,40})\] (?P<subject>.+)$", re.MULTILINE)
DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n(.*?)\n[ \t]*\2\b", re.DOTALL)
MESSAGE = re.compile(r"(?:^|\s)(?:-[a-zA-Z]*m|--message)(?:\s+|=)(\"(?:[^\"\\]|\\.)*\"|'[^']*')", re.DOTALL)
TRAILER = re.compile(r"^(?:[A-Z][\w-]+-[Bb]y: |Change-Id: |🤖|Generated with )")
QUIET = re.compile(r"\bcommit\b[^;&|\n]*?\s(?:-[a-zA-Z]*q[a-zA-Z]*|--quiet)\b")
FILES = re.compile(r"^ ?(\d+) files? changed", re.MULTILINE)


@value
class Commit:
    """`id` is "" where git was told to be quiet."""

    id: str
    subject: str
    body: str
    branch: str
    files: int
    at: int


def made(calls: Sequence[Said], results: Mapping[str, Said]) -> list[Commit]:
    """The commits in their order, each as it stood at the end."""
    found: list[Commit] = []
    for call in calls:
        command = extract.command_of(call)
        if "commit" not in command or not commit_lines.is_commit(command):
            continue
        result = results.get(call.call)
        if result is None:
            continue
        told = list(MADE.finditer(result.text))
        said = "" if result.text.strip() == NO_OUTPUT else result.text.strip()
        if not told and (result.failed or (said and not QUIET.search(command))):
            continue
        messages = _messages(command)
        amends = "--amend" in command
        for nth, match in enumerate(told or [None]):
            message = messages[nth] if nth < len(messages) else ""
            subject, _, body = message.strip().partition("\n")
            before = found.pop() if amends and found else None
            number = FILES.search(result.text, match.end()) if match else None
            commit = Commit(
                id=match["id"] if match else _listed(subject, said),
                subject=(match["subject"] if match else subject) or (before.subject if before else ""),
                body=_without_trailers(body) or (before.body if before else ""),
                branch=match["branch"].removeprefix("detached ") if match else "",
                files=int(number[1]) if number else 0,
                at=call.at,
            )
            if commit.subject:
                found.append(commit)
    return found


def _listed(subject: str, said: str) -> str:
    """The id of a quiet commit where a log behind it names one, as `git log --oneline -1` does."""
    for line in said.splitlines():
        ident, _, words = line.partition(" ")
        if words.endswith(subject) and 7 <= len(ident) <= 40 and all(letter in "0123456789abcdef" for letter in ident):
            return ident
    return ""


def _messages(command: str) -> list[str]:
    """The messages in a command line: of documents, or of `-m`, whose paragraphs are joined as git does."""
    documents = [match[3] for match in DOCUMENT.finditer(command)]
    if documents:
        return documents
    parts = [_unquoted(match[1]) for match in MESSAGE.finditer(command)]
    return ["\n\n".join(parts)] if parts else []


def _unquoted(word: str) -> str:
    return word[1:-1] if word[0] == "'" else re.sub(r"\\([\"\\$`])", r"\1", word[1:-1])


def _without_trailers(body: str) -> str:
    lines = [line for line in body.strip().splitlines() if not TRAILER.match(line.strip())]
    return "\n".join(lines).strip()
