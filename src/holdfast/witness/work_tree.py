"""The commits that a session made: their ids, subjects and bodies as they were given to git, and the branch.

A commit counts when git said so, or said nothing and did not fail. An amended commit takes the place of the one
before. Trailers name tools and people, not the work, and are left out.

Where the work tree stood at the end, as git last printed it: clean or changed, pushed, a pull request offered.

The files that a session wrote, each with what it is for where somebody said so: the host's summary, or the first
sentence of the file's own documentation as it was written.
"""

from __future__ import annotations

import re

from holdfast.model import value
from holdfast.text import extract, shell_programs
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
        if "commit" not in command or not shell_programs.is_commit(command):
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


BRANCH = re.compile(r"^On branch (\S+)", re.MULTILINE)
CLEAN = "nothing to commit, working tree clean"
UP_TO_DATE = re.compile(r"Your branch is up to date with '([^']+)'")
AHEAD = re.compile(r"Your branch is ahead of '([^']+)' by (\d+) commits?")
CHANGED = re.compile(r"^\t(?:(?:modified|new file|deleted|renamed):\s+)?(\S.*)$", re.MULTILINE)
PUSHED = re.compile(
    r"^\s+(?:\*?\s*\[new branch\]|[+ ]?\s*[0-9a-f]{7,}\.{2,3}[0-9a-f]{7,})\s+(\S+)\s+->\s+(\S+)", re.MULTILINE
)
OFFER = re.compile(r"https://\S+/(?:pull/new|merge_requests/new)\S*")
MOST_CHANGED = 8


@value
class Tree:
    """What is known of the end; `pushed` and `status` are told only while nothing was changed after them."""

    branch: str = ""
    is_clean: bool = False
    changed: tuple[str, ...] = ()
    upstream: str = ""
    ahead: int = 0
    pushed: str = ""
    offer: str = ""

    @property
    def lines(self) -> list[str]:
        """In the words that git has for it."""
        found = []
        if self.pushed:
            found.append(f"Pushed: {self.pushed}.")
        if self.offer:
            found.append(f"A pull request was offered and none was seen to be opened: {self.offer}")
        parts = [f"On branch {self.branch}"] if self.branch else []
        if self.upstream and not self.ahead:
            parts.append(f"up to date with '{self.upstream}'")
        if self.ahead:
            parts.append(f"{self.ahead} commit{'s' if self.ahead > 1 else ''} ahead of '{self.upstream}', not pushed")
        if self.is_clean:
            parts.append("nothing to commit, working tree clean")
        if self.changed:
            parts.append(f"modified and not committed: {', '.join(self.changed)}")
        if len(parts) > 1 or self.changed:
            found.append(f"{', '.join(parts)}.")
        return found


def last(calls: Sequence[Said], results: Mapping[str, Said]) -> Tree:
    tree = Tree()
    for call in calls:
        if any(True for _ in extract.files_of(call)):
            tree = Tree(tree.branch, pushed=tree.pushed, offer=tree.offer)
            continue
        command, result = extract.command_of(call), results.get(call.call)
        if result is None or "git" not in command:
            continue
        for words in shell_programs.commands(command):
            tree = _after(tree, words, result)
    return tree


def _after(tree: Tree, words: Sequence[str], result: Said) -> Tree:
    if words[0].rpartition("/")[2] == "gh" and words[1:3] == ["pr", "create"]:
        return Tree(tree.branch, tree.is_clean, tree.changed, tree.upstream, tree.ahead, tree.pushed)
    if words[0].rpartition("/")[2] != "git":
        return tree
    if "push" in words[1:4] and not result.failed:
        told = PUSHED.findall(result.text)
        offer = OFFER.search(result.text)
        pushed = ", ".join(f"{here} -> {there}" for here, there in told) or tree.pushed
        return Tree(
            tree.branch, tree.is_clean, tree.changed, tree.upstream, 0, pushed, offer[0] if offer else tree.offer
        )
    if "status" not in words[1:4] or result.failed:
        return tree
    branch, level, ahead = BRANCH.search(result.text), UP_TO_DATE.search(result.text), AHEAD.search(result.text)
    upstream = (level or ahead)[1] if level or ahead else ""  # type: ignore[index]
    changed = tuple(dict.fromkeys(match.strip() for match in CHANGED.findall(result.text)))[:MOST_CHANGED]
    return Tree(
        branch[1] if branch else tree.branch,
        CLEAN in result.text,
        changed,
        upstream,
        int(ahead[2]) if ahead else 0,
        tree.pushed,
        tree.offer,
    )


# What languages call the words at the head of a file.
HEADS = (
    re.compile(r"@moduledoc\s+(?:~[sS])?\"{1,3}\s*([^\"]+)"),
    re.compile(r"\A(?:#![^\n]*\n)?(?:\s*#[^\n]*coding[^\n]*\n)?\s*[rRuU]?(?:\"\"\"|''')\s*([^\"']+)"),
    re.compile(r"\A\s*/\*\*?\s*([^*]+?)(?:\*/|\n\s*\*\s*\n|\n\s*\*\s*@)"),
    re.compile(r"\A(?:\s*//[/!]?\s?([^\n]+))"),
    re.compile(r"\A(?:#![^\n]*\n)(?:#\s*\n)*#\s+([A-Z][^\n]+)"),
    re.compile(r"\A#\s+([^\n]+)"),
)
LONGEST = 120


@value
class Written:
    """`purpose` is "" where nobody said; `is_new` where the whole file was written."""

    path: str
    purpose: str
    is_new: bool


def written(calls: Sequence[Said], results: Mapping[str, Said]) -> list[Written]:
    """Each once, in the order in which they were first written."""
    found: dict[str, Written] = {}
    for call in calls:
        result = results.get(call.call)
        if result is not None and result.failed:
            continue
        for path in extract.files_of(call):
            known = found.get(path)
            content = call.given.get("content") if call.tool == "Write" and isinstance(call.given, dict) else None
            purpose = _purpose(content) if isinstance(content, str) else ""
            is_new = isinstance(content, str) or (known.is_new if known else False)
            found[path] = Written(path, purpose or (known.purpose if known else ""), is_new)
    return list(found.values())


def _purpose(content: str) -> str:
    for head in HEADS:
        match = head.search(content[:2000])
        if match:
            first = re.split(r"(?<=[.!?])\s|\n\s*\n", " ".join(match[1].split()))[0]
            return first[:LONGEST].strip()
    return ""
