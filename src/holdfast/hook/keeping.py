"""When the account of a session is kept on the way: at a boundary, and now and then in a long turn.

A look costs one stat; the account itself is made by a process that nobody waits for (witness/kept).
"""

from __future__ import annotations

import posix

from holdfast.capture import once
from holdfast.hook.boundary import COMMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.capture.episodes import Episode
    from holdfast.hook.scene import Scene

ACCOUNTED = "accounted"  # its content is the size of the transcript that the last account was made of
FIRST, GROWN = 1 << 10, 8 << 10  # bytes that make the first account, and another, worth its process at a boundary; a
# commit is always worth it
GROWN_BETWEEN, BETWEEN = 64 << 10, 180.0  # bytes and seconds within a turn
GROWN_MUCH = 192 << 10  # bytes that are worth it at any time


def keep_if_due(scene: Scene, episode: Episode, env: Mapping[str, str], *, is_boundary: bool) -> None:
    """Start an account of the session so far, if enough was said since the last one."""
    moment = scene.moment
    path = moment.transcript or episode.transcript
    if moment.agent or not path:
        return
    try:
        size = posix.stat(path).st_size
    except (OSError, ValueError):
        return
    known = once.count(scene.state, episode.key, ACCOUNTED)
    if not is_boundary:
        last = once.when(scene.state, episode.key, ACCOUNTED) or episode.opened
        if size - known < (GROWN_BETWEEN if scene.now - last >= BETWEEN else GROWN_MUCH):
            return
    elif 0 <= size - known < (1 if scene.did.get("boundary") == COMMIT else GROWN if known else FIRST):
        return
    from holdfast.capture import background

    if background.is_off(env):
        return
    try:
        once.put(scene.state, episode.key, ACCOUNTED, str(size))
        scene.did["account"] = background.start(scene.vault, env, "background-account", episode.key, path, str(size))
    except OSError as error:
        scene.failures.append(error)
