"""The mechanical handoff: made of flags, files touched and the first and last prompt, where nobody wrote one.

It says only what is known, and says that it is mechanical. What was flagged is linked to its note, so that the next
handoff need not copy it forward.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.capture import episodes, gitfiles
from holdfast.capture.flags import clean
from holdfast.close.filing import title as short
from holdfast.vault import lineage
from holdfast.vault.lineage import Handoff

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.capture.episodes import Episode
    from holdfast.capture.story import Story
    from holdfast.model import Flag

LONGEST = 300
MOST_FILES = 40
MOST_ITEMS = 30
SECTION = {"progress": "done", "decision": "decisions"}


def make(
    episode: Episode, told: Story, flags: Sequence[Flag], placed: Mapping[str, str], parents: tuple[str, ...]
) -> Handoff:
    """What can be said of an episode without a model."""
    sections: dict[str, list[str]] = {}
    first, last = (told.prompts[0], told.prompts[-1]) if told.prompts else ("", "")
    if first:
        sections["goals"] = [_line(first)]
    if last and last != first:
        sections["worked_on"] = [f"last asked for: {_line(last)}"]
    for flag in flags:
        key = SECTION.get(flag.kind, "learned")
        link = f" ([note](../../{placed[flag.id]}))" if flag.id in placed and flag.kind != "progress" else ""
        sections.setdefault(key, []).append(f"{flag.text}{link}")
    for key, items in sections.items():
        if len(items) > MOST_ITEMS:
            sections[key] = [*items[:MOST_ITEMS], f"and {len(items) - MOST_ITEMS} more, filed as notes"]
    if told.files:
        sections["files_modified"] = _files(told.files, episode.cwd)
    if episode.state == episodes.DIED:
        request = f" Its last request was: {_line(last)}" if last else ""
        sections["in_progress"] = [f"The session died without an end, so its work may be half done.{request}"]
    sections["note"] = ["Written by holdfast from flags and prompts; nobody wrote a handoff."]
    return Handoff(
        title=topic(told, flags),
        time=lineage.iso(episode.closed or episode.opened),
        started=lineage.iso(episode.opened),
        project=episode.project,
        branch=gitfiles.branch(episode.cwd),
        host=episode.host,
        episode=episode.key,
        author=lineage.MECHANICAL,
        parents=parents,
        sections={key: tuple(items) for key, items in sections.items()},
    )


def topic(told: Story, flags: Sequence[Flag]) -> str:
    """What it was about: the first prompt's first line, else the first flag."""
    for text in (*told.prompts[:1], *(flag.text for flag in flags[:1])):
        first = next((line for line in text.splitlines() if line.strip()), "")
        if clean(first)[0]:
            return short(clean(first)[0])
    return "a session without words"


def _line(text: str) -> str:
    line = clean(text)[0]
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def _files(files: Sequence[str], cwd: str) -> list[str]:
    """Paths as the project says them."""
    git = gitfiles.checkout(cwd)
    root = git.root if git else cwd
    shown = [os.path.relpath(path, root) if path.startswith(f"{root}/") else path for path in files]
    more = [f"and {len(shown) - MOST_FILES} more"] if len(shown) > MOST_FILES else []
    return [clean(path)[0] for path in shown[:MOST_FILES]] + more
