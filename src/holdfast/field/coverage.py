"""What of the vault the index has, as it is now, and what it is behind with: looked at without changing anything.

How each place is compared is field/comparing. An index that is missing, damaged, of another version or locked is told
as such, and then has nothing; what is true is in the vault in any case.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.errors import Busy, NewerFormat
from holdfast.field import comparing, noted, opening, records
from holdfast.field.comparing import Behind
from holdfast.field.store import Damaged, Outdated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from holdfast.field.store import Store

READY, MISSING, OUTDATED = "ready", "missing", "outdated"
DAMAGED, NEWER, UNREADABLE = "damaged", "newer", "unreadable"
UNKNOWN = (NEWER, UNREADABLE)  # what such an index has cannot be told
MOST_READ = 10_000  # files whose words are compared, 0.2 ms each; more of them are taken for behind
RUNS = 2.0  # seconds that the look at the file itself may take: 0.13 s with 100,000 thoughts


@dataclass(frozen=True)
class Coverage:
    """`places` is how many the vault has: notes, handoffs, tasks, segments of thoughts. `lacking` are thoughts without
    a vector of the wanted model, `flaw` what is wrong in the file itself, None where nobody asked or could tell."""

    state: str
    why: str = ""
    places: int = 0
    behind: tuple[Behind, ...] = ()
    thoughts: int = 0
    lacking: int = 0
    flaw: str | None = None

    @property
    def oldest(self) -> float:
        """Since when the index is behind; 0 where it is not."""
        return min((one.since for one in self.behind if one.since), default=0.0)


def look(
    vault: str,
    *,
    model: str = "",
    deep: bool = False,
    since: float = 0.0,
    most: int = MOST_READ,
    borrowed: Callable[[], AbstractContextManager[Store]] | None = None,
) -> Coverage:
    """How the index stands to the vault. `model` names the embedder whose vectors are wanted; `deep` also looks at the
    file itself; where there is no index, what lies there unchanged for longer than `since` is not asked whose it is.
    `most` files at most are read. `borrowed` lends a store to a process that has some open."""
    for is_last in (False, True):
        try:
            with borrowed() if borrowed else _opened(vault) as store:
                return _compared(vault, store, model, most, deep=deep)
        except FileNotFoundError:
            return _without(vault, MISSING, "there is no index yet", since)
        except NewerFormat as error:
            return _without(vault, NEWER, str(error), since)
        except Outdated as error:
            return _without(vault, OUTDATED, str(error), since)
        except (Busy, OSError) as error:
            return _without(vault, UNREADABLE, str(error), since)
        except Damaged as error:
            if is_last:  # else a writer may have been at work under our eyes
                return _without(vault, DAMAGED, str(error), since)
    raise AssertionError("the second look returns")


@contextmanager
def _opened(vault: str) -> Iterator[Store]:
    """Raises OSError, NewerFormat, Outdated, Busy, Damaged."""
    from holdfast.field.sqlite.store import SqliteStore

    store = SqliteStore(opening.path_of(vault), only_look=True)
    try:
        yield store
    finally:
        store.close()


def _compared(vault: str, store: Store, model: str, most: int, *, deep: bool) -> Coverage:
    found = [*comparing.files(vault, store, most), *comparing.tasks(vault, store), *comparing.segments(vault, store)]
    behind = [one for one in found if one]
    return Coverage(
        READY,
        places=len(found) - sum(1 for one in behind if one.is_gone),
        behind=tuple(behind),
        thoughts=store.count(),
        lacking=store.lacking(model) if model else 0,
        flaw=store.flaw(RUNS) if deep else None,
    )


def _without(vault: str, state: str, why: str, since: float) -> Coverage:
    """No index that can be used: it is behind with everything. Whose it is, is read where somebody asks for it."""
    behind: list[Behind] = []
    for path, _ in noted.files(vault, time.time_ns(), {}):
        one = comparing.unread(vault, path, is_known=False)
        is_asked = since and one.since >= since and len(behind) < MOST_READ
        behind.append(comparing.with_whose(one, noted.read(vault, path)[0]) if is_asked else one)
    behind += [one for one in comparing.tasks(vault, None) if one]
    behind += [Behind(path, comparing.changed(vault, path)) for path, size in records.logs(vault) if size]
    return Coverage(state, why, len(behind), () if state in UNKNOWN else tuple(behind))
