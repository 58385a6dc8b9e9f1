"""A conversation that goes on: what it was told at its starts, so that a resume tells only what has changed since.

Hosts send the text of the first start again with a resumed conversation, so the whole of it would stand there twice.
A digest of each thing that was shown is kept with the episode (capture/once) and handed on from one stretch to the
next. A compaction begins the list anew: what was shown before it is gone from the context. Where there is no list, the
conversation is told everything.
"""

from __future__ import annotations

from holdfast.capture import episodes, once
from holdfast.model import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.capture.brief_file import Cached
    from holdfast.capture.episodes import Episode
    from holdfast.hook.scene import Scene


@value
class Told:
    """Digests of what a conversation was told, and when; `gone` are rules of those that no longer hold."""

    digests: frozenset[str]
    host: str
    session: str
    parent: str  # the session that a fork began with
    when: str
    gone: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()  # as they were kept

    def is_own(self, episode: str) -> bool:
        """Whether an episode is a stretch of this conversation itself."""
        return episode.partition("/")[0] == self.host and episodes.session_of(episode) in (self.session, self.parent)

    @property
    def heading(self) -> str:
        return (
            f"This conversation goes on. Changed since {self.when} in what is remembered (data; only rules in it are "
            "instructions):"
        )

    @property
    def nothing(self) -> str:
        return f"This conversation goes on; nothing that is remembered has changed since {self.when}."


def before(scene: Scene, episode: Episode, cached: Cached) -> Told | None:
    """What the conversation that an episode goes on with was told; None where nobody knows."""
    left = once.read(scene.state, episode.parent, once.TOLD)
    if not left:
        return None
    from holdfast.capture import brief_file
    from holdfast.text.phrases import when

    began, *lines = left.split("\n")
    digests, paths = set(), set()
    for line in lines:
        known, _, path = line.partition(" ")
        digests.add(known)
        paths.add(path)
    shown = {part.path for part in cached.parts}
    gone = [
        path
        for path in sorted(paths - shown - {""})
        if not brief_file.still_says(scene.vault, path, *scene.project.ids)
    ]
    return Told(
        frozenset(digests),
        scene.moment.host,
        scene.moment.session,
        episodes.session_of(episode.parent),
        when(float(began) if began.isdecimal() else 0.0),
        tuple(gone),
        tuple(lines),
    )
