"""Prompts as the user typed them: one file per session, which only the machine that heard it writes.

    prompts/<project>/<time>-<machine>-<id>.md

Each prompt has its number within the session, its time, the end of what the agent had said before it (quoted with >),
and its words, indented, so that nothing in them can be taken for a heading of ours. The name begins with the time at
which the session began, so the newest is the last. A prompt is known by its time and its words: writing it twice is
writing it once. `answered` are the sentences that somebody put properly, by their digest; `judged` names the model that
was asked which of them last. Neither decides anything here. `pasted` are the numbers of prompts that are long texts
unlike what the user types: they are kept and listed, and nothing in them is taken for the user's word. Prompts of
sessions that no close has told yet are listed too.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from holdfast.brief.reconstruction import WHOSE
from holdfast.capture import episodes, home, marks, platform, same_project, story
from holdfast.capture.ids import digest
from holdfast.capture.quoting import shortened
from holdfast.text import folding
from holdfast.text import sentence_score as scorer
from holdfast.vault import front_matter_edits, journal, note_facets
from holdfast.vault.front_matter_edits import Unparsable
from holdfast.vault.lineage import compact, files_in, iso
from holdfast.vault.notes import slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.capture.episodes import Episode
    from holdfast.capture.story import Typed
    from holdfast.vault.index import Index

FOLDER = "prompts"
LARGEST = 1 << 20
MOST = 300_000  # characters of one session's prompts; what comes after them is in its transcript
INDENT, QUOTE, HEADING = "    ", "> ", "## "
TITLE = "# What the user typed"
FIELDS = ("project", "host", "episode", "began")
SESSIONS = 20  # whose sentences are looked at
CHARACTERS = 1500  # that they may take together
JOINT = " / "  # between those of one day
BETWEEN = 12  # characters that each costs beside itself
LONGEST = 240  # of one of them
OLDER = 0.4  # less for each session since


@dataclass(frozen=True)
class Prompt:
    """One prompt of a session. `time` is in UTC."""

    number: int
    time: str
    text: str
    before: str = ""

    @property
    def day(self) -> str:
        return self.time[:10]


@dataclass(frozen=True)
class Session:
    """One session's file."""

    project: str
    host: str
    episode: str
    began: str
    prompts: tuple[Prompt, ...] = ()
    answered: frozenset[str] = frozenset()
    judged: str = ""
    path: str = ""
    pasted: frozenset[str] = frozenset()

    @property
    def typed(self) -> tuple[Prompt, ...]:
        """The prompts that the user wrote, as far as anybody can tell."""
        return tuple(one for one in self.prompts if str(one.number) not in self.pasted)


def moment(when: float) -> str:
    """A time as a heading has it: shorter than what a purge looks for elsewhere."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(when))


def key(sentence: str) -> str:
    """The digest of a sentence, whatever its white space and case are."""
    return digest(" ".join(sentence.casefold().split()), 12)


def path_for(episode: Episode, machine: str) -> str:
    ident = digest(episode.key, 6)
    began = compact(iso(episode.opened))
    return f"{FOLDER}/{slug(episode.project)}/{began}-{slug(machine.partition('.')[0], 20)}-{ident}.md"


def names(vault: str, project: str) -> list[str]:
    """The files of a project, and of those that were merged into it, the oldest first."""
    return _names_of(vault, same_project.ids(vault, project))


def _names_of(vault: str, ids: tuple[str, ...]) -> list[str]:
    found = [path for one in ids for path in names_under(vault, one)]
    return sorted(found, key=lambda path: path.rpartition("/")[2])


def names_under(vault: str, project: str) -> list[str]:
    """Those that were written under one id."""
    return [f"{FOLDER}/{slug(project)}/{name}" for name in sorted(files_in(vault, FOLDER, project))]


def sessions(vault: str, project: str, most: int) -> list[Session]:
    """The newest sessions of a project that can be read, the newest first."""
    ids = same_project.ids(vault, project)
    found = [read(vault, path) for path in reversed(_names_of(vault, ids)[-most:])]
    return [one for one in found if one and one.project in ids]


def projects(vault: str) -> list[str]:
    return sorted(one for one in platform.names(f"{vault}/{FOLDER}") if not one.startswith("."))


def read(vault: str, path: str) -> Session | None:
    """None where it cannot be read, or is no such file."""
    raw = journal.readable(vault, path)
    return None if raw is None or len(raw) > LARGEST else from_text(path, raw.decode("utf-8", "replace"))


def from_text(path: str, text: str) -> Session | None:
    try:
        document = front_matter_edits.parse(text)
    except Unparsable:
        return None
    texts = {name: str(document.fields.get(name) or "") for name in (*FIELDS, "judged")}
    answered, pasted = (document.fields.get(name) for name in ("answered", "pasted"))
    return Session(
        **texts,
        prompts=tuple(_prompts(document.body)),
        answered=frozenset(map(str, answered)) if isinstance(answered, list) else frozenset(),
        path=path,
        pasted=frozenset(map(str, pasted)) if isinstance(pasted, list) else frozenset(),
    )


def _prompts(body: str) -> Iterable[Prompt]:
    number, when = 0, ""
    words: list[str] = []
    before: list[str] = []

    def made() -> list[Prompt]:
        text = "\n".join(words).strip("\n")
        return [Prompt(number, when, text, "\n".join(before))] if number and text.strip() else []

    for line in body.replace("\r\n", "\n").split("\n"):
        nth, _, rest = line.removeprefix(HEADING).partition(". ")
        if line.startswith(HEADING) and nth.isdecimal():
            yield from made()
            number, when, words, before = int(nth), rest.strip(), [], []
        elif line.startswith(INDENT):
            words.append(line[len(INDENT) :])
        elif line.startswith(QUOTE.strip()):
            before.append(line[1:].removeprefix(" "))
        elif words:
            words.append(line.strip())
    yield from made()


def render(session: Session) -> str:
    fields: dict[str, object] = {name: getattr(session, name) for name in (*FIELDS, "judged")}
    fields["answered"] = sorted(session.answered)
    fields["pasted"] = sorted(int(one) for one in session.pasted if one.isdecimal())
    parts = [f"\n{TITLE}\n"]
    for one in session.prompts:
        said = "".join(f"{QUOTE}{line}".rstrip() + "\n" for line in one.before.split("\n")) if one.before else ""
        words = "".join(f"{INDENT}{line}".rstrip() + "\n" for line in one.text.split("\n"))
        quoted = f"\n{said}" if said else ""
        parts.append(f"\n{HEADING}{one.number}. {one.time}\n{quoted}\n{words}")
    return front_matter_edits.render(fields, "".join(parts))


def added(
    before: Session | None, episode: Episode, typed: Sequence[Typed], answered: Iterable[str] = (), judged: str = ""
) -> Session:
    """A session's file with what was typed since. The numbers go on."""
    found = before or Session(episode.project, episode.host, episode.key, iso(episode.opened))
    prompts = list(found.prompts)
    pasted = set(found.pasted)
    known = {(one.time, _plain(one.text)) for one in prompts}
    room = MOST - sum(len(one.text) for one in prompts)
    for one in typed:
        text, when = _plain(one.text), moment(one.time)
        if (when, text) in known or len(text) > room:
            continue
        known.add((when, text))
        room -= len(text)
        prompts.append(Prompt(len(prompts) + 1, when, text, _plain(one.before)))
        if one.pasted:
            pasted.add(str(len(prompts)))
    return replace(
        found,
        prompts=tuple(prompts),
        answered=found.answered | frozenset(answered),
        judged=judged or found.judged,
        pasted=frozenset(pasted),
    )


def _plain(text: str) -> str:
    """As it comes back from the file: no carriage returns, no control characters, no blanks at the ends of lines."""
    tidy = "".join(one if one.isprintable() or one in "\n\t" else " " for one in text.replace("\r\n", "\n"))
    return "\n".join(line.rstrip() for line in tidy.split("\n")).strip("\n")


@dataclass(frozen=True)
class ListedPrompt:
    """One prompt and whose it is; `path` is "" while its session is not closed."""

    number: int
    time: str
    text: str
    before: str
    host: str
    session: str
    project: str
    path: str

    def as_record(self) -> dict[str, Any]:
        return asdict(self)


def listed(vault: str, now: float, project: str, words: Sequence[str], most: int) -> list[ListedPrompt]:
    """The newest prompts with all of these words, of one project, or of all where it is ""."""
    wanted = [word.casefold() for word in words]
    ids = same_project.ids(vault, project) if project else ()
    waiting = [one for one in _waiting(home.state(vault), now) if not ids or one.project in ids]
    found = [one for one in waiting if _has(one, wanted)]
    known = {(one.session, one.time) for one in found}
    paths = names(vault, project) if project else [one for top in projects(vault) for one in names_under(vault, top)]
    for path in sorted(paths, key=lambda path: path.rpartition("/")[2], reverse=True):
        if len(found) >= most + len(waiting):
            break
        session = read(vault, path)
        if session is None or (ids and session.project not in ids):
            continue
        whose = (session.host, session.episode, session.project, path)
        for one in reversed(session.prompts):
            made = ListedPrompt(one.number, one.time, one.text, one.before, *whose)
            if (made.session, made.time) not in known and _has(made, wanted):
                found.append(made)
    found.sort(key=lambda one: (one.time, one.number), reverse=True)
    return found[:most]


def _has(one: ListedPrompt, wanted: list[str]) -> bool:
    return all(word in one.text.casefold() for word in wanted)


def _waiting(state: str, now: float) -> Iterator[ListedPrompt]:
    """Of sessions that go on, and of those that ended and are not closed."""
    keys = {episode.key: (episode.project, episode.host) for episode, _ in episodes.in_live(state, now)}
    for mark in marks.everywhere(state):
        keys.setdefault(mark.episode, (mark.project, mark.episode.partition("/")[0]))
    for key, (project, host) in keys.items():
        for one in story.typed(state, key):
            yield ListedPrompt(one.number, moment(one.time), one.text, one.before, host, key, project, "")


def lasting(vault: str, project: str, known: Index) -> dict[tuple[str, bool], list[str]]:
    """Sentences likeliest to last that the user said lately and nobody answered, the newest first, by day and by
    whether they may be quoted. They are chosen by a score that decides nothing (text/sentence_score). A session about
    which a model was asked has none: what it found to last is a note."""
    found: list[tuple[float, str, int, str, str, bool]] = []
    seen: list[frozenset[str]] = []
    for age, session in enumerate(sessions(vault, project, SESSIONS)):
        if session.judged:
            continue
        for one in session.typed:
            for sentence in scorer.of_prompt(one.text, one.number):
                text = " ".join(sentence.text.split())
                if sentence.score >= scorer.TOLD and key(sentence.text) not in session.answered:
                    found.append((sentence.score - OLDER * age, one.time, one.number, text, one.day, sentence.doubt))
    chosen: list[tuple[str, int, float, str, str, bool]] = []
    room = CHARACTERS
    for score, when, number, text, day, doubt in sorted(found, reverse=True):
        said, words = shortened(text, LONGEST), folding.words(text)
        if len(said) > room or any(text in other for *_, other, _, _ in chosen):
            continue
        if any(folding.are(words, other) or folding.opposed(words, other) for other in seen):
            continue
        mine = [note for note in known.like(words) if note.applies_to(project)]
        if any(note_facets.is_said(note) or note.is_always_on for note in mine):
            continue  # a start tells it anyway
        room -= len(said) + BETWEEN
        seen.append(words)
        chosen.append((when, number, score, said, day, doubt))
    by_day: dict[tuple[str, bool], list[str]] = {}
    for *_, said, day, doubt in sorted(chosen, reverse=True):
        by_day.setdefault((day, doubt), []).append(said)
    return by_day


def said_line(day: str, said: Sequence[str], *, doubt: bool = False) -> str:
    """The sentences of one day, as a start tells them."""
    return f"- {JOINT.join(said)} ({WHOSE[doubt].format(day)})"
