"""Taking flags: from words and a place to synced lines in the queue and a record in the ledger."""

from __future__ import annotations

import time

from holdfast.capture import episodes, flags, home, ledger, once, platform, queue
from holdfast.errors import NotSaved, UsageError
from holdfast.model import Flag, Project, replace, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.capture.flag_words import Words

SHORTEST_ID = 10  # letters of what may be an id and no number
LOOKED_AT = 1 << 18  # bytes of the queue in which the user's own words are looked for


@value
class Speaker:
    """Where flags come from, as stamped by us, not by their author. `is_open`: the episode's end is still to come."""

    host: str
    episode: str
    project: Project
    origin: str
    is_open: bool = True


@value
class Taken:
    """What was saved, what was changed on the way, and what else the author should know."""

    flags: tuple[Flag, ...]
    changes: tuple[str, ...]


@value
class Given:
    """What an author hands over: words, the kind they gave it, and what proves it."""

    text: str
    kind: str = "fact"
    evidence: tuple[str, ...] = ()
    status: str = ""
    answers: str = ""


def take(
    vault: str,
    texts: Sequence[str],
    speaker: Speaker,
    now: float,
    *,
    kind: str = "fact",
    evidence: Sequence[str] = (),
) -> Taken:
    """Save all the texts or none. When this returns they are on the medium; raises UsageError or NotSaved."""
    return take_all(vault, [Given(text, kind, tuple(evidence)) for text in texts], speaker, now)


def take_all(
    vault: str, given: Sequence[Given], speaker: Speaker, now: float, *, insist: bool = False, ids: Sequence[str] = ()
) -> Taken:
    """The same for flags of several kinds. `insist` tries a second time, in a new segment: for authors who cannot.
    `ids` are those that somebody has given them before, who may have saved them or not."""
    began = time.perf_counter_ns()
    made: list[Flag] = []
    changes: list[str] = []
    for nth, one in enumerate(given):
        flag, changed = flags.make(
            one.text,
            now=now,
            kind=one.kind,
            evidence=one.evidence,
            host=speaker.host,
            episode=speaker.episode,
            project=speaker.project.id,
            origin=speaker.origin,
            nth=nth,
            status=one.status,
            answers=one.answers,
        )
        made.append(replace(flag, id=ids[nth]) if ids else flag)
        changes += [sentence for sentence in changed if sentence not in changes]
    changes += prepare(vault)
    state = home.state(vault)
    try:
        segment = queue.append(f"{state}/queue", made, now)
    except NotSaved:
        if not insist:
            raise
        segment = queue.append(f"{state}/queue", made, now)  # the ids are the same, so twice is once
    try:
        _remember_place(state, speaker, segment, len(made), now)
        _remember_course(state, speaker, made, now)
        if speaker.episode and speaker.is_open:
            once.add(state, speaker.episode, once.UNFILED, [flag.id for flag in made])
            once.said_itself(state, speaker.episode, [flag.text for flag in made])
    except OSError:
        pass  # the flags are safe; the end of their episode finds them by looking
    spent = (time.perf_counter_ns() - began) // 1000
    common = {"episode": speaker.episode, "project": speaker.project.id, "segment": segment, "us": spent}
    try:
        ledger.append_all(state, "flag", now, [{"id": flag.id, "flag": flag.kind, **common} for flag in made])
    except NotSaved:
        changes.append("the ledger could not be written; the flag itself is safe")
    return Taken(tuple(made), tuple(changes))


def _remember_place(state: str, speaker: Speaker, segment: str, count: int, now: float) -> None:
    """Where an episode's flags lie. If nobody will end it any more it gets its mark now, or no start names them."""
    if not speaker.episode:
        return
    episodes.note_segment(state, speaker.episode, segment, count)
    episodes.heard(state, speaker.episode, now)
    if not speaker.is_open:
        from holdfast.capture import marks

        places = tuple(sorted(episodes.noted_segments(state, speaker.episode)))
        before = marks.waiting_in(state, speaker.project.id, speaker.episode)
        reason = "flagged outside of it"
        marks.leave(
            state,
            marks.Mark(speaker.episode, speaker.project.id, episodes.ENDED, reason, now, before + count, places),
        )


def _remember_course(state: str, speaker: Speaker, made: list[Flag], now: float) -> None:
    """A boundary was answered. The user's own words, which we heard ourselves, are no answer to anything."""
    if not speaker.episode or speaker.origin == "user":
        return
    once.answered(state, speaker.episode, now, [ident for flag in made for ident in flag.answered])


def take_words(
    vault: str, words: Words, speaker: Speaker, now: float, *, insist: bool = False, ids: Sequence[str] = ()
) -> Taken:
    """What was said on a command line. Raises UsageError, NotSaved."""
    meant = answered_words(home.state(vault), speaker.episode, words.answers, now) if words.answers else []
    evidence = (*words.evidence, *(f'the user: "{said}"' for _, said in meant))
    answers = ",".join(ident for ident, _ in meant)
    given = [Given(text, words.kind, evidence, answers=answers) for text in words.texts]
    taken = take_all(vault, given, speaker, now, insist=insist, ids=ids)
    if platform.is_there(f"{home.state(vault)}/drafts"):
        from holdfast.capture import drafts

        what = drafts.SNAG if words.kind == "snag" else drafts.FLAG
        drafts.submitted(home.state(vault), what, words.texts, speaker.project.id, speaker.episode)
    return taken


def decline(state: str, speaker: Speaker, now: float, *, is_noted: bool = False) -> str:
    """A boundary passed and there is nothing to keep: that is an answer too. Which one had asked, "" for none.
    `is_noted`: the ledger knows it already, unless there is one to name."""
    asked = once.take(state, speaker.episode, once.ASKED) or ""
    once.drop(state, speaker.episode, once.HELD)
    if asked or not is_noted:
        told = {"episode": speaker.episode, "project": speaker.project.id, "event": "flag"}
        ledger.append(state, "nudge", now, boundary=asked or "none", decision="declined", **told)
    return asked


def are_waiting(state: str, ids: Sequence[str], now: float) -> bool:
    """Whether all of these are in the newest part of the queue."""
    found = {entry.flag.id for entry in queue.read(f"{state}/queue", now, newest=LOOKED_AT).entries}
    return found.issuperset(ids)


def answered_words(state: str, episode: str, named: str, now: float) -> list[tuple[str, str]]:
    """What `--for` names: ids of the user's words that wait, or numbers of the sentences that a reminder has shown in
    this session, with commas between. Each as an id and the user's words. Raises UsageError."""
    wanted = [one.strip() for one in named.split(",") if one.strip()]
    shown = (once.read(state, episode, once.SHOWN) or "").splitlines() if episode else []
    found = []
    for one in dict.fromkeys(wanted or [named]):
        number = int(one) if one.isdecimal() and len(one) < SHORTEST_ID else 0
        if 0 < number <= len(shown):
            ident, _, rest = shown[number - 1].partition("\t")
            found.append((ident, rest.partition("\t")[2]))
        else:
            found.append((one, asked_for(state, one, now).text))
    return found


def asked_for(state: str, ident: str, now: float) -> Flag:
    """The user's own words that wait in the queue under this id. Raises UsageError."""
    found = queue.read(f"{state}/queue", now, newest=LOOKED_AT)
    for entry in found.entries:
        if entry.flag.id == ident and entry.flag.origin == "user":
            return entry.flag
    raise UsageError(f"No words of the user wait under {ident}; nothing was written. Leave --for out.")


def prepare(vault: str) -> list[str]:
    """Make the vault if there is none; a sentence if it is of a newer format, which is no reason to lose a flag."""
    version = home.format_of(vault)
    if version > home.FORMAT:
        return [f"this vault has the newer format {version}: upgrade holdfast on this machine"]
    if not version:
        try:
            home.make_vault(vault)
        except OSError as error:
            raise NotSaved(
                f"NOT saved: the vault {vault} cannot be made ({error.strerror or error}). "
                "Set HOLDFAST_HOME to a folder that can be written, then run the same command again."
            ) from error
    return []
