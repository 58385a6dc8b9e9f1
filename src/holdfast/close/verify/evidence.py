"""The evidence that handoffs and notes are checked against: words, runs and changes of one episode, and its tree.

The transcript is read from the place at which the episode began, so a fork or a resume does not bring its parent's
words. A transcript that is missing, shorter than it was, torn or no file is no evidence and no error. Of one that is
larger than `most` the newest part is read and `is_partial` says so: what is not found in a part is not known to be
wrong. Nothing leaves this module with a secret in it.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.capture import git_process
from holdfast.capture.redaction import redact, redact_record
from holdfast.close.verify import claims
from holdfast.model import Flag, replace
from holdfast.text import extract, transcript
from holdfast.text.transcript import ASSISTANT, CALL, RESULT, USER, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.capture.episodes import Episode
    from holdfast.capture.story import Story

MOST = 8 << 20
LARGEST_FILE = 256 << 10  # of a changed file whose text is looked at
MOST_OF_FILES = 2 << 20
MOST_COMMITS = 500
INSTRUCTIONS = ("CLAUDE.md", "AGENTS.md", "README.md")  # of the project, which every session of it knows
MOST_NAMES = 50_000  # of files in the tree
COMMITS = ("rev-list", f"--max-count={MOST_COMMITS}", "--format=%ct %s", "HEAD")
# The files that git knows, and those that it does not ignore. Asked for apart: what lies in the tree may keep git from
# looking through it.
NAMES = (("ls-files", "-z", "--cached"), ("ls-files", "-z", "--others", "--exclude-standard"))
SHOWN = 100  # characters of a call before its result
READING = ("Read", "NotebookRead", "Grep", "Glob", "view_image", "read_file")
COMMIT_LINE = re.compile(r"^\[[^\]\n]+ (?:\([^)\n]*\) )?([0-9a-f]{7,40})\] ", re.MULTILINE)
LINE_NUMBER = re.compile(r"^ *\d+[\t\u2192]", re.MULTILINE)  # a host's own, before the lines of a file
HASH = re.compile(r"(?<![\w-])[0-9a-f]{7,40}(?![\w-])")
PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)
LOOKING = re.compile(
    r"^\s*(?:cat|sed -n|head|tail|less|more|grep|rg|ls|find|wc|tree|git (?:status|log|diff|show|grep))\b"
)
FAILED = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|errors?)\b|\bFAILED\b|^FAIL\b|npm ERR!|error TS\d|\bBUILD FAILED\b|^make: \*\*\*"
    r"|# fail [1-9]|\bTraceback \(most recent|^error(?:\[E\d+\])?:",
    re.MULTILINE,
)
WRITTEN = re.compile(
    r"(?<![0-9&>])>{1,2}\s*(?![&/]dev/null)([\w./~@+-]+)"
    r"|\btee\s+(?:-a\s+)?([\w./~@+-]+)"
    r"|\bsed\s+(?:-\S+\s+)*-i\S*\s[^|;&\n]*?\s([\w./~@+-]+\.\w+)(?=\s*(?:$|[|;&\n]))"
    r"|\b(?:git\s+)?(?:mv|cp)\s+(?:-\S+\s+)*[\w./~@+-]+\s+([\w./~@+-]+)"
    r"|\b(?:git\s+)?rm\s+(?:-\S+\s+)*([\w./~@+-]+)"
    r"|\b(?:touch|patch)\s+(?:-\S+\s+)*([\w./~@+-]+)"
)


@dataclass(frozen=True)
class Run:
    """One command with what came back. `failed` as the host says; a command without a result has not ended."""

    command: str
    output: str
    failed: bool
    is_over: bool
    at: int

    @property
    def is_failure(self) -> bool:
        """A pipe hides an exit code, so the output is read as well."""
        return self.failed or (FAILED.search(self.output) is not None and "0 failed" not in self.output)

    @property
    def only_looks(self) -> bool:
        """True if the command changes and checks nothing."""
        return LOOKING.match(self.command) is not None


@dataclass(frozen=True)
class Evidence:
    """All of it, without secrets. `asked` and `answered` are the user's and the model's words in their order, `edited`
    the files that were changed, `commits` ids that were seen or that the tree's history has, `names` its files."""

    spoken: tuple[Said, ...] = ()
    heard: tuple[Said, ...] = ()  # the same with the host's summaries and what stood in the user's place
    asked: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()
    runs: tuple[Run, ...] = ()
    edited: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()  # of the newest commits
    made: tuple[str, ...] = ()  # commits since the episode began, whoever made them
    flags: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()  # flags that are decisions
    contents: tuple[str, ...] = ()  # of the changed files as they are now
    names: frozenset[str] = frozenset()
    todos: extract.Todos = extract.Todos()  # noqa: RUF009 - frozen
    finished: tuple[str, ...] = ()  # the words of todos that were completed
    days: tuple[str, ...] = ()  # on which it happened
    root: str = ""
    is_partial: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is known of the episode: then nothing can be held against a claim."""
        return not (self.spoken or self.asked or self.flags or self.edited)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Everything that a claim may be found in, made comparable once."""
        called = {one.call: spelled(one.given) for one in self.spoken if one.role == CALL}
        calls = called.values()
        # The output of a command stands behind it: "22" says more after "make test".
        words = (
            f"{called.get(one.call, '')[-SHOWN:]}\n{LINE_NUMBER.sub('', one.text)}" if one.role == RESULT else one.text
            for one in self.spoken
        )
        todos = (*self.todos.open, *self.finished)
        paths = (*self.edited, *self.read)
        more = (*self.days, *self.asked, *self.flags, *self.contents, *self.subjects, *self.commits, *todos, *paths)
        return tuple(claims.comparable(one) for one in (*calls, *words, *more) if one)

    @cached_property
    def known(self) -> claims.Known:
        return claims.Known(self.texts)


def gather(episode: Episode, told: Story, flags: Sequence[Flag], root: str, *, most: int = MOST) -> Evidence:
    """The evidence of one episode. `told` is what the hook noted of it, `root` the project's folder, or ""."""
    whole, is_partial = [], False
    if episode.transcript:
        found, is_partial = transcript.since(episode.host, episode.transcript, episode.offset, most, whole=True)
        whole = [_without_secrets(one) for one in found]
    heard = [one for one in whole if one.role in (USER, ASSISTANT, CALL, RESULT)]
    results = {one.call: one for one in heard if one.role == RESULT}
    calls = [one for one in heard if one.role == CALL]
    runs = tuple(_runs(calls, results))
    worked = [one for one in calls if one.call not in results or not results[one.call].failed]
    edited = _shortened((*(_clean(one) for one in told.files), *_edited(worked)), episode.cwd, root)
    spoken = tuple(one.text for one in heard if one.role == USER)
    beginnings = {one[:200] for one in spoken}
    # The hook notes prompts that a transcript has lost, and cuts long ones that it has whole.
    noted = (_clean(one) for one in (*told.prompts, *_queued(episode, most)))
    history, names = of_repository(root)
    ends = (episode.opened, episode.closed or episode.opened)  # in either zone that a reader may have in mind
    planned = [one for one in calls if extract.is_about_todos(one)]
    return Evidence(
        spoken=tuple(heard),
        heard=tuple(whole),
        asked=(*(one for one in noted if one[:200] not in beginnings), *spoken),
        answered=tuple(one.text for one in heard if one.role == ASSISTANT),
        runs=runs,
        edited=edited,
        read=_shortened(_read(worked), episode.cwd, root),
        commits=tuple(dict.fromkeys((*_committed(runs), *(one.ident for one in history)))),
        subjects=tuple(one.subject for one in history),
        made=tuple(one.ident for one in history if one.time >= int(episode.opened)),
        flags=tuple(_clean(text) for flag in flags for text in (flag.text, *flag.evidence)),
        decided=tuple(_clean(flag.text) for flag in flags if flag.kind == "decision"),
        contents=tuple(_contents(root, edited)),
        names=names,
        todos=extract.todos(planned, results),
        finished=tuple(_finished(planned, results)),
        days=tuple(time.strftime("%Y-%m-%d", zone(when)) for when in ends for zone in (time.gmtime, time.localtime)),
        root=root,
        is_partial=is_partial,
    )


def _queued(episode: Episode, most: int) -> Iterator[str]:
    """Prompts that the user typed while the model was at work: Claude Code keeps each as an operation of its own."""
    if episode.host != transcript.CLAUDE or not episode.transcript:
        return
    for at, line in transcript.back(episode.transcript, most):
        if at < episode.offset:
            return
        if b'"queue-operation"' in line:
            record = transcript.decoded(line)
            said = record.get("content")
            words = transcript.without_reminders(said).strip() if isinstance(said, str) else ""
            if record.get("operation") == "enqueue" and words and not words.startswith(transcript.INJECTED):
                yield words


def _without_secrets(one: Said) -> Said:
    given = redact_record({"given": one.given})[0]["given"] if one.given is not None else None
    return replace(one, text=redact(one.text)[0] if one.text else "", given=given)


def _clean(text: str) -> str:
    return redact(text)[0]


def _runs(calls: Iterable[Said], results: dict[str, Said]) -> Iterator[Run]:
    for call in calls:
        command = extract.command_of(call)
        result = results.get(call.call)
        if command and result:
            yield Run(command, result.text, result.failed, True, call.at)
        elif command:
            yield Run(command, "", False, False, call.at)


def _edited(calls: Iterable[Said]) -> Iterator[str]:
    for call in calls:
        yield from extract.files_of(call)
        command = extract.command_of(call)
        for match in (*PATCHED.finditer(command), *WRITTEN.finditer(command)):
            yield next(filter(None, match.groups())).strip()


def _read(calls: Iterable[Said]) -> Iterator[str]:
    for call in calls:
        if call.tool in READING and isinstance(call.given, dict):
            yield from (call.given[name] for name in extract.PATHS[:3] if isinstance(call.given.get(name), str))


def _committed(runs: Iterable[Run]) -> Iterator[str]:
    """Ids of commits that git printed, when one was made or in any list of them."""
    for run in runs:
        if "git" in run.command:
            yield from (match.group(1) for match in COMMIT_LINE.finditer(run.output))
            yield from (match.group() for match in HASH.finditer(run.output) if not match.group().isdecimal())


def _finished(calls: Iterable[Said], results: dict[str, Said]) -> Iterator[str]:
    """The words of the todos that were completed, in whatever form the host gives them."""
    named: dict[str, str] = {}
    for call in calls:
        given: Any = call.given if isinstance(call.given, dict) else {}
        if call.tool in extract.WHOLE:
            listed, words = extract.WHOLE[call.tool]
            items = given.get(listed)
            for one in items if isinstance(items, list) else ():
                if isinstance(one, dict) and one.get("status") == "completed" and isinstance(one.get(words), str):
                    yield one[words]
        elif call.tool == "TaskCreate":
            number = re.search(r"#(\d+)", results[call.call].text) if call.call in results else None
            named[number.group(1) if number else str(len(named) + 1)] = str(given.get("subject", ""))
        elif given.get("status") == "completed":
            yield named.get(str(given.get("taskId")), "")


def _shortened(paths: Iterable[str], cwd: str, root: str) -> tuple[str, ...]:
    """Each once, as the project says it."""
    found: dict[str, None] = {}
    for path in paths:
        full = path if path.startswith(("/", "~")) else os.path.normpath(f"{cwd}/{path}")
        near = next((base for base in (root, cwd) if base and full.startswith(f"{base}/")), "")
        found[full[len(near) + 1 :] if near else path] = None
    return tuple(found)


def _contents(root: str, edited: Iterable[str]) -> Iterator[str]:
    """The changed files as they are now. Links are not followed, and nothing outside the project is opened."""
    room = MOST_OF_FILES
    base = os.path.realpath(root) if root else ""
    for path in edited:
        full = os.path.normpath(f"{base}/{path}")
        if not base or room <= 0 or not os.path.realpath(full).startswith(f"{base}/"):
            continue
        try:
            fd = transcript.open_plain(full)
            with open(fd, "rb") as file:
                raw = file.read(min(room, LARGEST_FILE))
        except (OSError, ValueError):
            continue
        if b"\0" not in raw:
            room -= len(raw)
            yield _clean(raw.decode("utf-8", "replace"))


def instructions(root: str) -> Iterator[str]:
    """The files that a host tells its model of, and the first that anybody reads."""
    return _contents(root, INSTRUCTIONS)


class PastCommit(NamedTuple):
    ident: str
    time: int
    subject: str


def of_repository(root: str) -> tuple[list[PastCommit], frozenset[str]]:
    """The newest commits, and the files of the tree; outside of git none."""
    said, *names = _git(root, COMMITS, *NAMES)
    history, lines = [], iter(said.splitlines())
    for line in lines:
        if line.startswith("commit "):
            when, _, subject = next(lines, "").partition(" ")
            history.append(PastCommit(line[7:], int(when) if when.isdecimal() else 0, _clean(subject)))
    listed = "".join(names).split("\0")[:MOST_NAMES]
    return history, frozenset(_clean(one) for one in listed if one)


def has_commit(root: str, ident: str) -> bool:
    """Whether an id, short or whole, is a commit of the project's repository, however old."""
    verify = ("rev-parse", "--verify", "--quiet", f"{ident}^{{commit}}")
    return bool(HASH.fullmatch(ident)) and bool(_git(root, verify)[0])


def occurs(root: str, word: str) -> bool:
    """Whether a word stands in a file that git knows."""
    return bool(_git(root, ("grep", "-l", "-m1", "-F", "-w", "--max-depth", "12", "-e", word))[0])


def _git(root: str, *questions: tuple[str, ...]) -> list[str]:
    """The answers of plumbing; "" where there is no git, no repository, or no answer in time."""
    done = git_process.ask_all(root, *questions) if root else [None] * len(questions)
    return [one.stdout.decode("utf-8", "replace") if one and one.returncode == 0 else "" for one in done]


def spelled(given: object) -> str:
    """A call's input as text: values only, each on its own line, as they were before they were JSON."""
    if isinstance(given, dict):
        return "\n".join(filter(None, map(spelled, given.values())))
    if isinstance(given, list | tuple):
        return "\n".join(filter(None, map(spelled, given)))
    return "" if given is None or isinstance(given, bool) else str(given)
