"""The work of an episode that died without a close, reconstructed from its transcript.

The hook cannot speak for a process that was killed, but the host has written down what it did, the call that was under
way included. Only the part behind the episode's beginning is evidence, so a fork never tells its parent's words again.
Without a model this already makes a handoff that the next session can go on from; with one it is given to the judge.
Both are said to be reconstructed.

A handoff is loaded by the next start, so it never quotes what a tool printed: that may be anybody's words. Words and
plans of the model after outside text had entered say where that came from.
"""

from __future__ import annotations

import datetime
import os
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from holdfast.capture import quoting
from holdfast.capture.flags import clean
from holdfast.capture.story import LONGEST, MOST_FILES, Story
from holdfast.hosts.tools import SCHEDULING
from holdfast.model import replace as changed
from holdfast.text import extract, layout
from holdfast.text.transcript import ASSISTANT, CALL, CLAUDE, RESULT, USER, Said, back, decoded
from holdfast.vault import lineage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from holdfast.capture.episodes import Episode
    from holdfast.close.verify.evidence import Evidence

MESSAGES = 15
MOST_READ = 64 << 20
MOST_WRITTEN = 24_000  # characters of `text`: a cheap judge's question, and a file that a person reads
LONGEST_MESSAGE, LONGEST_WORDS, LONGEST_ITEM = 900, 1200, 300
MOST_TODOS = 20
MOST_PROMPTS = 500  # of a transcript; the hook has noted the others
SHORTEST = 40  # characters of an item that still say something
COMPARED = 2000  # of a prompt: the hook keeps only its beginning
UNDER_WAY, TODO, ASKED = "Under way when it died", "Open todos", "The user's own words"
SAID, FAILING, TOUCHED = "Last messages", "Failed last", "Files touched"
SHARES = {UNDER_WAY: 8, TODO: 12, ASKED: 30, SAID: 38, FAILING: 6, TOUCHED: 6}
NEWEST_FIRST = (ASKED, SAID)  # where the end matters more than the beginning
RECONSTRUCTED = "Reconstructed by holdfast from the transcript of a session that died; nobody has looked it over."


@dataclass(frozen=True)
class Salvaged:
    """The remains of a dead episode. `story` is the hook's, completed; the others are lines, clean of secrets.

    `under_way` are calls without a result, `failing` the last command that failed and did not pass since, with what it
    printed; `said` the model's last words. `origin` is where outside text in its context came from, "" without any.
    """

    story: Story
    messages: tuple[str, ...] = ()
    todos: tuple[str, ...] = ()
    todos_done: int = 0
    under_way: tuple[str, ...] = ()
    failing: str = ""
    failing_command: str = ""
    said: str = ""
    origin: str = ""
    is_partial: bool = False

    @property
    def unfinished(self) -> str:
        """The call that the session died in, in one line; "" where none was under way."""
        if not self.under_way:
            return ""
        more = f" (and {len(self.under_way) - 1} more at once)" if len(self.under_way) > 1 else ""
        return f"{self.under_way[-1]}{more}"

    @property
    def is_empty(self) -> bool:
        """Whether the transcript told nothing beyond what the hook had seen."""
        return not (self.messages or self.todos or self.under_way)

    @property
    def sections(self) -> dict[str, tuple[str, ...]]:
        """The additions to a mechanical handoff. Goals and files follow from `story`, which the handoff is made of."""
        if self.is_empty:
            return {}
        working = []
        if self.under_way:
            working = [self._told(f"Under way when it died, so look whether it took effect: {self.unfinished}")]
        if self.failing_command:
            working.append(self._told(f"Failed, and was not seen to pass since: {self.failing_command}"))
        if self.said:
            working.append(self._told(f'The last that it said: "{self.said}"'))
        steps = [self._told(one) for one in self.todos[:MOST_TODOS]]
        if len(self.todos) > MOST_TODOS:
            steps.append(f"and {len(self.todos) - MOST_TODOS} more todos")
        if not steps and self.under_way:
            steps = ["Look whether what was under way took effect, then go on with the last request."]
        part = " Only the newest part of the transcript was read." if self.is_partial else ""
        done = f" {self.todos_done} of its todos were done." if self.todos_done else ""
        found = {"in_progress": working, "next_steps": steps, "note": [f"{RECONSTRUCTED}{done}{part}"]}
        tidy = {key: [quoting.shortened(clean(one)[0], LONGEST_ITEM) for one in items] for key, items in found.items()}
        return {key: kept for key, items in tidy.items() if (kept := tuple(filter(None, items)))}

    def _told(self, item: str) -> str:
        return f"{quoting.shortened(item, LONGEST_ITEM - 30)}{quoting.from_mark(self.origin)}" if self.origin else item

    def text(self, room: int = MOST_WRITTEN) -> str:
        """All of it as Markdown, in at most `room` characters: for a judge's question, or for a file."""
        head = [f"# {RECONSTRUCTED}", ""]
        parts = {
            UNDER_WAY: [f"- {one}" for one in self.under_way],
            TODO: [f"- {one}" for one in self.todos],
            ASKED: [
                f"- asked {nth}: {extract.flat(one, LONGEST_WORDS)}" for nth, one in enumerate(self.story.prompts, 1)
            ],
            SAID: [f"- {one}" for one in self.messages],
            FAILING: [f"- {self.failing}"] if self.failing else [],
            TOUCHED: [f"- {extract.flat(one, LONGEST_ITEM)}" for one in self.story.files],
        }
        body = _fit({name: items for name, items in parts.items() if items}, room - sum(len(one) + 1 for one in head))
        return layout.tidy("\n".join((*head, *body)).rstrip() + "\n")[: max(0, room)]


def salvage(told: Story, evidence: Evidence, *, origin: str = "") -> Salvaged:
    """Read an episode that died. `told` is what the hook saw of it, `evidence` what was gathered from its `beginning`
    on, `origin` what its context was tainted with. The host's own bookkeeping is left out."""
    results = {one.call: one for one in evidence.spoken if one.role == RESULT}
    shown = [one for one in evidence.spoken if one.role != RESULT and one.tool not in extract.BESIDE]
    words = (extract.flat(one.text, LONGEST_ITEM - 40) for one in reversed(shown) if one.role == ASSISTANT)
    failing = _failing(shown, results)
    return Salvaged(
        story=_completed(told, shown, evidence.edited),
        messages=tuple(
            f"@{one.at} {extract.call_line(one, results.get(one.call))}"
            if one.role == CALL
            else f"@{one.at} {one.role}: {extract.flat(one.text, LONGEST_MESSAGE)}"
            for one in shown[-MESSAGES:]
        ),
        todos=evidence.todos.open,
        todos_done=evidence.todos.done,
        under_way=tuple(
            extract.call_line(one, None).removesuffix(" -> no result yet") for one in _open(shown, results)
        ),
        failing=extract.call_line(failing, results[failing.call]) if failing else "",
        failing_command=extract.flat(extract.command_of(failing), LONGEST_ITEM - 60) if failing else "",
        said=next(words, "").replace('"', "'"),
        origin=origin,
        is_partial=evidence.is_partial,
    )


def beginning(episode: Episode, most: int = MOST_READ) -> int:
    """The place in its transcript at which an episode really began, in bytes.

    Claude Code makes the file of a fork only after the start, and then copies the parent's lines into it, with their
    own times. Codex copies nothing.
    """
    if episode.offset or episode.source not in ("fork", "resume") or episode.host != CLAUDE:
        return episode.offset
    try:
        began = os.stat(episode.transcript).st_size
    except (OSError, ValueError):
        return 0
    for at, line in back(episode.transcript, most):
        if b'"message"' in line and _written(decoded(line)) < episode.opened:
            return began
        began = at
    return began


def begun(episode: Episode) -> Episode:
    """The episode with that place."""
    return changed(episode, offset=beginning(episode))


def _written(record: Mapping[str, Any]) -> float:
    """The time at which a line was written; one that does not say so is taken for new."""
    try:
        return datetime.datetime.fromisoformat(str(record["timestamp"])).timestamp()
    except (KeyError, ValueError, OverflowError):
        return float("inf")


def completed(made: lineage.Handoff, found: Salvaged) -> lineage.Handoff:
    """A handoff, made of `found.story`, with the additions of the transcript. The same twice is once.

    A judge has seen it all and said what follows from it: to its words only the call that was under way is added, and
    that nobody was there to confirm them.
    """
    sections = dict(made.sections)
    adds = found.sections
    if adds and made.author != lineage.MECHANICAL:
        adds = {"in_progress": adds.get("in_progress", ())[: bool(found.under_way)], "note": adds["note"]}
    for key, items in adds.items():
        before = sections.get(key, ())
        sections[key] = (*before, *(one for one in items if one not in before))
    in_order = {key: sections[key] for key in lineage.SECTIONS if key in sections}
    return replace(made, sections=in_order)


def _open(shown: Sequence[Said], results: Mapping[str, Said]) -> list[Said]:
    """Calls without a result behind the last words of anybody: one before them was given up long ago."""
    found: list[Said] = []
    for one in shown:
        if one.role == USER:
            found = []
        elif one.role == CALL and one.call not in results:
            found.append(one)
    return found


def _failing(shown: Sequence[Said], results: Mapping[str, Said]) -> Said | None:
    """The last command that failed and did not pass afterwards."""
    passed: set[str] = set()
    for one in reversed(shown):
        command = " ".join(extract.command_of(one).split()) if one.role == CALL else ""
        result = results.get(one.call)
        if not command or result is None:
            continue
        if result.failed and command not in passed:
            return one
        if not result.failed:
            passed.add(command)
    return None


def _completed(told: Story, shown: Sequence[Said], edited: Sequence[str]) -> Story:
    """The hook's story with what it missed, in the order of the transcript. A prompt that the model lets a timer type
    is not the user's."""
    timers = (one.given for one in shown if one.tool in SCHEDULING)
    typed = {_known(str(given.get("prompt", "")) if isinstance(given, dict) else "") for given in timers}
    heard = [extract.clean(one.text, LONGEST) for one in shown if one.role == USER and _known(one.text) not in typed]
    heard = heard[-MOST_PROMPTS:]
    more = [one for one in edited if not any(path == one or path.endswith(f"/{one}") for path in told.files)]
    return Story(tuple(_merged(list(told.prompts), heard)), (*told.files, *more)[:MOST_FILES])


def _merged(told: list[str], heard: list[str]) -> list[str]:
    """Two accounts of the same prompts as one: each once, the hook's wording where both have it."""
    pairs = SequenceMatcher(None, [_known(one) for one in told], [_known(one) for one in heard], autojunk=False)
    found: list[str] = []
    for what, first, end, begin, stop in pairs.get_opcodes():
        found += told[first:end]
        if what != "equal":
            found += heard[begin:stop]
    return found


def _known(text: str) -> str:
    """A prompt as it is recognised again, whoever cut or spaced it."""
    return " ".join(text[:COMPARED].split())


def _fit(parts: Mapping[str, list[str]], room: int) -> list[str]:
    """Each part under its heading: whole items, and the beginning of one that does not fit."""
    left_out = "({} more left out.)"
    frames = {name: len(f"## {name}\n\n\n") + len(left_out) + 6 for name in parts}
    needs = [frames[name] + sum(len(one) + 1 for one in items) for name, items in parts.items()]
    granted = layout.grants(needs, [SHARES[name] for name in parts], room)
    lines: list[str] = []
    for (name, items), grant in zip(parts.items(), granted, strict=True):
        shown = _choose(items, grant - frames[name], from_end=name in NEWEST_FIRST)
        if shown:
            missing = len(items) - len(shown)
            lines += [f"## {name}", "", *shown, *([left_out.format(missing)] if missing else []), ""]
    return lines


def _choose(items: list[str], room: int, *, from_end: bool) -> list[str]:
    shown: list[str] = []
    for item in reversed(items) if from_end else items:
        if len(item) >= room <= SHORTEST:
            break
        text = quoting.shortened(item, room - 1)
        shown.append(text)
        room -= len(text) + 1
    return shown[::-1] if from_end else shown
