"""What a start tells of a session that was killed and is not closed yet: the account that was kept of it on the way.

One small file is read (witness/kept made it in the background). The tail of the transcript adds the call under way and
the model's last answers after the account, the hook's own notes what was asked last. It is told in place of a handoff,
as what it is: quoted, and up to when.
"""

from __future__ import annotations

import time

from holdfast.capture import episodes, once, quoting, story
from holdfast.capture.flags import clean
from holdfast.witness import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.capture.marks import Mark

ASKED = "goals"
TITLES = (
    (ASKED, "Goals"),
    ("state", "Where it stands"),
    ("next_steps", "Next steps"),
    ("done", "Done"),
    ("decisions", "Decisions"),
    ("learned", "Learned"),
    ("where", "Files modified"),
)
TAIL = 256 << 10  # bytes of a transcript in which the call under way and the last answers are looked for
LONGEST = 200  # of a prompt that came after the account
LATER, LONGEST_ANSWER, SHORTEST_ANSWER = 1800, 900, 60  # characters of all answers that came after it, and of one


def texts(state: str, left: Iterable[Mark]) -> tuple[tuple[str, str], ...]:
    """The newest of the sessions that were left and have an account: a heading, then its sections, each in full and
    without a short form."""
    for mark in sorted(left, key=lambda one: one.last, reverse=True):
        found = kept.read(state, mark.episode)
        if found:
            return tuple((text, "") for text in _told(state, mark, found))
    return ()


def of_session(state: str, key: str, most: int) -> str:
    """The account of a session that goes on after a compaction, without what was asked, in at most so many characters
    as they will be printed; "" where none was kept."""
    from holdfast.text.layout import cost, escape, tidy

    found = kept.read(state, key)
    lines: list[str] = []
    mark = _mark(state, key)
    for name, title in TITLES[1:] if found else ():
        heading = f"{title}:"
        for item in found.sections.get(name, ()) if found else ():
            line = escape(tidy(f"- {item}{mark}"))
            needed = cost(line) + (cost(heading) if heading else 0)
            if needed > most:
                continue
            most -= needed
            lines += [heading, line] if heading else [line]
            heading = ""
    return "\n".join(lines)


def _told(state: str, left: Mark, found: kept.Kept) -> list[str]:
    host = left.episode.partition("/")[0]
    session = clean(episodes.session_of(left.episode)[:80])[0][:40]
    how = "died" if left.why == episodes.DIED else "ended"
    upto = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(found.time))
    told = [
        f"The {host} session {session} {how} and is not closed yet. Quoted from what was said and done up to {upto}:"
    ]
    mark = _mark(state, left.episode)
    for name, title in TITLES:
        items = found.sections.get(name, ())
        if items:
            behind = "" if name == ASKED else mark
            told.append("\n".join((f"{title}:", *(f"- {one}{behind}" for one in items))))
    later = [clean(one)[0][:LONGEST] for one in story.read(state, left.episode).prompts[-1:]]
    quoted = " ".join(found.sections.get("goals", ()))
    asked = [one for one in later if one and one[:60] not in quoted]
    if asked:
        told.insert(1, f'Last asked for: "{asked[0]}"')
    call, answers = _after(state, left.episode, found.size)
    if answers:
        told.insert(1, "\n".join(("Said after that, newest first:", *(f"- {one}{mark}" for one in answers))))
    if call and left.why == episodes.DIED:
        told.insert(1, f"Under way when it died, so look whether it took effect: {call}{mark}")
    return told


def _mark(state: str, episode: str) -> str:
    """The origin of outside text in a session's context, behind what was said and done there; the user's own words have
    none."""
    return quoting.from_mark(once.read(state, episode, once.TAINT) or "")


def _after(state: str, key: str, covered: int) -> tuple[str, list[str]]:
    """The newest call of its transcript if nothing came back, and the model's answers that the account has not seen.
    Only the tail is read."""
    from holdfast.text import extract, transcript

    episode = episodes.of_key(state, key)
    if episode is None or not episode.transcript:
        return "", []
    call = ""
    answers: list[str] = []
    left = LATER
    for nth, one in enumerate(transcript.said(episode.host, episode.transcript, TAIL)):
        if not nth and one.role == transcript.CALL:
            call = extract.call_line(one, None).removesuffix(" -> no result yet")
        if nth and (one.at < covered or left < SHORTEST_ANSWER):
            break
        if one.role == transcript.ASSISTANT and one.at >= covered and len(one.text) >= SHORTEST_ANSWER:
            answers.append(_quoted(one.text, min(left, LONGEST_ANSWER)))
            left -= len(answers[-1])
    return call, answers


def _quoted(text: str, most: int) -> str:
    """One answer on one line, clean of secrets before it is cut."""
    from holdfast.capture.redaction import redact

    return quoting.shortened(clean(redact(text)[0])[0], most)
