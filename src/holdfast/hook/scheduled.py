"""Prompts that the model lets come later: a timer types them, and no host says so.

Their words are the model's, whatever they order, so they are known by their digest from the moment they are asked for.
A timer may outlive its session, hence one folder for all of them; upkeep drops what is old.
"""

from __future__ import annotations

import posix

from holdfast.capture import platform
from holdfast.capture.ids import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.scene import Scene


def note(scene: Scene) -> None:
    path = _path(scene)
    platform.make_folders(path.rpartition("/")[0])
    platform.write_atomic(path, b"", durable=False)


def is_known(scene: Scene) -> bool:
    """Whether this prompt is one that the model asked for."""
    try:
        posix.stat(_path(scene))
    except OSError:
        return False
    return True


def _path(scene: Scene) -> str:
    return f"{scene.state}/scheduled/{digest(' '.join(scene.moment.prompt.split()), 32)}"
