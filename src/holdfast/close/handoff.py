"""The handoff of an episode for which nobody wrote one: made of flags, files touched and the first and last prompt.

It says only what is known, and says that it is mechanical. Where a judge drafted some of its sections, those stand in
place of ours and the rest stays. What was flagged is linked to its note, so that the next
handoff need not copy it forward; a long one is cut here, its note has all of it. A handoff is loaded by the next start,
so what waits in quarantine is counted in it and never quoted, and whatever else came from outside says so. An order
that nobody confirmed and a rule that an agent proposed are not in it: each start tells them as they stand then.
"""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING

from holdfast.capture import episodes, gitfiles, quoting
from holdfast.capture.flags import clean
from holdfast.close.filing import plain
from holdfast.close.witnessed import MOST_FILES, NOTED
from holdfast.model import TRUSTED
from holdfast.vault import lineage
from holdfast.vault.lineage import Handoff
from holdfast.vault.notes import QUARANTINE, UNVERIFIED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.capture.episodes import Episode
    from holdfast.capture.story import Story
    from holdfast.close.think.draft import Draft
    from holdfast.model import Flag

LONGEST = 300
LONGEST_TOPIC, SHORTEST_TOPIC = 80, 12
MOST_ITEMS = 30


def make(
    episode: Episode,
    told: Story,
    flags: Sequence[Flag],
    placed: Mapping[str, str],
    parents: tuple[str, ...],
    drafted: Draft | None = None,
    doubts: Mapping[str, str] = MappingProxyType({}),
) -> Handoff:
    """What can be said of an episode; without a draft, without a model. `doubts` say why flags are unverified."""
    sections: dict[str, list[str]] = {}
    first, last = (told.prompts[0], told.prompts[-1]) if told.prompts else ("", "")
    if first:
        sections["goals"] = [_line(first)]
    if last and last != first:
        sections["worked_on"] = [f"last asked for: {_line(last)}"]
    answered = {ident for flag in flags for ident in flag.answered}
    guarded = [flag for flag in flags if placed.get(flag.id, "").startswith(f"{QUARANTINE}/")]
    quotable = [flag for flag in flags if not flag.status and flag not in guarded and flag.id not in answered]
    for flag in quotable:
        sections.setdefault(lineage.section_for(flag.kind), []).append(
            _item(flag, placed.get(flag.id, ""), doubts.get(flag.id, ""))
        )
    for key, items in sections.items():
        if len(items) > MOST_ITEMS:
            sections[key] = [*items[:MOST_ITEMS], f"and {len(items) - MOST_ITEMS} more, filed as notes"]
    if told.files:
        sections["files_modified"] = _files(told.files, episode.cwd)
    if episode.state == episodes.DIED:
        request = f" Its last request was: {_line(last)}" if last else ""
        sections["in_progress"] = [f"The session died without an end, so its work may be half done.{request}"]
    sections["note"] = [NOTED]
    if drafted:
        from holdfast.close.think import draft  # pydantic, which a close without a judge need not wait for

        died = sections.get("in_progress", []) if episode.state == episodes.DIED else []
        sections |= {name: [draft.item(line, placed) for line in lines] for name, lines in drafted.sections.items()}
        sections["in_progress"] = [*died, *(one for one in sections.get("in_progress", []) if one not in died)]
        sections["note"] = []
    if guarded:
        sections["note"].append(f"{len(guarded)} flagged from outside text, for a person to review (`holdfast review`)")
    return Handoff(
        title=(drafted.title if drafted else "") or topic(told, [flag for flag in quotable if flag.origin in TRUSTED]),
        time=lineage.iso(episode.closed or episode.opened),
        started=lineage.iso(episode.opened),
        project=episode.project,
        branch=gitfiles.branch(episode.cwd),
        host=episode.host,
        episode=episode.key,
        author=drafted.author if drafted else lineage.MECHANICAL,
        parents=parents,
        sections={key: tuple(items) for key, items in sections.items() if items},
    )


def topic(told: Story, flags: Sequence[Flag]) -> str:
    """What it was about: the first sentence of the first prompt's first line, else of the first flag."""
    for text in (*told.prompts[:1], *(flag.text for flag in flags[:1])):
        first = next((line for line in (clean(one)[0] for one in text.splitlines()) if line), "")
        sentence = first.partition(". ")[0]
        first = (sentence if len(sentence) >= SHORTEST_TOPIC else first).rstrip(" .,;:")
        if first:
            cut = first.rfind(" ", LONGEST_TOPIC // 2, LONGEST_TOPIC)
            return first if len(first) <= LONGEST_TOPIC else first[: cut if cut > 0 else LONGEST_TOPIC] + "…"
    return "a session without words"


def _item(flag: Flag, path: str, doubt: str = "") -> str:
    link = f" ([note](../../{path}))" if path and flag.kind != "progress" else ""
    mark = UNVERIFIED.format(doubt) if doubt else ""
    return f"{_line(plain(flag))}{mark}{quoting.from_mark(flag.origin)}{link}"


def _line(text: str) -> str:
    return quoting.shortened(clean(text)[0], LONGEST)


def _files(files: Sequence[str], cwd: str) -> list[str]:
    """Paths as the project says them."""
    root = gitfiles.root_of(cwd)
    shown = [os.path.relpath(path, root) if path.startswith(f"{root}/") else path for path in files]
    more = [f"and {len(shown) - MOST_FILES} more"] if len(shown) > MOST_FILES else []
    return [clean(path)[0] for path in shown[:MOST_FILES]] + more
