"""A file that stands in the way is moved to a name of its own and never thrown away."""

from __future__ import annotations

import os
import shutil

from holdfast.capture import platform


def moved(path: str, place: str) -> str:
    """Move what lies at a path to `place`, or beside it where that is taken; returns where it is, "" where nothing
    was. Raises OSError."""
    if not os.path.lexists(path):
        return ""
    platform.make_folders(os.path.dirname(place))
    while os.path.lexists(place):
        place += ".again"
    try:
        os.rename(path, place)
    except FileNotFoundError:
        return ""
    except OSError:
        shutil.copy2(path, place)  # another file system
        os.unlink(path)
    return place
