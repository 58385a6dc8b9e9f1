"""The flags that an episode leaves in the queue, found without reading all of them: its end must not take longer
because it flagged more.

The segments that have its flags are noted as they are written, one byte for each flag (capture/episodes). The newest of
them are read; a longer one counts as the bytes of its note say, and is named to the close, which reads it anyway. So
the number may be too high where some of a long segment are filed already, and no segment with a flag is passed over.
"""

from __future__ import annotations

import posix

from holdfast.capture import episodes, queue

ROOM = 1 << 16  # bytes of segments that an end reads


def of_episode(state: str, key: str, now: float, newest: int = ROOM) -> tuple[int, tuple[str, ...]]:
    """How many flags of an episode wait, and the names of the segments that have them. One that cannot be read may well
    have some: it is named too, and looked at again by the next start. The `newest` bytes of the queue are looked
    through besides: a note may have gone with the power, or a full disk refused it."""
    folder = f"{state}/queue"
    counts = episodes.noted_counts(state, key)
    for entry in queue.read(folder, now, newest=newest).entries:
        if entry.flag.episode == key:
            counts.setdefault(entry.segment.rpartition("/")[2], 0)
    waiting, room = 0, ROOM
    named = []
    for place in sorted(counts, reverse=True):
        try:
            size = posix.stat(f"{folder}/live/{place}").st_size
        except FileNotFoundError:
            continue  # archived: all of it is filed
        except OSError:
            named.append(place)
            continue
        if size > room and counts[place]:
            waiting += counts[place]
            named.append(place)
            continue
        room -= size
        left = queue.unfiled_of(folder, place, key, now)
        waiting += len(left or ())
        if left is None or left:
            named.append(place)
    return waiting, tuple(sorted(named))
