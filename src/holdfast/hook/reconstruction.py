"""What a start tells of a session that was killed and is not closed yet: the account that was kept of it on the way.

One small file is read (witness/kept made it in the background), and what was asked after it is added from the notes
of the hook itself. It is told in place of a handoff, as what it is: quoted, and up to when.
"""

from __future__ import annotations

import time

from holdfast.capture import episodes, story
from holdfast.capture.flags import clean
from holdfast.witness import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.capture.marks import Mark

TITLES = (
    ("goals", "Goals"),
    ("state", "Where it stands"),
    ("next_steps", "Next steps"),
    ("done", "Done"),
    ("decisions", "Decisions"),
    ("learned", "Learned"),
    ("where", "Files modified"),
)
TAIL = 128 << 10  # bytes of a transcript in which the call under way is looked for
LONGEST = 200  # of a prompt that came after the account


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
    from holdfast.hook.layout import cost, escape, tidy

    found = kept.read(state, key)
    lines: list[str] = []
    for name, title in TITLES[1:] if found else ():
        heading = f"{title}:"
        for item in found.sections.get(name, ()) if found else ():
            line = escape(tidy(f"- {item}"))
            needed = cost(line) + (cost(heading) if heading else 0)
            if needed > most:
                continue
            most -= needed
            lines += [heading, line] if heading else [line]
            heading = ""
    return "\n".join(lines)


def _told(state: str, mark: Mark, found: kept.Kept) -> list[str]:
    host = mark.episode.partition("/")[0]
    session = clean(episodes.session_of(mark.episode)[:80])[0][:40]
    how = "died" if mark.why == episodes.DIED else "ended"
    upto = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(found.time))
    told = [
        f"The {host} session {session} {how} and is not closed yet. Quoted from what was said and done up to {upto}:"
    ]
    for name, title in TITLES:
        items = found.sections.get(name, ())
        if items:
            told.append("\n".join((f"{title}:", *(f"- {one}" for one in items))))
    later = [clean(one)[0][:LONGEST] for one in story.read(state, mark.episode).prompts[-1:]]
    quoted = " ".join(found.sections.get("goals", ()))
    asked = [one for one in later if one and one[:60] not in quoted]
    if asked:
        told.insert(1, f'Last asked for: "{asked[0]}"')
    call = _under_way(state, mark.episode) if mark.why == episodes.DIED else ""
    if call:
        told.insert(1, f"Under way when it died, so look whether it took effect: {call}")
    return told


def _under_way(state: str, key: str) -> str:
    """The newest call of its transcript, if nothing came back; "" otherwise. Only the tail is read."""
    from holdfast.hook import gist, transcript

    episode = episodes.of_key(state, key)
    if episode is None or not episode.transcript:
        return ""
    for one in transcript.said(episode.host, episode.transcript, TAIL):
        if one.role != transcript.CALL:
            return ""
        return gist.call_line(one, None).removesuffix(" -> no result yet")
    return ""
