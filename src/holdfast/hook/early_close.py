"""A close while a long session goes on, once enough flags wait, so that its end is small.

Asked at a prompt and where a chapter closed, moments after which the work goes on: at the end of a turn the session may
be about to end, and then its end starts the close. The flags are counted as they come, in a small file, so that asking
costs one look whatever the queue holds. Of two hooks at once one starts the close.
"""

from __future__ import annotations

from holdfast.capture import config as machine
from holdfast.capture import home, once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.capture.episodes import Episode
    from holdfast.hook.scene import Scene

MANY = 12


def close_if_many(scene: Scene, episode: Episode, env: Mapping[str, str], config: Mapping[str, Any]) -> None:
    """Start a close of what this project's sessions have flagged so far, if that is enough."""
    waiting = once.read(scene.state, episode.key, once.UNFILED)
    if not waiting:
        return
    own = home.machine_state(env)
    settings = config if own == scene.state else machine.load(own)  # a repository's vault has no say in it
    many = machine.number(machine.section(settings, "close"), "midway", MANY)
    if many <= 0 or len(waiting.split()) < many:
        return
    from holdfast.capture import background

    if background.is_off(env) or once.take(scene.state, episode.key, once.UNFILED) is None:
        return
    words = ("background-close", scene.project.root, episode.project)
    try:
        scene.did["close"] = background.start(scene.vault, env, *words)
    except OSError as error:
        scene.failures.append(error)
