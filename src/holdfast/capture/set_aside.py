"""What the user has been told of and need not be told of again: damage in the queue, flags and files that are gone.

    queue/set-aside     one record for each time that the user said so (`holdfast queue --set-aside`)

An alarm that cannot end is not heard any more. Nothing is removed by this: damaged bytes stay where they are, with a
copy in queue/broken, and what is noted here only says that somebody has looked.
"""

from __future__ import annotations

import zlib

from holdfast.capture import codec, log
from holdfast.model import VERSION, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@value
class Known:
    """Places of damage, ids of flags, names of segments and days of the ledger."""

    places: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    segments: frozenset[str] = frozenset()
    days: frozenset[str] = frozenset()


def read(folder: str) -> Known:
    """All that was set aside in the queue at `folder`."""
    found: dict[str, set[str]] = {name: set() for name in Known.__annotations__}
    try:
        payloads = list(log.records(log.scan_file(f"{folder}/set-aside")))
    except OSError:
        return Known()
    for payload in payloads:
        try:
            record = codec.decode(payload)
            for name, known in found.items():
                known.update(str(one) for one in record.get(name, ()))
        except (ValueError, TypeError, AttributeError):
            continue
    return Known(**{name: frozenset(known) for name, known in found.items()})


def add(folder: str, now: float, **what: Sequence[str]) -> None:
    """Note what somebody has looked at, durably. Raises NotSaved."""
    record = {"v": VERSION, "t": now, **{name: list(ones) for name, ones in what.items() if ones}}
    log.append(f"{folder}/set-aside", [codec.encode(record)], durable=True)


def place_of(path: str, found: log.Found) -> str:
    """A name for bytes that are no record: where they stand, and which they are."""
    return f"{path.rpartition('/')[2]}:{found.start}-{found.end}:{zlib.crc32(found.payload):08x}"


def still_open(folder: str, broken: Iterable[tuple[str, log.Found]]) -> list[tuple[str, log.Found]]:
    """The damage that nobody has looked at yet."""
    known = read(folder).places
    return [(path, one) for path, one in broken if place_of(path, one) not in known]
