"""An edit of a file that its host may write at the same moment: tried again on what is there by then.

Between the plan and its execution a person may think about it for minutes, and a host that is running writes its state
many times. Its changes count; ours is made again on each of them. Where the host is faster every time, or what it wrote
cannot be read, the file is left to it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.errors import HoldfastError
from holdfast.install import jsonc, writing

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.install.hosts import Edit

TRIES = 10


def write(edit: Edit, prepare: Callable[[Edit], None] | None = None) -> None:
    """Do it; `prepare` is called with the edit as it is about to be done. Raises HoldfastError."""
    for left in range(TRIES - 1, -1, -1):
        if prepare:
            prepare(edit)
        if not edit.changes:
            return
        try:
            writing.replace(edit.path, edit.before, edit.after)
        except HoldfastError:
            now = writing.read(edit.path)
            if edit.anew is None or not left or now == edit.before:
                raise
            edit = _on_what_is_there(edit, edit.anew, now)
        else:
            return


def _on_what_is_there(edit: Edit, anew: Callable[[bytes | None], bytes | None], now: bytes | None) -> Edit:
    try:
        return replace(edit, before=now, after=anew(now))
    except jsonc.Broken as error:
        raise writing.changed(edit.path) from error
