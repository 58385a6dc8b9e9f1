"""Whether what is said to be done has a trace: an edit of the named file, a commit, a command that passed.

The claim's own words tell which trace is due: "tests pass" needs a run of tests, and the last one counts; "committed"
needs a commit; a named file needs an edit of it. For anything else some edit, commit, finished todo or passing command
must be about it, in at least one of its words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from holdfast.close.verify import claims, decisions, exact, words
from holdfast.text import extract
from holdfast.text.transcript import ASSISTANT, CALL, RESULT, USER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.close.verify.evidence import Evidence, Run

PASSES = (
    r"pass(?:es|ed|ing)?|green|clean|succeed(?:s|ed)?|successful(?:ly)?|fine|ok|okay"
    r"|without (?:a )?(?:failures?|errors?)|no (?:failures?|errors?)|grün|laufen durch|bestanden"
)
WRITTEN = ("file_path", "notebook_path", "content", "new_string", "new_source", "input", "old_string")


class Deed(NamedTuple):
    """The need of one kind of claim: a command like `command` that passed."""

    said: re.Pattern[str]
    command: re.Pattern[str]
    name: str


def _deed(said: str, command: str, name: str) -> Deed:
    return Deed(re.compile(said, re.IGNORECASE), re.compile(command), name)


DEEDS = (
    _deed(
        rf"\b(?:tests?|specs?|suite|pytest|vitest|jest|rspec|unittests?)\b.*\b(?:{PASSES})\b"
        rf"|\b(?:{PASSES})\b.*\b(?:tests?|specs?|suite)\b",
        r"\b(?:pytest|unittest|vitest|jest|mocha|rspec|ctest|nox|tox|phpunit|gradlew|mvn|xctest|bats|tests?|check|spec)\b",
        "test run",
    ),
    _deed(
        rf"\b(?:lint\w*|mypy|ruff|eslint|clippy|type[- ]?check\w*)\b.*\b(?:{PASSES})\b|\blinted\b",
        r"\b(?:lint|ruff|mypy|eslint|clippy|flake8|tsc|pyright|check|vet|shellcheck|test|make)\b",
        "lint run",
    ),
    _deed(
        rf"\b(?:build|firmware)s?\b.*\b(?:{PASSES})\b|\b(?:it|code|firmware|project) builds\b|\bbuilt\b.*\bimage\b",
        r"\b(?:build|make|cmake|gradlew|mvn|cargo|tsc|docker|go)\b",
        "build",
    ),
    _deed(r"\bcommitt?ed\b|\bcommitt?et\b|\bcommit [0-9a-f]{7}", r"\bgit\b.*\bcommit\b", "commit"),
    _deed(r"\bpushed\b|\bgepusht\b", r"\bgit\b.*\bpush\b|\bgh pr create\b", "push"),
    _deed(r"\bmerged\b|\bgemergt\b", r"\bgit\b.*\bmerge\b|\bgh pr merge\b|\bglab mr merge\b", "merge"),
    _deed(
        r"\b(?:deployed|rolled out|shipped|(?:live|ran|runs) in production|ausgerollt|deployt)\b|\bapplied the plan\b",
        r"\b(?:deploy|rollout|helm (?:upgrade|install)|kubectl apply|terraform\b.*\bapply|fly|vercel|cap|serverless)\b"
        r"|\bansible-playbook(?!.*--(?:check|syntax-check))",
        "rollout",
    ),
    _deed(
        r"\b(?:released|published|veröffentlicht)\b",
        r"\b(?:publish|release|git tag|twine|npm publish|cargo publish|gh release)\b",
        "release",
    ),
    _deed(r"\bflashed\b", r"\b(?:flash|openocd|esptool|dfu-util|st-flash|program)\b", "flashing"),
    _deed(
        r"\bopened (?:a |the )?(?:pull request|PR|MR)\b",
        r"\bgh pr create\b|\bglab mr create\b|\bgit push\b",
        "pull request",
    ),
)


@dataclass(frozen=True)
class DoneTraces:
    """Everything that was changed, run with success, committed or ticked off, as text and as words, and the words of
    the sentences in which the model said that something is done. Made once for all claims."""

    traces: tuple[str, ...]
    words: tuple[frozenset[str], ...]
    stated: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, evidence: Evidence) -> DoneTraces:
        traces = tuple(_traces(evidence))
        said = (one for text in _reports(evidence) for one in decisions.split(text))
        stated = (one for one in said if not words.UNFINISHED.search(one))
        return cls(traces, *(tuple(frozenset(words.stems(one)) for one in texts) for texts in (traces, stated)))


def verdict(text: str, evidence: Evidence, done: DoneTraces) -> tuple[str, str]:
    """("", "") where there is a trace, else unsupported or contradicted, and why."""
    is_due = not re.search(r"\b(?:not yet|to be|will be|still|needs? to|once)\b", text)
    for deed in DEEDS if is_due else ():
        if deed.said.search(text):
            last = _last(deed, evidence)
            if last:
                return ("contradicted", f"the last {deed.name} failed") if last.is_failure else ("", "")
            # The project's own history may have a commit of that time which no command that we saw made.
            if deed.name != "commit" or not evidence.made:
                return "unsupported", f"no {deed.name} that passed was seen"
    if still := _still_open(text, evidence):
        return "contradicted", still
    if missing := not_changed(text, evidence):
        return "unsupported", missing
    is_edited = any(exact.is_among(one, evidence.edited) for one in _named_files(text))
    is_done = is_edited or _is_about_something_done(text, done)
    return ("", "") if is_done else ("unsupported", "no edit, commit or run for it was seen")


def _last(deed: Deed, evidence: Evidence) -> Run | None:
    """The last command of this kind that has ended."""
    runs = (run for run in reversed(evidence.runs) if run.is_over and deed.command.search(run.command))
    return next((run for run in runs if not run.only_looks), None)


def _still_open(text: str, evidence: Evidence) -> str:
    """Whether the session itself says that it is not done: in its todos, or in its last words on it."""
    meant = set(words.stems(text))
    for todo in evidence.todos.open:
        shared = meant & set(words.stems(todo.removesuffix(" (in progress)")))
        if len(shared) >= 2 and len(shared) >= 0.6 * min(len(meant), len(set(words.stems(todo)))):
            return "the todo list has it open"
    for said in reversed(evidence.answered[-6:]):
        for sentence in re.split(r"(?<=[.!?;])\s+", said):
            told = set(words.stems(sentence)) if words.UNFINISHED.search(sentence) else set()
            if len(meant & told) >= 2 and len(meant & told) >= 0.5 * min(len(meant), len(told)):
                return "the session says that it is not done"
    return ""


def _named_files(text: str) -> list[str]:
    return [one.key for one in claims.atoms(text) if one.kind == claims.PATH]


def _has_trace(path: str, evidence: Evidence) -> bool:
    if exact.is_among(path, evidence.edited) or any(f"/{one}".find(f"/{path}/") >= 0 for one in evidence.edited):
        return True
    name = path.rpartition("/")[2]
    worked = (run for run in evidence.runs if not run.failed and not run.only_looks)
    return any(name in run.command or path in run.output for run in worked)


def _reports(evidence: Evidence) -> Iterator[str]:
    """Words of the model after it had done something; its answer to the user's words alone reports nothing."""
    has_worked = False
    for one in evidence.spoken:
        if one.role in (USER, CALL):
            has_worked = one.role == CALL
        elif one.role == ASSISTANT and has_worked:
            yield one.text


def not_changed(text: str, evidence: Evidence) -> str:
    """The reason why a list of changed files is wrong; "" where each of them was changed."""
    missing = [one for one in _named_files(text) if not _has_trace(one, evidence)]
    return f"no change of {missing[0]} was seen" if missing else ""


def _is_about_something_done(text: str, done: DoneTraces) -> bool:
    """Whether traces have the words or the numbers of a claim, or the model itself said that it was done, in a session
    that did something."""
    meant = set(words.stems(text))
    if not meant or not done.traces:
        return bool(done.traces)
    if any(len(meant & one) >= max(1, len(meant) / 2) for one in done.words):
        return True
    numbers = [one.key for one in claims.atoms(text) if one.kind == claims.NUMBER and len(one.key) > 1]
    if any(re.search(rf"(?<![\w.]){re.escape(one)}(?!\d)", trace) for one in numbers for trace in done.traces):
        return True
    shared = [meant & one for one in (*done.words, *done.stated)]
    covered = set().union(*(one for one in shared if len(one) >= min(2, len(meant))))
    return len(covered) >= len(meant) / 2


def _traces(evidence: Evidence) -> Iterator[str]:
    """Everything that was changed, run with success, committed or ticked off, in words."""
    failed = {one.call for one in evidence.spoken if one.role == RESULT and one.failed}
    for one in evidence.spoken:
        if one.role != CALL or one.call in failed or one.tool in extract.BESIDE:
            continue
        if isinstance(one.given, dict):
            yield " ".join(str(one.given[key]) for key in WRITTEN if key in one.given)
        elif isinstance(one.given, str):
            yield one.given
    for run in evidence.runs:
        if not run.is_failure and not run.only_looks:
            yield f"{run.command} {run.output[:4000]}"
    yield from evidence.finished
    yield from evidence.edited
