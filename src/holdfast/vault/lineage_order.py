"""The order of handoffs where a clock was ahead: by which continues which, and by when such a time was first seen.

    .state/ahead/<project>     names of handoffs, each with the time that it is ranked by

A handoff's name begins with the time at which its session ended, so a clock that was ahead for an hour would make one
handoff the newest until that hour has come, whatever is written after it. A time that is in the future when we look is
ranked as of that look. If another one continues it (`parents`), it ranks before that one, also once its time has come.
Where no time is ahead and none ever was, this costs one look for a file.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from holdfast.capture import codec, home, notices, platform, quoting
from holdfast.vault.notes import slug

if TYPE_CHECKING:
    from collections.abc import Mapping

NOTICE = "handoff-ahead"
SLACK = 300.0  # seconds that two clocks may differ by
WITHIN = 60  # handoffs whose parents are looked at, the newest by name
DIGITS = len("20261117T203000Z")
FORM = "%Y%m%dT%H%M%SZ"


class Ahead(NamedTuple):
    """A handoff by its file's name, and the time that it is ranked by."""

    name: str
    rank: str


def ranks(vault: str, project: str) -> dict[str, str]:
    """The names that are not ranked by their own time."""
    try:
        record = codec.decode(platform.read_file(_path(vault, project), 1 << 20))
        return {str(name): str(rank) for name, rank in record["ranks"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def ordered(names: list[str], known: Mapping[str, str]) -> list[str]:
    """File names, the oldest first."""
    return sorted(names, key=lambda name: (_key(name, known), name)) if known else sorted(names)


def note(vault: str, project: str, now: float) -> list[Ahead]:
    """Look for times from the future and remember when they were first seen. Returns those that are still ahead. Of a
    project that others were merged into, each id is looked at by itself."""
    from holdfast.vault import lineage

    if not project:
        return []
    listed = [path.rpartition("/")[2] for path in lineage.names_under(vault, project)]
    limit, seen = _stamp(now + SLACK), _stamp(now + 1)  # behind what was written in this very second
    known = ranks(vault, project)
    fresh = {name: rank for name, rank in known.items() if name in set(listed)}
    ahead = [name for name in listed if _is_time(name) and name[:DIGITS] > limit]
    fresh.update({name: seen for name in ahead if name not in fresh})
    if fresh:
        _behind_their_children(vault, project, sorted(listed)[-WITHIN:], fresh)
    if fresh != known:
        path = _path(vault, project)
        platform.make_folders(path.rpartition("/")[0])
        platform.write_atomic(path, codec.encode({"v": 1, "ranks": fresh}), durable=False)
    found = [Ahead(name, fresh[name]) for name in ahead]
    _tell(vault, project, found, now)
    return found


def _behind_their_children(vault: str, project: str, listed: list[str], fresh: dict[str, str]) -> None:
    """A handoff whose time was ahead ranks a second before one that continues it. The others keep their own time: that
    of a session which died is written late, and continues what was the newest by then."""
    from holdfast.vault import lineage

    looked_at = dict.fromkeys([*listed, *fresh])
    children: dict[str, list[str]] = {}
    for name in looked_at:
        found = lineage.read(vault, f"{lineage.FOLDER}/{slug(project)}/{name}")
        if isinstance(found, lineage.Handoff):
            for parent in found.parents:
                children.setdefault(parent, []).append(name)
    for _ in range(len(fresh)):
        changed = False
        for name in list(fresh):
            for child in children.get(quoting.stem(name), ()):
                if _is_time(child) and _key(child, fresh)[:DIGITS] <= _key(name, fresh)[:DIGITS] and child != name:
                    fresh[name] = _second_before(_key(child, fresh)[:DIGITS])
                    changed = True
        if not changed:
            return


def _tell(vault: str, project: str, found: list[Ahead], now: float) -> None:
    state = home.state(vault)
    if not found:
        notices.remove(state, NOTICE, project)
        return
    name, rank = found[-1]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    line = (
        f"The handoff {name}{more} says a time that is still to come: a clock was ahead. It is ranked as of "
        f"{_said(rank)}, when that was first seen; nothing of it was changed. "
        "Look at this machine's clock, and at those it syncs with."
    )
    notices.leave(state, NOTICE, line, now, project=project)


def _key(name: str, known: Mapping[str, str]) -> str:
    rank = known.get(name)
    return f"{rank}{name[DIGITS:]}" if rank else name


def _is_time(name: str) -> bool:
    return name[:8].isdecimal() and name[8:9] == "T" and name[9:15].isdecimal() and name[15:16] == "Z"


def _stamp(when: float) -> str:
    return time.strftime(FORM, time.gmtime(when))


def _second_before(stamp: str) -> str:
    import calendar

    return _stamp(calendar.timegm(time.strptime(stamp, FORM)) - 1)


def _said(stamp: str) -> str:
    return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]} {stamp[9:11]}:{stamp[11:13]} UTC"


def _path(vault: str, project: str) -> str:
    return f"{home.state(vault)}/ahead/{slug(project)}"
