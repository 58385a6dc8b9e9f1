"""The changes that a session made: commits, the work tree at its end, files written, and entries of the issue tracker.

A commit counts when git said so, or said nothing and did not fail; an amended one takes the place of the one before.
Trailers name tools and people, not the work, and are left out. A file's purpose is the first sentence of its own
documentation as it was written. A tracker's text was written by anybody, so what it printed is told apart from what
the session said to it.
"""

from __future__ import annotations

import re

from holdfast.model import replace, value, word_set
from holdfast.text import extract, shell_programs
from holdfast.text.transcript import NO_OUTPUT, Said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MADE = re.compile(r"^\[(?P<branch>[^\]\n]+?) (?:\([^)\n]*\) )?(?P<id>[0-9a-f]{7,40})\] (?P<subject>.+)$", re.MULTILINE)
DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n(.*?)\n[ \t]*\2\b", re.DOTALL)
MESSAGE = re.compile(r"(?:^|\s)(?:-[a-zA-Z]*m|--message)(?:\s+|=)(\"(?:[^\"\\]|\\.)*\"|'[^']*')", re.DOTALL)
TRAILER = re.compile(r"^(?:[A-Z][\w-]+-[Bb]y: |Change-Id: |🤖|Generated with )")
QUIET = re.compile(r"\bcommit\b[^;&|\n]*?\s(?:-[a-zA-Z]*q[a-zA-Z]*|--quiet)\b")
FILES = re.compile(r"^ ?(\d+) files? changed", re.MULTILINE)
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
# The documentation at the head of a file, by language.
HEADS = (
    re.compile(r"@moduledoc\s+(?:~[sS])?\"{1,3}\s*([^\"]+)"),
    re.compile(r"\A(?:#![^\n]*\n)?(?:\s*#[^\n]*coding[^\n]*\n)?\s*[rRuU]?(?:\"\"\"|''')\s*([^\"']+)"),
    re.compile(r"\A\s*/\*\*?\s*([^*]+?)(?:\*/|\n\s*\*\s*\n|\n\s*\*\s*@)"),
    re.compile(r"\A(?:\s*//[/!]?\s?([^\n]+))"),
    re.compile(r"\A(?:#![^\n]*\n)(?:#\s*\n)*#\s+([A-Z][^\n]+)"),
    re.compile(r"\A#\s+([^\n]+)"),
)
LONGEST_PURPOSE = 120
TRACKERS = ("gh", "glab", "bd", "br", "tea", "hub", "jira", "linear", "acli", "git-bug", "backlog", "tk", "td", "az")
DOING = word_set("close create comment merge reopen edit done resolve transition new add note")
LISTING = word_set("ready list ls status blocked next")
SAYING = word_set("--reason --title --body --description --comment --message --notes -t -b -m -d -r")
NAME = re.compile(r"[A-Z][A-Z0-9]+-\d+|#?\d+|[a-z][\w]*-[a-z0-9]+(?:\.\d+)*|https?://\S+")
LOOKED_FOR = re.compile(rf"(?<![\w.-])(?:{'|'.join(TRACKERS)})\s")
ENTRY_NAME = re.compile(r"\b[A-Z][A-Z0-9]{1,9}-\d+\b|#\d+\b")
ENTRY = re.compile(r"^\s*(?:\d+[.)]\s+|[-*○●◐✓☐]\s*|#?\d+\s)")
MOST_ENTRIES = 12
SHOWING = frozenset(("show", "view", "get", "info"))
# A line by which an entry limits the work: something must not be, or only something may.
LIMIT = re.compile(
    r"^no\b|\bmust not\b|\bdo (?:\*\*)?not\b|\bdon't\b|\bnever\b|\bprohibit|\bno-gos?\b|\bout of scope\b|\bscope only\b"
    r"|\b\w+ only\b|^keep\b.*\b(?:only|unchanged|as is)\b|\bmust (?:stay|remain|be)\b",
    re.IGNORECASE,
)
LEAST_LIMIT, LONGEST_LIMIT = 24, 200


@value
class MadeCommit:
    """`id` is "" where git was told to be quiet."""

    id: str
    subject: str
    body: str
    branch: str
    files: int
    at: int


def commits(calls: Sequence[Said], results: Mapping[str, Said]) -> list[MadeCommit]:
    """The commits in their order, each as it stood at the end."""
    found: list[MadeCommit] = []
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
            lines = [line for line in body.strip().splitlines() if not TRAILER.match(line.strip())]
            before = found.pop() if amends and found else None
            number = FILES.search(result.text, match.end()) if match else None
            commit = MadeCommit(
                id=match["id"] if match else _listed(subject, said),
                subject=(match["subject"] if match else subject) or (before.subject if before else ""),
                body="\n".join(lines).strip() or (before.body if before else ""),
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
    words = [match[1] for match in MESSAGE.finditer(command)]
    parts = [one[1:-1] if one[0] == "'" else re.sub(r"\\([\"\\$`])", r"\1", one[1:-1]) for one in words]
    return ["\n\n".join(parts)] if parts else []


@value
class Tree:
    """The state at the end; `pushed` and `status` are told only while nothing was changed after them."""

    branch: str = ""
    is_clean: bool = False
    changed: tuple[str, ...] = ()
    upstream: str = ""
    ahead: int = 0
    pushed: str = ""
    offer: str = ""

    @property
    def lines(self) -> list[str]:
        """The state in git's own words."""
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
            parts.append(CLEAN)
        if self.changed:
            parts.append(f"modified and not committed: {', '.join(self.changed)}")
        if len(parts) > 1 or self.changed:
            found.append(f"{', '.join(parts)}.")
        return found


def last_tree(calls: Sequence[Said], results: Mapping[str, Said]) -> Tree:
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
        return replace(tree, offer="")
    if words[0].rpartition("/")[2] != "git":
        return tree
    if "push" in words[1:4] and not result.failed:
        told = PUSHED.findall(result.text)
        offer = OFFER.search(result.text)
        pushed = ", ".join(f"{here} -> {there}" for here, there in told) or tree.pushed
        return replace(tree, ahead=0, pushed=pushed, offer=offer[0] if offer else tree.offer)
    if "status" not in words[1:4] or result.failed:
        return tree
    branch, level, ahead = BRANCH.search(result.text), UP_TO_DATE.search(result.text), AHEAD.search(result.text)
    upstream = (level or ahead)[1] if level or ahead else ""  # type: ignore[index]
    changed = tuple(dict.fromkeys(match.strip() for match in CHANGED.findall(result.text)))[:MOST_CHANGED]
    return replace(
        tree,
        branch=branch[1] if branch else tree.branch,
        is_clean=CLEAN in result.text,
        changed=changed,
        upstream=upstream,
        ahead=int(ahead[2]) if ahead else 0,
    )


@value
class WrittenFile:
    """`purpose` is "" where nobody said; `is_new` where the whole file was written."""

    path: str
    purpose: str
    is_new: bool


def written(calls: Sequence[Said], results: Mapping[str, Said]) -> list[WrittenFile]:
    """The files, each once, in the order in which they were first written."""
    found: dict[str, WrittenFile] = {}
    for call in calls:
        result = results.get(call.call)
        if result is not None and result.failed:
            continue
        for path in extract.files_of(call):
            known = found.get(path)
            content = call.given.get("content") if call.tool == "Write" and isinstance(call.given, dict) else None
            purpose = _purpose(content) if isinstance(content, str) else ""
            is_new = isinstance(content, str) or (known.is_new if known else False)
            found[path] = WrittenFile(path, purpose or (known.purpose if known else ""), is_new)
    return list(found.values())


def _purpose(content: str) -> str:
    for head in HEADS:
        match = head.search(content[:2000])
        if match:
            first = re.split(r"(?<=[.!?])\s|\n\s*\n", " ".join(match[1].split()))[0]
            return first[:LONGEST_PURPOSE].strip()
    return ""


@value
class Act:
    """One action on entries, in the session's words; `answer` is the first line that the tracker printed."""

    verb: str
    names: tuple[str, ...]
    words: str
    answer: str
    at: int


@value
class Listing:
    """The lines that the tracker last showed as open."""

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
    """Whether it is a tracker: by its name, or a script of the project's own by what it does to a named entry."""
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
    return [*found, *(match[3] for match in DOCUMENT.finditer(command))]
