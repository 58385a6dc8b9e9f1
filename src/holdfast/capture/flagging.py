"""Taking flags: from words and a place to synced lines in the queue and a record in the ledger."""

from __future__ import annotations

import time

from holdfast.capture import episodes, flags, home, ledger, queue
from holdfast.errors import NotSaved
from holdfast.model import Flag, Project, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


@value
class Speaker:
    """Where flags come from, as stamped by us and not by their author."""

    host: str
    episode: str
    project: Project
    origin: str


@value
class Taken:
    """What was saved, what was changed on the way, and what else the author should know."""

    flags: tuple[Flag, ...]
    changes: tuple[str, ...]


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
    began = time.perf_counter_ns()
    made: list[Flag] = []
    changes: list[str] = []
    for nth, text in enumerate(texts):
        flag, changed = flags.make(
            text,
            now=now,
            kind=kind,
            evidence=evidence,
            host=speaker.host,
            episode=speaker.episode,
            project=speaker.project.id,
            origin=speaker.origin,
            nth=nth,
        )
        made.append(flag)
        changes += [one for one in changed if one not in changes]
    changes += prepare(vault)
    state = home.state(vault)
    segment = queue.append(f"{state}/queue", made, now)
    if speaker.episode:
        try:
            episodes.note_segment(state, speaker.episode, segment)
        except OSError:
            pass  # the flag is safe; the end of its episode finds it by looking
    spent = (time.perf_counter_ns() - began) // 1000
    try:
        for flag in made:
            ledger.append(
                state, "flag", now, id=flag.id, flag=kind, episode=flag.episode, project=flag.project, us=spent
            )
    except NotSaved:
        changes.append("the ledger could not be written; the flag itself is safe")
    return Taken(tuple(made), tuple(changes))


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
