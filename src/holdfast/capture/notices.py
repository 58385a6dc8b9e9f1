"""Notices: sentences that something in the background leaves for the next starts of a project.

    notices/<project>~<name>     one sentence, with the time until which it is told

A close, the budget or an improvement has something to say while no session listens. One small file each; the same name
again replaces the sentence. A start reads at most MOST of them, the newest first, so no backlog can slow it. `once`
goes with the first start that told it; the others go when their time is over, or when whoever left them takes them
away. "" as the project means every project.
"""

from __future__ import annotations

import posix

from holdfast.capture import codec, platform
from holdfast.capture.ids import digest
from holdfast.capture.redaction import redact
from holdfast.model import VERSION, value

MOST = 12
LASTS = 7 * 86400.0
JUDGE = "judge"  # that it could not be used


@value
class Notice:
    """One sentence. `name` tells it from the others of its project."""

    name: str
    line: str
    project: str = ""
    time: float = 0.0
    until: float = 0.0
    once: bool = False


def leave(
    state: str, name: str, line: str, now: float, *, project: str = "", lasts: float = LASTS, once: bool = False
) -> None:
    """Put a sentence down. Raises OSError."""
    folder = f"{state}/notices"
    platform.make_folders(folder)
    tidy = redact(" ".join(line.split()))[0][:600]
    record = {"v": VERSION, "name": name, "line": tidy, "project": project, "time": now, "until": now + lasts}
    platform.write_atomic(_path(state, project, name), codec.encode({**record, "once": once}), durable=False)


def remove(state: str, name: str, project: str = "") -> None:
    platform.remove(_path(state, project, name))


def for_project(state: str, project: str, now: float, merged: tuple[str, ...] = ()) -> list[Notice]:
    """What a start in a project, or in one merged into it, says, the newest first; what is over is swept away on the
    way."""
    folder = f"{state}/notices"
    aged = []
    wanted = {digest(one) for one in ("", project, *merged)}
    for name in platform.names(folder):
        if name.partition("~")[0] in wanted and not name.endswith(".tmp"):
            try:
                aged.append((posix.stat(f"{folder}/{name}").st_mtime, name))
            except OSError:
                continue
    found: list[Notice] = []
    for _, name in sorted(aged, reverse=True):
        if len(found) == MOST:
            break
        try:
            record = codec.decode(platform.read_file(f"{folder}/{name}", 1 << 14))
            notice = Notice(**{field: record[field] for field in Notice.__annotations__})
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if notice.until < now:
            platform.remove(f"{folder}/{name}")
        else:
            found.append(notice)
    return found


def told(state: str, notices: list[Notice]) -> None:
    """These were said: what is said once goes."""
    for notice in notices:
        if notice.once:
            remove(state, notice.name, notice.project)


def _path(state: str, project: str, name: str) -> str:
    return f"{state}/notices/{digest(project)}~{digest(name)}"
